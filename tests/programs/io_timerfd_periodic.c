// A periodic timer, seen through epoll while another thread arms it.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer;

static void* Arm(void* unused) {
  const struct itimerspec often = {.it_value = {0, 1000000}, .it_interval = {0, 1000000}};
  assert(timerfd_settime(timer, 0, &often, NULL) == 0);
  return unused;
}

int main(void) {
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  const int set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = timer};
  assert(epoll_ctl(set, EPOLL_CTL_ADD, timer, &event) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Arm, NULL);
  for (int i = 0; i < 3; ++i) {
    struct epoll_event seen;
    assert(epoll_wait(set, &seen, 1, -1) == 1 && seen.data.fd == timer);
    uint64_t times = 0;
    assert(read(timer, &times, sizeof times) == sizeof times && times >= 1);
  }
  pthread_join(thread, NULL);
  close(set);
  close(timer);
}
