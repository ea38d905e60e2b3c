// sigsetjmp and siglongjmp: the mask that is kept in between is the model's. libc asks the system,
// which knows of one thread's mask at most.
//
// A jump out of a handler also leaves the call that the handler interrupted.
#include <setjmp.h>

#include <cstdint>

#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/next.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

// Of the 1024 bits that libc has for the mask, the system writes 64.
constexpr int kMaskWord = 2, kMarkWord = 3;
constexpr unsigned long kMark = 0x6865'6464'6c65'6a62;

// Where the stack will be, which libc keeps mangled.
std::uint64_t StackAfter(const __jmp_buf_tag* to) {
  constexpr int kStackRegister = 6;
  auto stack = static_cast<std::uint64_t>(to->__jmpbuf[kStackRegister]);
  asm("ror $17, %0\n\txor %%fs:0x30, %0" : "+r"(stack));
  return stack;
}

void BeforeJump(const __jmp_buf_tag* to) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return;
  Thread* const self = scheduler->current();
  ForgetAnnouncedBelow(StackAfter(to));
  const unsigned long* const words = to->__saved_mask.__val;
  if (to->__mask_was_saved == 0 || words[kMarkWord] != kMark) return;
  self->signal_mask.bits = words[kMaskWord];
  const auto is_let_through = [self](int signal) { return !self->signal_mask.Has(signal); };
  if (self->signals.HasAny(is_let_through) || scheduler->process_signals().HasAny(is_let_through)) {
    self->needs_attention = true;
  }
}

}  // namespace

// Notes the mask if it is to be kept, and says where libc's function is.
extern "C" __attribute__((visibility("hidden"), used)) void* HeddleBeforeSetJump(
    __jmp_buf_tag* from, int keeps_mask) {
  static void* const next = dlsym(RTLD_NEXT, "__sigsetjmp");
  if (keeps_mask == 0) return next;
  const Scheduler* const scheduler = Scheduler::OfThisThread();
  unsigned long* const words = from->__saved_mask.__val;
  words[kMarkWord] = scheduler == nullptr ? 0 : kMark;
  if (scheduler != nullptr) words[kMaskWord] = scheduler->current()->signal_mask.bits;
  return next;
}

}  // namespace heddle

// It returns a second time to its caller: there must be no frame of ours in between.
extern "C" __attribute__((naked, visibility("default"))) void heddle_sigsetjmp() asm("__sigsetjmp");
void heddle_sigsetjmp() {
  asm volatile(
      "push %rdi\n\t"
      "push %rsi\n\t"
      "sub $8, %rsp\n\t"
      "call HeddleBeforeSetJump\n\t"
      "add $8, %rsp\n\t"
      "pop %rsi\n\t"
      "pop %rdi\n\t"
      "jmp *%rax");
}

using Jump = void (*)(__jmp_buf_tag*, int);

#define HEDDLE_JUMP(name)                                                                     \
  extern "C" __attribute__((visibility("default"))) void heddle_##name(__jmp_buf_tag* to,     \
                                                                       int value) asm(#name); \
  void heddle_##name(__jmp_buf_tag* to, int value) {                                          \
    static const auto next = reinterpret_cast<Jump>(dlsym(RTLD_NEXT, #name));                 \
    heddle::BeforeJump(to);                                                                   \
    next(to, value);                                                                          \
    __builtin_unreachable();                                                                  \
  }

HEDDLE_JUMP(longjmp)
HEDDLE_JUMP(_longjmp)
HEDDLE_JUMP(siglongjmp)
HEDDLE_JUMP(__longjmp_chk)
#undef HEDDLE_JUMP
