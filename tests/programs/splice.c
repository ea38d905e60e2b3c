// Bytes that the system moves by itself: who moves them waits for bytes and for room, and what is
// done before they are sent comes before what is done behind their receipt.
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- splice
// EXPECT: clean, complete
// RUN: heddle run --strategy=dpor --runs=500 -- splice
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- tee
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- vmsplice
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- sendfile
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- large
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- file
// EXPECT: clean, complete
// RUN: heddle run --runs=50 -- deadlock
// EXPECT: kind=deadlock, any-schedule, output~something to receive
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- empty
// EXPECT: kind=assertion
// RUN: heddle run --runs=100 -- race
// EXPECT: kind=race
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kSize = 4, kLarge = 3 << 16 };
static int first[2], second[2], file, data;
static const char* how;
static char large[kLarge];

static int Is(const char* what) { return strcmp(how, what) == 0; }

static void* Write(void* unused) {
  data = 1;
  if (!Is("deadlock")) assert(write(first[1], "abcd", kSize) == kSize);
  if (Is("race")) data = 2;
  return unused;
}

static void* Move(void* unused) {
  off_t begin = 0;
  if (Is("tee")) {
    assert(tee(first[0], second[1], kSize, 0) == kSize);
  } else if (Is("sendfile")) {
    assert(sendfile(second[1], file, &begin, kSize) == kSize && begin == kSize);
  } else if (Is("large")) {
    assert(sendfile(second[1], file, NULL, kLarge + 1) == kLarge);
  } else if (Is("vmsplice")) {
    struct iovec part = {large, kSize};
    memcpy(large, "abcd", kSize);
    assert(vmsplice(second[1], &part, 1, 0) == kSize);
  } else if (Is("file")) {
    assert(splice(first[0], NULL, file, NULL, kSize, 0) == kSize);
    assert(lseek(file, 0, SEEK_SET) == 0);
    assert(splice(file, NULL, second[1], NULL, kSize, 0) == kSize);
  } else if (Is("empty")) {
    const ssize_t moved = splice(first[0], NULL, second[1], NULL, kSize, SPLICE_F_NONBLOCK);
    assert(moved == kSize);
  } else {
    assert(splice(first[0], NULL, second[1], NULL, kSize, 0) == kSize);
  }
  return unused;
}

static void Read(int from) {
  char bytes[kSize];
  assert(read(from, bytes, kSize) == kSize && memcmp(bytes, "abcd", kSize) == 0);
}

int main(int count, char** words) {
  assert(count == 2);
  how = words[1];
  assert(pipe(first) == 0 && pipe(second) == 0);
  if (Is("large")) assert(socketpair(AF_UNIX, SOCK_STREAM, 0, second) == 0);
  file = memfd_create("file", 0);
  if (Is("sendfile")) assert(write(file, "abcd", kSize) == kSize);
  if (Is("large")) assert(write(file, large, kLarge) == kLarge);
  lseek(file, 0, SEEK_SET);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, Write, NULL);
  pthread_create(&threads[1], NULL, Move, NULL);
  if (Is("large")) {
    for (int rest = kLarge; rest > 0;) {
      const ssize_t got = read(second[0], large, kLarge);
      assert(got > 0);
      rest -= (int)got;
    }
  } else {
    Read(second[0]);
  }
  if (!Is("sendfile") && !Is("vmsplice") && !Is("large")) assert(data >= 1);
  if (Is("tee")) Read(first[0]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
