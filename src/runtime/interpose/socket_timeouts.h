// SO_RCVTIMEO and SO_SNDTIMEO: how long a call on a socket waits, in virtual time.
#ifndef HEDDLE_RUNTIME_INTERPOSE_SOCKET_TIMEOUTS_H_
#define HEDDLE_RUNTIME_INTERPOSE_SOCKET_TIMEOUTS_H_

#include "runtime/interpose/deadline.h"
#include "trace/op.h"

namespace heddle {

// Until when an operation of this kind that begins now waits; not set: for ever. Nobody is asked
// while the program has set none.
Deadline SocketDeadline(Scheduler* scheduler, int descriptor, OpKind kind, std::uint64_t site);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_SOCKET_TIMEOUTS_H_
