// A process that is made by clone or by a system call runs natively, as one that is forked: its end
// is not the program's, and what it writes into a pipe is waited for.
// RUN: heddle run --runs=5 -- clone
// EXPECT: clean, uncontrolled=clone, uncontrolled=waiting for somebody outside the program
// RUN: heddle run --runs=5 -- raw
// EXPECT: clean, uncontrolled=syscall(SYS_clone), uncontrolled=waiting for somebody outside the program
// RUN: heddle run --runs=5 -- fork
// EXPECT: clean, uncontrolled=syscall(SYS_fork), uncontrolled=waiting for somebody outside the program
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>

static int Answer(void* end) {
  usleep(50'000);  // natively: of five runs one is at its read by then
  const char byte = 'x';
  assert(write(*static_cast<int*>(end), &byte, 1) == 1);
  _exit(7);
}

int main(int count, char** arguments) {
  const char* const what = count > 1 ? arguments[1] : "clone";
  std::atomic<int> steps{0};
  std::thread other([&] { ++steps; });
  ++steps;
  int ends[2];
  assert(pipe(ends) == 0);
  alignas(16) static char stack[65536];
  long child;
  if (std::strcmp(what, "clone") == 0) {
    child = clone(Answer, stack + sizeof stack, SIGCHLD, &ends[1]);
  } else {
    child =
        std::strcmp(what, "raw") == 0 ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : syscall(SYS_fork);
    if (child == 0) Answer(&ends[1]);
  }
  assert(child > 0);
  close(ends[1]);
  char byte = 0;
  assert(read(ends[0], &byte, 1) == 1 && byte == 'x');
  int status = 0;
  assert(waitpid(static_cast<int>(child), &status, 0) == child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  other.join();
}
