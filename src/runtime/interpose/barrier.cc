// pthread barriers. Arriving is one operation; whoever is not the last then leaves when the last
// one has arrived.
#include <cerrno>
#include <cstring>

#include "runtime/engine.h"
#include "runtime/interpose/lifetime.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

// Where glibc keeps the count of a barrier that was initialised before heddle looked.
std::uint32_t CountIn(const pthread_barrier_t* barrier) {
  constexpr int kCountWord = 2;
  return reinterpret_cast<const std::uint32_t*>(barrier)[kCountWord];
}

Object* ObjectOf(pthread_barrier_t* barrier) {
  Object* const object = Objects::At(barrier, ObjectKind::kBarrier);
  if (object->barrier == nullptr) object->barrier = new Barrier{.count = CountIn(barrier)};
  return object;
}

// Threads that were about to come when it was initialised again have its object.
void SetCount(pthread_barrier_t* barrier, unsigned count) {
  const Object* const object = Objects::FindAt(barrier, ObjectKind::kBarrier);
  if (object != nullptr && object->barrier != nullptr) object->barrier->count = count;
}

int Wait(Scheduler* scheduler, pthread_barrier_t* barrier, std::uint64_t site) {
  Object* const object = ObjectOf(barrier);
  scheduler->Reach({.kind = OpKind::kBarrierArrive, .object = object, .site = site});
  if (object->barrier->count == 0) {
    ReportMisuse(scheduler, object, "wait at a barrier that was not initialised");
  }
  const bool is_last = object->barrier->Arrive();
  Event* const event = scheduler->Record();
  event->value = is_last ? object->barrier->count : object->barrier->arrived;
  event->flags |= Event::kHasValue;
  if (is_last) {
    while (!object->waiters.empty()) scheduler->Wake(object, object->waiters.threads()[0]);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  scheduler->SleepIn(object, {.kind = OpKind::kBarrierLeave, .object = object, .site = site});
  scheduler->Record();
  return 0;
}

}  // namespace
}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier,
                                       const pthread_barrierattr_t* attributes, unsigned count) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr && count != 0) {
    heddle::BeginLife(scheduler, {barrier, heddle::ObjectKind::kBarrier}, HEDDLE_CALLER);
  }
  const int result = real::pthread_barrier_init(barrier, attributes, count);
  if (scheduler != nullptr && result == 0) heddle::SetCount(barrier, count);
  return result;
}

HEDDLE_EXPORT int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_barrier_destroy(barrier);
  heddle::EndLife(scheduler, {barrier, heddle::ObjectKind::kBarrier}, HEDDLE_CALLER);
  const int result = real::pthread_barrier_destroy(barrier);
  if (result == 0) std::memset(barrier, 0, sizeof *barrier);  // for no threads: not initialised
  return result;
}

HEDDLE_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_barrier_wait(barrier);
  return heddle::Wait(scheduler, barrier, HEDDLE_CALLER);
}
