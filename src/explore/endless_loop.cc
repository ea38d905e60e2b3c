#include "explore/endless_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/run_names.h"
#include "symbols/names.h"

namespace heddle {
namespace {

constexpr std::size_t kLooked = 2000;  // of the last events
constexpr std::size_t kOften = 100;    // times make a loop
constexpr std::size_t kNamed = 3;      // reads

struct Repeated {
  std::size_t first = 0;  // event
  std::size_t times = 0;
  bool is_constant = true;
};

}  // namespace

std::string DescribeLoop(const RunTrace& trace, Symbolizer& symbols) {
  const std::size_t begin = trace.events.size() - std::min(trace.events.size(), kLooked);
  std::map<ThreadId, std::size_t> counts;
  for (std::size_t i = begin; i < trace.events.size(); ++i) ++counts[trace.events[i].thread];
  ThreadId thread = kNoThread;
  std::size_t most = 0;
  for (const auto& [each, count] : counts) {
    if (count > most) {
      thread = each;
      most = count;
    }
  }
  std::map<std::pair<std::uint64_t, ObjectId>, Repeated> reads;
  for (std::size_t i = begin; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (event.thread != thread) continue;
    if (!IsPlainAccess(event.kind) && !IsAtomic(event.kind)) continue;
    if (event.kind == OpKind::kWrite || event.kind == OpKind::kAtomicStore) continue;
    Repeated& read =
        reads.try_emplace({event.site, event.object}, Repeated{.first = i}).first->second;
    ++read.times;
    read.is_constant = read.is_constant && event.value == trace.events[read.first].value;
  }
  std::vector<Repeated> often;
  for (const auto& [key, read] : reads) {
    if (read.times >= kOften) often.push_back(read);
  }
  if (often.empty()) return {};
  std::sort(often.begin(), often.end(), [](const Repeated& a, const Repeated& b) {
    // What never changes first: that is what the loop waits for.
    return std::pair(!a.is_constant, a.first) < std::pair(!b.is_constant, b.first);
  });
  if (often.size() > kNamed) often.resize(kNamed);

  const RunNames names(trace, symbols);
  const Frame place = names.Place(names.StackOf(often.front().first));
  std::string what;
  for (const Repeated& read : often) {
    const std::string object = names.ObjectOf(read.first);
    what += fmt::format("{}{}", what.empty() ? "" : ", ", object.empty() ? "memory" : object);
    if (read.is_constant) what += fmt::format(" (always {})", trace.events[read.first].value);
  }
  const std::string label = names.Label(thread);
  return fmt::format("{}{} goes round{}: it reads {}", names.Thread(thread),
                     label.empty() ? "" : " " + label,
                     place.line > 0 ? " at " + ShortLocation(place) : "", what);
}

}  // namespace heddle
