// What is known of the program's descriptors, for those who make objects of it: channels
// (interpose/channels.cc) and the ports of messages (interpose/ports.cc).
#ifndef HEDDLE_RUNTIME_INTERPOSE_PORT_TABLE_H_
#define HEDDLE_RUNTIME_INTERPOSE_PORT_TABLE_H_

#include <cstdint>
#include <vector>

#include "runtime/interpose/ports.h"

namespace heddle {

enum class Form : std::uint8_t { kStream, kWhole, kDatagram, kListener, kCounter };

struct Port {
  Inode inode = {};
  Form form = Form::kStream;
  std::uint64_t read_key = 0, write_key = 0;
  std::uint64_t count = 0;  // that a counter began with
  bool one_by_one = false;
  int descriptor = -1;    // of a counter: all have one inode
  unsigned backlog = 0;   // of a listener
  bool is_own = false;    // both ends were made here
  bool is_local = false;  // at an address of this machine, where nobody else has been seen
  bool has_copies = false;
  int connections = 0;       // of a datagram socket, one after the other
  bool gets_errors = false;  // of what was sent to nobody, by whoever uses it next
  // Of what is read through it, and of what is written through it: the other end alone is used.
  ChannelEnds ends = {};
};

// Offered to a listener and not taken yet.
struct Connection {
  Inode listener;
  std::uint16_t port = 0;  // of the network, of who connects; 0: not of the network
  std::uint64_t read_key = 0, write_key = 0;
  int descriptor = -1;  // of who connects
};

const Port* FindPort(int descriptor);  // until the next change; nullptr: nothing is known of it
const std::vector<Connection>& OfferedConnections();
// One that is looked at from these two.
ChannelEnds EndsAt(int reader, int writer);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_PORT_TABLE_H_
