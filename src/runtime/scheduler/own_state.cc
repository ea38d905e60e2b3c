#include "runtime/scheduler/own_state.h"

#include <unwind.h>

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "runtime/code/instruction.h"
#include "runtime/code/liveness.h"
#include "runtime/engine.h"

namespace heddle {

constexpr std::uint64_t kMostStack = 64 * 1024;  // looked at, from the stack pointer up
constexpr std::uint32_t kMostFrames = 16;        // whose rubbish is told apart

struct Preserved {
  int dwarf;             // its number for the unwinder
  std::uint8_t machine;  // ... and in machine code
};
constexpr Preserved kPreserved[] = {{3, kRbx}, {6, kRbp}, {12, 12}, {13, 13}, {14, 14}, {15, 15}};

struct StateReader {
  // Of the frame that the return address is in.
  struct Look {
    OwnState* state;
    bool was_met = false;
  };

  static _Unwind_Reason_Code AtSite(_Unwind_Context* context, void* argument) {
    auto* const look = static_cast<Look*>(argument);
    if (_Unwind_GetIP(context) != look->state->site_) return _URC_NO_REASON;
    look->was_met = true;
    look->state->stack_pointer_ = _Unwind_GetCFA(context);
    for (std::uint32_t i = 0; i < OwnState::kRegisters; ++i) {
      look->state->registers_[i] = _Unwind_GetGR(context, kPreserved[i].dwarf);
    }
    return _URC_END_OF_STACK;
  }

  // The frames from there on, with where each begins.
  struct Frames {
    std::uint64_t site = 0;
    std::uint32_t count = 0;
    std::uint64_t pc[kMostFrames];
    std::uint64_t begin[kMostFrames];
  };

  static _Unwind_Reason_Code AtFrame(_Unwind_Context* context, void* argument) {
    auto* const frames = static_cast<Frames*>(argument);
    const std::uint64_t pc = _Unwind_GetIP(context);
    if (frames->count == 0 && pc != frames->site) return _URC_NO_REASON;
    if (frames->count == kMostFrames) return _URC_END_OF_STACK;
    frames->pc[frames->count] = pc;
    frames->begin[frames->count++] = _Unwind_GetCFA(context);
    return _URC_NO_REASON;
  }
};

namespace {

std::uint64_t HashOfWords(std::uint64_t hash, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t at = begin; at + 8 <= end; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, reinterpret_cast<const void*>(at), sizeof word);
    hash = (hash ^ word) * 0x9fb21c651e98df25ull;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

bool OwnState::Take(std::uint64_t site, AddressRange stack) {
  const EngineScope scope;
  site_ = site;
  StateReader::Look look{.state = this};
  _Unwind_Backtrace(StateReader::AtSite, &look);
  if (!look.was_met || !stack.Has(stack_pointer_) || stack_pointer_ % 8 != 0) return false;
  const std::uint64_t end = std::min(stack.end(), stack_pointer_ + kMostStack);
  kept_ =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(end - stack_pointer_, kMostKept)) & ~7u;
  std::memcpy(bytes_, reinterpret_cast<const void*>(stack_pointer_), kept_);
  std::uint64_t hash = Mix(stack_pointer_);
  for (const std::uint64_t value : registers_) hash = Mix(hash + value);
  above_ = HashOfWords(1, stack_pointer_ + kept_, end);
  hash_ = Mix(HashOfWords(hash, stack_pointer_, stack_pointer_ + kept_) + above_) | 1;
  return true;
}

bool OwnState::IsAs(const OwnState& now) const {
  if (hash_ == now.hash_) return true;
  if (site_ != now.site_ || stack_pointer_ != now.stack_pointer_ || kept_ != now.kept_ ||
      above_ != now.above_) {
    return false;
  }
  const EngineScope scope;
  StateReader::Frames frames;
  frames.site = site_;
  _Unwind_Backtrace(StateReader::AtFrame, &frames);
  if (frames.count == 0) return false;
  const FrameLife& innermost = LifeBehind(site_);
  for (std::uint32_t i = 0; i < kRegisters; ++i) {
    const bool is_read =
        !innermost.is_known || (innermost.registers >> kPreserved[i].machine & 1) != 0;
    if (registers_[i] != now.registers_[i] && is_read) return false;
  }
  std::uint32_t frame = 0;
  for (std::uint32_t i = 0; i < kept_; ++i) {
    if (bytes_[i] == now.bytes_[i]) continue;
    const std::uint64_t address = stack_pointer_ + i;
    while (frame + 1 < frames.count && address >= frames.begin[frame + 1]) ++frame;
    if (frame + 1 >= frames.count) return false;  // where it ends is not known
    const FrameLife& life = LifeBehind(frames.pc[frame]);
    const std::uint64_t end = frames.begin[frame + 1];
    if (!life.is_known || end - frames.begin[frame] != life.size) return false;
    if (life.Reads(end - 1 - address)) return false;
    // What it called may read its arguments there.
    if (frame == 0) continue;
    const FrameLife& callee = LifeBehind(frames.pc[frame - 1]);
    if (!callee.is_known || callee.reads_arguments) return false;
  }
  return true;
}

std::uint64_t HashOfStack(std::uint64_t from, AddressRange stack, std::uint64_t hash) {
  constexpr std::uint64_t kBytes = 4096;
  from &= ~std::uint64_t{7};
  return stack.Has(from) ? HashOfWords(hash, from, std::min(stack.end(), from + kBytes)) : hash;
}

std::uint64_t HashOfOwnState(std::uint64_t site, AddressRange stack) {
  static OwnState state;  // too large for a small stack
  return state.Take(site, stack) ? state.hash() : 0;
}

}  // namespace heddle
