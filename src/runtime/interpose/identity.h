// Numbers of the process and its threads, as the program knows them and as the system does.
#ifndef HEDDLE_RUNTIME_INTERPOSE_IDENTITY_H_
#define HEDDLE_RUNTIME_INTERPOSE_IDENTITY_H_

#include <sys/types.h>

#include <cstdint>

namespace heddle {

class Scheduler;

// What the system calls whom the program means. A thread is who asks: threads that share a kernel
// thread have no numbers of their own there.
pid_t RealNumber(pid_t number);
// The other way, for what the system tells of the process itself.
pid_t ToldNumber(pid_t number);

// tgkill and tkill; the thread may be any of the program's. 0, or -1 and errno.
int SignalThread(Scheduler* scheduler, pid_t process, pid_t thread, int signal, std::uint64_t site);

// syscall(2) with the numbers that the system knows, where the first argument is one.
void TranslateNumbers(long call, long* arguments);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_IDENTITY_H_
