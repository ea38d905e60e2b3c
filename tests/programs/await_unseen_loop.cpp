// Loops that wait in code that was not instrumented, so that nobody sees what they read: a lock
// made of inline assembly, a flag read by assembly, a flag behind a function that is marked, with a
// back-off. The others go on meanwhile; nothing is a livelock but what is one. No search that has
// met such a loop is complete.
// RUN: heddle run --strategy=random --runs=200 -- lock
// EXPECT: clean, ends, incomplete, uncontrolled=waiting in a loop that heddle does not see
// RUN: heddle run --strategy=pct --runs=200 --max-steps=20000 -- lock
// EXPECT: clean, ends, incomplete, uncontrolled=waiting in a loop that heddle does not see
// RUN: heddle run --strategy=dfs --runs=300 -- flag
// EXPECT: clean, ends, incomplete, uncontrolled=waiting in a loop that heddle does not see
// RUN: heddle run --strategy=optimal-dpor --runs=300 -- flag
// EXPECT: clean, ends, incomplete, uncontrolled=waiting in a loop that heddle does not see
// RUN: heddle run --strategy=random --runs=200 -- back-off
// EXPECT: clean, ends, incomplete, uncontrolled=waiting in a loop that heddle does not see
// RUN: heddle run --strategy=random --runs=200 -- chain
// EXPECT: clean, ends, incomplete, uncontrolled=waiting in a loop that heddle does not see
// RUN: heddle run --strategy=random --runs=2 -- computes
// EXPECT: clean, ends
// RUN: heddle run --strategy=random --runs=50 -- forever
// EXPECT: kind=livelock, any-schedule, uncontrolled=waiting in a loop that heddle does not see
// RUN: heddle run --strategy=random --runs=50 -- two-forever
// EXPECT: kind=livelock, any-schedule, uncontrolled=waiting in a loop that heddle does not see
// RUN: heddle run --strategy=random --runs=300 -- fails
// EXPECT: kind=assertion, uncontrolled=waiting in a loop that heddle does not see
#include <cassert>
#include <cstdint>
#include <string>
#include <thread>

namespace {

class AssemblyLock {
 public:
  void lock() {
    asm volatile(
        "1: movl $1, %%eax\n"
        "   xchgl %%eax, %0\n"
        "   testl %%eax, %%eax\n"
        "   jnz 1b\n"
        : "+m"(word_)
        :
        : "eax", "cc", "memory");
  }
  void unlock() { asm volatile("movl $0, %0" : "=m"(word_) : : "memory"); }

 private:
  int word_ = 0;
};

int Load(const int* from) {
  int value;
  asm volatile("movl %1, %0" : "=r"(value) : "m"(*from) : "memory");
  return value;
}
void Store(int* to, int value) { asm volatile("movl %1, %0" : "=m"(*to) : "r"(value) : "memory"); }

__attribute__((no_sanitize("thread"), noinline)) void AwaitWithBackOff(volatile int* flag) {
  int pauses = 1;
  while (*flag == 0) {
    for (int i = 0; i < pauses; ++i) __builtin_ia32_pause();
    if (pauses < 64) pauses *= 2;
  }
}

// Long, alone, and with nothing but memory that changes.
__attribute__((no_sanitize("thread"), noinline)) void Compute() {
  for (volatile std::uint64_t i = 0; i < 1'000'000'000; i = i + 1) {
  }
}

AssemblyLock assembly_lock;
int raw_flag = 0;
int second_flag = 0;
volatile int seen_flag = 0;
int data = 0;

void Lock() {
  for (int i = 0; i < 2; ++i) {
    assembly_lock.lock();
    std::this_thread::yield();  // somebody meets a lock that is taken
    assembly_lock.unlock();
  }
}

}  // namespace

int main(int, char** words) {
  const std::string how = words[1];
  if (how == "lock") {
    std::thread a(Lock), b(Lock), c(Lock);
    a.join();
    b.join();
    c.join();
  } else if (how == "flag") {
    std::thread a([] {
      while (Load(&raw_flag) == 0) {
      }
    });
    std::thread b([] {
      std::this_thread::yield();
      Store(&raw_flag, 1);
      std::this_thread::yield();
    });
    a.join();
    b.join();
  } else if (how == "back-off") {
    std::thread a([] { AwaitWithBackOff(&seen_flag); });
    std::thread b([]() __attribute__((no_sanitize("thread"))) {
      std::this_thread::yield();
      seen_flag = 1;
      std::this_thread::yield();
    });
    a.join();
    b.join();
  } else if (how ==
             "chain") {  // who leaves one loop ends another one's without an event of its own
    std::thread a([] {
      while (Load(&second_flag) == 0) {
      }
    });
    std::thread b([] {
      while (Load(&raw_flag) == 0) {
      }
      Store(&second_flag, 1);
    });
    std::thread c([] {
      std::this_thread::yield();
      Store(&raw_flag, 1);
    });
    a.join();
    b.join();
    c.join();
  } else if (how == "computes") {
    std::thread a(Compute);
    std::thread b([] { std::this_thread::yield(); });
    a.join();
    b.join();
  } else if (how == "forever") {
    std::thread a([] {
      while (Load(&raw_flag) == 0) {
      }
    });
    std::thread b([] { std::this_thread::yield(); });
    a.join();
    b.join();
  } else if (how == "two-forever") {
    std::thread a([] {
      while (Load(&raw_flag) == 0) {
      }
      Store(&second_flag, 1);
    });
    std::thread b([] {
      while (Load(&second_flag) == 0) {
      }
      Store(&raw_flag, 1);
    });
    a.join();
    b.join();
  } else if (how == "fails") {  // in one order of three
    const auto change = [](int (*how_to)(int)) {
      std::this_thread::yield();
      assembly_lock.lock();
      std::this_thread::yield();
      Store(&data, how_to(Load(&data)));
      assembly_lock.unlock();
    };
    std::thread a(change, [](int value) { return value + 1; });
    std::thread b(change, [](int value) { return value * 2; });
    a.join();
    b.join();
    assert(Load(&data) == 2);
  }
}
