#include "runtime/interpose/ports.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/looks.h"
#include "runtime/interpose/sockets.h"
#include "trace/channel_use.h"

namespace heddle {
namespace {

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
  bool is_local = false;  // takes datagrams of this machine, and none of others has been seen there
  bool has_copies = false;
  // Of what is read through it, and of what is written through it: the other end alone is used.
  ChannelEnds ends = {};
};

bool IsAt(const Port& port, const Inode& inode, int descriptor) {
  return port.inode == inode && (port.form != Form::kCounter || port.descriptor == descriptor);
}

// Offered to a listener and not taken yet.
struct Connection {
  Inode listener;
  std::uint16_t port = 0;  // of the network, of who connects; 0: not of the network
  std::uint64_t read_key = 0, write_key = 0;
  int descriptor = -1;  // of who connects
};

struct Maker {
  std::uint64_t path = 0;
  std::uint64_t made = 0;
};

struct State {
  std::vector<Port> ports;
  std::vector<Connection> offered;
  std::vector<Maker> makers;
  std::vector<std::uint16_t> senders;  // ports that the program has sent datagrams from
};
State* state = nullptr;

State& Kept() {
  if (state == nullptr) state = new State();
  return *state;
}

bool InodeOf(int descriptor, Inode* inode) {
  struct stat status = {};
  if (RawSyscall(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) != 0) return false;
  *inode = {status.st_dev, status.st_ino};
  return true;
}

const Port* Find(int descriptor) {
  Inode inode;
  if (descriptor < 0 || state == nullptr || state->ports.empty() || !InodeOf(descriptor, &inode)) {
    return nullptr;
  }
  for (const Port& port : state->ports) {
    if (IsAt(port, inode, descriptor)) return &port;
  }
  return nullptr;
}

std::uint64_t NewKey() {
  constexpr std::uint64_t kPipeKey = 0x65706970;
  const Scheduler* const scheduler = Scheduler::Get();
  const std::uint64_t path = scheduler == nullptr ? 0 : scheduler->current()->path_hash;
  std::vector<Maker>& makers = Kept().makers;
  auto at = std::find_if(makers.begin(), makers.end(),
                         [path](const Maker& maker) { return maker.path == path; });
  if (at == makers.end()) at = makers.insert(at, {path, 0});
  return Mix(Mix(path, at->made++), kPipeKey);
}

void Add(int descriptor, Port port) {
  if (!InodeOf(descriptor, &port.inode)) return;
  for (Port& old : Kept().ports) {
    if (!IsAt(old, port.inode, descriptor)) continue;
    old = port;  // the number was free again, or more is known of it
    return;
  }
  Kept().ports.push_back(port);
}

ChannelEnds Ends(int reader, int writer) {
  ChannelEnds ends;
  if (InodeOf(reader, &ends.reader_inode)) ends.reader = reader;
  if (InodeOf(writer, &ends.writer_inode)) ends.writer = writer;
  return ends;
}

// -1: it is not that any more.
int StillAt(int descriptor, const Inode& inode, int mode) {
  Inode now;
  if (descriptor < 0 || !InodeOf(descriptor, &now) || !(now == inode)) return -1;
  const long flags = RawSyscall(SYS_fcntl, descriptor, F_GETFL, 0) & O_ACCMODE;
  return flags == mode || flags == O_RDWR ? descriptor : -1;
}

bool IsListener(const Port* port, int descriptor) {
  return port != nullptr && port->form == Form::kListener && IsInside(descriptor);
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

Object* Named(std::uint64_t key) { return Objects::Named(ObjectKind::kBoundedPort, key); }
Object* CounterNamed(std::uint64_t key) {
  return Objects::Named(ObjectKind::kCountingSemaphore, key);
}

}  // namespace

void RegisterPipe(const int ends[2]) {
  const EngineScope scope;
  const std::uint64_t key = NewKey();
  Add(ends[0], {.read_key = key, .write_key = key, .is_own = true, .ends = Ends(ends[0], ends[1])});
}

void RegisterNamedPipe(int descriptor, std::uint64_t name) {
  const EngineScope scope;
  Add(descriptor, {.read_key = name, .write_key = name, .is_own = true});
}

void RegisterPair(const int ends[2], int type) {
  const EngineScope scope;
  const Form form = (type & 0xf) == SOCK_STREAM ? Form::kStream : Form::kWhole;
  const std::uint64_t key = NewKey();
  const ChannelEnds at_first = Ends(ends[0], ends[0]), at_second = Ends(ends[1], ends[1]);
  Add(ends[0],
      {.form = form, .read_key = key, .write_key = Mix(key, 1), .is_own = true, .ends = at_second});
  Add(ends[1],
      {.form = form, .read_key = Mix(key, 1), .write_key = key, .is_own = true, .ends = at_first});
}

void RegisterSocket(int descriptor, int type) {
  const EngineScope scope;
  const int kind = type & 0xf;
  if (kind != SOCK_STREAM && kind != SOCK_DGRAM && kind != SOCK_SEQPACKET) return;
  const Form form = kind == SOCK_STREAM  ? Form::kStream
                    : kind == SOCK_DGRAM ? Form::kDatagram
                                         : Form::kWhole;
  const std::uint64_t key = NewKey();
  Add(descriptor, {.form = form, .read_key = key, .write_key = Mix(key, 1)});
}

void RegisterListener(int descriptor, int backlog) {
  const EngineScope scope;
  const Port* const port = Find(descriptor);
  if (port == nullptr) return;
  Port listener = *port;
  listener.form = Form::kListener;
  listener.backlog = static_cast<unsigned>(backlog);  // as Linux does; below 0 there is no bound
  Add(descriptor, listener);
}

void RegisterCounter(int descriptor, unsigned count, bool one_by_one) {
  const EngineScope scope;
  const std::uint64_t key = NewKey();
  Add(descriptor, {.form = Form::kCounter,
                   .read_key = key,
                   .write_key = key,
                   .count = count,
                   .one_by_one = one_by_one,
                   .descriptor = descriptor});
}

void ForgetCounter(int descriptor) {
  if (state == nullptr) return;
  std::erase_if(state->ports, [descriptor](const Port& port) {
    return port.form == Form::kCounter && port.descriptor == descriptor;
  });
}

void NoteDuplicate(int from, int to) {
  if (const Port* const port = Find(from); port != nullptr) {
    Port copy = *port;
    copy.has_copies = true;
    Add(from, copy);
    if (copy.form != Form::kCounter) return NoteSameSocket(from, to);
    copy.descriptor = to;
    Add(to, copy);
  }
  NoteSameSocket(from, to);
}

bool HasCopies(int descriptor) {
  const Port* const port = Find(descriptor);
  return port != nullptr && port->has_copies;
}

std::uint64_t NewPortKey() { return NewKey(); }

void SetLocal(int descriptor, bool is_local) {
  const EngineScope scope;
  const Port* const port = Find(descriptor);
  if (port == nullptr || port->form != Form::kDatagram || port->is_local == is_local) return;
  Port changed = *port;
  changed.is_local = is_local;
  Add(descriptor, changed);
}

bool IsLocal(int descriptor) {
  const Port* const port = Find(descriptor);
  return port != nullptr && port->is_local;
}

void NoteSender(std::uint16_t port) {
  const EngineScope scope;
  std::vector<std::uint16_t>& senders = Kept().senders;
  if (std::find(senders.begin(), senders.end(), port) == senders.end()) senders.push_back(port);
}

bool IsSender(std::uint16_t port) {
  if (state == nullptr) return false;
  return std::find(state->senders.begin(), state->senders.end(), port) != state->senders.end();
}

bool IsOwnPort(int descriptor) {
  const Port* const port = Find(descriptor);
  return port != nullptr && port->is_own;
}

void NoteShared(int descriptor) {
  const Port* const given = Find(descriptor);
  if (given == nullptr || !given->is_own) return;
  const std::uint64_t read_key = given->read_key, write_key = given->write_key;
  for (Port& port : state->ports) {
    const bool is_end = port.read_key == read_key || port.read_key == write_key;
    if (is_end) port.is_own = false;
  }
  // Numbers of the ends, whatever they are.
  constexpr int kNumbers = 1024;
  for (int number = 0; number < kNumbers; ++number) {
    const Port* const port = IsInside(number) ? Find(number) : nullptr;
    if (port == nullptr) continue;
    if (port->read_key == read_key || port->read_key == write_key) SetInside(number, false);
  }
}

Object* ChannelOf(int descriptor, OpKind kind) {
  const Port* const port = Find(descriptor);
  // The end of a listener is that of all whom it has not accepted.
  const bool takes = IsListener(port, descriptor) || TakesDatagrams(port, descriptor);
  if (kind == OpKind::kReceive && takes) {
    return ChannelAt(descriptor, kind, port->read_key);
  }
  if (!IsOwnChannel(port) || kind == OpKind::kPoll) return nullptr;
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

OfferedAt ChannelOffered(int descriptor, const sockaddr* address, socklen_t length) {
  const Port* const own = Find(descriptor);
  if (own == nullptr || own->form == Form::kDatagram) return {};
  if (ListenersAt(address, length) > 1) return {};  // who knows which of them gets it
  const std::uint64_t read_key = own->read_key, write_key = own->write_key;
  const int listener = ListenerAt(address, length);
  Object* const offered = ChannelOf(listener, OpKind::kReceive);
  if (offered == nullptr) return {nullptr, listener};
  // What others do to the socket depends on whether it is connected by then.
  Object* const written = ChannelList(ChannelNamed(write_key), 0, nullptr);
  Object* const both = ChannelList(ChannelNamed(read_key), 0, written);
  return {ChannelList(offered, channel_use::kNotesBoth, both), listener};
}

Object* AsConnected(int descriptor, Object* list) {
  const Port* const own = Find(descriptor);
  if (own == nullptr || list == nullptr || list->kind != ObjectKind::kChannels) return list;
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
  const Port* const own = Find(descriptor);
  if (!IsOfProgram(own, descriptor)) return {};
  const int receiver = DestinationOf(descriptor, to, length);
  if (IsShared(receiver)) return {};  // who knows which of them gets it
  return {ChannelOf(receiver, OpKind::kReceive), receiver};
}

// Linux lets one more wait than it is told. Where nobody waits there is room, whatever is known:
// another listener at the same port may have taken some of those.
bool HasRoomFor(int listener) {
  const Port* const port = Find(listener);
  if (port == nullptr || port->form != Form::kListener) return true;
  if (ReadyAt(listener, POLLIN) == 0) return true;
  const auto waiting =
      std::count_if(state->offered.begin(), state->offered.end(),
                    [port](const Connection& one) { return one.listener == port->inode; });
  return static_cast<std::size_t>(waiting) <= port->backlog;
}

Asked ChannelsAskedAt(int descriptor) {
  const Port* const port = Find(descriptor);
  if (IsListener(port, descriptor) || TakesDatagrams(port, descriptor)) {
    return {.read = ChannelAt(descriptor, OpKind::kReceive, port->read_key)};
  }
  if (!IsOwnChannel(port)) return {};
  const long mode = RawSyscall(SYS_fcntl, descriptor, F_GETFL, 0) & O_ACCMODE;
  Asked asked;
  if (mode != O_WRONLY) asked.read = ChannelAt(descriptor, OpKind::kReceive, port->read_key);
  if (mode != O_RDONLY) asked.written = ChannelAt(descriptor, OpKind::kSend, port->write_key);
  return asked;
}

ChannelEnds EndsOf(int descriptor, OpKind kind) {
  const Port* const port = Find(descriptor);
  if (port == nullptr || engine.channel->request.run_on == 0) return {};
  ChannelEnds ends = port->ends;
  ends.has_room = port->form == Form::kDatagram;
  ends.listens = port->form == Form::kListener;
  const bool is_counter = port->form == Form::kCounter;
  const ChannelEnds here = Ends(descriptor, descriptor);
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

NamedPort PortReadBy(int descriptor) {
  const Port* const port = Find(descriptor);
  if (port == nullptr || port->form == Form::kListener) return {};
  switch (port->form) {
    case Form::kCounter:
      return {CounterNamed(port->read_key), port->one_by_one ? PortUse::kTakeOne : PortUse::kDrain,
              port->count};
    case Form::kStream:
      return {Named(port->read_key), PortUse::kRead};
    default:
      return {Named(port->read_key), PortUse::kTake};
  }
}

NamedPort PortWrittenBy(int descriptor, const sockaddr* to, socklen_t length) {
  const Port* const port = Find(descriptor);
  if (port == nullptr || port->form == Form::kListener) return {};
  switch (port->form) {
    case Form::kCounter:
      return {CounterNamed(port->write_key), PortUse::kAdd};
    case Form::kStream:
      return {Named(port->write_key), PortUse::kWrite};
    case Form::kWhole:
      return {Named(port->write_key), PortUse::kOffer};
    default:
      break;
  }
  const Port* const target = Find(DestinationOf(descriptor, to, length));
  if (target == nullptr || target->form != Form::kDatagram) return {};
  return {Named(target->read_key), PortUse::kOffer};
}

NamedPort PortOffered(int descriptor, const sockaddr* address, socklen_t length) {
  const Port* const own = Find(descriptor);
  if (own != nullptr && own->form == Form::kDatagram) {
    return {Named(own->read_key), PortUse::kClose};
  }
  const Port* const port = Find(ListenerAt(address, length));
  if (port == nullptr || port->form != Form::kListener) return {};
  return {Named(port->read_key), PortUse::kOffer};
}

NamedPort PortTaken(int listener) {
  const Port* const port = Find(listener);
  if (port == nullptr || port->form != Form::kListener) return {};
  return {Named(port->read_key), PortUse::kTake};
}

void NoteOffered(int descriptor, const sockaddr* address, socklen_t length) {
  const EngineScope scope;
  const Port* const own = Find(descriptor);
  const Port* const listener = Find(ListenerAt(address, length));
  if (own == nullptr || own->form == Form::kDatagram || listener == nullptr) return;
  Kept().offered.push_back(
      {listener->inode, LocalNetworkPort(descriptor), own->read_key, own->write_key, descriptor});
  Port connected = *own;
  connected.is_own = true;
  Add(descriptor, connected);
}

// On the network by the address, elsewhere in the order of connecting.
void NoteTaken(int listener, int accepted) {
  const EngineScope scope;
  Inode inode;
  if (state == nullptr || !InodeOf(listener, &inode)) return;
  const std::uint16_t port = RemoteNetworkPort(accepted);
  std::vector<Connection>& offered = state->offered;
  const auto at = std::find_if(offered.begin(), offered.end(), [&](const Connection& connection) {
    return connection.listener == inode && connection.port == port;
  });
  if (at == offered.end()) return;
  const Port* const other = Find(at->descriptor);
  const bool is_there = other != nullptr && other->read_key == at->read_key;
  if (is_there) {
    Port connected = *other;
    connected.ends = Ends(accepted, accepted);
    Add(at->descriptor, connected);
  }
  Add(accepted, {.read_key = at->write_key,
                 .write_key = at->read_key,
                 .is_own = true,
                 .ends = is_there ? Ends(at->descriptor, at->descriptor) : ChannelEnds()});
  offered.erase(at);
}

void ForgetPipes() {
  if (state == nullptr) return;
  state->ports.clear();
  state->offered.clear();
  state->makers.clear();
  state->senders.clear();
}

void NamePort(Scheduler* scheduler, const NamedPort& port, std::uint64_t value,
              std::uint64_t site) {
  if (port.object == nullptr) return;
  Event* const event = scheduler->RecordDirectly(OpKind::kPortOpen, port.object, site,
                                                 static_cast<std::uint8_t>(port.use));
  event->value = value;
  event->flags |= Event::kHasValue;
}

void NameEnds(Scheduler* scheduler, int descriptor, bool reads, bool writes, std::uint64_t site) {
  const Port* const found = Find(descriptor);
  if (found == nullptr) return;
  const Port port = *found;
  const bool has_writers = port.form == Form::kStream || port.form == Form::kWhole;
  if (writes && has_writers) {
    NamePort(scheduler, {Named(port.write_key), PortUse::kClose}, kNoMoreWritten, site);
  }
  if (port.form == Form::kCounter) {
    NamePort(scheduler, {CounterNamed(port.read_key), PortUse::kClose}, 0, site);
  } else if (reads) {
    NamePort(scheduler, {Named(port.read_key), PortUse::kClose}, kNoMoreRead, site);
  }
}

}  // namespace heddle
