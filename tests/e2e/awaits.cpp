// Programs that wait in loops:
//
//   awaits NAME [N]                 one of those below
//   awaits STRATEGY --random < F    searches those of F one after the other; see await_test.py
#include <heddle/heddle.h>
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
using Threads = std::vector<std::function<void()>>;

std::atomic<int> flag{0}, second{0}, data{0}, ticket{0}, serving{0}, turn{0}, lock{0}, seen{0};
std::atomic<int> wants[2];
std::mutex mutex;
int guarded = 0;

void Await(std::atomic<int>* value) {
  while (value->load(kRelaxed) == 0) {
  }
}

void TakeByExchange() {
  int free = 0;
  while (!lock.compare_exchange_strong(free, 1)) free = 0;
}

Threads Repeat(int threads, int times, void (*section)()) {
  return Threads(static_cast<std::size_t>(threads), [times, section] {
    for (int i = 0; i < times; ++i) section();
  });
}

Threads Flag(int n) {
  Threads threads(static_cast<std::size_t>(n), [] { Await(&flag); });
  threads.push_back([] { flag.store(1, kRelaxed); });
  return threads;
}

Threads FlagFirst(int n) {
  Threads threads = Flag(n);
  std::swap(threads.front(), threads.back());
  return threads;
}

Threads Yielding(int n) {
  Threads threads(static_cast<std::size_t>(n), [] {
    while (flag.load(kRelaxed) == 0) sched_yield();
  });
  threads.push_back([] { flag.store(1, kRelaxed); });
  return threads;
}

Threads TwoFlags(int) {
  return {[] {
            Await(&flag);
            Await(&second);
          },
          [] { flag.store(1, kRelaxed); }, [] { second.store(1, kRelaxed); }};
}

Threads Message(int) {
  return {[] {
            data.store(1, kRelaxed);
            flag.store(1, kRelaxed);
          },
          [] {
            Await(&flag);
            HEDDLE_ASSERT(data.load(kRelaxed) == 1);
          }};
}

Threads ExchangeLock(int n) {
  return Repeat(2, n, [] {
    TakeByExchange();
    lock.store(0);
  });
}

Threads ExchangeLockOnce(int n) {
  return Repeat(n, 1, [] {
    TakeByExchange();
    lock.store(0);
  });
}

Threads YieldingLock(int n) {
  return Repeat(2, n, [] {
    while (lock.exchange(1) != 0) sched_yield();
    lock.store(0);
  });
}

Threads RealLock(int n) {
  return Repeat(2, n, [] {
    mutex.lock();
    mutex.unlock();
  });
}

Threads TryLock(int n) {
  return Repeat(2, n, [] {
    while (!mutex.try_lock()) {
    }
    mutex.unlock();
  });
}

Threads TicketLock(int n) {
  return Repeat(n, 1, [] {
    const int mine = ticket.fetch_add(1);
    while (serving.load() != mine) {
    }
    serving.store(mine + 1);
  });
}

Threads PingPong(int n) {
  return {[n] {
            for (int i = 0; i < n; ++i) {
              while (turn.load(kRelaxed) != 0) {
              }
              turn.store(1, kRelaxed);
            }
          },
          [n] {
            for (int i = 0; i < n; ++i) {
              while (turn.load(kRelaxed) != 1) {
              }
              turn.store(0, kRelaxed);
            }
          }};
}

Threads Peterson(int n) {
  const auto party = [n](int me) {
    return [n, me] {
      for (int i = 0; i < n; ++i) {
        wants[me].store(1);
        turn.store(1 - me);
        while (wants[1 - me].load() != 0 && turn.load() == 1 - me) {
        }
        HEDDLE_ASSERT(++guarded == 1);
        --guarded;
        wants[me].store(0);
      }
    };
  };
  return {party(0), party(1)};
}

// The waiter gets on only if the writer does everything between its two reads.
Threads BetweenTwoReads(int) {
  flag.store(1);
  second.store(1);
  return {[] {
            while (flag.load(kRelaxed) == 0 || second.load(kRelaxed) != 0) {
            }
            HEDDLE_ASSERT(flag.load(kRelaxed) == 1);
          },
          [] {
            flag.store(0, kRelaxed);
            second.store(0, kRelaxed);
          }};
}

Threads HoldsALock(int) {
  return {[] {
            const std::scoped_lock held(mutex);
            Await(&flag);
          },
          [] {
            flag.store(1, kRelaxed);
            const std::scoped_lock held(mutex);
          }};
}

Threads Bounded(int) {
  return {[] {
            for (int i = 0; i < 3; ++i) {
              if (flag.load(kRelaxed) != 0) return;
            }
            seen.store(1);
          },
          [] { flag.store(1, kRelaxed); }, [] { HEDDLE_ASSERT(seen.load() == 0); }};
}

