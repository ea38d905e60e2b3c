// Counted references to exceptions. The count lives in libstdc++.so, whose atomics nobody sees:
// what its last owner does to the exception comes after what all others did.
#include <dlfcn.h>
#include <unwind.h>

#include <cstring>

#include "runtime/engine.h"
#include "runtime/scheduler/scheduler.h"

using heddle::Scheduler;

namespace {

// The thread gives up a reference.
void LetGo(const void* exception) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return;
  const auto key = reinterpret_cast<std::uint64_t>(exception);
  const heddle::ThreadId thread = scheduler->current()->id;
  scheduler->races().Release(thread, key);
  scheduler->races().Acquire(thread, key);
}

// What was thrown; nullptr: not by C++. In the layout that libsupc++ shares with every compiler's
// code, the object lies behind the unwinder's header; in a copy that rethrow_exception made, the
// header is preceded by 80 bytes that begin with its address.
const void* Thrown(const _Unwind_Exception* header) {
  constexpr std::size_t kBeforeHeader = 80;
  const auto* const bytes = reinterpret_cast<const char*>(header);
  if (header->exception_class == 0x474E5543432B2B00) return bytes + sizeof *header;  // GNUCC++
  if (header->exception_class != 0x474E5543432B2B01) return nullptr;
  const void* object = nullptr;
  std::memcpy(&object, bytes - kBeforeHeader, sizeof object);
  return object;
}

}  // namespace

// std::exception_ptr::_M_release(); an exception_ptr is a pointer to the exception.
HEDDLE_EXPORT void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void** self) {
  using Function = void (*)(void**);
  static const auto next = reinterpret_cast<Function>(
      dlsym(RTLD_NEXT, "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"));
  LetGo(*self);
  if (next != nullptr) next(self);
}

// The last handler of an exception ends.
HEDDLE_EXPORT void _Unwind_DeleteException(_Unwind_Exception* header) {
  using Function = void (*)(_Unwind_Exception*);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "_Unwind_DeleteException"));
  if (const void* const object = Thrown(header)) LetGo(object);
  if (next != nullptr) next(header);
}
