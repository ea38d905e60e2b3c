// Stacks that the program switches itself keep working: coroutines in two threads.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
// RUN: heddle run --strategy=pos --runs=500 --races=off -- racy
// EXPECT: kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

enum { kRounds = 3, kStack = 1 << 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total = 0;
static int is_racy = 0;

struct Coroutine {
  ucontext_t caller, callee;
  int rounds;
  char stack[kStack];
};

static void Body(unsigned high, unsigned low) {
  struct Coroutine* const self = (struct Coroutine*)(((unsigned long)high << 32) | low);
  for (int i = 0; i < kRounds; ++i) {
    if (!is_racy) pthread_mutex_lock(&lock);
    const int before = total;
    total = before + 1;
    if (!is_racy) pthread_mutex_unlock(&lock);
    ++self->rounds;
    swapcontext(&self->callee, &self->caller);
  }
}

static void* Drive(void* unused) {
  struct Coroutine* const coroutine = malloc(sizeof *coroutine);
  coroutine->rounds = 0;
  getcontext(&coroutine->callee);
  coroutine->callee.uc_stack.ss_sp = coroutine->stack;
  coroutine->callee.uc_stack.ss_size = kStack;
  coroutine->callee.uc_link = &coroutine->caller;
  const unsigned long address = (unsigned long)coroutine;
  makecontext(&coroutine->callee, (void (*)(void))Body, 2, (unsigned)(address >> 32),
              (unsigned)address);
  for (int i = 0; i < kRounds; ++i) {
    swapcontext(&coroutine->caller, &coroutine->callee);
    assert(coroutine->rounds == i + 1);
  }
  free(coroutine);
  return unused;
}

int main(int count, char** arguments) {
  (void)arguments;
  is_racy = count > 1;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Drive, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(total == 2 * kRounds);
}
