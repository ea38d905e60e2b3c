// An alarm that would end the program is there for one that hangs: it does not come where the
// program does not, and where it does, the deadlock is told.
// RUN: heddle run --runs=200
// EXPECT: clean, uncontrolled=alarm
// RUN: heddle run --runs=1000 -- deadlock
// EXPECT: kind=deadlock, uncontrolled=alarm, not-native
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void* Both(void* unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  pthread_t thread;
  pthread_create(&thread, NULL, Both, NULL);
  alarm(30);
  pthread_mutex_t* const first = argc > 1 ? &b : &a;
  pthread_mutex_t* const second = argc > 1 ? &a : &b;
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
  pthread_join(thread, NULL);
  alarm(0);
}
