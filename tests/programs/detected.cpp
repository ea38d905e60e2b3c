// What makes threads behind heddle's back is named: timers, asynchronous I/O, clone.
// RUN: heddle run --runs=2 -- timer
// EXPECT: clean, no-thread, uncontrolled=timer_create
// RUN: heddle run --runs=2 -- aio
// EXPECT: clean, no-thread, uncontrolled=aio_read
// RUN: heddle run --runs=2 -- clone
// EXPECT: clean, no-thread, uncontrolled=clone
// RUN: heddle run --runs=2 -- raw
// EXPECT: clean, no-thread, uncontrolled=syscall(SYS_clone)
#include <aio.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cassert>
#include <cstring>

static void Nothing(sigval) {}
static int Return(void*) { return 0; }

int main(int count, char** arguments) {
  const char* const what = count > 1 ? arguments[1] : "";
  if (std::strcmp(what, "timer") == 0) {
    sigevent event = {};
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = Nothing;
    timer_t timer;
    assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    timer_delete(timer);
  } else if (std::strcmp(what, "aio") == 0) {
    char byte = 1;
    aiocb request = {};
    request.aio_fildes = open("/dev/null", O_RDONLY);
    request.aio_buf = &byte;
    request.aio_nbytes = 1;
    assert(aio_read(&request) == 0);
    const aiocb* const list[] = {&request};
    aio_suspend(list, 1, nullptr);
    assert(aio_return(&request) == 0);
  } else if (std::strcmp(what, "clone") == 0) {
    alignas(16) static char stack[65536];
    const int child = clone(Return, stack + sizeof stack, SIGCHLD, nullptr);
    assert(child > 0 && waitpid(child, nullptr, 0) == child);
  } else if (std::strcmp(what, "raw") == 0) {
    const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    assert(waitpid(static_cast<int>(child), nullptr, 0) == child);
  }
}
