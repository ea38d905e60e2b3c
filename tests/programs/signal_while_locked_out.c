// A handler runs in a thread that waits for a mutex, and may be what lets it go on.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t handled;

static void Handle(int number) {
  (void)number;
  sem_post(&handled);
}

static void* Lock(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  sem_init(&handled, 0, 0);
  struct sigaction action = {.sa_handler = Handle, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  pthread_mutex_lock(&lock);
  pthread_t thread;
  pthread_create(&thread, NULL, Lock, NULL);
  pthread_kill(thread, SIGUSR1);
  while (sem_wait(&handled) != 0) {
  }
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
}
