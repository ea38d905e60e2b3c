// A recursion without end is told from other bad addresses, on a thread's stack and on main's.
// RUN: heddle run --runs=20
// EXPECT: kind=crash, any-schedule, output~stack overflow in Deep at crash_by_overflow.c
// RUN: heddle run --runs=20 -- main
// EXPECT: kind=crash, any-schedule, output~stack overflow in Deep at crash_by_overflow.c
#include <pthread.h>
#include <string.h>

static int Deep(int depth) {
  volatile char bytes[2048];
  bytes[depth % 2048] = 1;
  return Deep(depth + 1) + bytes[7];
}

static void* Run(void* given) {
  if (given != NULL) Deep(1);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t thread;
  (void)argv;
  pthread_create(&thread, NULL, Run, argc > 1 ? NULL : &thread);
  if (argc > 1) Deep(1);
  pthread_join(thread, NULL);
  return 0;
}
