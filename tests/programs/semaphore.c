// Semaphores hand one slot back and forth; try and timed waits say why they failed.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean, not-native
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t items;
static sem_t spaces;
static int slot = 0;

static void* Produce(void* unused) {
  (void)unused;
  for (int i = 1; i <= 3; ++i) {
    sem_wait(&spaces);
    slot = i;
    sem_post(&items);
  }
  return NULL;
}

int main(void) {
  sem_init(&items, 0, 0);
  sem_init(&spaces, 0, 1);
  assert(sem_trywait(&items) == -1 && errno == EAGAIN);
  pthread_t producer;
  pthread_create(&producer, NULL, Produce, NULL);
  for (int i = 1; i <= 3; ++i) {
    sem_wait(&items);
    assert(slot == i);
    sem_post(&spaces);
  }
  pthread_join(producer, NULL);
  int value = -1;
  sem_getvalue(&spaces, &value);
  assert(value == 1);
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 60;
  assert(sem_timedwait(&items, &deadline) == -1 && errno == ETIMEDOUT);
  sem_destroy(&items);
  sem_destroy(&spaces);
}
