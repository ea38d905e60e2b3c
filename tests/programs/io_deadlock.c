// Two threads that each read what the other has not written yet wait for ever.
// RUN: heddle run --runs=50
// EXPECT: kind=deadlock, any-schedule, output~something to receive
#include <pthread.h>
#include <unistd.h>

static int first[2], second[2];

static void* Answer(void* unused) {
  char byte;
  if (read(first[0], &byte, 1) == 1 && write(second[1], &byte, 1) == 1) return unused;
  return NULL;
}

int main(void) {
  if (pipe(first) != 0 || pipe(second) != 0) return 1;
  pthread_t thread;
  pthread_create(&thread, NULL, Answer, NULL);
  char byte;
  if (read(second[0], &byte, 1) == 1 && write(first[1], &byte, 1) == 1) pthread_join(thread, NULL);
}
