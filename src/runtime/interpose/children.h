// Processes that the program starts: how they end is written down, and fed back in a replay.
//
// A child runs natively, in a replay too: what it leaves in files is needed there. Only what the
// program is told of its end comes from the recording (interpose/outside.h). Children are named by
// who started them, because a replay's have other numbers.
#ifndef HEDDLE_RUNTIME_INTERPOSE_CHILDREN_H_
#define HEDDLE_RUNTIME_INTERPOSE_CHILDREN_H_

#include <sys/types.h>

#include <cstdint>

namespace heddle {

// By the running thread.
void ChildStarted(pid_t child);
void ForgetChildren();

// Makes a copy of the process with `make(how)`, which returns in both of them as fork does. The
// copy runs natively from there on.
pid_t CopyProcess(const char* call, std::uint64_t site, long (*make)(const void*), const void* how);

// Of a call that started a program and waited for its end: what it returns.
enum class WaitedBy : std::uint8_t { kSystem, kPclose };
int StatusToTell(WaitedBy call, int status);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_CHILDREN_H_
