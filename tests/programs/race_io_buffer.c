// A call of the system reads or fills a buffer that another thread writes to: an access like any
// other. Which call is the argument; joining the other thread first is right.
// RUN: heddle run --runs=60 -- write
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- read
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- send
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- recv
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- writev
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- recvmsg
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- file
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- fputs
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- fread
// EXPECT: kind=race
// RUN: heddle run --runs=60 -- write joined
// EXPECT: clean
// RUN: heddle run --runs=60 -- read joined
// EXPECT: clean
// RUN: heddle run --runs=60 -- read beside
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kSize = 8, kUsed = 6 };
static char buffer[kSize + 1] = "abcdefgh";
static int at = 3;

static void* Change(void* unused) {
  buffer[at] = 'X';
  return unused;
}

static void Use(const char* call) {
  int ends[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  assert(send(ends[1], "12345678", kUsed, 0) == kUsed);
  struct iovec parts[2] = {{buffer, 1}, {buffer + 1, kUsed - 1}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  if (strcmp(call, "write") == 0) assert(write(ends[0], buffer, kUsed) == kUsed);
  if (strcmp(call, "read") == 0) assert(read(ends[0], buffer, kSize) == kUsed);
  if (strcmp(call, "send") == 0) assert(send(ends[0], buffer, kUsed, 0) == kUsed);
  if (strcmp(call, "recv") == 0) assert(recv(ends[0], buffer, kSize, 0) == kUsed);
  if (strcmp(call, "writev") == 0) assert(writev(ends[0], parts, 2) == kUsed);
  if (strcmp(call, "recvmsg") == 0) assert(recvmsg(ends[0], &message, 0) == kUsed);
  if (strcmp(call, "file") == 0) {
    const int file = memfd_create("buffer", 0);
    assert(write(file, buffer, kUsed) == kUsed);
    close(file);
  }
  if (strcmp(call, "fputs") == 0) assert(fputs(buffer, stdout) >= 0);
  if (strcmp(call, "fread") == 0) {
    FILE* const zeros = fopen("/dev/zero", "r");
    assert(zeros != NULL && fread(buffer, 1, kUsed, zeros) == kUsed);
    fclose(zeros);
  }
  close(ends[0]);
  close(ends[1]);
}

int main(int count, char** words) {
  assert(count > 1);
  const char* const how = count > 2 ? words[2] : "";
  if (strcmp(how, "beside") == 0) at = kUsed;
  pthread_t other;
  pthread_create(&other, NULL, Change, NULL);
  if (strcmp(how, "joined") == 0) pthread_join(other, NULL);
  Use(words[1]);
  if (strcmp(how, "joined") != 0) pthread_join(other, NULL);
}
