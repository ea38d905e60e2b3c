// The same philosophers with what an ordinary program has: POSIX semaphores, and mutexes.
// RUN: heddle run --strategy=reachability --keep-going -- sem 2
// EXPECT: kind=deadlock, complete, runs=3, output~3 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability --keep-going -- sem 3
// EXPECT: kind=deadlock, complete, runs=7, output~7 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability --keep-going -- sem 4
// EXPECT: kind=deadlock, complete, runs=15, output~15 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability --keep-going -- sem 5
// EXPECT: kind=deadlock, complete, runs=31, output~31 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability --keep-going -- mutex 2
// EXPECT: kind=deadlock, complete, runs=3, output~3 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability --keep-going -- mutex 4
// EXPECT: kind=deadlock, complete, runs=15, output~15 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability --keep-going -- mutex 5
// EXPECT: kind=deadlock, complete, runs=31, output~31 SYN-sequences; these are all.
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 8 };
static int count;
static int with_mutexes;
static sem_t semaphores[kMost];
static pthread_mutex_t mutexes[kMost];

static void Take(int i) {
  if (with_mutexes) {
    pthread_mutex_lock(&mutexes[i]);
  } else {
    sem_wait(&semaphores[i]);
  }
}

static void PutBack(int i) {
  if (with_mutexes) {
    pthread_mutex_unlock(&mutexes[i]);
  } else {
    sem_post(&semaphores[i]);
  }
}

static void* Dine(void* argument) {
  const int left = (int)(intptr_t)argument;
  const int right = (left + 1) % count;
  Take(left);
  Take(right);
  PutBack(left);
  PutBack(right);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t philosophers[kMost];
  if (argc < 3) return 2;
  with_mutexes = strcmp(argv[1], "mutex") == 0;
  count = atoi(argv[2]);
  for (int i = 0; i < count; ++i) {
    sem_init(&semaphores[i], 0, 1);
    pthread_mutex_init(&mutexes[i], NULL);
  }
  for (int i = 0; i < count; ++i) {
    pthread_create(&philosophers[i], NULL, Dine, (void*)(intptr_t)i);
  }
  for (int i = 0; i < count; ++i) pthread_join(philosophers[i], NULL);
  return 0;
}
