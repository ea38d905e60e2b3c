#include "runtime/worker/start.h"

#include <signal.h>
#include <ucontext.h>

#include "base/check.h"
#include "heddle/explore_abi.h"
#include "runtime/code/patch.h"
#include "runtime/engine.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/vector_arguments.h"
#include "runtime/memory/modules.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/worker/server.h"

namespace heddle {
namespace {

constexpr std::uint8_t kBreakpoint = 0xcc;  // int3

std::uint8_t* start = nullptr;
std::uint8_t original = 0;
struct sigaction before = {};

void Write(std::uint8_t byte) {
  HEDDLE_CHECK(WriteCode(reinterpret_cast<std::uint64_t>(start), &byte, sizeof byte));
}

}  // namespace

// Called by the code below, on the program's stack with all its registers saved.
extern "C" __attribute__((visibility("hidden"), used)) void HeddleServeHere() {
  ServeBeforeFirstThread();
}

extern "C" __attribute__((visibility("hidden"))) void heddle_serve_and_go_on();

namespace {

// The function has been called: it begins again behind a call of ours, outside the handler.
void OnBreakpoint(int, siginfo_t*, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (registers[REG_RIP] - 1 != reinterpret_cast<greg_t>(start)) return;
  Write(original);
  real::sigaction(SIGTRAP, &before, nullptr);
  auto* const stack = reinterpret_cast<std::uint64_t*>(registers[REG_RSP]) - 1;
  *stack = reinterpret_cast<std::uint64_t>(start);
  registers[REG_RSP] = reinterpret_cast<greg_t>(stack);
  registers[REG_RIP] = reinterpret_cast<greg_t>(&heddle_serve_and_go_on);
}

}  // namespace

void ServeAtStart(std::uint64_t offset) {
  engine.channel->started_main = 1;
  if (offset == 0) return;
  start = reinterpret_cast<std::uint8_t*>(Modules::BaseOf(0) + offset);
  original = *start;
  struct sigaction action = {};
  action.sa_sigaction = OnBreakpoint;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  real::sigaction(SIGTRAP, &action, &before);
  Write(kBreakpoint);
}

}  // namespace heddle

// At a function's entry: arguments are in registers, the return address (now the function itself)
// on top.
asm(R"(
        .text
        .globl  heddle_serve_and_go_on
        .hidden heddle_serve_and_go_on
heddle_serve_and_go_on:
        push    %rbp
        mov     %rsp, %rbp
        push    %rax
        push    %rbx
        push    %rcx
        push    %rdx
        push    %rsi
        push    %rdi
        push    %r8
        push    %r9
        push    %r10
        push    %r11
)" HEDDLE_PUSH_VECTOR_ARGUMENTS R"(
        mov     %rsp, %rbx
        and     $-16, %rsp
        call    HeddleServeHere
        mov     %rbx, %rsp
)" HEDDLE_POP_VECTOR_ARGUMENTS R"(
        pop     %r11
        pop     %r10
        pop     %r9
        pop     %r8
        pop     %rdi
        pop     %rsi
        pop     %rdx
        pop     %rcx
        pop     %rbx
        pop     %rax
        pop     %rbp
        ret
)");

HEDDLE_EXPORT void heddle_ready() {
  if (heddle::Scheduler::OfThisThread() != nullptr) heddle::ServeBeforeFirstThread();
}
