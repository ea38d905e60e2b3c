#include "runtime/interpose/buffers.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <cwchar>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/memory/arena.h"
#include "runtime/memory/modules.h"
#include "runtime/memory/sites.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

// Since Linux 5.14; before that nothing is copied.
constexpr int kPopulateRead = 22;
constexpr int kPopulateWrite = 23;

// Whether the memory may be used so. The call itself fails with EFAULT where it may not; a copy
// would crash.
bool IsUsable(const iovec& part, int advice) {
  constexpr std::uint64_t kPage = 4096;
  const auto begin = reinterpret_cast<std::uint64_t>(part.iov_base) & ~(kPage - 1);
  const auto end = reinterpret_cast<std::uint64_t>(part.iov_base) + part.iov_len;
  return RawSyscall(SYS_madvise, static_cast<long>(begin), static_cast<long>(end - begin),
                    advice) == 0;
}

bool AreUsable(const iovec* parts, int count, int advice) {
  return std::all_of(parts, parts + std::max(count, 0), [advice](const iovec& part) {
    return part.iov_len == 0 || IsUsable(part, advice);
  });
}

void Access(std::uint64_t site, const iovec& part, bool is_write) {
  heddle_access_range(site, part.iov_base, part.iov_len, is_write ? 1 : 0);
}

std::size_t LengthOf(const char* text, std::size_t limit) { return strnlen(text, limit); }
std::size_t LengthOf(const wchar_t* text, std::size_t limit) { return wcsnlen(text, limit); }

template <typename Character>
Character* ReadCharacters(const Character* text, std::size_t limit, std::uint64_t site) {
  const bool is_event = IsPointOfCaller(site);
  Character* own = nullptr;
  for (std::size_t length = 0;;) {
    const std::size_t rest = limit - length;
    const std::size_t visible = LengthOf(text + length, rest);
    const std::size_t read = visible < rest ? visible + 1 : rest;  // with the zero
    heddle_access_range(site, text + length, read * sizeof *text, 0);
    if (!is_event) return nullptr;
    const std::size_t there = LengthOf(text + length, read);
    auto* const longer =
        static_cast<Character*>(ArenaAllocate((length + there + 1) * sizeof *text));
    if (own != nullptr) std::memcpy(longer, own, length * sizeof *text);
    ArenaFree(own);
    own = longer;
    std::memcpy(own + length, text + length, there * sizeof *text);
    length += there;
    own[length] = 0;
    if (there < read || length == limit) return own;
  }
}

}  // namespace

bool IsSeenCaller(std::uint64_t site) {
  return (engine.hot.active & HEDDLE_SEES_ACCESSES) != 0 && Scheduler::OfThisThread() != nullptr &&
         Modules::IsInstrumented(site);
}

bool IsPointOfCaller(std::uint64_t site) {
  const Site* const known = Sites::Find(site);
  return known == nullptr || known->is_point || engine.channel->config.points == Points::kAll;
}

StandIns::~StandIns() {
  if (own_.empty()) return;
  const EngineScope scope;
  for (const iovec& part : own_) ArenaFree(part.iov_base);
  std::vector<iovec>().swap(own_);
}

void StandIns::Make() {
  const EngineScope scope;
  for (int i = 0; i < count_; ++i) {
    const std::size_t size = parts_[i].iov_len;
    own_.push_back({ArenaAllocate(std::max<std::size_t>(size, 1)), size});
  }
}

Outgoing::Outgoing(const iovec* parts, int count, std::uint64_t site) : StandIns(parts, count) {
  if (!IsSeenCaller(site)) return;
  const bool is_point = IsPointOfCaller(site);
  if (is_point && !AreUsable(parts, count, kPopulateRead)) return;
  if (is_point) Make();
  for (int i = 0; i < count; ++i) {
    Access(site, parts[i], false);
    if (is_point) std::memcpy(own_[i].iov_base, parts[i].iov_base, parts[i].iov_len);
  }
}

char* ReadText(const char* text, std::size_t limit, std::uint64_t site) {
  return ReadCharacters(text, limit, site);
}

wchar_t* ReadText(const wchar_t* text, std::size_t limit, std::uint64_t site) {
  return ReadCharacters(text, limit, site);
}

OutgoingText::OutgoingText(const char* text, std::uint64_t site) : text_(text) {
  if (text != nullptr && IsSeenCaller(site)) own_ = ReadText(text, SIZE_MAX, site);
}

OutgoingText::~OutgoingText() {
  if (own_ != nullptr) ArenaFree(own_);
}

Incoming::Incoming(const iovec* parts, int count, std::uint64_t site)
    : StandIns(parts, count), site_(IsSeenCaller(site) ? site : 0) {
  if (site_ != 0 && IsPointOfCaller(site_) && AreUsable(parts, count, kPopulateWrite)) Make();
}

long Incoming::Arrived(long result) {
  if (site_ == 0 || result <= 0) return result;
  const int error = errno;
  auto rest = static_cast<std::size_t>(result);
  for (int i = 0; i < count_ && rest > 0; ++i) {
    const iovec part = {parts_[i].iov_base, std::min(rest, parts_[i].iov_len)};
    Access(site_, part, true);
    if (!own_.empty()) std::memcpy(part.iov_base, own_[i].iov_base, part.iov_len);
    rest -= part.iov_len;
  }
  errno = error;
  return result;
}

}  // namespace heddle
