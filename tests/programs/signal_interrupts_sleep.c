// A handler ends a sleep early, with the time that was left; and a semaphore wait, unless it restarts.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static sem_t begun, never;

static void Handle(int number) { (void)number; }

static void* Wait(void* unused) {
  sem_post(&begun);
  assert(sem_wait(&never) == -1 && errno == EINTR);
  return unused;
}

int main(void) {
  sem_init(&begun, 0, 0);
  sem_init(&never, 0, 0);
  struct sigaction action = {.sa_handler = Handle};
  sigaction(SIGUSR2, &action, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  sem_wait(&begun);
  // It may not be waiting yet: then the handler runs before, and the next one is what ends the wait.
  int error;
  struct timespec moment = {0, 1000000};
  do {
    pthread_kill(thread, SIGUSR2);
    nanosleep(&moment, NULL);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    error = pthread_timedjoin_np(thread, NULL, &now);
  } while (error == ETIMEDOUT);
  assert(error == 0);
}
