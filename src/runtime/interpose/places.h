// Ports and names at which sockets of the program are or were, as objects.
//
// Binding a socket, beginning to listen and the end of a socket change its place; who connects
// looks at it. So these depend on each other at one place and commute at different ones. Where a
// second socket comes to a place, what it finds also depends on the connections that were made
// there: it is left to the one object of all descriptors.
#ifndef HEDDLE_RUNTIME_INTERPOSE_PLACES_H_
#define HEDDLE_RUNTIME_INTERPOSE_PLACES_H_

#include "runtime/interpose/addresses.h"
#include "runtime/interpose/ports.h"

namespace heddle {

class Places {
 public:
  // The socket was bound. What the system chose is named by the socket: it is another in each run.
  static void NoteBound(int descriptor, bool is_left_to_system);
  // nullptr: no socket was bound there in this run.
  static Object* At(const Address& address);
  // ... as that of one that is about to be. nullptr: the system is to choose.
  static Object* ToBeAt(const Address& address);
  // Whether another socket was bound there in this run.
  static bool IsOthers(const Address& address, const Inode& socket);
};

void ForgetPlaces();  // between runs

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_PLACES_H_
