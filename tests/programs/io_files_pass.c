// Files are no business of the scheduler's: reading and writing them is no event.
// RUN: heddle run --strategy=dfs --runs=50
// EXPECT: clean, complete, runs=1
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void* Write(void* unused) {
  FILE* const file = tmpfile();
  assert(file != NULL);
  assert(write(fileno(file), "abc", 3) == 3);
  char bytes[3];
  assert(pread(fileno(file), bytes, 3, 0) == 3);
  fclose(file);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Write, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
