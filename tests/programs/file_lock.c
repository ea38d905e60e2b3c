// Locks of files: flock and OFD locks are the description's and make threads wait for each other;
// those of fcntl and lockf are the process's, and do not. All orders are tried.
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- flock
// EXPECT: clean, complete
// RUN: heddle run --strategy=dfs --runs=5000 -- flock
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- ofd
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- close
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- stream
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- replace
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=2000 -- change
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- process
// EXPECT: clean, complete
// RUN: heddle run --runs=100 -- deadlock
// EXPECT: kind=deadlock, output~a lock on a file
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- deadlock
// EXPECT: kind=deadlock
// RUN: heddle run --runs=50 -- itself
// EXPECT: kind=deadlock, any-schedule, output~a lock on a file
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- busy
// EXPECT: kind=assertion
// RUN: heddle run --strategy=dpor --runs=500 -- free
// EXPECT: kind=assertion, any-schedule
// RUN: heddle run --runs=100 -- race
// EXPECT: kind=race
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kThreads = 2 };
static int file, other, data, unprotected;
static const char* how;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int Is(const char* what) { return strcmp(how, what) == 0; }

// Another description of the same file.
static int Again(int descriptor) {
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  const int again = open(path, O_RDWR);
  assert(again >= 0);
  return again;
}

static int Set(int descriptor, int command, int type) {
  struct flock lock = {.l_type = (short)type, .l_whence = SEEK_SET};
  return fcntl(descriptor, command, &lock);
}

static void* Count(void* unused) {
  const int mine = Again(file);
  if (Is("ofd")) {
    assert(Set(mine, F_OFD_SETLKW, F_WRLCK) == 0);
  } else {
    assert(flock(mine, LOCK_EX) == 0);
  }
  ++data;
  if (Is("race")) {
    assert(flock(mine, LOCK_UN) == 0);
    ++unprotected;
  } else if (Is("flock")) {
    assert(flock(mine, LOCK_UN) == 0);
  } else if (Is("ofd")) {
    assert(Set(mine, F_OFD_SETLK, F_UNLCK) == 0);
  } else if (Is("stream")) {
    assert(fclose(fdopen(mine, "r+")) == 0);
    return unused;
  } else if (Is("replace")) {
    assert(dup2(other, mine) == mine);
  }
  close(mine);
  return unused;
}

// Both read, then both want to write: each gives up what it has first, so nobody waits for ever.
static void* Change(void* unused) {
  const int mine = Again(file);
  assert(flock(mine, LOCK_SH) == 0);
  assert(flock(mine, LOCK_EX) == 0);
  ++data;
  assert(flock(mine, LOCK_UN) == 0);
  return unused;
}

// The process has it already, or gets it, whichever thread asks.
static void* LockForProcess(void* unused) {
  assert(Set(file, F_SETLKW, F_WRLCK) == 0);
  assert(lockf(file, F_LOCK, 0) == 0);
  assert(lockf(file, F_TEST, 0) == 0);
  pthread_mutex_lock(&mutex);
  ++data;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* LockBoth(void* is_second) {
  const int mine[2] = {Again(file), Again(other)};
  const int first = is_second != NULL;
  assert(flock(mine[first], LOCK_EX) == 0);
  assert(flock(mine[!first], LOCK_EX) == 0);
  ++data;
  close(mine[0]);
  close(mine[1]);
  return NULL;
}

static void* HoldForAWhile(void* unused) {
  const int mine = Again(file);
  assert(flock(mine, LOCK_EX) == 0);
  assert(flock(mine, LOCK_UN) == 0);
  return unused;
}

int main(int count, char** words) {
  assert(count == 2);
  how = words[1];
  file = memfd_create("one", 0);
  other = memfd_create("two", 0);
  pthread_t threads[kThreads];
  void* (*work)(void*) = Count;
  if (Is("change")) work = Change;
  if (Is("process")) work = LockForProcess;
  if (Is("deadlock")) work = LockBoth;
  if (Is("busy") || Is("free")) work = HoldForAWhile;
  if (Is("itself")) {
    const int again = Again(file);
    pthread_create(&threads[0], NULL, HoldForAWhile, NULL);
    pthread_join(threads[0], NULL);
    flock(file, LOCK_EX);
    return flock(again, LOCK_EX);
  }
  if (Is("busy") || Is("free")) {
    pthread_create(&threads[0], NULL, work, NULL);
    const int result = flock(file, LOCK_EX | LOCK_NB);
    assert(result == 0 || errno == EWOULDBLOCK);
    assert((result == 0) == Is("busy"));
    if (result == 0) flock(file, LOCK_UN);
    pthread_join(threads[0], NULL);
    return 0;
  }
  for (int i = 0; i < kThreads; ++i) {
    pthread_create(&threads[i], NULL, work, i == 0 ? NULL : &other);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  assert(data >= kThreads);
}
