// The beginning and the end of a primitive at an address. Both are operations on it, because
// whether it is in use then depends on the schedule; being in use is misuse.
#ifndef HEDDLE_RUNTIME_INTERPOSE_LIFETIME_H_
#define HEDDLE_RUNTIME_INTERPOSE_LIFETIME_H_

#include "runtime/scheduler/scheduler.h"

namespace heddle {

struct Primitive {
  void* address = nullptr;
  ObjectKind kind = ObjectKind::kUnknown;
  bool (*is_in_use)(const Object&) = nullptr;  // held, or waited for
};

// Before pthread_*_init. An address that no operation has named yet is nothing to the others.
void BeginLife(Scheduler* scheduler, const Primitive& primitive, std::uint64_t site);

// Before pthread_*_destroy.
void EndLife(Scheduler* scheduler, const Primitive& primitive, std::uint64_t site);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_LIFETIME_H_
