// A signal that nobody handles ends the program.
// RUN: heddle run --runs=50
// EXPECT: kind=crash, any-schedule, output~SIGUSR1
#include <pthread.h>
#include <signal.h>
#include <time.h>

static void* Sleep(void* unused) {
  const struct timespec moment = {0, 1000};
  for (int i = 0; i < 5; ++i) nanosleep(&moment, NULL);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Sleep, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
}
