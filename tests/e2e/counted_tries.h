// Programs of counted.cpp in which much is tried in vain: what failed has changed nothing, so
// losers commute with each other.
#ifndef HEDDLE_TESTS_E2E_COUNTED_TRIES_H_
#define HEDDLE_TESTS_E2E_COUNTED_TRIES_H_

#include <cerrno>
#include <functional>
#include <map>
#include <string>

#include "counted_world.h"

namespace counted {

inline void LoadAndSwap(int k) { Swap(world->x, Get(world->x), k + 1); }

inline void SwapAndLook(int k) {
  if (!Swap(world->x, 0, k + 1)) Get(world->x);
}

// The first free one of two places.
inline void TakePlace(int k) {
  if (!Swap(world->x, 0, k + 1)) Swap(world->y, 0, k + 1);
}

// A lock that is one word; who does not get it goes without.
inline void TryWord(int) {
  if (!Swap(world->x, 0, 1)) return;
  Add(world->y, 1);
  Set(world->x, 0);
}

// A ticket lock that is tried: x is the next ticket, y the one that is served.
inline void TryTicket(int) {
  const int served = Get(world->y);
  if (!Swap(world->x, served, served + 1)) return;
  Add(world->z, 1);
  Set(world->y, served + 1);
}

inline void Pop() {
  int old = Get(world->head);
  while (old != 0 && !world->head.compare_exchange_weak(old, Get(world->next_of[old]), kRelaxed)) {
  }
}

inline void LastZeroBySwap(int thread, int n) {
  if (thread == 0) return LastZero(thread, n);
  Swap(world->cells[thread], 0, Get(world->cells[thread - 1]) + 1);
}

inline void TryLock(bool gives_back) {
  if (pthread_mutex_trylock(&world->lock) == 0 && gives_back) pthread_mutex_unlock(&world->lock);
}

inline void LockInTime() {
  const timespec until = Late();
  if (pthread_mutex_timedlock(&world->lock, &until) != ETIMEDOUT) {
    pthread_mutex_unlock(&world->lock);
  }
}

inline void TryWrite() {
  if (pthread_rwlock_trywrlock(&world->shared) == 0) pthread_rwlock_unlock(&world->shared);
}
inline void TryRead() {
  if (pthread_rwlock_tryrdlock(&world->shared) == 0) pthread_rwlock_unlock(&world->shared);
}

inline const std::map<std::string, std::function<Bodies(int)>>& TryPrograms() {
  static const std::map<std::string, std::function<Bodies(int)>> all = {
      {"cas-once", [](int n) { return Times(n, [](int k) { Swap(world->x, 0, k + 1); }); }},
      {"cas-twice",
       [](int n) {
         return Times(n, [](int k) { Swap(world->x, 0, k + 1), Swap(world->x, 0, k + 1); });
       }},
      {"cas-rotation", [](int n) { return Times(n, [](int k) { Swap(world->x, k, k + 1); }); }},
      {"cas-increments", [](int n) { return Times(n, [](int) { CasIncrement(); }); }},
      {"cas-seen", [](int n) { return Times(n, LoadAndSwap); }},
      {"cas-look", [](int n) { return Times(n, SwapAndLook); }},
      {"cas-places", [](int n) { return Times(n, TakePlace); }},
      {"cas-readers",
       [](int n) {
         return Together({[] { Set(world->x, 1); }},
                         Times(n, [](int k) { Swap(world->x, 7 + k, 1); }));
       }},
      {"cas-try-lock", [](int n) { return Times(n, TryWord); }},
      {"ticket-try", [](int n) { return Times(n, TryTicket); }},
      {"stack", [](int n) { return Times(n, [](int k) { Push(k + 1); }); }},
      {"push-pop",
       [](int n) { return Together(Times(n, [](int k) { Push(k + 1); }), {[] { Pop(); }}); }},
      {"pops",
       [](int n) {
         for (int k = 1; k <= n; ++k) world->next_of[k] = k - 1;
         world->head = n;
         return Times(n, [](int) { Pop(); });
       }},
      {"last-zero-cas", [](int n) { return Times(n + 1, [n](int k) { LastZeroBySwap(k, n); }); }},
      {"try-locks",
       [](int n) {
         return Times(n, [](int) {
           if (pthread_mutex_trylock(&world->lock) != 0) return;
           Add(world->x, 1);
           pthread_mutex_unlock(&world->lock);
         });
       }},
      {"try-once", [](int n) { return Times(n, [](int) { TryLock(false); }); }},
      {"lock-and-tries",
       [](int n) {
         return Together({[] { Locked([] {}); }}, Times(n, [](int) { TryLock(true); }));
       }},
      {"timed-locks", [](int n) { return Times(n, [](int) { LockInTime(); }); }},
      {"semaphore-try",
       [](int n) {
         sem_init(&world->semaphore, 0, 1);
         return Times(n, [](int) {
           if (sem_trywait(&world->semaphore) == 0) sem_post(&world->semaphore);
         });
       }},
      {"semaphore-one",
       [](int n) {
         sem_init(&world->semaphore, 0, 1);
         return Times(n, [](int) { sem_trywait(&world->semaphore); });
       }},
      {"semaphore-post-try",
       [](int n) {
         sem_init(&world->semaphore, 0, 0);
         return Together({[] { sem_post(&world->semaphore); }},
                         Times(n, [](int) { sem_trywait(&world->semaphore); }));
       }},
      {"rw-writer-tries",
       [](int n) {
         return Together({[] {
                           pthread_rwlock_wrlock(&world->shared);
                           pthread_rwlock_unlock(&world->shared);
                         }},
                         Together(Times(n, [](int) { TryRead(); }), {TryWrite}));
       }},
      {"rw-reader-tries",
       [](int n) {
         return Together({[] {
                           pthread_rwlock_rdlock(&world->shared);
                           pthread_rwlock_unlock(&world->shared);
                         }},
                         Times(n, [](int) { TryWrite(); }));
       }},
  };
  return all;
}

}  // namespace counted

#endif  // HEDDLE_TESTS_E2E_COUNTED_TRIES_H_
