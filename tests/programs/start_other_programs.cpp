// A program started by system(), popen() or posix_spawn() runs natively, its time-stamp counter included.
// RUN: heddle run --runs=20 --keep-going
// EXPECT: clean, uncontrolled=system, uncontrolled=popen, uncontrolled=posix_spawn
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

int main(int count, char** arguments) {
  if (count > 1) return __rdtsc() > 0 ? 7 : 0;
  std::thread other([] {});
  const std::string again = std::string(arguments[0]) + " again";
  assert(WEXITSTATUS(std::system(again.c_str())) == 7);

  FILE* const pipe = popen(again.c_str(), "r");
  assert(pipe != nullptr && WEXITSTATUS(pclose(pipe)) == 7);

  char argument[] = "again";
  char* const words[] = {arguments[0], argument, nullptr};
  pid_t child = 0;
  assert(posix_spawn(&child, arguments[0], nullptr, nullptr, words, environ) == 0);
  int status = 0;
  assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
  assert(__rdtsc() < __rdtsc());
  other.join();
}
