// Sockets whose other end is in the program too, so that nobody outside has to be waited for.
//
// A new socket is nobody else's. Binding it to an address that others may know opens it, until the
// program itself connects there; connecting elsewhere opens it for good. What the kernel carries
// from one end to the other arrives a little later; the operations below wait for that, so that a
// schedule finds the same things ready every time.
#ifndef HEDDLE_RUNTIME_INTERPOSE_SOCKETS_H_
#define HEDDLE_RUNTIME_INTERPOSE_SOCKETS_H_

#include <sys/socket.h>

#include <cstdint>

namespace heddle {

class Scheduler;
struct Object;

// Before binding. Where the program chose the address there is room for one run at a time, of which
// the controller is told. TCP remembers connections there for a minute: those of earlier runs must
// not keep this one away, so it is allowed to be there in spite of them (SO_REUSEADDR, and true),
// unless another socket of this run is.
bool NoteBinding(int descriptor, const sockaddr* address, socklen_t length);
void NoteBound(int descriptor, const sockaddr* address, socklen_t length);
void NoteListening(int descriptor, std::uint64_t site);
// Before connecting; true: to a socket of the program's own.
bool NoteConnecting(int descriptor, const sockaddr* address, socklen_t length);
void NoteAccepted(int listener, int accepted);
void NoteClosed(int descriptor);
void NoteSameSocket(int from, int to);  // `to` is another number for it

// After an operation on a socket inside, until it has arrived at the other end (or will not at
// once).
void SettleConnection(int descriptor);
// Of a connection that was begun: this machine's answer comes at once.
void SettleAnswer(int descriptor, const sockaddr* address, socklen_t length);
void SettleSend(int descriptor);
// The descriptor at the other end, to be asked before an end is closed; -1 = none or not needed.
int PeerOf(int descriptor);
void SettleEnd(int peer);

// The program's own at an address, by one of them: listeners; and datagram sockets at `to` or,
// without it, at what the descriptor is connected to.
struct SocketsAt {
  int descriptor = -1;
  int count = 0;  // more than one: who knows which of them is meant
};
SocketsAt ListenersAt(const sockaddr* address, socklen_t length);
SocketsAt ReceiversAt(int descriptor, const sockaddr* to, socklen_t length);
// What who connects there looks at; nullptr: no socket of the program's is there.
Object* PlaceBoundAt(const sockaddr* address, socklen_t length);
// The kernel gives a datagram socket its address when it first sends.
void NoteSent(int descriptor);
// Before a datagram is received: if it is not the program's, that is said, and others are counted
// on there from then on.
void LookAtSender(Scheduler* scheduler, int descriptor, std::uint64_t site);
// 0: not of the network.
std::uint16_t LocalNetworkPort(int descriptor);
std::uint16_t RemoteNetworkPort(int descriptor);

// Whether anything may still be on its way between sockets of the program.
bool UsesNetwork();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_SOCKETS_H_
