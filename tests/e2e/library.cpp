// Bodies for heddle::Explore:  library BODY [option=value]...
//
// Prints its result as one line of JSON; with on-finding=fail it lets Explore end the program
// instead.
#include <heddle/heddle.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using heddle::Concurrently;

namespace {

int global = 0;
std::vector<int> collected;

void LostUpdate() {
  int balance = 0;
  const auto deposit = [&balance] {
    const int before = balance;
    balance = before + 1;
  };
  Concurrently(deposit, deposit);
  heddle::Outcome(balance);
  HEDDLE_ASSERT(balance == 2);
}

void Locked() {
  std::mutex mutex;
  auto* const balance = new int(0);
  const auto deposit = [&] {
    const std::lock_guard lock(mutex);
    ++*balance;
  };
  Concurrently(deposit, deposit, deposit);
  HEDDLE_ASSERT(*balance == 3);
  delete balance;
}

// The reader gets to its last line only if it keeps in step with the writer: what is shared there
// becomes a scheduling point late, in one run of many, and then it is one for the writer in every
// run. It has a line of its own, or it would be taken for shared with its neighbour at once.
void LatePoints() {
  constexpr int kSteps = 3;
  std::mutex mutex;
  int step = 0;
  alignas(64) int late = 0;
  const auto sees = [&](int expected) {
    const std::lock_guard lock(mutex);
    return step == expected;
  };
  const auto read = [&] {
    for (int i = 1; i <= kSteps; ++i) {
      if (!sees(i)) return;
    }
    const std::lock_guard lock(mutex);
    HEDDLE_ASSERT(late == 0 || late == 1);
  };
  const auto write = [&] {
    for (int i = 1; i <= kSteps; ++i) {
      const std::lock_guard lock(mutex);
      step = i;
    }
    const std::lock_guard lock(mutex);
    late = 1;
  };
  Concurrently(read, write);
}

// One store against assertions in three threads: who fails is left behind, and the others go on.
void FailingReaders() {
  std::atomic<int> x{0};
  const auto read = [&x] { HEDDLE_ASSERT(x.load(std::memory_order_relaxed) == 0); };
  Concurrently([&x] { x.store(1, std::memory_order_relaxed); }, read, read, read);
}

// Two threads fail, each by itself: there is one class.
void BothFail() {
  std::atomic<int> x{0}, y{0};
  Concurrently([&x] { HEDDLE_ASSERT(x.load(std::memory_order_relaxed) == 1); },
               [&y] { HEDDLE_ASSERT(y.load(std::memory_order_relaxed) == 2); });
}

// The second fails only behind what the first did last: no schedule shows it alone.
void FailsBehind() {
  std::atomic<int> x{0};
  Concurrently(
      [&x] {
        x.store(1, std::memory_order_relaxed);
        HEDDLE_ASSERT(!"the first");
      },
      [&x] { HEDDLE_ASSERT(x.load(std::memory_order_relaxed) == 0); });
}

void Deadlock() {
  std::mutex a, b;
  const auto take = [](std::mutex& first, std::mutex& second) {
    const std::lock_guard one(first);
    const std::lock_guard two(second);
  };
  Concurrently([&] { take(a, b); }, [&] { take(b, a); });
}

void Crash() {
  int number = 1;
  int* pointer = nullptr;
  Concurrently([&] { pointer = &number; }, [&] { *pointer = 2; });
}

void Hang() {
  int flag = 0;
  Concurrently([&] { flag = 1; },
               [&] {
                 if (flag == 1) pause();
               });
}

// Nothing that heddle sees.
[[noreturn]] void Spin() {
  for (;;) asm volatile("pause");
}

void HangAtOnce() {
  Concurrently([] { Spin(); }, [] {});
}

// A few runs are made before one hangs.
void HangLate() {
  static int runs = 0;
  Concurrently([] {}, [] {});
  if (++runs == 20) Spin();
}

// No mapping is allowed from here on.
void NoMoreMemory() {
  rlimit before = {};
  getrlimit(RLIMIT_AS, &before);
  const rlimit nothing = {.rlim_cur = 0, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_AS, &nothing);
  std::atomic<int> sum = 0;
  Concurrently([&sum] { sum += static_cast<int>(std::vector<int>(1000, 1).size()); },
               [&sum] { sum += 2; });
  setrlimit(RLIMIT_AS, &before);
  HEDDLE_ASSERT(sum == 1002);
}

void Throw() {
  int seen = 0;
  Concurrently([&] { seen = seen + 1; }, [&] { seen = seen + 1; });
  if (seen != 2) throw std::string("lost");
}

void Exit() {
  int seen = 0;
  Concurrently([&] { seen = seen + 1; }, [&] { seen = seen + 1; });
  if (seen != 2) std::exit(3);
}

// Survived by every run.
void Race() {
  int shared = 0;
  Concurrently([&] { shared = 1; }, [&] { shared = 2; });
}

void LockOrder() {
  std::mutex a, b;
  const auto take = [](std::mutex& first, std::mutex& second) {
    const std::lock_guard one(first);
    const std::lock_guard two(second);
  };
  std::thread([&] { take(a, b); }).join();
  std::atomic<bool> done = false;
  std::thread other([&] {
    take(b, a);
    done = true;
  });
  other.join();
  std::mutex c, d;
  std::atomic<int> turn = 0;
  Concurrently(
      [&] {
        take(c, d);
        turn = 1;
      },
      [&] {
        if (turn == 1) take(d, c);
      });
}

void UseAfterFree() {
  int* const number = new int(1);
  std::atomic<int> seen = 0;
  Concurrently([&] { delete number; }, [&] { seen = *number; });
}

void DoubleFree() {
  int* const number = new int(1);
  std::atomic<bool> freed = false;
  const auto free_it = [&] {
    if (freed) return;
    freed = true;
    delete number;
  };
  Concurrently(free_it, free_it);
}

void Livelock() {
  std::atomic<int> number = 0;
  Concurrently([&] { number = 1; },
               [&] {
                 number = 2;
                 while (number == 1) {
                 }
               });
}

// Nobody else is left.
void SpinAlone() {
  std::atomic<bool> flag = false;
  while (!flag) {
  }
}
void SpinLast() {
  std::atomic<bool> flag = false;
  Concurrently([] {},
               [&] {
                 while (!flag) {
                 }
               });
}

// Never the same, never over: no more than a limit can be said of it.
void CountAlone() {
  std::atomic<long> count = 0;
  Concurrently([&] { ++count; },
               [&] {
                 while (++count != -1) {
                 }
               });
}

void Liveness() {
  std::atomic<int> number = 0;
  Concurrently([&] { number = 1; }, [&] { number = 2; });
  heddle::Hot("waiting");
  if (number == 2) heddle::Cold("waiting");
}

void LeaveThread() {
  std::thread([] { usleep(1); }).detach();
}

// Whether the thread is still running depends on the order, and nothing that the others do does.
void LeaveThreadLate() {
  static std::atomic<int> count{0};
  std::thread([] {
    ++count;
    ++count;
  }).detach();
  std::mutex mutex;
  std::thread([&] { const std::lock_guard lock(mutex); }).join();
}

// It waits with a time limit, before the body returns or behind that.
void LeaveWaitingThread() {
  static sem_t posted;
  static std::atomic<int> count{0};
  sem_init(&posted, 0, 0);
  std::thread([] {
    const timespec late = {4'000'000'000, 0};
    ++count;
    sem_timedwait(&posted, &late);
    sem_timedwait(&posted, &late);
    ++count;
  }).detach();
  std::thread([] {}).join();
}

// Passed by whoever looks at the status alone.
void ExitWithZero() {
  int seen = 0;
  Concurrently([&] { seen = seen + 1; }, [&] { seen = seen + 1; });
  if (seen != 2) std::exit(0);
}

void LeaveLocked() {
  static std::mutex mutex;
  std::atomic<int> count{0};
  Concurrently([&] { ++count; }, [&] { ++count; });
  mutex.lock();
}

void ManyOutcomes() {
  unsigned random = 0;
  Concurrently([] {}, [] {});
  HEDDLE_ASSERT(getrandom(&random, sizeof random, 0) == sizeof random);
  heddle::Outcome(random);
}

// A tenth of a second of the machine's own time: heddle's is virtual.
void Slow() {
  const auto now = [] {
    timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
  };
  std::atomic<int> count{0};
  Concurrently([&] { ++count; }, [&] { ++count; });
  for (const auto begin = now(); now() - begin < 100;) {
  }
}

void OneThread() { HEDDLE_ASSERT(getpid() > 0); }

// The 17th run takes a lock that the first did not.
// The first run of a process passes, no later one does.
void FailAfterItself() {
  static bool* const has_run = new bool(false);
  std::atomic<int> count{0};
  std::thread one([&] { ++count; }), other([&] { ++count; });
  one.join();
  other.join();
  assert(!*has_run);
  *has_run = true;
}

// Every seventh run only.
void LeakNowAndThen() {
  static std::atomic<int> number = 0;
  static int runs = 0;
  ++runs;
  Concurrently(
      [] {
        ++number;
        if (runs % 7 == 0) ++number;
      },
      [] { ++number; });
}

// libstdc++ sets itself up at the first stream, and does it in another way when there have been
// threads.
void Streams() {
  std::istringstream words("1 2");
  int first = 0, second = 0;
  words >> first >> second;
  std::atomic<int> sum = 0;
  Concurrently([&] { sum += first; }, [&] { sum += second; });
  HEDDLE_ASSERT(sum == 3);
}

void LeakByGlobal() {
  Concurrently([] { ++global; },
               [] {
                 static std::mutex mutex;
                 if (global > 40) {
                   const std::lock_guard lock(mutex);
                   ++global;
                 }
               });
}

// What a global container holds must stay valid: the next run writes into it.
void LeakMemory() {
  collected.push_back(static_cast<int>(collected.size()));
  Concurrently([] { collected.push_back(static_cast<int>(collected.size())); });
  for (std::size_t i = 0; i < collected.size(); ++i)
    HEDDLE_ASSERT(collected[i] == static_cast<int>(i));
}

// Every thread, main included, finds its thread-locals fresh in every run; destructors run in the
// run.
struct Counted {
  std::atomic<int>* count = nullptr;
  ~Counted() {
    if (count != nullptr) ++*count;
  }
};
thread_local int number = 7;
thread_local Counted counted;

void ThreadLocals() {
  std::atomic<int> ended = 0;
  const auto check = [&ended] {
    HEDDLE_ASSERT(number == 7);
    HEDDLE_ASSERT(counted.count == nullptr);
    number = 8;
    counted.count = &ended;
  };
  Concurrently(check, check);
  HEDDLE_ASSERT(ended == 2);
  HEDDLE_ASSERT(number == 7);
  number = 9;
}

// How a thread rounds is its own, and its creator's to begin with.
void Rounding() {
  HEDDLE_ASSERT(std::fegetround() == FE_TONEAREST);
  std::atomic<int> steps = 0;
  const auto check = [&steps](int mode) {
    HEDDLE_ASSERT(std::fegetround() == FE_TONEAREST);
    std::fesetround(mode);
    ++steps;
    HEDDLE_ASSERT(std::fegetround() == mode);
  };
  Concurrently([&] { check(FE_UPWARD); }, [&] { check(FE_DOWNWARD); });
  HEDDLE_ASSERT(std::fegetround() == FE_TONEAREST);
  std::fesetround(FE_TOWARDZERO);
}

// Addresses of the heap are the same in every run, whatever the earlier runs did with it.
void Addresses() {
  static const void* first = nullptr;
  auto* const block = new int[100];
  HEDDLE_ASSERT(block[0] == 0);
  Concurrently([] { delete new int; },
               [block] {
                 delete new double;
                 block[0] = 1;
               });
  static int runs = 0;
  if (++runs == 2) first = block;
  if (runs > 2) HEDDLE_ASSERT(block == first);
  delete[] block;
}

void OneTimeInitialisation() {
  static std::vector<int>* const table = new std::vector<int>(1000, 5);
  Concurrently([] { HEDDLE_ASSERT((*table)[999] == 5); },
               [] { HEDDLE_ASSERT(table->size() == 1000); });
}

// A lock that nobody sees: what it guards may look like a race.
class AssemblyLock {
 public:
  void lock() {
    asm volatile("1: movl $1, %%eax\n xchgl %%eax, %0\n testl %%eax, %%eax\n jnz 1b\n"
                 : "+m"(word_)
                 :
                 : "eax", "cc", "memory");
  }
  void unlock() { asm volatile("movl $0, %0" : "=m"(word_) : : "memory"); }

 private:
  int word_ = 0;
};

void UnseenLock() {
  AssemblyLock lock;
  int count = 0;
  const auto increment = [&] {
    std::this_thread::yield();
    lock.lock();
    std::this_thread::yield();
    ++count;
    lock.unlock();
  };
  Concurrently(increment, increment);
  HEDDLE_ASSERT(count == 2);
}

const std::map<std::string, void (*)()> kBodies = {
    {"lost-update", LostUpdate},
    {"locked", Locked},
    {"late-points", LatePoints},
    {"failing-readers", FailingReaders},
    {"both-fail", BothFail},
    {"fails-behind", FailsBehind},
    {"deadlock", Deadlock},
    {"crash", Crash},
    {"hang", Hang},
    {"hang-at-once", HangAtOnce},
    {"hang-late", HangLate},
    {"no-more-memory", NoMoreMemory},
    {"throw", Throw},
    {"exit", Exit},
    {"exit-with-zero", ExitWithZero},
    {"leave-thread", LeaveThread},
    {"leave-thread-late", LeaveThreadLate},
    {"leave-waiting-thread", LeaveWaitingThread},
    {"leave-locked", LeaveLocked},
    {"many-outcomes", ManyOutcomes},
    {"slow", Slow},
    {"race", Race},
    {"lock-order", LockOrder},
    {"use-after-free", UseAfterFree},
    {"double-free", DoubleFree},
    {"livelock", Livelock},
    {"spin-alone", SpinAlone},
    {"spin-last", SpinLast},
    {"count-alone", CountAlone},
    {"liveness", Liveness},
    {"one-thread", OneThread},
    {"streams", Streams},
    {"leak-global", LeakByGlobal},
    {"leak-seldom", LeakNowAndThen},
    {"fail-after-itself", FailAfterItself},
    {"leak-memory", LeakMemory},
    {"thread-locals", ThreadLocals},
    {"rounding", Rounding},
    {"addresses", Addresses},
    {"initialisation", OneTimeInitialisation},
    {"unseen-lock", UnseenLock},
};

}  // namespace

int main(int argc, char** argv) {
  heddle::Options options;
  options.name = argv[1];
  options.on_finding = heddle::kReturn;
  for (int i = 2; i < argc; ++i) {
    const std::string key(argv[i], std::strcspn(argv[i], "="));
    const char* const value = argv[i] + key.size() + 1;
    if (key == "strategy") options.strategy = value;
    if (key == "runs") options.runs = std::strtoull(value, nullptr, 10);
    if (key == "seed") options.seed = std::strtoull(value, nullptr, 10);
    if (key == "time") options.time = value;
    if (key == "races") options.races = value;
    if (key == "max-steps") options.max_steps = std::strtoull(value, nullptr, 10);
    if (key == "keep-going") options.keep_going = true;
    if (key == "require-complete") options.require_complete = true;
    if (key == "regressions") options.regressions = value;
    if (key == "isolation") options.isolation = heddle::kProcess;
    if (key == "on-finding") options.on_finding = heddle::kFail;
  }
  const heddle::Result result = heddle::Explore(options, kBodies.at(argv[1]));
  std::printf(
      "{\"runs\": %llu, \"events\": %llu, \"classes\": %llu, \"ok\": %s, \"complete\": %s, ",
      static_cast<unsigned long long>(result.runs), static_cast<unsigned long long>(result.events),
      static_cast<unsigned long long>(result.classes), result.ok() ? "true" : "false",
      result.complete ? "true" : "false");
  std::printf("\"explored\": %s, \"leaks\": %s, \"error\": \"%s\", \"findings\": [",
              result.explored ? "true" : "false", result.leaks_state ? "true" : "false",
              result.error.c_str());
  const char* comma = "";
  for (const heddle::Finding& finding : result.findings) {
    std::printf(
        "%s{\"kind\": \"%s\", \"hits\": %llu, \"first_run\": %llu, \"replayed\": %s, "
        "\"fingerprint\": \"%s\"}",
        comma, finding.kind.c_str(), static_cast<unsigned long long>(finding.hits),
        static_cast<unsigned long long>(finding.first_run), finding.replayed ? "true" : "false",
        finding.fingerprint.c_str());
    comma = ", ";
  }
  std::printf("], \"outcomes\": {");
  comma = "";
  for (const auto& [text, count] : result.outcomes) {
    std::printf("%s\"%s\": %llu", comma, text.c_str(), static_cast<unsigned long long>(count));
    comma = ", ";
  }
  std::printf("}}\n%s", result.Summary().c_str());
}
