// What the code behind an instruction can still see of its thread's own state: the registers that a
// call preserves, and the stack from there up.
#ifndef HEDDLE_RUNTIME_SCHEDULER_OWN_STATE_H_
#define HEDDLE_RUNTIME_SCHEDULER_OWN_STATE_H_

#include <cstdint>

#include "runtime/memory/layout.h"

namespace heddle {

class OwnState {
 public:
  // Of the running thread, at the return address `site`. False: can't be told.
  bool Take(std::uint64_t site, AddressRange stack);
  std::uint64_t hash() const { return hash_; }  // of all of it; never 0

  // Whether `now`, the state of the running thread, leads to the same as this one: they differ in
  // nothing but what is overwritten before anybody reads it (code/liveness.h). So a thread that
  // comes to a loop for the first time is where it is again behind a round for nothing, whatever
  // was left in its registers and its frame before.
  bool IsAs(const OwnState& now) const;

 private:
  static constexpr std::uint32_t kRegisters = 6;
  static constexpr std::uint32_t kMostKept = 2048;

  friend struct StateReader;

  std::uint64_t site_ = 0;
  std::uint64_t stack_pointer_ = 0;
  std::uint64_t registers_[kRegisters] = {};
  std::uint64_t hash_ = 0;
  std::uint64_t above_ = 0;  // hash of what is not kept
  std::uint32_t kept_ = 0;
  std::uint8_t bytes_[kMostKept];  // the first kept_ from the stack pointer up
};

// Only the hash; 0: can't be told.
std::uint64_t HashOfOwnState(std::uint64_t site, AddressRange stack);

// `hash` with the next few thousand bytes of the stack from there up; with none, if it is another
// stack.
std::uint64_t HashOfStack(std::uint64_t from, AddressRange stack, std::uint64_t hash);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_OWN_STATE_H_
