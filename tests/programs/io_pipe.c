// A read from a pipe waits for the write.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void* Write(void* unused) {
  assert(write(ends[1], "ab", 2) == 2);
  assert(write(ends[1], "c", 1) == 1);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Write, NULL);
  char all[3];
  for (int got = 0; got < 3;) {
    const ssize_t more = read(ends[0], all + got, sizeof all - (size_t)got);
    assert(more > 0);
    got += (int)more;
  }
  assert(all[0] == 'a' && all[2] == 'c');
  pthread_join(thread, NULL);
}
