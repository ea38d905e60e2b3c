// Handlers around fork run in their order, in parent and child, and may take locks that others hold.
// RUN: heddle run --runs=30 --keep-going
// EXPECT: clean, uncontrolled=fork
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int prepared, in_parent, in_child;

static void Prepare(void) {
  pthread_mutex_lock(&lock);
  assert(prepared == 1);
  prepared = 2;
}
static void PrepareFirst(void) { prepared = 1; }
static void Parent(void) {
  in_parent = 1;
  pthread_mutex_unlock(&lock);
}
static void Child(void) {
  in_child = 1;
  pthread_mutex_unlock(&lock);
}

static void* Use(void* unused) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_atfork(Prepare, Parent, Child);
  pthread_atfork(PrepareFirst, NULL, NULL);  // the last to be registered is the first to prepare
  pthread_t thread;
  pthread_create(&thread, NULL, Use, NULL);
  const pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(&lock);
    _exit(in_child == 1 && in_parent == 0 && prepared == 2 ? 0 : 1);
  }
  assert(in_parent == 1 && in_child == 0);
  int status = -1;
  assert(waitpid(child, &status, 0) == child && status == 0);
  pthread_join(thread, NULL);
}
