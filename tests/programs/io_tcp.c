// A connection over TCP to oneself: listen, connect, accept, bytes, end.
// RUN: heddle run --runs=30 --keep-going
// EXPECT: clean
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in address;

static void* Client(void* unused) {
  const int mine = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(mine, (struct sockaddr*)&address, sizeof address) == 0);
  assert(send(mine, "hello", 5, 0) == 5);
  close(mine);
  return unused;
}

int main(void) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert(bind(listener, (struct sockaddr*)&address, sizeof address) == 0);
  socklen_t length = sizeof address;
  assert(getsockname(listener, (struct sockaddr*)&address, &length) == 0);
  assert(listen(listener, 4) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Client, NULL);
  const int peer = accept(listener, NULL, NULL);
  assert(peer >= 0);
  char bytes[6] = "";
  assert(recv(peer, bytes, 5, MSG_WAITALL) == 5 && bytes[4] == 'o');
  assert(recv(peer, bytes, 1, 0) == 0);
  close(peer);
  close(listener);
  pthread_join(thread, NULL);
}
