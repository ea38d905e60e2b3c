#include "runtime/interpose/addresses.h"

#include <sys/uio.h>

#include <cstring>

#include "base/hash.h"
#include "base/raw_syscall.h"

namespace heddle {
namespace {

Address Ask(long call, int descriptor) {
  Address address;
  address.length = sizeof address.storage;
  if (RawSyscall(call, descriptor, reinterpret_cast<long>(&address.storage),
                 reinterpret_cast<long>(&address.length)) != 0) {
    address.length = 0;
  }
  return address;
}

}  // namespace

in_port_t Address::port() const {
  if (family() == AF_INET) return reinterpret_cast<const sockaddr_in*>(&storage)->sin_port;
  if (family() == AF_INET6) return reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port;
  return 0;
}

bool Address::IsLoopback() const {
  constexpr unsigned kLoopback = 127;
  if (family() == AF_INET) {
    const auto* const in = reinterpret_cast<const sockaddr_in*>(&storage);
    return ntohl(in->sin_addr.s_addr) >> 24 == kLoopback;
  }
  if (family() != AF_INET6) return false;
  return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr);
}

bool Address::IsLeftToSystem() const {
  return is_network() ? port() == 0 : length == sizeof(sa_family_t);
}

bool Address::IsSomewhere() const {
  return is_network() ? port() != 0 : family() == AF_UNIX && length > sizeof(sa_family_t);
}

std::uint64_t Address::Hash() const {
  constexpr std::uint64_t kAddress = 0x73736572646461;
  if (is_network()) return Mix(kAddress, port());
  std::uint64_t hash = Mix(kAddress, length);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&storage);
  for (socklen_t i = 0; i < length; ++i) hash = Mix(hash, bytes[i]);
  return hash;
}

bool IsSame(const Address& a, const Address& b) {
  if (!a.IsSomewhere() || !b.IsSomewhere()) return false;
  if (a.is_network() || b.is_network()) return a.port() == b.port();
  return a.length == b.length && std::memcmp(&a.storage, &b.storage, a.length) == 0;
}

// By the kernel: what can't be read is the caller's business, who gets EFAULT for it.
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

Address LocalOf(int descriptor) { return Ask(SYS_getsockname, descriptor); }
Address RemoteOf(int descriptor) { return Ask(SYS_getpeername, descriptor); }

}  // namespace heddle
