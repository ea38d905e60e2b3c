// Both ends of a connection are the program's: nobody outside is waited for, also when all sleep.
// RUN: heddle run --runs=60 --keep-going
// EXPECT: clean
// RUN: heddle run --runs=60 -- early
// EXPECT: kind=deadlock, any-schedule
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in address;

// Late enough that the other side waits, with and without a limit, while this one sleeps.
static void* Client(void* forgets) {
  const int mine = socket(AF_INET, SOCK_STREAM, 0);
  usleep(1000);
  assert(connect(mine, (struct sockaddr*)&address, sizeof address) == 0);
  usleep(1000);
  if (forgets == NULL) assert(send(mine, "hello", 5, 0) == 5);
  char byte;
  if (forgets != NULL) assert(recv(mine, &byte, 1, 0) == 1);
  close(mine);
  return NULL;
}

int main(int count, char** arguments) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert(bind(listener, (struct sockaddr*)&address, sizeof address) == 0);
  socklen_t length = sizeof address;
  assert(getsockname(listener, (struct sockaddr*)&address, &length) == 0);
  assert(listen(listener, 4) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Client, count > 1 ? arguments[1] : NULL);
  const int set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = listener}};
  assert(epoll_ctl(set, EPOLL_CTL_ADD, listener, &event) == 0);
  assert(epoll_wait(set, &event, 1, -1) == 1);
  const int peer = accept(listener, NULL, NULL);
  assert(peer >= 0);
  struct pollfd one = {.fd = peer, .events = POLLIN};
  while (count == 1 && poll(&one, 1, 10) == 0) {
  }
  char bytes[6] = "";
  assert(recv(peer, bytes, 5, MSG_WAITALL) == 5 && bytes[4] == 'o');
  assert(recv(peer, bytes, 1, 0) == 0);
  close(peer);
  close(listener);
  close(set);
  pthread_join(thread, NULL);
}
