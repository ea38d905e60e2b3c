// readv and writev on a pipe.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2];

static void* Write(void* unused) {
  const struct iovec parts[2] = {{"ab", 2}, {"cd", 2}};
  assert(writev(ends[1], parts, 2) == 4);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Write, NULL);
  char first[1], rest[3];
  const struct iovec parts[2] = {{first, 1}, {rest, 3}};
  assert(readv(ends[0], parts, 2) == 4 && first[0] == 'a' && rest[2] == 'd');
  pthread_join(thread, NULL);
}
