// Who a thread is, in every run and build: the chain of "nth child" from the main thread.
//
// Written "0" for main, "0.2" for main's second child, "0.2.1" for that one's first. The hash of a
// path is what the runtime keeps (ThreadRecord::path_hash) and what an anchor names.
#ifndef HEDDLE_TRACE_THREAD_PATH_H_
#define HEDDLE_TRACE_THREAD_PATH_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/ids.h"
#include "trace/records.h"

namespace heddle {

inline constexpr std::uint64_t kMainPathHash = Mix(1);

constexpr std::uint64_t ChildPathHash(std::uint64_t parent_hash, std::uint32_t nth_child) {
  return Mix(parent_hash, nth_child);
}

// The order of threads that is the same in every run: ancestors first, then by the first child
// number in which the paths differ. A chain that a damaged run left endless is an order, too.
inline bool ComesBefore(ThreadId a, ThreadId b, const ThreadRecord* threads, std::size_t count) {
  const auto depth_of = [&](ThreadId thread) {
    std::size_t depth = 0;
    for (; threads[thread].parent != kNoThread && depth < count; ++depth) {
      thread = threads[thread].parent;
    }
    return depth;
  };
  std::size_t depth_a = depth_of(a), depth_b = depth_of(b);
  ThreadId x = a, y = b;
  for (; depth_a > depth_b; --depth_a) x = threads[x].parent;
  for (; depth_b > depth_a; --depth_b) y = threads[y].parent;
  if (x == y) return y == a && a != b;  // a is an ancestor of b
  while (threads[x].parent != threads[y].parent) {
    x = threads[x].parent;
    y = threads[y].parent;
  }
  return threads[x].nth_child < threads[y].nth_child;
}

// "0.2" of a thread of a run. A chain that a damaged run left endless stops after every thread.
inline std::string FormatPath(std::span<const ThreadRecord> threads, ThreadId thread) {
  std::string path;
  std::size_t left = threads.size();
  while (thread != kMainThread && thread < threads.size() && left-- > 0) {
    path = "." + std::to_string(threads[thread].nth_child) + path;
    thread = threads[thread].parent;
  }
  return "0" + path;
}

// The hash of a path as FormatPath writes it; nothing when the text is not a path.
inline std::optional<std::uint64_t> PathHash(std::string_view path) {
  if (path.empty() || path[0] != '0') return std::nullopt;
  std::uint64_t hash = kMainPathHash;
  for (std::size_t i = 1; i < path.size();) {
    if (path[i++] != '.') return std::nullopt;
    std::uint32_t nth = 0;
    const std::size_t first = i;
    for (; i < path.size() && path[i] >= '0' && path[i] <= '9' && i - first < 5; ++i) {
      nth = nth * 10 + static_cast<std::uint32_t>(path[i] - '0');
    }
    if (i == first || nth == 0) return std::nullopt;
    hash = ChildPathHash(hash, nth);
  }
  return hash;
}

}  // namespace heddle

#endif  // HEDDLE_TRACE_THREAD_PATH_H_
