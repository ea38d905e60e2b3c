// A loop that looks at a flag under a lock, and whose progress heddle can't see: libc reads a file of zeros for it. While nobody
// else can go on it waits for nobody, so it is no livelock; it becomes one where the flag is all it waits for.
// RUN: heddle run --strategy=random --runs=50
// EXPECT: clean
// RUN: heddle run --strategy=optimal-dpor --runs=2000
// EXPECT: clean, complete
// RUN: heddle run --strategy=random --runs=50 --max-steps=20000 -- forever
// EXPECT: kind=livelock, any-schedule
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { kBytes = 3000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static int is_finished;
int is_cancelled;  // not static: nobody may conclude that it is always 0

static void* Wait(void* unused) {
  pthread_mutex_lock(&mutex);
  is_cancelled = 0;
  while (!is_finished) pthread_cond_wait(&finished, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static int IsCancelled(void) {
  pthread_mutex_lock(&mutex);
  const int answer = is_cancelled;
  pthread_mutex_unlock(&mutex);
  return answer;
}

int main(int count, char** words) {
  (void)words;
  FILE* const file = tmpfile();
  for (int i = 0; i < kBytes; ++i) fputc(0, file);
  rewind(file);

  pthread_t waiter;
  pthread_create(&waiter, NULL, Wait, NULL);
  while (!IsCancelled()) {
    if (count == 1 && fgetc(file) == EOF) break;
  }
  pthread_mutex_lock(&mutex);
  is_finished = 1;
  pthread_cond_signal(&finished);
  pthread_mutex_unlock(&mutex);
  pthread_join(waiter, NULL);
  fclose(file);
  return 0;
}
