// Every way to end a process is told apart.
// RUN: heddle run --runs=20 -- return0
// EXPECT: clean
// RUN: heddle run --runs=20 -- exit0
// EXPECT: clean
// RUN: heddle run --runs=20 -- quick0
// EXPECT: clean
// RUN: heddle run --runs=20 -- _exit0
// EXPECT: clean
// RUN: heddle run --runs=20 -- pthread_exit
// EXPECT: clean
// RUN: heddle run --runs=20 -- return
// EXPECT: kind=exit, any-schedule, output~status 3
// RUN: heddle run --runs=20 --expect-exit=3 -- return
// EXPECT: clean, not-native
// RUN: heddle run --runs=20 -- exit
// EXPECT: kind=exit, any-schedule, output~status 4
// RUN: heddle run --runs=20 -- quick
// EXPECT: kind=exit, any-schedule, output~status 5
// RUN: heddle run --runs=20 -- _exit
// EXPECT: kind=exit, any-schedule, output~status 6
// RUN: heddle run --runs=20 -- abort
// EXPECT: kind=crash, any-schedule, output~SIGABRT
// RUN: heddle run --runs=20 -- signal
// EXPECT: kind=crash, any-schedule, output~SIGTERM
// RUN: heddle run --runs=20 -- segv
// EXPECT: kind=crash, any-schedule, output~SIGSEGV
// RUN: heddle run --runs=20 -- fpe
// EXPECT: kind=crash, any-schedule, output~SIGFPE
// RUN: heddle run --runs=20 -- throw
// EXPECT: kind=exception, any-schedule, output~std::runtime_error
// RUN: heddle run --runs=20 -- terminate
// EXPECT: kind=crash, any-schedule, output~SIGABRT
// RUN: heddle run --runs=20 -- assert
// EXPECT: kind=assertion, any-schedule, output~never_true
#include <pthread.h>
#include <unistd.h>

#include <cassert>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

int main(int, char** argv) {
  std::thread other([] {});
  other.join();
  const std::string how = argv[1];
  if (how == "return0") return 0;
  if (how == "exit0") std::exit(0);
  if (how == "quick0") std::quick_exit(0);
  if (how == "_exit0") _exit(0);
  if (how == "pthread_exit") pthread_exit(nullptr);
  if (how == "return") return 3;
  if (how == "exit") std::exit(4);
  if (how == "quick") std::quick_exit(5);
  if (how == "_exit") _exit(6);
  if (how == "abort") std::abort();
  if (how == "signal") raise(SIGTERM);
  volatile int* volatile nowhere = nullptr;
  if (how == "segv") return *nowhere;
  volatile int zero = 0;
  if (how == "fpe") return 1000 / zero;
  if (how == "throw") throw std::runtime_error("thrown by main");
  if (how == "terminate") std::terminate();
  const bool never_true = how == "never";
  if (how == "assert") assert(never_true);
  return 9;
}
