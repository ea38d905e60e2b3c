// What pread, pwrite and their relatives read or fill is an access of their caller: it may race or
// use what was freed, and both orders with what another thread does are tried. Joining the other
// thread first is right.
// RUN: heddle run --runs=60 -- pread
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- pwrite
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- preadv
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- pwritev
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- preadv2
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- pwritev2
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- pread joined
// EXPECT: clean
// RUN: heddle run --runs=60 -- pwrite joined
// EXPECT: clean
// RUN: heddle run --runs=60 -- pwritev joined
// EXPECT: clean
// RUN: heddle run --runs=60 -- pread beside
// EXPECT: clean
// RUN: heddle run --runs=60 -- pread freed
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --runs=60 -- pwrite freed
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- pread before
// EXPECT: kinds=assertion+race, complete
// RUN: heddle run --strategy=optimal-dpor --keep-going -- pread behind
// EXPECT: kinds=assertion+race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- pwritev before
// EXPECT: kinds=assertion+race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- pwritev behind
// EXPECT: kinds=assertion+race, complete
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kSize = 8, kUsed = 6 };
static char* buffer;
static int at = 3;
static char seen;
static int file;
static const char* call;
static const char* how = "";

static int Is(const char* one, const char* other) { return strcmp(one, other) == 0; }

static void* Use(void* unused) {
  const struct iovec parts[2] = {{buffer, 1}, {buffer + 1, kUsed - 1}};
  if (Is(call, "pread")) assert(pread(file, buffer, kSize, 2) == kUsed);
  if (Is(call, "pwrite")) assert(pwrite(file, buffer, kUsed, 2) == kUsed);
  if (Is(call, "preadv")) assert(preadv(file, parts, 2, 2) == kUsed);
  if (Is(call, "pwritev")) assert(pwritev(file, parts, 2, 2) == kUsed);
  if (Is(call, "preadv2")) assert(preadv2(file, parts, 2, 2, 0) == kUsed);
  if (Is(call, "pwritev2")) assert(pwritev2(file, parts, 2, 2, 0) == kUsed);
  return unused;
}

static void* Change(void* unused) {
  buffer[at] = 'X';
  return unused;
}

static void* Look(void* unused) {
  seen = buffer[at];
  return unused;
}

// What came of it depends on who came first.
static void Check(void) {
  const int before = Is(how, "before");
  if (!before && !Is(how, "behind")) return;
  char written = 0;
  assert(Is(call, "pread") || (lseek(file, 5, SEEK_SET) == 5 && read(file, &written, 1) == 1));
  assert(Is(call, "pread") ? seen != (before ? 'd' : '3') : written != (before ? 'd' : 'X'));
}

int main(int count, char** words) {
  assert(count > 1);
  call = words[1];
  if (count > 2) how = words[2];
  if (Is(how, "beside")) at = kUsed;
  buffer = malloc(kSize);
  memcpy(buffer, "abcdefgh", kSize);
  file = memfd_create("buffer", 0);
  assert(write(file, "__012345", 8) == 8);
  pthread_t other;
  if (Is(how, "freed")) {
    pthread_create(&other, NULL, Use, NULL);
    free(buffer);
    pthread_join(other, NULL);
    return 0;
  }
  const int looks = Is(call, "pread") && (Is(how, "before") || Is(how, "behind"));
  pthread_create(&other, NULL, looks ? Look : Change, NULL);
  if (Is(how, "joined")) pthread_join(other, NULL);
  Use(NULL);
  if (!Is(how, "joined")) pthread_join(other, NULL);
  Check();
  free(buffer);
}
