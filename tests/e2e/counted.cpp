// Small programs, one per name, whose numbers of classes counted_test.py knows. Variables are
// relaxed atomics: each access is one event.
//
//   counted NAME N                      once, for `heddle run`
//   counted explore STRATEGY < NAMES    lines "NAME N": each searched inside this process
//
// The second form prints, per line: NAME N runs classes redundant complete(0|1).

#include <fcntl.h>
#include <heddle/heddle.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "counted_tries.h"
#include "counted_world.h"

namespace counted {
namespace {

const std::map<std::string, std::function<Bodies(int)>>& Programs() {
  static const std::map<std::string, std::function<Bodies(int)>> all = {
      // Litmus tests.
      {"SB",
       [](int) {
         return Bodies{[] { Set(world->x, 1), Get(world->y); },
                       [] { Set(world->y, 1), Get(world->x); }};
       }},
      {"LB",
       [](int) {
         return Bodies{[] { Get(world->x), Set(world->y, 1); },
                       [] { Get(world->y), Set(world->x, 1); }};
       }},
      {"MP",
       [](int) {
         return Bodies{[] { Set(world->x, 1), Set(world->y, 1); },
                       [] { Get(world->y), Get(world->x); }};
       }},
      {"2+2W",
       [](int) {
         return Bodies{[] { Set(world->x, 1), Set(world->y, 2); },
                       [] { Set(world->y, 1), Set(world->x, 2); }};
       }},
      {"R",
       [](int) {
         return Bodies{[] { Set(world->x, 1), Set(world->y, 1); },
                       [] { Set(world->y, 2), Get(world->x); }};
       }},
      {"S",
       [](int) {
         return Bodies{[] { Set(world->x, 2), Set(world->y, 1); },
                       [] { Get(world->y), Set(world->x, 1); }};
       }},
      {"WRC",
       [](int) {
         return Bodies{[] { Set(world->x, 1); }, [] { Get(world->x), Set(world->y, 1); },
                       [] { Get(world->y), Get(world->x); }};
       }},
      {"IRIW",
       [](int) {
         return Bodies{[] { Set(world->x, 1); }, [] { Set(world->y, 1); },
                       [] { Get(world->x), Get(world->y); }, [] { Get(world->y), Get(world->x); }};
       }},
      {"ISA2",
       [](int) {
         return Bodies{[] { Set(world->x, 1), Set(world->y, 1); },
                       [] { Get(world->y), Set(world->z, 1); },
                       [] { Get(world->z), Get(world->x); }};
       }},
      {"CoRR",
       [](int) {
         return Bodies{[] { Set(world->x, 1); }, [] { Get(world->x), Get(world->x); }};
       }},
      {"CoWW",
       [](int) {
         return Bodies{[] { Set(world->x, 1), Set(world->x, 2); }, [] { Get(world->x); }};
       }},
      {"CoRW",
       [](int) {
         return Bodies{[] { Get(world->x), Set(world->x, 1); }, [] { Set(world->x, 2); }};
       }},
      {"SB-n",
       [](int n) {
         return Times(n, [n](int k) { Set(world->cells[k], 1), Get(world->cells[(k + 1) % n]); });
       }},
      {"LB-n",
       [](int n) {
         return Times(n, [n](int k) { Get(world->cells[k]), Set(world->cells[(k + 1) % n], 1); });
       }},
      {"SB-rmw",
       [](int) {
         return Bodies{[] { world->x.exchange(1, kRelaxed), Get(world->y); },
                       [] { world->y.exchange(1, kRelaxed), Get(world->x); }};
       }},
      // Counters and tables.
      {"fib",
       [](int n) {
         Set(world->x, 1), Set(world->y, 1);
         const auto sum = [n](Word& to) {
           for (int k = 0; k < n; ++k) {
             const int first = Get(world->x);
             const int second = Get(world->y);
             Set(to, first + second);
           }
         };
         return Bodies{[=] { sum(world->x); }, [=] { sum(world->y); }};
       }},
      {"tickets", [](int n) { return Times(n, [](int) { Add(world->x, 1); }); }},
      {"tickets-twice",
       [](int n) { return Times(n, [](int) { Add(world->x, 1), Add(world->x, 1); }); }},
      {"stores", [](int n) { return Times(n, [](int k) { Set(world->x, k); }); }},
      {"load-store", [](int n) { return Times(n, [](int) { Set(world->x, Get(world->x) + 1); }); }},
      {"readers",
       [](int n) {
         return Together({[] { Set(world->x, 1); }}, Times(n, [](int) { Get(world->x); }));
       }},
      {"writers-readers",
       [](int n) {
         return Together(Times(n, [](int k) { Set(world->x, k); }),
                         Times(n, [](int) { Get(world->x); }));
       }},
      {"last-zero", [](int n) { return Times(n + 1, [n](int k) { LastZero(k, n); }); }},
      {"indexer", [](int n) { return Times(n, Indexer); }},
      {"file-system", [](int n) { return Times(n, FileSystem); }},
      {"peterson",
       [](int) {
         return Bodies{[] {
                         Set(world->x, 1), Set(world->z, 1);
                         if (Get(world->y) == 1) Get(world->z);
                       },
                       [] {
                         Set(world->y, 1), Set(world->z, 0);
                         if (Get(world->x) == 1) Get(world->z);
                       }};
       }},
      {"dekker",
       [](int) {
         const auto enter = [](Word& mine, Word& others) {
           Set(mine, 1);
           if (Get(others) == 0) Add(world->z, 1);
           Set(mine, 0);
         };
         return Bodies{[=] { enter(world->x, world->y); }, [=] { enter(world->y, world->x); }};
       }},
      // Locks.
      {"lock-n", [](int n) { return Times(n, [](int) { Locked([] {}); }); }},
      {"lock-2n",
       [](int n) {
         return Times(2, [n](int) {
           for (int k = 0; k < n; ++k) Locked([] {});
         });
       }},
      {"try-and-lock",
       [](int) {
         return Bodies{[] { Locked([] { Add(world->x, 1); }); },
                       [] {
                         if (pthread_mutex_trylock(&world->lock) == 0)
                           pthread_mutex_unlock(&world->lock);
                       }};
       }},
      {"two-locks",
       [](int n) {
         return Times(n, [](int k) {
           const std::scoped_lock held(world->locks[k]);
           const std::scoped_lock more(world->locks[k + 1]);
         });
       }},
      {"rw-writers-readers",
       [](int n) {
         return Together(
             Times(2,
                   [](int) {
                     pthread_rwlock_wrlock(&world->shared), pthread_rwlock_unlock(&world->shared);
                   }),
             Times(n, [](int) {
               pthread_rwlock_rdlock(&world->shared), pthread_rwlock_unlock(&world->shared);
             }));
       }},
      {"rw-try",
       [](int) {
         return Bodies{
             [] { pthread_rwlock_wrlock(&world->shared), pthread_rwlock_unlock(&world->shared); },
             [] {
               if (pthread_rwlock_tryrdlock(&world->shared) == 0)
                 pthread_rwlock_unlock(&world->shared);
             },
             [] {
               if (pthread_rwlock_trywrlock(&world->shared) == 0)
                 pthread_rwlock_unlock(&world->shared);
             }};
       }},
      // Barriers, semaphores, once.
      {"barrier",
       [](int n) {
         pthread_barrier_init(&world->barrier, nullptr, static_cast<unsigned>(n));
         return Times(n, [](int) { pthread_barrier_wait(&world->barrier); });
       }},
      {"barrier-twice",
       [](int n) {
         pthread_barrier_init(&world->barrier, nullptr, static_cast<unsigned>(n));
         return Times(n, [](int) {
           pthread_barrier_wait(&world->barrier), pthread_barrier_wait(&world->barrier);
         });
       }},
      {"barrier-phases",
       [](int n) {
         pthread_barrier_init(&world->barrier, nullptr, 2);
         return Times(2, [n](int k) {
           for (int i = 0; i < n; ++i) {
             Set(k == 0 ? world->x : world->y, i);
             pthread_barrier_wait(&world->barrier);
             Get(k == 0 ? world->y : world->x);
           }
         });
       }},
      {"binary-semaphore",
       [](int n) {
         sem_init(&world->semaphore, 0, 1);
         return Times(n, [](int) {
           sem_wait(&world->semaphore), Add(world->x, 1), sem_post(&world->semaphore);
         });
       }},
      {"two-permits",
       [](int n) {
         sem_init(&world->semaphore, 0, 2);
         return Times(n, [](int) { sem_wait(&world->semaphore), sem_post(&world->semaphore); });
       }},
      {"semaphore-buffer",
       [](int n) {
         sem_init(&world->semaphore, 0, 2), sem_init(&world->full, 0, 0);
         return Bodies{[n] {
                         for (int k = 0; k < n; ++k)
                           sem_wait(&world->semaphore), sem_post(&world->full);
                       },
                       [n] {
                         for (int k = 0; k < n; ++k)
                           sem_wait(&world->full), sem_post(&world->semaphore);
                       }};
       }},
      {"semaphore-value",
       [](int n) {
         sem_init(&world->semaphore, 0, 0);
         return Together({[] { sem_post(&world->semaphore); }, [] { sem_post(&world->semaphore); }},
                         Times(n, [](int) {
                           int value;
                           sem_getvalue(&world->semaphore, &value);
                         }));
       }},
      {"once",
       [](int n) {
         return Times(
             n, [](int) { pthread_once(&world->once, [] { Set(world->x, 1); }), Get(world->x); });
       }},
      // Who comes when it is done might have come first.
      {"once-late",
       [](int) {
         return Bodies{[] {
                         pthread_once(&world->once, [] { Set(world->x, 1); });
                         Get(world->x);
                       },
                       [] {
                         Get(world->y);
                         pthread_once(&world->once, [] { Set(world->x, 2); });
                       }};
       }},
      // Only once per process: not to be explored in one.
      {"static-local",
       [](int n) {
         return Times(n, [](int) { [[maybe_unused]] static const int first = Add(world->x, 1); });
       }},
      // Conditions.
      {"signal-flag",
       [](int n) {
         return Together(Times(n, [](int) { WaitUntil(world->x, world->one); }), {[] {
                           Locked([] { Set(world->x, 1), pthread_cond_broadcast(&world->one); });
                         }});
       }},
      {"signal-each",
       [](int n) {
         return Together(Times(n, [](int) { WaitUntil(world->x, world->one); }), {[n] {
                           for (int k = 0; k < n; ++k)
                             Locked([] { Set(world->x, 1), pthread_cond_signal(&world->one); });
                         }});
       }},
      {"signal-behind-the-lock",
       [](int) {
         return Bodies{[] { WaitUntil(world->x, world->one); },
                       [] { Locked([] { Set(world->x, 1); }), pthread_cond_signal(&world->one); }};
       }},
      {"future",
       [](int n) { return Together(Times(n, [](int) { AwaitResult(); }), {[] { SetResult(); }}); }},
      {"produce-consume",
       [](int n) {
         return Bodies{[n] {
                         for (int k = 0; k < n; ++k) Put();
                       },
                       [n] {
                         for (int k = 0; k < n; ++k) Take();
                       }};
       }},
      {"two-producers",
       [](int) {
         return Bodies{Put, Put, [] { Take(), Take(); }};
       }},
      {"timed-wait",
       [](int n) {
         return Together(Times(n,
                               [](int) {
                                 Locked([] {
                                   const timespec until = Late();
                                   pthread_cond_timedwait(&world->one, &world->lock, &until);
                                 });
                               }),
                         {[] { Locked([] { pthread_cond_signal(&world->one); }); }});
       }},
      // Pipes.
      {"pipe",
       [](int n) {
         if (pipe(world->pipes[0]) != 0) std::abort();
         return Together(Times(n, [](int k) { PassOn(-1, 0, k); }), {[n] {
                           for (int k = 0; k < n; ++k) PassOn(0, -1, 0);
                         }});
       }},
      {"ping-pong",
       [](int n) {
         if (pipe(world->pipes[0]) != 0 || pipe(world->pipes[1]) != 0) std::abort();
         return Bodies{[n] {
                         for (int k = 0; k < n; ++k) PassOn(-1, 0, k), PassOn(1, -1, 0);
                       },
                       [n] {
                         for (int k = 0; k < n; ++k) PassOn(0, 1, 0);
                       }};
       }},
      {"pipe-each",
       [](int n) {
         for (int k = 0; k < n; ++k) OpenPipe(k);
         return Together(Times(n, [](int k) { PassOn(-1, k, k); }),
                         Times(n, [](int k) { PassOn(k, -1, 0); }));
       }},
      {"pipe-readers",
       [](int n) {
         OpenPipe(0);
         return Together({[n] {
                           for (int k = 0; k < n; ++k) PassOn(-1, 0, k);
                         }},
                         Times(n, [](int) { PassOn(0, -1, 0); }));
       }},
      {"pipe-end",
       [](int n) {
         OpenPipe(0);
         return Bodies{[n] {
                         for (int k = 0; k < n; ++k) PassOn(-1, 0, k);
                         close(std::exchange(world->pipes[0][1], -1));
                       },
                       [] {
                         char byte = 0;
                         while (read(world->pipes[0][0], &byte, 1) == 1) {
                         }
                       }};
       }},
      {"pipe-try",
       [](int n) {
         OpenPipe(0, O_NONBLOCK);
         return Together(Times(n, [](int k) { PassOn(-1, 0, k); }), {[n] {
                           char byte = 0;
                           for (int k = 0; k < n; ++k) {
                             if (read(world->pipes[0][0], &byte, 1) == 0) std::abort();
                           }
                         }});
       }},
      {"pipe-full",
       [](int n) {
         OpenPipe(0);
         if (fcntl(world->pipes[0][1], F_SETPIPE_SZ, kPage) != kPage) std::abort();
         return Together(Times(n, [](int) { WritePage(); }), {[n] {
                           for (int k = 0; k < n; ++k) ReadPage();
                         }});
       }},
      {"socket-pair",
       [](int n) {
         if (socketpair(AF_UNIX, SOCK_STREAM, 0, world->pipes[0]) != 0) std::abort();
         return Bodies{[n] { Exchange(0, n); }, [n] { Exchange(1, n); }};
       }},
      {"event",
       [](int n) {
         OpenEvent(0);
         return Together(Times(n, AddToEvent), {TakeFromEvent});
       }},
      {"event-one-by-one",
       [](int n) {
         OpenEvent(EFD_SEMAPHORE);
         return Together(Times(n, AddToEvent), {[n] {
                           for (int k = 0; k < n; ++k) TakeFromEvent();
                         }});
       }},
      // Threads.
      {"joined-backwards",
       [](int) {
         return Bodies{[] {
           std::thread first([] { Add(world->x, 1); }), second([] { Add(world->x, 1); }),
               third([] { Get(world->x); });
           third.join(), second.join(), first.join();
         }};
       }},
      {"joined-between",
       [](int) {
         return Bodies{[] {
           std::thread first([] { Add(world->x, 1); });
           std::thread second([] { Add(world->x, 1); });
           first.join();
           Get(world->x);
           second.join();
         }};
       }},
      {"created-between",
       [](int) {
         return Bodies{[] {
           Set(world->x, 1);
           std::thread first([] { Get(world->x), Set(world->y, 1); });
           Set(world->x, 2);
           std::thread second([] { Get(world->x), Get(world->y); });
           Set(world->x, 3);
           first.join(), second.join();
         }};
       }},
      {"tree", [](int n) { return Bodies{[n] { TreeOf(n); }}; }},
  };
  return all;
}

const std::function<Bodies(int)>* ProgramOf(const std::string& name) {
  for (const auto* const programs : {&Programs(), &TryPrograms()}) {
    const auto at = programs->find(name);
    if (at != programs->end()) return &at->second;
  }
  return nullptr;
}

void Run(const std::function<Bodies(int)>& program, int n) {
  World here;
  world = &here;
  const Bodies bodies = program(n);
  std::deque<std::thread> threads;
  for (const auto& body : bodies) threads.emplace_back(body);
  for (std::thread& thread : threads) thread.join();
}

int ExploreAll(const char* strategy) {
  std::string name;
  for (int n = 0; std::cin >> name >> n;) {
    const auto& program = *ProgramOf(name);
    const heddle::Result result = heddle::Explore({.strategy = strategy,
                                                   .runs = 1'000'000,
                                                   .keep_going = true,
                                                   .on_finding = heddle::kReturn},
                                                  [&] { Run(program, n); });
    std::printf("%s %d %llu %llu %llu %d\n", name.c_str(), n,
                static_cast<unsigned long long>(result.runs),
                static_cast<unsigned long long>(result.classes),
                static_cast<unsigned long long>(result.blocked_runs), result.complete ? 1 : 0);
    if (!result.error.empty()) std::printf("error %s\n", result.error.c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace counted

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  if (std::string(argv[1]) == "explore") return counted::ExploreAll(argv[2]);
  const auto* const program = counted::ProgramOf(argv[1]);
  if (program == nullptr) return 2;
  counted::Run(*program, std::atoi(argv[2]));
  return 0;
}