// Going round leaves something behind after all.
Threads Remembers(int) {
  return {[] {
            bool waited = false;
            while (flag.load(kRelaxed) == 0) waited = true;
            HEDDLE_ASSERT(!waited);
          },
          [] { flag.store(1, kRelaxed); }};
}

Threads Forever(int) {
  return {[] {
            while (flag.load(kRelaxed) != 5) {
            }
          },
          [] {
            flag.store(1, kRelaxed);
            flag.store(0, kRelaxed);
          }};
}

const std::map<std::string, Threads (*)(int)> kPrograms = {
    {"flag", Flag},
    {"flag-first", FlagFirst},
    {"yielding", Yielding},
    {"two-flags", TwoFlags},
    {"message", Message},
    {"exchange-lock", ExchangeLock},
    {"exchange-lock-once", ExchangeLockOnce},
    {"yielding-lock", YieldingLock},
    {"mutex", RealLock},
    {"try-lock", TryLock},
    {"ticket-lock", TicketLock},
    {"ping-pong", PingPong},
    {"peterson", Peterson},
    {"between-two-reads", BetweenTwoReads},
    {"holds-a-lock", HoldsALock},
    {"bounded", Bounded},
    {"remembers", Remembers},
    {"forever", Forever},
};

// A random program: threads of operations on a few values.
struct Step {
  char kind;
  int object, value, other, wanted;
};
using Program = std::vector<std::vector<Step>>;

std::atomic<int> values[4];

std::string Run(const std::vector<Step>& steps) {
  std::string read;
  for (const Step& step : steps) {
    std::atomic<int>& object = values[step.object];
    std::atomic<int>& other = values[step.other];
    switch (step.kind) {
      case 'l':
        read += std::to_string(object.load(kRelaxed));
        break;
      case 's':
        object.store(step.value, kRelaxed);
        break;
      case 'f':
        read += std::to_string(object.fetch_add(1, kRelaxed));
        break;
      case 'a':
        while (object.load(kRelaxed) != step.value) {
        }
        break;
      case 'y':
        while (object.load(kRelaxed) != step.value) sched_yield();
        break;
      case 'b':
        while (object.load(kRelaxed) != step.value || other.load(kRelaxed) != step.wanted) {
        }
        break;
      case 'c': {
        int wanted = step.value;
        while (!object.compare_exchange_strong(wanted, step.wanted, kRelaxed)) wanted = step.value;
        break;
      }
      default:
        std::abort();
    }
  }
  return read;
}

void RunOnce(const Program& program) {
  for (std::atomic<int>& value : values) value.store(0, kRelaxed);
  std::vector<std::string> read(program.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < program.size(); ++i) {
    threads.emplace_back([&, i] { read[i] = Run(program[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  std::string state;
  for (const std::atomic<int>& value : values) state += std::to_string(value.load(kRelaxed));
  for (const std::string& each : read) state += "/" + each;
  heddle::Outcome(state.c_str());
}

void SearchRandom(const char* strategy) {
  for (std::string line; std::getline(std::cin, line);) {
    Program program;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word == "|") {
        program.emplace_back();
        continue;
      }
      Step step{.kind = word[0], .object = 0, .value = 0, .other = 0, .wanted = 0};
      words >> step.object >> step.value >> step.other >> step.wanted;
      program.back().push_back(step);
    }
    const heddle::Result result = heddle::Explore({.strategy = strategy,
                                                   .runs = 100'000,
                                                   .races = "off",
                                                   .keep_going = true,
                                                   .on_finding = heddle::kReturn},
                                                  [&program] { RunOnce(program); });
    std::printf("%llu %llu %llu %d %d", static_cast<unsigned long long>(result.runs),
                static_cast<unsigned long long>(result.classes),
                static_cast<unsigned long long>(result.blocked_runs), result.complete,
                result.Found("livelock"));
    for (const auto& [state, count] : result.outcomes) std::printf(" %s", state.c_str());
    std::printf("\n");
    if (!result.error.empty()) std::printf("error %s\n", result.error.c_str());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count > 2 && std::strcmp(words[2], "--random") == 0) {
    SearchRandom(words[1]);
    return 0;
  }
  const auto program = count > 1 ? kPrograms.find(words[1]) : kPrograms.end();
  if (program == kPrograms.end()) return 2;
  const Threads bodies = program->second(count > 2 ? std::atoi(words[2]) : 1);
  std::vector<std::thread> threads;
  for (const auto& body : bodies) threads.emplace_back(body);
  for (std::thread& thread : threads) thread.join();
}
