// Descriptors as ports, for who looks for messages in a run (strategy/syn_pipes.cc): one object for
// each direction of a pipe or connection, one for what comes to a listener or a datagram socket,
// one for an eventfd. Named by who made them and as which of its maker's, so that a name is the
// same in every run.
//
// Pipes, pairs of sockets, eventfds, listeners that nobody else knows and what connects the program
// to itself there, and what comes to a datagram socket of the network whose port the system chose,
// are *channels*: nobody outside has an end of them, so operations on two of them
// commute. So is what comes to one at a port of the loopback that the program chose, until a
// datagram is seen there that the program has not sent (interpose/sockets.h); what others send
// there depends on no receipt. All others act on one object (interpose/io_wait.h).
#ifndef HEDDLE_RUNTIME_INTERPOSE_PORTS_H_
#define HEDDLE_RUNTIME_INTERPOSE_PORTS_H_

#include <sys/socket.h>

#include <cstdint>

#include "runtime/scheduler/scheduler.h"

namespace heddle {

// How a thread is about to use a port; in the `size` of a port-open event. (strategy/syn_ops.h
// reads it.)
enum class PortUse : std::uint8_t {
  kNone,
  kWrite,    // value: bytes
  kRead,     // value: bytes asked for
  kClose,    // value: kNoMoreRead, kNoMoreWritten; 0 = nothing that others could see
  kOffer,    // a whole message: a datagram, a connection
  kTake,     // ... and its receipt, whatever its size
  kAdd,      // to a counter; value: how much
  kDrain,    // takes all that it counts; value: what it began with
  kTakeOne,  // takes one; value: what it began with
};

struct Inode {
  std::uint64_t device = 0, number = 0;
  friend bool operator==(const Inode&, const Inode&) = default;
};
bool InodeOf(int descriptor, Inode* inode);  // false: it is closed

struct NamedPort {
  Object* object = nullptr;  // nullptr: no port that is known
  PortUse use = PortUse::kNone;
  std::uint64_t value = 0;  // of a counter
};

void RegisterPipe(const int ends[2]);
void RegisterNamedPipe(int descriptor, std::uint64_t name);  // both ends are the program's
void RegisterPair(const int ends[2], int type);
void RegisterSocket(int descriptor, int type);
void RegisterListener(int descriptor, int backlog);
void RegisterCounter(int descriptor, unsigned count, bool one_by_one);
void ForgetCounter(int descriptor);    // it is closed
void NoteDuplicate(int from, int to);  // another number for the same thing
bool HasCopies(int descriptor);        // there ever was another number for it
// A socket of this machine alone, at a port or name that others may know.
void SetLocal(int descriptor, bool is_local);
bool IsLocal(int descriptor);
// A socket of the program's that may still be connected: what is done to it fails, for now.
bool IsUnconnected(int descriptor);
bool SendsDatagrams(int descriptor);  // to whom its address says
// A datagram was sent to nobody of the program's who takes it. True: what its socket touches is
// something else from now on.
bool NoteUnheard(int descriptor);
void NoteSender(std::uint16_t port);
bool IsSender(std::uint16_t port);        // in this run
std::uint64_t PortKeyOf(int descriptor);  // its name, the same in every run; 0: none
// A name for something that the running thread makes, the same in every run.
std::uint64_t NewPortKey();

// A pipe or a pair of sockets that this program made: nobody outside has an end of it.
bool IsOwnPort(int descriptor);
void NoteShared(int descriptor);  // somebody outside has got an end of it, by whatever number

// What an operation on the descriptor acts on, a list where it is the end of two that is closed;
// nullptr: no channel of the program's own.
Object* ChannelOf(int descriptor, OpKind kind);
// What binding a socket and beginning to listen change, at that place; nullptr: it is none of the
// program's.
Object* ChannelsOfSocket(int descriptor, Object* place);
// The same for who connects to the address, a list with the two directions of its socket, and the
// listener there.
struct OfferedAt {
  Object* channel = nullptr;
  int listener = -1;
};
OfferedAt ChannelOffered(int descriptor, const sockaddr* address, socklen_t length);
// The same list when the socket was just connected: behind that its two directions are new.
Object* AsConnected(int descriptor, Object* list);
// ... for who sends a datagram there, and the socket.
OfferedAt ChannelOfDatagram(int descriptor, const sockaddr* to, socklen_t length);
// Whether one more may connect to the listener and wait there to be accepted.
bool HasRoomFor(int listener);
// What can be asked of the descriptor by poll: what is read from it, what is written to it. Of a
// pipe's end it is one of the two.
struct Asked {
  Object* read = nullptr;
  Object* written = nullptr;
};
Asked ChannelsAskedAt(int descriptor);

// Where to look at a channel from; -1: not known. Either may be closed or something else by now.
struct ChannelEnds {
  int reader = -1, writer = -1;
  Inode reader_inode = {}, writer_inode = {};
  bool has_room = false;  // always: what does not fit is dropped
  bool listens = false;   // written to by who connects
};
ChannelEnds EndsOf(int descriptor, OpKind kind);
// What can be done there now (trace/channel_use.h), if the request's search wants to know that.
std::uint8_t NotedAt(const ChannelEnds& ends);

// What reading from the descriptor takes from; what writing to it goes to, `to` being the address
// of a datagram.
NamedPort PortReadBy(int descriptor);
NamedPort PortWrittenBy(int descriptor, const sockaddr* to = nullptr, socklen_t length = 0);
// Where a connection to the address is offered, and is taken from. For datagrams connecting is
// nothing that others could see.
NamedPort PortOffered(int descriptor, const sockaddr* address, socklen_t length);
NamedPort PortTaken(int listener);
// A connection came about: its ends are one connection's.
void NoteOffered(int descriptor, const sockaddr* address, socklen_t length);
void NoteTaken(int listener, int accepted);
// The listener is no more, and so are those that nobody has taken: until they know.
void EndWaiting(const Inode& listener);

void ForgetPipes();  // between runs; a child process has them too

// A port-open event.
void NamePort(Scheduler* scheduler, const NamedPort& port, std::uint64_t value, std::uint64_t site);
// The same for the end of all ports of a descriptor, before it is closed or shut down.
inline constexpr std::uint64_t kNoMoreRead = 1, kNoMoreWritten = 2;
void NameEnds(Scheduler* scheduler, int descriptor, bool reads, bool writes, std::uint64_t site);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_PORTS_H_
