// Initialising again, as the first thing that main does behind creating a thread: the thread may have been there
// already. If it has not, it uses what is there then.
// RUN: heddle run --runs=300 -- mutex
// EXPECT: kind=misuse
// RUN: heddle run --runs=300 -- barrier
// EXPECT: kind=misuse
// RUN: heddle run --runs=300 -- condition
// EXPECT: kind=misuse
// RUN: heddle run --runs=200 --keep-going -- mutex right
// EXPECT: clean
// RUN: heddle run --runs=200 --keep-going -- barrier right
// EXPECT: clean
// RUN: heddle run --runs=200 --keep-going -- condition right
// EXPECT: clean
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int is_done;

static void* Lock(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* Meet(void* unused) {
  pthread_barrier_wait(&barrier);
  return unused;
}

static void* Wait(void* unused) {
  pthread_mutex_lock(&lock);
  while (!is_done) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void Finish(void) {
  pthread_mutex_lock(&lock);
  is_done = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

int main(int count, char** words) {
  const char what = words[1][0];
  const int is_right = count > 2;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, what == 'm' ? Lock : what == 'b' ? Meet : Wait, NULL);
  if (is_right) {
    if (what == 'b') pthread_barrier_wait(&barrier);
    if (what == 'c') Finish();
    pthread_join(thread, NULL);
  }
  if (what == 'm') pthread_mutex_init(&lock, NULL);
  if (what == 'b') pthread_barrier_init(&barrier, NULL, 2);
  if (what == 'c') pthread_cond_init(&changed, NULL);
  if (is_right) return 0;
  if (what == 'b') pthread_barrier_wait(&barrier);
  if (what == 'c') Finish();
  pthread_join(thread, NULL);
}
