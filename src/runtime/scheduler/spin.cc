#include "runtime/scheduler/spin.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/hash.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostPatience = 1024;
constexpr std::uint8_t kLockWord =
    0x0f;  // of a mutex or a spin lock: what tells whether it is taken

// Of some neighbouring bytes of a granule, given as a mask.
std::uint64_t ValueIn(const void* granule, std::uint8_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, granule, sizeof value);
  const int above = 8 * std::countl_zero(bytes);
  return value << above >> (above + 8 * std::countr_zero(bytes));
}

}  // namespace

// Asked at every event.
bool Spin::MayBegin(OpKind kind) {
  static constexpr auto kAnswers = [] {
    std::array<bool, kOpKindCount> answers{};
    for (const OpKind begins :
         {OpKind::kRead, OpKind::kAtomicLoad, OpKind::kAtomicRmw, OpKind::kLock, OpKind::kTryLock,
          OpKind::kYield, OpKind::kSemTryWait, OpKind::kSemValue, OpKind::kTryReadLock,
          OpKind::kTryWriteLock, OpKind::kTryJoin, OpKind::kReceive, OpKind::kSend, OpKind::kPoll,
          OpKind::kLook, OpKind::kEpollWait}) {
      answers[static_cast<std::size_t>(begins)] = true;
    }
    return answers;
  }();
  return kAnswers[static_cast<std::size_t>(kind)];
}

bool Spin::MayRepeat(OpKind kind) {
  static constexpr OpKind kHarmless[] = {OpKind::kRead,    OpKind::kAtomicLoad, OpKind::kAtomicRmw,
                                         OpKind::kLock,    OpKind::kTryLock,    OpKind::kUnlock,
                                         OpKind::kFence,   OpKind::kYield,      OpKind::kSemTryWait,
                                         OpKind::kSemValue};
  return std::ranges::find(kHarmless, kind) != std::end(kHarmless);
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
  std::uint64_t value = 0;
  switch (event.kind) {
    case OpKind::kRead:
    case OpKind::kAtomicLoad:
      value = Read(event, object);
      break;
    case OpKind::kAtomicRmw:
      if ((event.flags & Event::kFailed) == 0 && !changed_nothing) return Reset();
      value = Read(event, object);
      break;
    case OpKind::kLock:
      ++loop_.locks;
      break;
    case OpKind::kTryLock:
      if ((event.flags & Event::kFailed) == 0) {
        ++loop_.locks;
      } else {
        value = Read(event, object);  // the real lock is kept in step
      }
      break;
    case OpKind::kSemTryWait:
      if ((event.flags & Event::kFailed) == 0) return Reset();
      value = Read(event, object);  // so is the real semaphore
      break;
    case OpKind::kSemValue:
      value = Read(event, object);
      break;
    case OpKind::kTryReadLock:
    case OpKind::kTryWriteLock:
    case OpKind::kTryJoin:
      if ((event.flags & Event::kFailed) == 0) return Reset();
      ReadUnknown();
      break;
    case OpKind::kReceive:
    case OpKind::kSend:
      if (static_cast<std::int64_t>(event.value) >= 0) return Reset();
      ReadUnknown();
      break;
    case OpKind::kPoll:
    case OpKind::kLook:
    case OpKind::kEpollWait:
      value = event.value;
      ReadUnknown();
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
  constexpr std::uint64_t kOdd = 0xd6e8feb86659fd93ull;  // tells the value from the rest
  loop_.done = Mix(loop_.done + value * kOdd + event.site + static_cast<std::uint64_t>(event.kind) +
                   event.object) +
               (event.flags & ~Event::kAwaited);
  ++loop_.operations;
}

// The value that was read.
[[gnu::always_inline]] inline std::uint64_t Spin::Read(const Event& event, const Object* object) {
  const std::uint64_t offset = object->address & 7;
  std::uint8_t bytes = object->bytes;
  if (object->kind != ObjectKind::kMemory) {
    bytes = static_cast<std::uint8_t>(kLockWord << offset);
  } else if (bytes == 0 || object->is_merged) {
    bytes = 0xff;
  }
  const auto* const granule = reinterpret_cast<const void*>(object->address - offset);
  const std::uint64_t value = ValueIn(granule, bytes);
  if (__builtin_expect(event.size > 8, 0)) ReadUnknown();
  const std::uint32_t count = loop_.read_count;
  for (std::uint32_t i = 0; i < std::min(count, kMostReads); ++i) {
    if (reads_[i].granule == granule && reads_[i].bytes == bytes) return value;
  }
  if (count < kMostReads) {
    reads_[count] = {granule, value, object, object->order.last_write, bytes};
  }
  if (count <= kMostReads) loop_.read_count = count + 1;
  return value;
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

bool Spin::ComeRoundUnseen(std::uint64_t site, std::uint64_t state, std::uint64_t progress) {
  const bool is_alike = loop_.is_unseen && loop_.site == site && loop_.state == state &&
                        loop_.operations == 1;  // its own yield
  if (!is_alike) {
    StartAt(site, 0, kFirstLength);
    loop_.is_unseen = true;
    loop_.state = state;
    return false;
  }
  ++loop_.rounds;
  loop_.progress = progress;
  BeginRound();
  return true;
}

bool Spin::HasChanged(std::uint64_t progress) const {
  if (loop_.is_unseen) return progress != loop_.progress;
  for (std::uint32_t i = 0; i < std::min(loop_.read_count, kMostReads); ++i) {
    if (ValueIn(reads_[i].granule, reads_[i].bytes) != reads_[i].value) return true;
  }
  return false;
}

}  // namespace heddle
