// What epoll sets watch, and so what an operation on a channel changes for them.
//
// A set tells what is ready in the order in which it became so, and of what was asked for by edges
// or once it tells only when something has happened since. So it is more than a poll of its
// channels: each set is an object of its own, *what is ready in it*, by order. Who makes something
// ready in a set (a send, the end of a channel) changes that, who takes from a channel does not.
// What it would tell of one descriptor is one more object, *its item*, which whatever is done to
// the channel changes. epoll_wait looks at what is ready and at the items, or takes from them.
//
// The order is kept here, by what the threads did, not by the kernel, in whose list it also depends
// on who happened to look before; epoll(7) promises none. A set is *own* as long as all that it
// watches are channels (interpose/ports.h) and it can be told what is whose. Others act on all
// descriptors.
#ifndef HEDDLE_RUNTIME_INTERPOSE_WATCHES_H_
#define HEDDLE_RUNTIME_INTERPOSE_WATCHES_H_

#include <sys/epoll.h>

#include <cstdint>
#include <vector>

#include "runtime/interpose/io_wait.h"

namespace heddle {

struct Watched {
  int set, descriptor;  // -1: closed, but the set watches it as long as there are copies
  epoll_event event;
  bool is_detached = false;  // fed: the kernel's set does not have it any more
  // Of an own set.
  Object* read = nullptr;  // what can be asked of the descriptor
  Object* written = nullptr;
  Object* item = nullptr;
  bool is_listed = false;   // among what is ready
  bool is_spent = false;    // it was asked for once, and told
  std::uint64_t place = 0;  // there
  std::uint32_t held = 0;   // events that the kernel told us and we did not tell yet

  bool is_once() const { return (event.events & (EPOLLET | EPOLLONESHOT)) != 0; }
};

class Watches {
 public:
  static void NewSet(int set);
  static bool IsOwn(int set);
  // Everything of all sets, in the order in which it was added.
  static std::vector<Watched>& All();
  static Watched* Find(int set, int descriptor);
  // After epoll_ctl.
  static void Note(int set, int operation, int descriptor, const epoll_event* event);

  // What epoll_wait and epoll_ctl touch; they stay on all descriptors if the set is not own.
  static void DescribeWait(int set, int most, IoWait* wait);
  static void DescribeControl(int set, int descriptor, const epoll_event* event, IoWait* wait);
  // What is done to the channel, or to those in the list, is done to sets, too.
  static Object* WithSets(Object* channel, OpKind kind);
  // The same list with what sets would tell behind the operation (Event::size has kItemsKnown).
  static Object* AsLeft(Object* list);
  // ... and to a set that is closed. nullptr: it is none.
  static Object* Ready(int set);

  // An operation on that list was carried out.
  static void Changed(const Object* list, OpKind kind);

  // What epoll_wait finds in an own set, or in one that was and has not told all.
  static bool Holds(int set);
  static bool IsReady(int set);
  static int Take(int set, epoll_event* events, int most);
};

void LeaveToCopies(int descriptor);  // before it is closed or replaced
void ForgetWatches();                // between runs

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_WATCHES_H_
