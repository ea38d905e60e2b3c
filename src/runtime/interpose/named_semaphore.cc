// Named semaphores. A name that no other process uses yet is the run's own: it lives in the
// program's memory and ends with the run, so that every run starts with the value that the program
// asks for.
#include "runtime/interpose/named_semaphore.h"

#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>
#include <vector>

#include "runtime/engine.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

struct Named {
  std::string name;  // empty: unlinked, but still open
  sem_t* semaphore = nullptr;
  int opened = 0;
};
std::vector<Named>* all = nullptr;

Named* Find(const char* name) {
  if (all == nullptr || *name == '\0') return nullptr;
  const auto at =
      std::find_if(all->begin(), all->end(), [name](const Named& one) { return one.name == name; });
  return at == all->end() ? nullptr : &*at;
}

Named* Find(const sem_t* semaphore) {
  if (all == nullptr) return nullptr;
  const auto at = std::find_if(all->begin(), all->end(), [semaphore](const Named& one) {
    return one.semaphore == semaphore;
  });
  return at == all->end() ? nullptr : &*at;
}

sem_t* Fail(int error) {
  errno = error;
  return SEM_FAILED;
}

void FreeIfUnused(Named* named) {
  if (named->opened > 0 || !named->name.empty()) return;
  sem_destroy(named->semaphore);
  free(named->semaphore);
  all->erase(all->begin() + (named - all->data()));
}

sem_t* Open(Scheduler* scheduler, const char* name, int flags, unsigned value, std::uint64_t site) {
  if (Named* const known = Find(name); known != nullptr) {
    if ((flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) return Fail(EEXIST);
    ++known->opened;
    return known->semaphore;
  }
  // Somebody else's, or not there and not to be made.
  sem_t* const outside = real::sem_open(name, flags & ~(O_CREAT | O_EXCL));
  if (outside != SEM_FAILED) {
    if ((flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) {
      real::sem_close(outside);
      return Fail(EEXIST);
    }
    scheduler->Uncontrolled(
        "sem_open", "a named semaphore that was there before keeps its value from run to run",
        site);
    return outside;
  }
  if (errno != ENOENT || (flags & O_CREAT) == 0) return SEM_FAILED;
  if (value > SEM_VALUE_MAX) return Fail(EINVAL);
  auto* const semaphore = static_cast<sem_t*>(calloc(1, sizeof(sem_t)));
  if (semaphore == nullptr) return Fail(ENOMEM);
  sem_init(semaphore, 0, value);
  if (all == nullptr) all = new std::vector<Named>();
  all->push_back({name, semaphore, 1});
  return semaphore;
}

}  // namespace
void ResetNamedSemaphoresForRun() {
  if (all != nullptr) all->clear();
}

}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT sem_t* sem_open(const char* name, int flags, ...) {
  mode_t mode = 0;
  unsigned value = 0;
  if ((flags & O_CREAT) != 0) {
    va_list list;
    va_start(list, flags);
    mode = va_arg(list, mode_t);
    value = va_arg(list, unsigned);
    va_end(list);
  }
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sem_open(name, flags, mode, value);
  return heddle::Open(scheduler, name, flags, value, HEDDLE_CALLER);
}

HEDDLE_EXPORT int sem_close(sem_t* semaphore) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  heddle::Named* const named = scheduler == nullptr ? nullptr : heddle::Find(semaphore);
  if (named == nullptr) return real::sem_close(semaphore);
  if (named->opened > 0) --named->opened;
  heddle::FreeIfUnused(named);
  return 0;
}

HEDDLE_EXPORT int sem_unlink(const char* name) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  heddle::Named* const named = scheduler == nullptr ? nullptr : heddle::Find(name);
  if (named == nullptr) return real::sem_unlink(name);
  named->name.clear();
  heddle::FreeIfUnused(named);
  return 0;
}
