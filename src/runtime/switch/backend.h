// How the processor passes from one shell to another; the two backends differ in nothing else.
#ifndef HEDDLE_RUNTIME_SWITCH_BACKEND_H_
#define HEDDLE_RUNTIME_SWITCH_BACKEND_H_

#include "runtime/switch/shell.h"

namespace heddle {

class SwitchBackend {
 public:
  // Calling thread is the main thread of the process; `shell` stands for it.
  virtual void AdoptMain(Shell* shell) = 0;
  // First code of a new shell's kernel thread, on the shell's stack. Returns when the shell is
  // first switched to, on whatever kernel thread carries it from then on.
  virtual void Park(Shell* shell) = 0;
  // Whether a shell that was made before a fork can be switched to in the child.
  virtual bool SurvivesFork() const = 0;
  virtual void Switch(Shell* from, Shell* to) = 0;
  // See Shells::Visit.
  virtual void Visit(Shell* from, Shell* to, void (*function)(void*), void* argument) = 0;

 protected:
  ~SwitchBackend() = default;
};

SwitchBackend* FiberBackend();  // one carrier switches stacks and FS bases: about 11 ns
SwitchBackend*
BatonBackend();  // kernel threads pass a futex: about 1 µs; for debuggers and odd programs

// The processor and the kernel let a program set its FS base.
bool FiberIsPossible();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SWITCH_BACKEND_H_
