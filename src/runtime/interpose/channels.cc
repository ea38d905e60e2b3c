// Which channels an operation on a descriptor acts on, and what is noted of them.
#include <fcntl.h>
#include <poll.h>

#include <algorithm>

#include "base/hash.h"
#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/looks.h"
#include "runtime/interpose/places.h"
#include "runtime/interpose/port_table.h"
#include "runtime/interpose/ports.h"
#include "runtime/interpose/sockets.h"
#include "trace/channel_use.h"

namespace heddle {
namespace {

// -1: it is not that any more.
int StillAt(int descriptor, const Inode& inode, int mode) {
  Inode now;
  if (descriptor < 0 || !InodeOf(descriptor, &now) || !(now == inode)) return -1;
  const long flags = RawSyscall(SYS_fcntl, descriptor, F_GETFL, 0) & O_ACCMODE;
  return flags == mode || flags == O_RDWR ? descriptor : -1;
}

bool IsListener(const Port* port, int descriptor) {
  return port != nullptr && port->form == Form::kListener &&
         (IsInside(descriptor) || port->is_local);
}

// Nobody outside knows it, or it leads nowhere yet.
bool IsOwnSocket(const Port* port, int descriptor) {
  if (port == nullptr || port->form == Form::kCounter || port->is_own) return false;
  return IsInside(descriptor) || port->is_local;
}

bool IsOfProgram(const Port* port, int descriptor) {
  return port != nullptr && port->form == Form::kDatagram &&
         (IsInside(descriptor) || port->is_local);
}

// What comes to it comes from the program, as far as is known.
bool TakesDatagrams(const Port* port, int descriptor) {
  return IsOfProgram(port, descriptor) && LocalNetworkPort(descriptor) != 0;
}

bool IsOwnChannel(const Port* port) {
  return port != nullptr && (port->is_own || port->form == Form::kCounter);
}

std::uint64_t ChannelKey(std::uint64_t port_key) {
  constexpr std::uint64_t kChannelKey = 0x6c656e6e616863;
  return Mix(kChannelKey, port_key);
}
Object* ChannelNamed(std::uint64_t port_key) {
  return Objects::Named(ObjectKind::kChannel, ChannelKey(port_key));
}

// The channel that is used through the descriptor in that way. When the run first comes to it, what
// can be done there is noted.
Object* ChannelAt(int descriptor, OpKind kind, std::uint64_t port_key) {
  const auto* const key = reinterpret_cast<const void*>(ChannelKey(port_key));
  const bool is_new = Objects::FindAt(key, ObjectKind::kChannel) == nullptr;
  Object* const channel = ChannelNamed(port_key);
  if (is_new) channel->noted = NotedAt(EndsOf(descriptor, kind));
  return channel;
}

// The end of a listener is that of all whom it has not accepted.
Object* EndOf(int descriptor) {
  const Inode inode = FindPort(descriptor)->inode;
  Object* list = ChannelsOfSocket(descriptor, Places::At(LocalOf(descriptor)));
  for (const Connection& one : OfferedConnections()) {
    if (!(one.listener == inode)) continue;
    list = ChannelsAnd(list, ChannelNamed(one.read_key), 0);
    list = ChannelsAnd(list, ChannelNamed(one.write_key), 0);
  }
  return list;
}

}  // namespace

bool IsUnconnected(int descriptor) {
  const Port* const port = FindPort(descriptor);
  return IsOwnSocket(port, descriptor) &&
         (port->form == Form::kStream || port->form == Form::kWhole);
}

Object* ChannelOf(int descriptor, OpKind kind) {
  const Port* const port = FindPort(descriptor);
  const bool takes = IsListener(port, descriptor) || TakesDatagrams(port, descriptor);
  if (kind == OpKind::kReceive && takes) {
    return ChannelAt(descriptor, kind, port->read_key);
  }
  if (kind == OpKind::kDescriptor && IsOwnSocket(port, descriptor)) return EndOf(descriptor);
  const bool is_channel = IsOwnChannel(port) || IsUnconnected(descriptor);
  if (!is_channel || kind == OpKind::kPoll) return nullptr;
  if (kind == OpKind::kDescriptor && port->read_key != port->write_key) {
    Object* const read = ChannelAt(descriptor, OpKind::kReceive, port->read_key);
    Object* const written = ChannelAt(descriptor, OpKind::kSend, port->write_key);
    // They are looked at from the other end: whether that can write to the first, or read from the
    // second.
    return ChannelList(read, channel_use::kNotesWriting,
                       ChannelList(written, channel_use::kNotesReading, nullptr));
  }
  return ChannelAt(descriptor, kind, kind == OpKind::kReceive ? port->read_key : port->write_key);
}

Object* ChannelsOfSocket(int descriptor, Object* place) {
  const Port* const port = FindPort(descriptor);
  if (port == nullptr || port->form == Form::kCounter) return nullptr;
  const std::uint64_t read_key = port->read_key, write_key = port->write_key;
  Object* const at_place = place == nullptr ? nullptr : ChannelList(place, 0, nullptr);
  return ChannelList(ChannelAt(descriptor, OpKind::kReceive, read_key), channel_use::kNotesBoth,
                     ChannelList(ChannelNamed(write_key), 0, at_place));
}

OfferedAt ChannelOffered(int descriptor, const sockaddr* address, socklen_t length) {
  const Port* const own = FindPort(descriptor);
  if (own == nullptr || own->form == Form::kCounter) return {};
  if (own->form == Form::kDatagram) {  // nothing that the other one could see
    const bool is_known = ChannelOfDatagram(descriptor, address, length).channel != nullptr;
    return {is_known ? ChannelsOfSocket(descriptor, nullptr) : nullptr, -1};
  }
  const auto [listener, count] = ListenersAt(address, length);
  Object* const place = PlaceBoundAt(address, length);
  if (count > 1 || place == nullptr) return {};
  const std::uint64_t read_key = own->read_key, write_key = own->write_key;
  Object* const offered = ChannelOf(listener, OpKind::kReceive);
  if (offered == nullptr && count == 1) return {nullptr, listener};
  // What others do to the socket depends on whether it is connected by then.
  Object* const looks = ChannelList(place, channel_use::kLooksAt, nullptr);
  Object* const written = ChannelList(ChannelNamed(write_key), 0, looks);
  Object* const both = ChannelList(ChannelNamed(read_key), 0, written);
  if (count == 0) return {both, -1};
  return {ChannelList(offered, channel_use::kNotesBoth, both), listener};
}

Object* AsConnected(int descriptor, Object* list) {
  const Port* const own = FindPort(descriptor);
  if (own == nullptr || list == nullptr || list->kind != ObjectKind::kChannels) return list;
  if (own->form == Form::kDatagram) return list;
  Object* const read = ChannelNamed(own->read_key);
  Object* const written = ChannelNamed(own->write_key);
  return WithRoles(
      list,
      [=](const Object* each, std::uint8_t role) {
        return each == read || each == written ? channel_use::kLeavesNew : role;
      },
      nullptr);
}

OfferedAt ChannelOfDatagram(int descriptor, const sockaddr* to, socklen_t length) {
  const Port* const own = FindPort(descriptor);
  if (!IsOfProgram(own, descriptor)) return {};
  // To whom it goes is another's doing: before that it goes elsewhere.
  if (to == nullptr && own->connections > 1) return {};
  const auto [receiver, count] = ReceiversAt(descriptor, to, length);
  const std::uint64_t read_key = own->read_key, write_key = own->write_key;
  const bool gets_errors = own->gets_errors;
  const std::uint16_t heard = RemoteNetworkPort(receiver);  // by the receiver: nobody else, or all
  if (heard != 0 && heard != LocalNetworkPort(descriptor)) return {};
  Object* const taken = count > 1 ? nullptr : ChannelOf(receiver, OpKind::kReceive);
  if (taken == nullptr) return {};
  // Where it is and what it is connected to may change.
  Object* others = ChannelList(ChannelNamed(write_key), channel_use::kLooksAt, nullptr);
  if (gets_errors) others = ChannelList(ChannelNamed(read_key), 0, others);
  return {ChannelList(taken, channel_use::kNotesBoth, others), receiver};
}

// Linux lets one more wait than it is told. Where nobody waits there is room, whatever is known:
// another listener at the same port may have taken some of those.
bool HasRoomFor(int listener) {
  const Port* const port = FindPort(listener);
  if (port == nullptr || port->form != Form::kListener) return true;
  if (ReadyAt(listener, POLLIN) == 0) return true;
  const std::vector<Connection>& offered = OfferedConnections();
  const auto waiting = std::count_if(offered.begin(), offered.end(), [port](const Connection& one) {
    return one.listener == port->inode;
  });
  return static_cast<std::size_t>(waiting) <= port->backlog;
}

Asked ChannelsAskedAt(int descriptor) {
  const Port* const port = FindPort(descriptor);
  if (IsListener(port, descriptor) || TakesDatagrams(port, descriptor)) {
    return {.read = ChannelAt(descriptor, OpKind::kReceive, port->read_key)};
  }
  if (!IsOwnChannel(port) && !IsUnconnected(descriptor)) return {};
  const long mode = RawSyscall(SYS_fcntl, descriptor, F_GETFL, 0) & O_ACCMODE;
  Asked asked;
  if (mode != O_WRONLY) asked.read = ChannelAt(descriptor, OpKind::kReceive, port->read_key);
  if (mode != O_RDONLY) asked.written = ChannelAt(descriptor, OpKind::kSend, port->write_key);
  return asked;
}

ChannelEnds EndsOf(int descriptor, OpKind kind) {
  const Port* const port = FindPort(descriptor);
  if (port == nullptr || engine.channel->request.run_on == 0) return {};
  ChannelEnds ends = port->ends;
  ends.has_room = port->form == Form::kDatagram;
  ends.listens = port->form == Form::kListener;
  const bool is_counter = port->form == Form::kCounter;
  const ChannelEnds here = EndsAt(descriptor, descriptor);
  if (kind == OpKind::kReceive || is_counter) {
    ends.reader = here.reader;
    ends.reader_inode = here.reader_inode;
  }
  if (kind == OpKind::kSend || is_counter) {
    ends.writer = here.writer;
    ends.writer_inode = here.writer_inode;
  }
  return ends;
}

std::uint8_t NotedAt(const ChannelEnds& ends) {
  const int reader = StillAt(ends.reader, ends.reader_inode, O_RDONLY);
  const int writer = StillAt(ends.writer, ends.writer_inode, O_WRONLY);
  if (reader < 0 && writer < 0) return 0;
  pollfd asked[2] = {{reader, POLLIN, 0}, {writer, POLLOUT, 0}};
  if (RawSyscall(SYS_poll, reinterpret_cast<long>(asked), 2, 0) < 0) return 0;
  unsigned noted = 0;
  if (reader >= 0) noted |= channel_use::kReadKnown;
  if (writer >= 0) noted |= channel_use::kWriteKnown;
  if (reader >= 0 && asked[0].revents != 0) noted |= channel_use::kReadable;
  if (writer >= 0 && asked[1].revents != 0) noted |= channel_use::kWritable;
  if (ends.has_room) noted |= channel_use::kWritable | channel_use::kWriteKnown;
  if (ends.listens && reader >= 0) {
    noted |= channel_use::kWriteKnown;
    if (HasRoomFor(reader)) noted |= channel_use::kWritable;
  }
  return static_cast<std::uint8_t>(noted);
}

}  // namespace heddle
