#include "runtime/interpose/sockets.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/numbers.h"
#include "runtime/interpose/ports.h"
#include "runtime/worker/shared_places.h"

namespace heddle {
namespace {

constexpr int kLooks = 200;  // at what is on its way, with a pause after each:
constexpr timespec kPause = {0, 10'000};

struct Address {
  sockaddr_storage storage = {};
  socklen_t length = 0;

  int family() const { return length < sizeof(sa_family_t) ? AF_UNSPEC : storage.ss_family; }
  bool is_network() const { return family() == AF_INET || family() == AF_INET6; }
  in_port_t port() const {
    if (family() == AF_INET) return reinterpret_cast<const sockaddr_in*>(&storage)->sin_port;
    if (family() == AF_INET6) return reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port;
    return 0;
  }
};

Address Ask(long call, int descriptor) {
  Address address;
  address.length = sizeof address.storage;
  if (RawSyscall(call, descriptor, reinterpret_cast<long>(&address.storage),
                 reinterpret_cast<long>(&address.length)) != 0) {
    address.length = 0;
  }
  return address;
}
Address LocalOf(int descriptor) { return Ask(SYS_getsockname, descriptor); }
Address RemoteOf(int descriptor) { return Ask(SYS_getpeername, descriptor); }

// By the kernel: a pointer that leads nowhere is the caller's business, who gets EFAULT for it.
// Then it is no address.
Address Copy(const sockaddr* from, socklen_t length) {
  Address address;
  address.length = length < sizeof address.storage ? length : sizeof address.storage;
  const iovec to = {&address.storage, address.length};
  const iovec there = {const_cast<sockaddr*>(from), address.length};
  const long self = RawSyscall(SYS_getpid);
  if (RawSyscall(SYS_process_vm_readv, self, reinterpret_cast<long>(&to), 1,
                 reinterpret_cast<long>(&there), 1) != static_cast<long>(address.length)) {
    return {};
  }
  return address;
}

// Ports are the machine's: one port, one socket, whatever the interface.
bool IsSame(const Address& a, const Address& b) {
  if (a.is_network() && b.is_network()) return a.port() != 0 && a.port() == b.port();
  return a.family() == AF_UNIX && b.family() == AF_UNIX && a.length == b.length &&
         a.length > sizeof(sa_family_t) && std::memcmp(&a.storage, &b.storage, a.length) == 0;
}

struct Socket {
  int descriptor;
  Address local;
  bool listens;
};

// Of the program: listening, or bound, or connected to one of the others.
std::vector<Socket>* sockets = nullptr;

void Keep(int descriptor, bool listens) {
  if (sockets == nullptr) sockets = new std::vector<Socket>();
  NoteClosed(descriptor);
  sockets->push_back({descriptor, LocalOf(descriptor), listens});
  if (const in_port_t port = sockets->back().local.port(); port != 0) NoteSender(port);
}

int OptionOf(int descriptor, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  RawSyscall(SYS_getsockopt, descriptor, SOL_SOCKET, option, reinterpret_cast<long>(&value),
             reinterpret_cast<long>(&size));
  return value;
}
bool HasOption(int descriptor, int option) { return OptionOf(descriptor, option) != 0; }
bool SharesPort(int descriptor) { return HasOption(descriptor, SO_REUSEPORT); }

bool IsLoopback(const Address& address) {
  constexpr unsigned kLoopback = 127;
  if (address.family() == AF_INET) {
    const auto* const in = reinterpret_cast<const sockaddr_in*>(&address.storage);
    return ntohl(in->sin_addr.s_addr) >> 24 == kLoopback;
  }
  if (address.family() != AF_INET6) return false;
  return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr);
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

// Who connects or sends to an address finds nobody there before that, so it depends on everything.
// While there is one thread, nobody does.
template <typename Known, typename Call>
int BeThere(const Known& is_known, std::uint64_t site, const Call& call) {
  Scheduler* const scheduler = IoScheduler();
  if (scheduler == nullptr || scheduler->live_count() == 1 || !is_known()) return call();
  while (AwaitIo(scheduler, {.kind = OpKind::kDescriptor, .cancels = false, .site = site}) ==
         kInterrupted) {
  }
  const int result = call();
  FinishIo(scheduler, result);
  return result;
}

}  // namespace

bool IsChosenBySystem(const sockaddr* address, socklen_t length) {
  const Address asked = Copy(address, length);
  return asked.is_network() ? asked.port() == 0 : asked.length == sizeof(sa_family_t);
}

void NoteBinding(int descriptor, const sockaddr* address, socklen_t length) {
  const Address asked = Copy(address, length);
  if (asked.length < sizeof(sa_family_t) || IsChosenBySystem(address, length)) return;
  NoteSharedAddress();
  if (!asked.is_network() || OptionOf(descriptor, SO_TYPE) != SOCK_STREAM ||
      DestinationOf(-1, address, length) >= 0 || ListenerAt(address, length) >= 0) {
    return;
  }
  const int yes = 1;
  RawSyscall(SYS_setsockopt, descriptor, SOL_SOCKET, SO_REUSEADDR, reinterpret_cast<long>(&yes),
             sizeof yes);
}

void NoteBound(int descriptor, const sockaddr* address, socklen_t length) {
  const Address asked = Copy(address, length);
  const bool is_chosen = IsChosenBySystem(address, length);
  if (!is_chosen) SetInside(descriptor, false);
  if (!is_chosen && IsLoopback(asked)) SetLocal(descriptor, true);
  Keep(descriptor, false);
}

void NoteListening(int descriptor, std::uint64_t site) {
  Keep(descriptor, true);
  const Address here = sockets->back().local;
  if (ListenersAt(reinterpret_cast<const sockaddr*>(&here.storage), here.length) < 2) return;
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

int ListenerAt(const sockaddr* address, socklen_t length) {
  const Address to = Copy(address, length);
  for (std::size_t i = 0; sockets != nullptr && i < sockets->size(); ++i) {
    const Socket& socket = (*sockets)[i];
    if (socket.listens && IsSame(socket.local, to)) return socket.descriptor;
  }
  return -1;
}

int ListenersAt(const sockaddr* address, socklen_t length) {
  const Address to = Copy(address, length);
  int count = 0;
  for (std::size_t i = 0; sockets != nullptr && i < sockets->size(); ++i) {
    const Socket& socket = (*sockets)[i];
    count += socket.listens && IsSame(socket.local, to) && SharesPort(socket.descriptor) ? 1 : 0;
  }
  return count;
}

int DestinationOf(int descriptor, const sockaddr* to, socklen_t length) {
  const Address address = to != nullptr ? Copy(to, length) : RemoteOf(descriptor);
  for (std::size_t i = 0; sockets != nullptr && i < sockets->size(); ++i) {
    const Socket& socket = (*sockets)[i];
    if (!socket.listens && IsSame(socket.local, address)) return socket.descriptor;
  }
  return -1;
}

bool IsShared(int receiver) {
  if (receiver < 0 || (!SharesPort(receiver) && !HasOption(receiver, SO_REUSEADDR))) return false;
  const Address here = LocalOf(receiver);
  return std::count_if(sockets->begin(), sockets->end(), [&here](const Socket& socket) {
           return !socket.listens && IsSame(socket.local, here);
         }) > 1;
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
    if (!socket.listens || !IsSame(socket.local, remote)) continue;
    const int listener = socket.descriptor;
    Await([&] { return Shows(listener, POLLIN); });
    return;
  }
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
    if (socket.descriptor == descriptor || socket.listens) continue;
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
  if (descriptor >= 0) heddle::SetInside(descriptor, true);
  if (descriptor >= 0) heddle::RegisterSocket(descriptor, type);
  heddle::Numbers::NoteOpened(descriptor);
  return descriptor;
}

HEDDLE_EXPORT int bind(int descriptor, const sockaddr* address, socklen_t length) noexcept {
  const auto is_known = [&] { return !heddle::IsChosenBySystem(address, length); };
  return heddle::BeThere(is_known, HEDDLE_CALLER, [&] {
    if (heddle::engine.scheduler != nullptr) heddle::NoteBinding(descriptor, address, length);
    const auto result = static_cast<int>(heddle::Returned(heddle::RawSyscall(
        SYS_bind, descriptor, reinterpret_cast<long>(address), static_cast<long>(length))));
    if (result == 0 && heddle::engine.scheduler != nullptr) {
      heddle::NoteBound(descriptor, address, length);
    }
    return result;
  });
}

HEDDLE_EXPORT int listen(int descriptor, int backlog) noexcept {
  const std::uint64_t site = HEDDLE_CALLER;
  return heddle::BeThere(
      [] { return true; }, site,
      [&] {
        const auto result =
            static_cast<int>(heddle::Returned(heddle::RawSyscall(SYS_listen, descriptor, backlog)));
        if (result != 0 || heddle::engine.scheduler == nullptr) return result;
        heddle::NoteListening(descriptor, site);
        heddle::RegisterListener(descriptor, backlog);
        return result;
      });
}
