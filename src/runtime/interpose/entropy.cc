// Entropy, fixed: the same bytes and the same process id in every run, so that a run can be
// replayed. Each thread has its own sequence: who asks first makes no difference.
#include "runtime/interpose/entropy.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/hash.h"
#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/next.h"

namespace heddle {

namespace {

std::vector<std::uint64_t>* taken = nullptr;  // words so far, by thread

}  // namespace

std::uint64_t NextEntropy(Scheduler* scheduler) {
  const Thread* const self = scheduler->current();
  if (taken == nullptr) taken = new std::vector<std::uint64_t>();
  if (taken->size() <= self->id) taken->resize(self->id + 1u, 0);
  return Mix(self->path_hash, ++(*taken)[self->id]);
}

bool IsEntropyDevice(int descriptor) {
  constexpr unsigned kMemoryDevices = 1, kRandom = 8, kUrandom = 9;
  struct stat status = {};
  if (RawSyscall(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) != 0) return false;
  return S_ISCHR(status.st_mode) && major(status.st_rdev) == kMemoryDevices &&
         (minor(status.st_rdev) == kRandom || minor(status.st_rdev) == kUrandom);
}

void FillWithEntropy(Scheduler* scheduler, void* buffer, std::size_t size) {
  auto* to = static_cast<char*>(buffer);
  while (size > 0) {
    const std::uint64_t word = NextEntropy(scheduler);
    const std::size_t part = std::min(size, sizeof word);
    std::memcpy(to, &word, part);
    to += part;
    size -= part;
  }
}

}  // namespace heddle

using heddle::Scheduler;

HEDDLE_EXPORT ssize_t getrandom(void* buffer, std::size_t size, unsigned flags) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(getrandom)(buffer, size, flags);
  heddle::FillWithEntropy(scheduler, buffer, size);
  return static_cast<ssize_t>(size);
}

HEDDLE_EXPORT int getentropy(void* buffer, std::size_t size) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(getentropy)(buffer, size);
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  heddle::FillWithEntropy(scheduler, buffer, size);
  return 0;
}

HEDDLE_EXPORT std::uint32_t arc4random() noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(arc4random)();
  return static_cast<std::uint32_t>(heddle::NextEntropy(scheduler));
}

HEDDLE_EXPORT void arc4random_buf(void* buffer, std::size_t size) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(arc4random_buf)(buffer, size);
  heddle::FillWithEntropy(scheduler, buffer, size);
}

HEDDLE_EXPORT std::uint32_t arc4random_uniform(std::uint32_t bound) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(arc4random_uniform)(bound);
  return bound == 0 ? 0 : static_cast<std::uint32_t>(heddle::NextEntropy(scheduler) % bound);
}

// std::random_device::_M_getval() of libstdc++.so: it may ask the processor.
extern "C" __attribute__((visibility("default"))) unsigned heddle_random_device(void* device) asm(
    "_ZNSt13random_device9_M_getvalEv");
unsigned heddle_random_device(void* device) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) return static_cast<unsigned>(heddle::NextEntropy(scheduler));
  using Call = unsigned (*)(void*);
  static const auto next =
      reinterpret_cast<Call>(dlsym(RTLD_NEXT, "_ZNSt13random_device9_M_getvalEv"));
  return next(device);
}

// The strings of libstdc++.a refer to this one, which nobody calls. Without it the linker takes the
// archive's random_device whole, and of the two _M_getval the hidden one decides that none is
// exported.
extern "C" __attribute__((visibility("hidden"), used)) void heddle_no_random_device(
    void* device, const char* token, std::size_t size) asm("_ZNSt13random_device7_M_initEPKcm");
void heddle_no_random_device(void*, const char*, std::size_t) { abort(); }

HEDDLE_EXPORT pid_t getpid() noexcept {
  return Scheduler::OfThisThread() == nullptr ? HEDDLE_NEXT(getpid)() : heddle::kVirtualProcess;
}

HEDDLE_EXPORT pid_t gettid() noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(gettid)();
  return heddle::kVirtualProcess + scheduler->current()->id;
}
