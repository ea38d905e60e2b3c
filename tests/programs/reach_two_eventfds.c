// Two eventfds are two semaphores that have nothing to do with each other, though the kernel gives
// both one inode.
// RUN: heddle run --strategy=reachability
// EXPECT: clean, complete, runs=1
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int first, second;

static void* Add(void* descriptor) {
  const uint64_t one = 1;
  return write(*(int*)descriptor, &one, sizeof one) == sizeof one ? NULL : descriptor;
}

int main(void) {
  pthread_t threads[2];
  uint64_t got = 0;
  first = eventfd(0, EFD_SEMAPHORE);
  second = eventfd(0, EFD_SEMAPHORE);
  pthread_create(&threads[0], NULL, Add, &first);
  pthread_create(&threads[1], NULL, Add, &second);
  if (read(first, &got, sizeof got) != sizeof got || got != 1) return 1;
  if (read(second, &got, sizeof got) != sizeof got || got != 1) return 1;
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return 0;
}
