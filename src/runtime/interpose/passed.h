// What a message carries besides its bytes: flags and control messages, descriptors among them.
//
// A descriptor that a peer outside passes to the program can't be had again without the peer. The
// recording says what it is; a replay makes a stand-in. Of a pipe, a socket or an eventfd that is
// one of the same kind, which is never read: what comes through it is in the log, like everything
// from outside. Of a file it is one with the contents that it had when it came.
#ifndef HEDDLE_RUNTIME_INTERPOSE_PASSED_H_
#define HEDDLE_RUNTIME_INTERPOSE_PASSED_H_

#include <sys/socket.h>

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/scheduler/scheduler.h"

namespace heddle::passed {

// After recvmsg: the description for the log; empty if there were only bytes. Says what a replay
// will not have.
std::vector<std::uint8_t> Describe(Scheduler* scheduler, const msghdr& message, std::uint64_t site);

struct Room {
  std::size_t control = 0;  // as the program gave it
  bool close_on_exec = false;
};
// The message as it was described, with stand-ins.
void Restore(std::span<const std::uint8_t> description, const Room& room, msghdr* message);

// Received from the program itself: the new numbers are others for what it has.
void NoteReceived(const msghdr& message);
// Sent to somebody outside: he may use them from now on.
void NoteGivenAway(const msghdr& message);

}  // namespace heddle::passed

#endif  // HEDDLE_RUNTIME_INTERPOSE_PASSED_H_
