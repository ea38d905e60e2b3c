// Two threads free the same block, each thinking that it is the last.
// RUN: heddle run --runs=300
// EXPECT: kind=double-free
// RUN: heddle run --runs=300 -- count
// EXPECT: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static char* block;
static atomic_int users = 2;
static atomic_int last = 1;
static int counts;

static void* Leave(void* unused) {
  if (counts) {
    if (atomic_fetch_sub(&users, 1) == 1) free(block);
  } else if (atomic_load(&last)) {
    free(block);
    atomic_store(&last, 0);
  }
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  counts = argc > 1;
  block = malloc(10);
  pthread_t a, b;
  pthread_create(&a, NULL, Leave, NULL);
  pthread_create(&b, NULL, Leave, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
