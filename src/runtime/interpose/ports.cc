#include "runtime/interpose/ports.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/port_table.h"
#include "runtime/interpose/sockets.h"

namespace heddle {
namespace {

bool IsAt(const Port& port, const Inode& inode, int descriptor) {
  return port.inode == inode && (port.form != Form::kCounter || port.descriptor == descriptor);
}

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

Object* Named(std::uint64_t key) { return Objects::Named(ObjectKind::kBoundedPort, key); }
Object* CounterNamed(std::uint64_t key) {
  return Objects::Named(ObjectKind::kCountingSemaphore, key);
}

}  // namespace

const Port* FindPort(int descriptor) {
  Inode inode;
  if (descriptor < 0 || state == nullptr || state->ports.empty() || !InodeOf(descriptor, &inode)) {
    return nullptr;
  }
  for (const Port& port : state->ports) {
    if (IsAt(port, inode, descriptor)) return &port;
  }
  return nullptr;
}

const std::vector<Connection>& OfferedConnections() { return Kept().offered; }

ChannelEnds EndsAt(int reader, int writer) {
  ChannelEnds ends;
  if (InodeOf(reader, &ends.reader_inode)) ends.reader = reader;
  if (InodeOf(writer, &ends.writer_inode)) ends.writer = writer;
  return ends;
}

bool InodeOf(int descriptor, Inode* inode) {
  struct stat status = {};
  if (RawSyscall(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) != 0) return false;
  *inode = {status.st_dev, status.st_ino};
  return true;
}

void RegisterPipe(const int ends[2]) {
  const EngineScope scope;
  const std::uint64_t key = NewKey();
  Add(ends[0],
      {.read_key = key, .write_key = key, .is_own = true, .ends = EndsAt(ends[0], ends[1])});
}

void RegisterNamedPipe(int descriptor, std::uint64_t name) {
  const EngineScope scope;
  Add(descriptor, {.read_key = name, .write_key = name, .is_own = true});
}

void RegisterPair(const int ends[2], int type) {
  const EngineScope scope;
  const Form form = (type & 0xf) == SOCK_STREAM ? Form::kStream : Form::kWhole;
  const std::uint64_t key = NewKey();
  const ChannelEnds at_first = EndsAt(ends[0], ends[0]), at_second = EndsAt(ends[1], ends[1]);
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
  const Port* const port = FindPort(descriptor);
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
  if (const Port* const port = FindPort(from); port != nullptr) {
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
  const Port* const port = FindPort(descriptor);
  return port != nullptr && port->has_copies;
}

std::uint64_t NewPortKey() { return NewKey(); }

std::uint64_t PortKeyOf(int descriptor) {
  const Port* const port = FindPort(descriptor);
  return port == nullptr ? 0 : port->read_key;
}

void SetLocal(int descriptor, bool is_local) {
  const EngineScope scope;
  const Port* const port = FindPort(descriptor);
  if (port == nullptr || port->form == Form::kCounter || port->is_local == is_local) return;
  Port changed = *port;
  changed.is_local = is_local;
  Add(descriptor, changed);
}

bool IsLocal(int descriptor) {
  const Port* const port = FindPort(descriptor);
  return port != nullptr && port->is_local;
}

bool SendsDatagrams(int descriptor) {
  const Port* const port = FindPort(descriptor);
  return port != nullptr && port->form == Form::kDatagram;
}

bool NoteUnheard(int descriptor) {
  const EngineScope scope;
  const Port* const port = FindPort(descriptor);
  if (port == nullptr || port->form != Form::kDatagram || port->gets_errors) return false;
  Port changed = *port;
  changed.gets_errors = true;
  Add(descriptor, changed);
  return true;
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
  const Port* const port = FindPort(descriptor);
  return port != nullptr && port->is_own;
}

void NoteShared(int descriptor) {
  const Port* const given = FindPort(descriptor);
  if (given == nullptr || !given->is_own) return;
  const std::uint64_t read_key = given->read_key, write_key = given->write_key;
  for (Port& port : state->ports) {
    const bool is_end = port.read_key == read_key || port.read_key == write_key;
    if (is_end) port.is_own = false;
  }
  // Numbers of the ends, whatever they are.
  constexpr int kNumbers = 1024;
  for (int number = 0; number < kNumbers; ++number) {
    const Port* const port = IsInside(number) ? FindPort(number) : nullptr;
    if (port == nullptr) continue;
    if (port->read_key == read_key || port->read_key == write_key) SetInside(number, false);
  }
}

NamedPort PortReadBy(int descriptor) {
  const Port* const port = FindPort(descriptor);
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
  const Port* const port = FindPort(descriptor);
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
  const Port* const target = FindPort(ReceiversAt(descriptor, to, length).descriptor);
  if (target == nullptr || target->form != Form::kDatagram) return {};
  return {Named(target->read_key), PortUse::kOffer};
}

NamedPort PortOffered(int descriptor, const sockaddr* address, socklen_t length) {
  const Port* const own = FindPort(descriptor);
  if (own != nullptr && own->form == Form::kDatagram) {
    return {Named(own->read_key), PortUse::kClose};
  }
  const Port* const port = FindPort(ListenersAt(address, length).descriptor);
  if (port == nullptr || port->form != Form::kListener) return {};
  return {Named(port->read_key), PortUse::kOffer};
}

NamedPort PortTaken(int listener) {
  const Port* const port = FindPort(listener);
  if (port == nullptr || port->form != Form::kListener) return {};
  return {Named(port->read_key), PortUse::kTake};
}

void NoteOffered(int descriptor, const sockaddr* address, socklen_t length) {
  const EngineScope scope;
  const Port* const own = FindPort(descriptor);
  const Port* const listener = FindPort(ListenersAt(address, length).descriptor);
  if (own != nullptr && own->form == Form::kDatagram) {
    Port connected = *own;
    ++connected.connections;
    return Add(descriptor, connected);
  }
  if (own == nullptr || listener == nullptr) return;
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
  const Port* const other = FindPort(at->descriptor);
  const bool is_there = other != nullptr && other->read_key == at->read_key;
  if (is_there) {
    Port connected = *other;
    connected.ends = EndsAt(accepted, accepted);
    Add(at->descriptor, connected);
  }
  Add(accepted, {.read_key = at->write_key,
                 .write_key = at->read_key,
                 .is_own = true,
                 .ends = is_there ? EndsAt(at->descriptor, at->descriptor) : ChannelEnds()});
  offered.erase(at);
}

void EndWaiting(const Inode& listener) {
  if (state == nullptr) return;
  std::erase_if(state->offered, [&](const Connection& one) {
    if (!(one.listener == listener)) return false;
    if (PortKeyOf(one.descriptor) == one.read_key) SettleEnd(one.descriptor);
    return true;
  });
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
  const Port* const found = FindPort(descriptor);
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
