// POSIX message queues. On Linux they are descriptors, which poll understands: receiving and
// sending are transfers like those on pipes (interpose/transfer.h).
#ifndef HEDDLE_RUNTIME_INTERPOSE_MESSAGE_QUEUE_H_
#define HEDDLE_RUNTIME_INTERPOSE_MESSAGE_QUEUE_H_

namespace heddle {

// The system says that such a descriptor is one of a file.
bool IsMessageQueue(int descriptor);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_MESSAGE_QUEUE_H_
