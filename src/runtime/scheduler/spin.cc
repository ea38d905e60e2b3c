#include "runtime/scheduler/spin.h"

#include <unwind.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/hash.h"
#include "runtime/engine.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMostStack = 64 * 1024;  // looked at, from the stack pointer up
constexpr std::uint32_t kMostPatience = 1024;

// The registers that a call must preserve, by their DWARF numbers: rbx, rbp, r12 to r15.
constexpr int kPreserved[] = {3, 6, 12, 13, 14, 15};

struct Look {
  std::uint64_t site = 0;
  std::uint64_t stack_pointer = 0;  // 0: the frame was not met
  std::uint64_t registers = 0;      // hash
};

_Unwind_Reason_Code Visit(_Unwind_Context* context, void* argument) {
  auto* const look = static_cast<Look*>(argument);
  if (_Unwind_GetIP(context) != look->site) return _URC_NO_REASON;
  look->stack_pointer = _Unwind_GetCFA(context);
  for (const int number : kPreserved) {
    look->registers = Mix(look->registers + _Unwind_GetGR(context, number));
  }
  return _URC_END_OF_STACK;
}

// What the code behind `site` can still see of its thread's own state; 0: can't be told.
std::uint64_t StateAt(std::uint64_t site, StackBounds stack) {
  const EngineScope scope;
  Look look{.site = site};
  _Unwind_Backtrace(Visit, &look);
  if (look.stack_pointer < stack.low || look.stack_pointer >= stack.high) return 0;
  std::uint64_t hash = Mix(look.registers + look.stack_pointer);
  const std::uint64_t end = std::min(stack.high, look.stack_pointer + kMostStack);
  for (std::uint64_t at = look.stack_pointer & ~7ull; at + 8 <= end; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, reinterpret_cast<const void*>(at), sizeof word);
    hash = (hash ^ word) * 0x9fb21c651e98df25ull;
    hash ^= hash >> 32;
  }
  return hash | 1;
}

std::uint64_t ValueAt(const void* address, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, address, std::min(size, sizeof value));
  return value;
}

// Where a waiting loop can be said to begin: what may be repeated without an effect.
bool MayWait(OpKind kind) {
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

}  // namespace

void Spin::StartAt(std::uint64_t site, std::uint64_t call_depth, std::uint32_t length) {
  *this = Spin();
  site_ = site;
  call_depth_ = call_depth;
  length_ = std::min(length, kMostLength);
}

void Spin::BeginRound() {
  done_ = 0;
  operations_ = 0;
  read_count_ = 0;
  locks_ = 0;
}

void Spin::Did(const Event& event, const Object* object) {
  if (site_ == 0) return;
  switch (event.kind) {
    case OpKind::kRead:
    case OpKind::kAtomicLoad:
      Read(event, object);
      break;
    case OpKind::kAtomicRmw:
      if ((event.flags & Event::kFailed) == 0) return Reset();
      Read(event, object);
      break;
    case OpKind::kLock:
      ++locks_;
      break;
    case OpKind::kTryLock:
      if ((event.flags & Event::kFailed) == 0) ++locks_;
      break;
    case OpKind::kUnlock:
      --locks_;
      break;
    case OpKind::kYield:
    case OpKind::kFence:
      break;
    default:
      return Reset();
  }
  done_ =
      Mix(done_ + event.site + static_cast<std::uint64_t>(event.kind) + event.object) + event.flags;
  ++operations_;
}

void Spin::Read(const Event& event, const Object* object) {
  const bool is_part = object->bytes != 0 && !object->is_merged;
  const auto size = is_part ? static_cast<std::uint32_t>(std::popcount(object->bytes)) : 8u;
  const auto* const address = reinterpret_cast<const void*>(object->first_byte());
  const std::uint64_t value = ValueAt(address, size);
  done_ = Mix(done_ + value);
  // What does not fit can't be compared, so it is no await.
  if (event.size > 8) read_count_ = kMostReads + 1;
  for (std::uint32_t i = 0; i < std::min(read_count_, kMostReads); ++i) {
    if (reads_[i].address == address && reads_[i].size == size) return;
  }
  if (read_count_ < kMostReads) reads_[read_count_] = {address, value, size};
  if (read_count_ <= kMostReads) ++read_count_;
}

bool Spin::Arrive(OpKind kind, std::uint64_t site, std::uint64_t call_depth, StackBounds stack) {
  if (site != site_ || call_depth != call_depth_) {
    // Brent's way to find a cycle: another beginning after twice as many steps each time.
    if (MayWait(kind) && (site_ == 0 || operations_ >= length_)) {
      StartAt(site, call_depth, site_ == 0 ? kFirstLength : 2 * length_);
    }
    return false;
  }
  const bool is_alike = done_ == done_before_ && locks_ == 0;
  done_before_ = done_;
  if (!is_alike) {
    rounds_ = 0;
    waited_ = 0;
    state_ = 0;
    is_watched_ = false;
    BeginRound();
    return false;
  }
  ++rounds_;
  const bool can_compare = read_count_ > 0 && read_count_ <= kMostReads;
  if (!can_compare || (state_ == 0 && ++waited_ < patience_)) {
    BeginRound();
    return false;
  }
  waited_ = 0;
  const std::uint64_t before = state_;
  state_ = StateAt(site, stack);
  const bool is_same = before != 0 && before == state_ && !wrote_;
  if (before != 0 && !is_same) {
    // A loop that changes something: look again after more rounds.
    patience_ = std::min(patience_ * 2, kMostPatience);
    state_ = 0;
  }
  is_watched_ = state_ != 0;
  wrote_ = false;
  if (is_same) return true;
  BeginRound();
  return false;
}

bool Spin::HasChanged() const {
  for (std::uint32_t i = 0; i < std::min(read_count_, kMostReads); ++i) {
    if (ValueAt(reads_[i].address, reads_[i].size) != reads_[i].value) return true;
  }
  return false;
}

}  // namespace heddle
