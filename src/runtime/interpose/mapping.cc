// Mappings that come and go: an address that is mapped again is other memory.
#include <sys/mman.h>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/freeing.h"
#include "runtime/memory/sharing.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

constexpr std::size_t kPage = 4096;

// What was accessed there has nothing to do with what will be.
void BeginNewLife(void* address, std::size_t size) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr || size == 0) return;
  const std::size_t whole = (size + kPage - 1) & ~(kPage - 1);
  Sharing::Forget(address, whole);
  scheduler->races().Forget(reinterpret_cast<std::uint64_t>(address), whole);
}

}  // namespace
}  // namespace heddle

HEDDLE_EXPORT int munmap(void* address, std::size_t size) noexcept {
  heddle::Scheduler* const scheduler = heddle::Scheduler::OfThisThread();
  const bool is_valid = reinterpret_cast<std::uint64_t>(address) % heddle::kPage == 0;
  if (scheduler != nullptr && is_valid) {
    heddle::TouchUnmapped(scheduler, address, size, HEDDLE_CALLER);
  }
  const long result = heddle::Returned(
      heddle::RawSyscall(SYS_munmap, reinterpret_cast<long>(address), static_cast<long>(size)));
  if (result != 0) return -1;
  heddle::BeginNewLife(address, size);
  return 0;
}

HEDDLE_EXPORT void* mmap(void* address, std::size_t size, int protection, int flags, int descriptor,
                         off_t offset) noexcept {
  auto* const mapping = reinterpret_cast<void*>(heddle::Returned(
      heddle::RawSyscall(SYS_mmap, reinterpret_cast<long>(address), static_cast<long>(size),
                         protection, flags, descriptor, offset)));
  if (mapping != MAP_FAILED) heddle::BeginNewLife(mapping, size);
  return mapping;
}

HEDDLE_EXPORT void* mmap64(void* address, std::size_t size, int protection, int flags,
                           int descriptor, off64_t offset) noexcept {
  return mmap(address, size, protection, flags, descriptor, offset);
}
