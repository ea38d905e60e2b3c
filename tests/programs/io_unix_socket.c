// A named Unix socket (of the abstract kind), and messages in parts.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void* Client(void* unused) {
  const int mine = socket(AF_UNIX, SOCK_STREAM, 0);
  assert(connect(mine, (struct sockaddr*)&address, sizeof address) == 0);
  struct iovec parts[2] = {{"ab", 2}, {"cd", 2}};
  const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  assert(sendmsg(mine, &message, 0) == 4);
  char byte;
  assert(read(mine, &byte, 1) == 1 && byte == '!');
  close(mine);
  return unused;
}

int main(void) {
  snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "heddle-test-%d", (int)getpid());
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  assert(bind(listener, (struct sockaddr*)&address, sizeof address) == 0);
  assert(listen(listener, 1) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Client, NULL);
  const int peer = accept(listener, NULL, NULL);
  char bytes[4];
  struct iovec part = {bytes, sizeof bytes};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  assert(recvmsg(peer, &message, 0) == 4 && bytes[3] == 'd');
  assert(write(peer, "!", 1) == 1);
  pthread_join(thread, NULL);
  close(peer);
  close(listener);
}
