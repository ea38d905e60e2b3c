// Addresses of sockets, as the kernel has them.
#ifndef HEDDLE_RUNTIME_INTERPOSE_ADDRESSES_H_
#define HEDDLE_RUNTIME_INTERPOSE_ADDRESSES_H_

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

namespace heddle {

struct Address {
  sockaddr_storage storage = {};
  socklen_t length = 0;  // 0: none

  int family() const { return length < sizeof(sa_family_t) ? AF_UNSPEC : storage.ss_family; }
  bool is_network() const { return family() == AF_INET || family() == AF_INET6; }
  in_port_t port() const;
  bool IsLoopback() const;
  // A port or a name that the system is to choose is known to nobody.
  bool IsLeftToSystem() const;
  // What a socket is found by: a port or a name.
  bool IsSomewhere() const;
  std::uint64_t Hash() const;  // of that
};

// Ports are the machine's: one port, one socket, whatever the interface.
bool IsSame(const Address& a, const Address& b);

// Of the program's memory. A pointer that leads nowhere gives none.
Address Copy(const sockaddr* from, socklen_t length);
Address LocalOf(int descriptor);
Address RemoteOf(int descriptor);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_ADDRESSES_H_
