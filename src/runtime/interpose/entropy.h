// What would differ from run to run, made the same.
#ifndef HEDDLE_RUNTIME_INTERPOSE_ENTROPY_H_
#define HEDDLE_RUNTIME_INTERPOSE_ENTROPY_H_

#include <sys/types.h>

#include "runtime/scheduler/scheduler.h"

namespace heddle {

// What getpid says; gettid adds the number of the thread. No process has it: they end at 2^22.
inline constexpr pid_t kVirtualProcess = 1 << 22;

std::uint64_t NextEntropy(Scheduler* scheduler);
bool IsEntropyDevice(int descriptor);  // /dev/random, /dev/urandom
void FillWithEntropy(Scheduler* scheduler, void* buffer, std::size_t size);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_ENTROPY_H_
