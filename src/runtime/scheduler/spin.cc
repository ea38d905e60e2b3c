#include "runtime/scheduler/spin.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/hash.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostPatience = 1024;
constexpr std::uint32_t kLockWord = 4;  // of a mutex or a spin lock: what tells whether it is taken

std::uint64_t ValueAt(const void* address, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, address, std::min(size, sizeof value));
  return value;
}

}  // namespace

bool Spin::MayBegin(OpKind kind) {
  switch (kind) {
    case OpKind::kRead:
    case OpKind::kAtomicLoad:
    case OpKind::kAtomicRmw:
    case OpKind::kLock:
    case OpKind::kTryLock:
    case OpKind::kYield:
      return true;
    default:
      return false;
  }
}

bool Spin::MayRepeat(OpKind kind) {
  return MayBegin(kind) || kind == OpKind::kUnlock || kind == OpKind::kFence;
}

void Spin::StartAt(std::uint64_t site, std::uint64_t call_depth, std::uint32_t length) {
  loop_ = Loop();
  loop_.site = site;
  loop_.call_depth = call_depth;
  loop_.length = std::min(length, kMostLength);
}

void Spin::BeginRound() {
  loop_.done = 0;
  loop_.operations = 0;
  loop_.read_count = 0;
  loop_.locks = 0;
}

void Spin::DidInLoop(const Event& event, const Object* object, bool changed_nothing) {
  switch (event.kind) {
    case OpKind::kRead:
    case OpKind::kAtomicLoad:
      Read(event, object);
      break;
    case OpKind::kAtomicRmw:
      if ((event.flags & Event::kFailed) == 0 && !changed_nothing) return Reset();
      Read(event, object);
      break;
    case OpKind::kLock:
      ++loop_.locks;
      break;
    case OpKind::kTryLock:
      if ((event.flags & Event::kFailed) == 0) {
        ++loop_.locks;
      } else {
        Read(event, object);  // the real lock is kept in step
      }
      break;
    case OpKind::kUnlock:
      --loop_.locks;
      break;
    case OpKind::kYield:
    case OpKind::kFence:
      break;
    default:
      return Reset();
  }
  loop_.done =
      Mix(loop_.done + event.site + static_cast<std::uint64_t>(event.kind) + event.object) +
      (event.flags & ~Event::kAwaited);
  ++loop_.operations;
}

void Spin::Read(const Event& event, const Object* object) {
  const bool is_part = object->bytes != 0 && !object->is_merged;
  const bool is_memory = object->kind == ObjectKind::kMemory;
  const auto size = is_part     ? static_cast<std::uint32_t>(std::popcount(object->bytes))
                    : is_memory ? 8u
                                : kLockWord;
  const auto* const address = reinterpret_cast<const void*>(object->first_byte());
  const std::uint64_t value = ValueAt(address, size);
  loop_.done = Mix(loop_.done + value);
  // What does not fit can't be compared, so it is no await.
  if (event.size > 8) loop_.read_count = kMostReads + 1;
  for (std::uint32_t i = 0; i < std::min(loop_.read_count, kMostReads); ++i) {
    if (reads_[i].address == address && reads_[i].size == size) return;
  }
  if (loop_.read_count < kMostReads) {
    reads_[loop_.read_count] = {address, value, size, object, object->order.last_write};
  }
  if (loop_.read_count <= kMostReads) ++loop_.read_count;
}

bool Spin::ComeRound(AddressRange stack, bool may_await) {
  const bool wrote = loop_.rehearsed > 0 && loop_.wrote;
  const bool is_alike = loop_.done == loop_.done_before && loop_.locks == 0 && !wrote;
  loop_.done_before = loop_.done;
  if (!is_alike) {
    loop_.rounds = 0;
    loop_.rehearsed = 0;
    loop_.waited = 0;
    loop_.state = 0;
    loop_.is_watched = false;
    BeginRound();
    return false;
  }
  ++loop_.rounds;
  const bool can_compare = may_await && loop_.read_count > 0 && loop_.read_count <= kMostReads;
  if (loop_.rehearsed > 0) return IsStill(stack, can_compare);
  if (!can_compare || (loop_.state == 0 && ++loop_.waited < loop_.patience)) {
    BeginRound();
    return false;
  }
  loop_.waited = 0;
  const std::uint64_t before = loop_.state;
  loop_.state = HashOfOwnState(loop_.site, stack);
  const bool is_same = before != 0 && before == loop_.state && !loop_.wrote;
  if (before != 0 && !is_same) {
    // A loop that changes something: look again after more rounds.
    loop_.patience = std::min(loop_.patience * 2, kMostPatience);
    loop_.state = 0;
  }
  loop_.is_watched = loop_.state != 0;
  loop_.wrote = false;
  if (is_same) return true;
  BeginRound();
  return false;
}

// Rounds that are alike are cheap; registers and stack are looked at ever more rarely.
bool Spin::IsStill(AddressRange stack, bool can_compare) {
  const bool looks = std::has_single_bit(loop_.rehearsed);
  if (can_compare && (!looks || HashOfOwnState(loop_.site, stack) == loop_.state)) return true;
  loop_.rehearsed = 0;
  loop_.patience = std::min(loop_.patience * 2, kMostPatience);
  loop_.state = 0;
  loop_.is_watched = false;
  BeginRound();
  return false;
}

void Spin::Enter(std::uint64_t site, std::uint64_t call_depth) {
  StartAt(site, call_depth, kMostLength);
  loop_.is_watched = true;
}

bool Spin::HasDoneNothing() const {
  return loop_.locks == 0 && !loop_.wrote && loop_.read_count > 0 && loop_.read_count <= kMostReads;
}

void Spin::Stand(std::uint64_t state) {
  loop_.state = state;
  loop_.done_before = loop_.done;
  ++loop_.rounds;
}

bool Spin::IsOverwritten() const {
  return std::any_of(
      reads_, reads_ + std::min(loop_.read_count, kMostReads),
      [](const Value& read) { return read.object->order.last_write != read.writer; });
}

bool Spin::HasChanged() const {
  for (std::uint32_t i = 0; i < std::min(loop_.read_count, kMostReads); ++i) {
    if (ValueAt(reads_[i].address, reads_[i].size) != reads_[i].value) return true;
  }
  return false;
}

}  // namespace heddle
