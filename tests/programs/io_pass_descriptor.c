// Descriptors that one thread passes to another are other numbers for the same things: what waits
// for them waits for nobody outside.
// RUN: heddle run --strategy=dfs
// EXPECT: clean, complete
// RUN: heddle run --runs=100 -- never
// EXPECT: kind=deadlock, any-schedule
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int pair[2], ends[2], event;

static void* Receive(void* unused) {
  int passed[2];
  char byte = 0;
  char control[CMSG_SPACE(sizeof passed)];
  struct iovec part = {&byte, 1};
  struct msghdr message = {0};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  assert(recvmsg(pair[1], &message, 0) == 1 && byte == '!');
  const struct cmsghdr* const header = CMSG_FIRSTHDR(&message);
  assert(header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS);
  memcpy(passed, CMSG_DATA(header), sizeof passed);
  uint64_t count = 0;
  assert(read(passed[0], &count, sizeof count) == sizeof count && count == 3);
  assert(write(passed[1], "x", 1) == 1);
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  assert(pipe(ends) == 0);
  event = eventfd(0, 0);
  pthread_t receiver;
  assert(pthread_create(&receiver, NULL, Receive, NULL) == 0);

  const int passed[2] = {event, ends[1]};
  char byte = '!';
  char control[CMSG_SPACE(sizeof passed)];
  memset(control, 0, sizeof control);
  struct iovec part = {&byte, 1};
  struct msghdr message = {0};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  struct cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof passed);
  memcpy(CMSG_DATA(header), passed, sizeof passed);
  assert(sendmsg(pair[0], &message, 0) == 1);

  if (argc == 1) assert(eventfd_write(event, 3) == 0);
  assert(read(ends[0], &byte, 1) == 1 && byte == 'x');
  assert(pthread_join(receiver, NULL) == 0);
}
