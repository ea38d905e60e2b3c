// epoll: level- and edge-triggered, added to while somebody waits, and with a time.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int ends[2], set;

static void* Write(void* unused) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u32 = 9};
  assert(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
  assert(write(ends[1], "x", 1) == 1);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  set = epoll_create1(0);
  struct epoll_event seen;
  assert(epoll_wait(set, &seen, 1, 0) == 0);
  assert(epoll_wait(set, &seen, 1, 3) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Write, NULL);
  assert(epoll_wait(set, &seen, 1, -1) == 1 && seen.data.u32 == 9);
  assert(epoll_wait(set, &seen, 1, 0) == 0);  // an edge is seen once
  pthread_join(thread, NULL);
}
