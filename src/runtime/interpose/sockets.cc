#include "runtime/interpose/sockets.h"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>

#include <algorithm>
#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/addresses.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/numbers.h"
#include "runtime/interpose/places.h"
#include "runtime/interpose/ports.h"
#include "runtime/interpose/watches.h"
#include "runtime/worker/shared_places.h"

namespace heddle {
namespace {

constexpr int kLooks = 200;  // at what is on its way, with a pause after each:
constexpr timespec kPause = {0, 10'000};

enum class Use : std::uint8_t { kListens, kOther, kDatagrams };

struct Socket {
  int descriptor;
  Inode inode;  // one socket may have several numbers
  Address local;
  Use use;
};

// Of the program: listening, or bound, or connected to one of the others.
std::vector<Socket>* sockets = nullptr;

int OptionOf(int descriptor, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  RawSyscall(SYS_getsockopt, descriptor, SOL_SOCKET, option, reinterpret_cast<long>(&value),
             reinterpret_cast<long>(&size));
  return value;
}

void Keep(int descriptor, bool listens) {
  if (sockets == nullptr) sockets = new std::vector<Socket>();
  NoteClosed(descriptor);
  const bool is_datagrams = OptionOf(descriptor, SO_TYPE) == SOCK_DGRAM;
  const Use use = listens ? Use::kListens : is_datagrams ? Use::kDatagrams : Use::kOther;
  sockets->push_back({descriptor, {}, LocalOf(descriptor), use});
  InodeOf(descriptor, &sockets->back().inode);
  if (const in_port_t port = sockets->back().local.port(); port != 0) NoteSender(port);
}

// One of those that are there, and how many.
SocketsAt FindAt(const Address& address, Use use) {
  SocketsAt found;
  Inode first;
  for (std::size_t i = 0; sockets != nullptr && i < sockets->size(); ++i) {
    const Socket& socket = (*sockets)[i];
    if (socket.use != use || !IsSame(socket.local, address)) continue;
    if (found.count == 0) {
      found = {socket.descriptor, 1};
      first = socket.inode;
    } else if (!(socket.inode == first)) {
      ++found.count;
    }
  }
  return found;
}

template <typename Done>
void Await(const Done& done) {
  for (int i = 0; i < kLooks && !done(); ++i) {
    RawSyscall(SYS_nanosleep, reinterpret_cast<long>(&kPause), 0);
  }
}

bool Shows(int descriptor, short events) {
  pollfd one = {descriptor, events, 0};
  return RawSyscall(SYS_poll, reinterpret_cast<long>(&one), 1, 0) != 0;
}

// A socket that comes to be at an address, or to listen at the one it has.
struct Coming {
  int descriptor;
  bool listens;
  Address to;
};

bool IsOthers(const Coming& coming) {
  Inode own;
  if (!InodeOf(coming.descriptor, &own) || Places::IsOthers(coming.to, own)) return true;
  return std::any_of(sockets->begin(), sockets->end(), [&](const Socket& socket) {
    return !(socket.inode == own) && IsSame(socket.local, coming.to);
  });
}

void DescribeComing(void* argument, IoWait* wait) {
  auto& coming = *static_cast<Coming*>(argument);
  // Another thread may have bound it since.
  if (coming.listens) coming.to = LocalOf(coming.descriptor);
  const bool is_known = coming.to.IsSomewhere() || coming.to.IsLeftToSystem();
  Object* const last = Numbers::Last(coming.descriptor);
  wait->channel = nullptr;
  if (last != nullptr) return;  // where it was to be is part of it
  if (!is_known || (UsesNetwork() && IsOthers(coming))) return;
  wait->channel = Watches::WithSets(ChannelsOfSocket(coming.descriptor, Places::ToBeAt(coming.to)),
                                    OpKind::kDescriptor);
}

void LetReuse(int descriptor, bool may) {
  const int value = may ? 1 : 0;
  RawSyscall(SYS_setsockopt, descriptor, SOL_SOCKET, SO_REUSEADDR, reinterpret_cast<long>(&value),
             sizeof value);
}

// Who connects or sends to an address finds nobody there before that. While there is one thread,
// nobody does.
template <typename Call>
int Come(Coming coming, std::uint64_t site, const Call& call) {
  Scheduler* const scheduler = IoScheduler();
  if (scheduler == nullptr || scheduler->is_alone()) return call();
  const int descriptor = coming.descriptor;
  IoWait wait = {.kind = OpKind::kDescriptor,
                 .argument = &coming,
                 .describe = DescribeComing,
                 .cancels = false,
                 .site = site};
  do {
    DescribeComing(&coming, &wait);
  } while (AwaitIo(scheduler, wait) == kInterrupted);
  const bool is_on_channels = scheduler->reached()->kind != ObjectKind::kIo;
  const std::uint8_t before = NotedAt(EndsOf(descriptor, OpKind::kReceive));
  const int result = call();
  const std::uint8_t behind = NotedAt(EndsOf(descriptor, OpKind::kReceive));
  Event* const event = FinishIo(scheduler, result);
  if (is_on_channels) {
    event->order |= before;
    event->size |= behind;
  }
  DescribeAgain(scheduler);
  return result;
}

}  // namespace

bool NoteBinding(int descriptor, const sockaddr* address, socklen_t length) {
  const Address asked = Copy(address, length);
  if (!asked.IsSomewhere() || asked.IsLeftToSystem()) return false;
  NoteSharedAddress();
  const bool is_own =
      UsesNetwork() && std::any_of(sockets->begin(), sockets->end(),
                                   [&](const Socket& one) { return IsSame(one.local, asked); });
  const bool is_stream = asked.is_network() && OptionOf(descriptor, SO_TYPE) == SOCK_STREAM;
  if (is_own || !is_stream || OptionOf(descriptor, SO_REUSEADDR) != 0) return false;
  LetReuse(descriptor, true);
  return true;
}

void NoteBound(int descriptor, const sockaddr* address, socklen_t length) {
  const Address asked = Copy(address, length);
  const bool is_left = asked.IsLeftToSystem();
  if (!is_left) SetInside(descriptor, false);
  Keep(descriptor, false);
  // A datagram socket with a name lets its senders wait, which others may make it do.
  const bool has_name = asked.family() == AF_UNIX && sockets->back().use != Use::kDatagrams;
  if (!is_left) SetLocal(descriptor, asked.IsLoopback() || has_name);
  Places::NoteBound(descriptor, is_left);
}

void NoteListening(int descriptor, std::uint64_t site) {
  Keep(descriptor, true);
  Places::NoteBound(descriptor, true);  // if it was not
  const bool shares = OptionOf(descriptor, SO_REUSEPORT) != 0;
  if (!shares || FindAt(sockets->back().local, Use::kListens).count < 2) return;
  Scheduler::Get()->Uncontrolled(
      "SO_REUSEPORT", "which listener at a port a connection comes to is the system's choice",
      site);
}

bool NoteConnecting(int descriptor, const sockaddr* address, socklen_t length) {
  const Address to = Copy(address, length);
  bool is_own = false;
  if (sockets != nullptr) {
    for (const Socket& socket : *sockets) {
      if (socket.descriptor == descriptor || !IsSame(socket.local, to)) continue;
      is_own = true;
      SetInside(socket.descriptor, true);  // whom others know, the program uses itself
    }
  }
  SetInside(descriptor, is_own);
  if (!is_own) SetLocal(descriptor, false);
  return is_own;
}

void NoteAccepted(int listener, int accepted) {
  const Address remote = RemoteOf(accepted);
  bool is_own = !remote.is_network() && IsInside(listener);
  if (remote.is_network() && sockets != nullptr) {
    for (const Socket& socket : *sockets) is_own |= IsSame(socket.local, remote);
  }
  SetInside(accepted, is_own);
  if (is_own) Keep(accepted, false);
  if (!is_own) SetLocal(listener, false);
}

void NoteClosed(int descriptor) {
  if (sockets == nullptr) return;
  std::erase_if(*sockets,
                [descriptor](const Socket& socket) { return socket.descriptor == descriptor; });
}

void NoteSameSocket(int from, int to) {
  for (std::size_t i = 0; sockets != nullptr && i < sockets->size(); ++i) {
    if ((*sockets)[i].descriptor != from) continue;
    Socket copy = (*sockets)[i];
    copy.descriptor = to;
    sockets->push_back(copy);
    return;
  }
}

SocketsAt ListenersAt(const sockaddr* address, socklen_t length) {
  return FindAt(Copy(address, length), Use::kListens);
}

SocketsAt ReceiversAt(int descriptor, const sockaddr* to, socklen_t length) {
  return FindAt(to != nullptr ? Copy(to, length) : RemoteOf(descriptor), Use::kDatagrams);
}

Object* PlaceBoundAt(const sockaddr* address, socklen_t length) {
  const Address to = Copy(address, length);
  const bool is_own = FindAt(to, Use::kListens).count + FindAt(to, Use::kOther).count > 0;
  return is_own ? Places::At(to) : nullptr;
}

void LookAtSender(Scheduler* scheduler, int descriptor, std::uint64_t site) {
  if (!IsLocal(descriptor) || IsInside(descriptor)) return;
  if ((ReadyAt(descriptor, POLLIN) & POLLERR) != 0) return;  // looking would take that
  Address from;
  from.length = sizeof from.storage;
  const long seen =
      RawSyscall(SYS_recvfrom, descriptor, 0, 0, MSG_PEEK | MSG_DONTWAIT,
                 reinterpret_cast<long>(&from.storage), reinterpret_cast<long>(&from.length));
  if (seen < 0 || IsSender(from.port())) return;
  SetLocal(descriptor, false);
  scheduler->Uncontrolled("datagrams from outside the program",
                          "they come when their senders want, not when the schedule does", site);
}

void NoteSent(int descriptor) {
  const bool is_kept = sockets != nullptr &&
                       std::any_of(sockets->begin(), sockets->end(), [&](const Socket& socket) {
                         return socket.descriptor == descriptor;
                       });
  if (!is_kept && LocalNetworkPort(descriptor) != 0) Keep(descriptor, false);
}

std::uint16_t LocalNetworkPort(int descriptor) { return LocalOf(descriptor).port(); }
std::uint16_t RemoteNetworkPort(int descriptor) { return RemoteOf(descriptor).port(); }

void SettleConnection(int descriptor) {
  Await([&] { return Shows(descriptor, POLLOUT); });
  Keep(descriptor, false);
  const Address remote = RemoteOf(descriptor);
  for (const Socket& socket : *sockets) {
    if (socket.use != Use::kListens || !IsSame(socket.local, remote)) continue;
    const int listener = socket.descriptor;
    Await([&] { return Shows(listener, POLLIN); });
    return;
  }
}

void SettleAnswer(int descriptor, const sockaddr* address, socklen_t length) {
  if (Copy(address, length).IsLoopback()) Await([&] { return Shows(descriptor, POLLOUT); });
}

void SettleSend(int descriptor) {
  if (!UsesNetwork() || !IsInside(descriptor) || !LocalOf(descriptor).is_network()) return;
  Await([&] {
    int waiting = 0;
    RawSyscall(SYS_ioctl, descriptor, SIOCOUTQ, reinterpret_cast<long>(&waiting));
    return waiting == 0;
  });
}

int PeerOf(int descriptor) {
  if (!UsesNetwork() || !IsInside(descriptor)) return -1;
  const Address local = LocalOf(descriptor), remote = RemoteOf(descriptor);
  if (!local.is_network() || remote.length == 0) return -1;
  for (const Socket& socket : *sockets) {
    if (socket.descriptor == descriptor || socket.use == Use::kListens) continue;
    if (IsSame(socket.local, remote) && IsSame(RemoteOf(socket.descriptor), local)) {
      return socket.descriptor;
    }
  }
  return -1;
}

void SettleEnd(int peer) {
  if (peer >= 0) Await([&] { return Shows(peer, POLLRDHUP); });
}

bool UsesNetwork() { return sockets != nullptr && !sockets->empty(); }

}  // namespace heddle

HEDDLE_EXPORT int socket(int domain, int type, int protocol) noexcept {
  const auto descriptor =
      static_cast<int>(heddle::Returned(heddle::RawSyscall(SYS_socket, domain, type, protocol)));
  if (descriptor < 0 || !heddle::KeepsNotes()) return descriptor;
  heddle::SetInside(descriptor, true);
  heddle::RegisterSocket(descriptor, type);
  heddle::Numbers::NoteOpened(descriptor);
  return descriptor;
}

HEDDLE_EXPORT int bind(int descriptor, const sockaddr* address, socklen_t length) noexcept {
  const auto to =
      heddle::engine.scheduler == nullptr ? heddle::Address() : heddle::Copy(address, length);
  return heddle::Come({descriptor, false, to}, HEDDLE_CALLER, [&] {
    const auto now = [&] {
      return heddle::RawSyscall(SYS_bind, descriptor, reinterpret_cast<long>(address),
                                static_cast<long>(length));
    };
    if (heddle::engine.scheduler == nullptr) return static_cast<int>(heddle::Returned(now()));
    const bool may_reuse = heddle::NoteBinding(descriptor, address, length);
    const auto result = static_cast<int>(heddle::Returned(now()));
    if (result == 0) {
      heddle::NoteBound(descriptor, address, length);
    } else if (may_reuse) {
      heddle::LetReuse(descriptor, false);
    }
    return result;
  });
}

HEDDLE_EXPORT int listen(int descriptor, int backlog) noexcept {
  const std::uint64_t site = HEDDLE_CALLER;
  return heddle::Come({descriptor, true, {}}, site, [&] {
    const auto result =
        static_cast<int>(heddle::Returned(heddle::RawSyscall(SYS_listen, descriptor, backlog)));
    if (result != 0 || heddle::engine.scheduler == nullptr) return result;
    heddle::NoteListening(descriptor, site);
    heddle::RegisterListener(descriptor, backlog);
    return result;
  });
}
