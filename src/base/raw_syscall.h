// A system call that nobody can interpose, not even ourselves.
//
// RawSyscall returns the kernel's value: a result, or -errno. errno itself is not touched, so it may
// be used where the tested program must not notice us.
#ifndef HEDDLE_BASE_RAW_SYSCALL_H_
#define HEDDLE_BASE_RAW_SYSCALL_H_

#include <sys/syscall.h>

#include <cerrno>

namespace heddle {

inline long RawSyscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                       long f = 0) {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#else
#error \
    "heddle's runtime is written for x86-64 Linux; port base/raw_syscall.h and runtime/switch first"
#endif
}

// The same as libc returns it: -1, and errno says why. No address or size is a small negative
// number.
inline long Returned(long result) {
  constexpr long kLastError = -4095;
  if (result >= 0 || result < kLastError) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace heddle

#endif  // HEDDLE_BASE_RAW_SYSCALL_H_
