// The processor's time-stamp counter, answered from the virtual clock.
//
// rdtsc is the one clock that needs no call: code that measures with it (a mutex that tunes its
// spinning, a random seed) would see real time next to virtual sleeps. Linux can make the
// instruction fault; the handler of the fault answers it. The setting is inherited by fork and
// exec, so whoever leaves heddle's control switches it off first.
#ifndef HEDDLE_RUNTIME_WORKER_TIMESTAMP_H_
#define HEDDLE_RUNTIME_WORKER_TIMESTAMP_H_

namespace heddle {

// For the calling kernel thread and those it makes. Where the system refuses, rdtsc stays real.
void TrapTimestampCounter();
void FreeTimestampCounter();

// In the handler of SIGSEGV: true if the fault was such an instruction, which has then been carried
// out. It is an event like any other reading of the clock, and repeated readings move the clock in
// growing steps, but nobody else can be scheduled here: the handler's stack is not the thread's
// own.
bool AnswerTimestampCounter(void* context);

// Native code runs while it lives: a program that this one starts.
class NativeTimestampCounter {
 public:
  NativeTimestampCounter() { FreeTimestampCounter(); }
  ~NativeTimestampCounter() { TrapTimestampCounter(); }
  NativeTimestampCounter(const NativeTimestampCounter&) = delete;
  NativeTimestampCounter& operator=(const NativeTimestampCounter&) = delete;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_WORKER_TIMESTAMP_H_
