// pthread_kill runs the handler in the thread it is sent to.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static pthread_t target;
static volatile sig_atomic_t handled, in_target;
static sem_t handled_now;

static void Handle(int number) {
  assert(number == SIGUSR1);
  handled = 1;
  in_target = pthread_equal(pthread_self(), target);
  sem_post(&handled_now);
}

static void* Wait(void* unused) {
  while (sem_wait(&handled_now) != 0) {
  }
  return unused;
}

int main(void) {
  sem_init(&handled_now, 0, 0);
  struct sigaction action = {.sa_handler = Handle};
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&target, NULL, Wait, NULL);
  assert(pthread_kill(target, 0) == 0);
  assert(pthread_kill(target, SIGUSR1) == 0);
  pthread_join(target, NULL);
  assert(handled && in_target);
}
