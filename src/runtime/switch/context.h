// Switching stacks: the pieces of assembly everything else stands on.
//
// Each application thread is a real pthread, made only for its stack and its thread control block;
// its kernel thread parks and one carrier thread runs all the stacks. The FS base travels with the
// stack, so a thread always has the same thread-locals, whoever carries it, and addresses the
// compiler cached across a switch stay valid.
#ifndef HEDDLE_RUNTIME_SWITCH_CONTEXT_H_
#define HEDDLE_RUNTIME_SWITCH_CONTEXT_H_

#include <cstdint>

extern "C" {

// Saves the callee-saved registers and floating-point control words on this stack and its pointer
// in *save_sp, then goes on where load_sp was saved, under the FS base load_fs (wrfsbase).
//
// The processor guesses where a return goes by a stack of the last calls, whoever made them. What
// goes on at the bottom of its stack (`begins`) returns from nothing: it leaves that stack alone,
// so that the others find their calls there.
void heddle_switch(void** save_sp, void* load_sp, std::uint64_t load_fs, bool begins);

// Calls visit(argument) on the stack that was saved at load_sp, under its FS base, as if whoever is
// saved there had called it. That context stays as it was saved.
void heddle_visit(void* load_sp, std::uint64_t load_fs, void (*visit)(void*), void* argument);

// Saves this context like heddle_switch, then calls loop(argument) on another stack, for ever. What
// was saved can be loaded by another kernel thread.
void heddle_park(void** save_sp, void* other_stack_top, void (*loop)(void*), void* argument);
}

namespace heddle {

// heddle_switch at the bottom of a stack: no call for the processor to remember.
[[gnu::always_inline]] inline void SwitchFromBottom(void** save_sp, void* load_sp,
                                                    std::uint64_t load_fs, bool begins) {
  asm volatile(
      "lea 1f(%%rip), %%rax\n\t"
      "push %%rax\n\t"
      "jmp heddle_switch\n"
      "1:"
      : "+D"(save_sp), "+S"(load_sp), "+d"(load_fs), "+c"(begins)
      :
      : "rax", "r8", "r9", "r10", "r11", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
        "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
        "xmm15");
}

// Of a context that heddle_switch saved: the innermost frame of whoever called it.
inline const std::uint64_t* FrameOf(const void* saved_sp) {
  constexpr int kFramePointer = 6;  // behind the control words and five other registers
  const auto* const saved = static_cast<const std::uint64_t*>(saved_sp);
  return reinterpret_cast<const std::uint64_t*>(saved[kFramePointer]);
}

inline std::uint64_t ThreadPointer() {
  std::uint64_t value;
  asm("mov %%fs:0, %0" : "=r"(value));
  return value;
}

// How the calling thread rounds and what traps: MXCSR and the x87 control word. A new thread begins
// with its creator's.
struct FloatControl {
  std::uint32_t mxcsr = 0;
  std::uint16_t x87 = 0;

  void Take() { asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87)); }
  void Use() const {
    FloatControl now;  // loading is much slower than looking
    now.Take();
    if (now.mxcsr == mxcsr && now.x87 == x87) return;
    asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(x87));
  }
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SWITCH_CONTEXT_H_
