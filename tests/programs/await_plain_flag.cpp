// Waiting for a plain variable that somebody sets who has not come to it yet: its reads are no scheduling points before both
// were seen at it, and the waiting thread would never get that far. Directly; through a compiler barrier, in a function of its
// own; with two variables. "computes": as long without a scheduling point, but it does end.
// RUN: heddle run --strategy=random --runs=100 --races=off
// EXPECT: clean
// RUN: heddle run --strategy=optimal-dpor --races=off --keep-going
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --races=off -- barrier
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --races=off -- both
// EXPECT: clean, complete
// RUN: heddle run --strategy=random --runs=2 --races=off -- computes
// EXPECT: clean
#include <cstdlib>
#include <cstring>
#include <thread>

bool flag = false;
bool second = false;
bool nobodys = false;
int data = 0;

[[gnu::noinline]] bool IsSet(const bool* which) {
  asm volatile("" ::: "memory");
  return *which;
}

void Wait(const char* how) {
  if (std::strcmp(how, "barrier") == 0) {
    while (!IsSet(&flag)) {
    }
  } else if (std::strcmp(how, "both") == 0) {
    while (!IsSet(&flag) || !IsSet(&second)) {
    }
  } else if (std::strcmp(how, "computes") == 0) {
    long long odd = 0;
    for (int i = 0; i < 60'000'000; ++i) odd += IsSet(&nobodys) ? 0 : i & 1;
    if (odd != 30'000'000) std::abort();
    return;
  } else {
    while (!*static_cast<volatile bool*>(&flag)) {
    }
  }
  if (data != 1) std::abort();
}

int main(int count, char** words) {
  const char* const how = count > 1 ? words[1] : "";
  std::thread waiting(Wait, how);
  std::thread setting([] {
    data = 1;
    flag = true;
    second = true;
  });
  waiting.join();
  setting.join();
}
