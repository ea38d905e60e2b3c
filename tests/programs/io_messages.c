// Several buffers or messages in one call, more than fits at once, and calls that wait for all of it.
// RUN: heddle run --runs=20 --keep-going -- much writev
// EXPECT: clean
// RUN: heddle run --runs=20 --keep-going -- much sendmsg
// EXPECT: clean
// RUN: heddle run --runs=100 --keep-going -- all recvfrom
// EXPECT: clean
// RUN: heddle run --runs=100 --keep-going -- all message
// EXPECT: clean
// RUN: heddle run --strategy=optimal-dpor -- many
// EXPECT: clean, complete
// RUN: heddle run --runs=100 --keep-going -- here
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kMuch = 300000, kFirst = 100000 };
static int ends[2];
static int sends_message;
static char much[kMuch];

static void* SendMuch(void* unused) {
  struct iovec parts[2] = {{much, kFirst}, {much + kFirst, kMuch - kFirst}};
  const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  const ssize_t sent = sends_message ? sendmsg(ends[1], &message, 0) : writev(ends[1], parts, 2);
  assert(sent == kMuch);
  close(ends[1]);
  return unused;
}

static void ReceiveMuch(void) {
  char part[4096];
  ssize_t got;
  ssize_t all = 0;
  while ((got = read(ends[0], part, sizeof part)) > 0) all += got;
  assert(all == kMuch);
}

static void* SendTwice(void* unused) {
  assert(write(ends[1], "ab", 2) == 2);
  assert(write(ends[1], "cd", 2) == 2);
  return unused;
}

static void ReceiveAll(void) {
  char text[4];
  struct iovec parts[2] = {{text, 1}, {text + 1, 3}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  const ssize_t got = sends_message ? recvmsg(ends[0], &message, MSG_WAITALL)
                                    : recvfrom(ends[0], text, 4, MSG_WAITALL, NULL, NULL);
  assert(got == 4 && memcmp(text, "abcd", 4) == 0);
}

static void* SendMany(void* unused) {
  struct iovec parts[2] = {{"x", 1}, {"yz", 2}};
  struct mmsghdr messages[2] = {{.msg_hdr = {.msg_iov = &parts[0], .msg_iovlen = 1}},
                                {.msg_hdr = {.msg_iov = &parts[1], .msg_iovlen = 1}}};
  assert(sendmmsg(ends[1], messages, 2, 0) == 2);
  return unused;
}

static void ReceiveMany(void) {
  char texts[2][8];
  struct iovec parts[2] = {{texts[0], 8}, {texts[1], 8}};
  struct mmsghdr messages[2] = {{.msg_hdr = {.msg_iov = &parts[0], .msg_iovlen = 1}},
                                {.msg_hdr = {.msg_iov = &parts[1], .msg_iovlen = 1}}};
  const int first = recvmmsg(ends[0], messages, 2, MSG_WAITFORONE, NULL);
  assert(first == 1 || first == 2);
  if (first == 1) assert(recvmmsg(ends[0], &messages[1], 1, 0, NULL) == 1);
  assert(messages[0].msg_len == 1 && messages[1].msg_len == 2);
  assert(recvmmsg(ends[0], messages, 1, MSG_DONTWAIT, NULL) == -1);
}

static void* WriteHere(void* unused) {
  const struct iovec part = {"ab", 2};
  assert(pwritev2(ends[1], &part, 1, -1, 0) == 2);
  return unused;
}

static void ReadHere(void) {
  const int set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  assert(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
  const struct timespec long_time = {1000, 0};
  if (epoll_pwait2(set, &event, 1, &long_time, NULL) == 0) {
    assert(epoll_pwait2(set, &event, 1, NULL, NULL) == 1);
  }
  char text[2];
  const struct iovec part = {text, 2};
  assert(preadv2(ends[0], &part, 1, -1, 0) == 2 && text[1] == 'b');
}

int main(int count, char** words) {
  const int what = words[1][1];  // mUch, aLl, mAny, hEre
  sends_message = count > 2 && strstr(words[2], "m") != NULL && words[2][0] != 'r';
  assert(what == 'e' || (what == 'u' && !sends_message)
             ? pipe(ends) == 0
             : socketpair(AF_UNIX, what == 'a' ? SOCK_DGRAM : SOCK_STREAM, 0, ends) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL,
                 what == 'u'   ? SendMuch
                 : what == 'l' ? SendTwice
                 : what == 'a' ? SendMany
                               : WriteHere,
                 NULL);
  if (what == 'u') ReceiveMuch();
  if (what == 'l') ReceiveAll();
  if (what == 'a') ReceiveMany();
  if (what == 'e') ReadHere();
  pthread_join(thread, NULL);
}
