// A pair of sockets: bytes both ways, and a shutdown that the other end sees.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void* Echo(void* unused) {
  char bytes[8];
  ssize_t got;
  while ((got = recv(ends[1], bytes, sizeof bytes, 0)) > 0) {
    assert(send(ends[1], bytes, (size_t)got, 0) == got);
  }
  assert(got == 0);
  return unused;
}

int main(void) {
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Echo, NULL);
  char bytes[5] = "";
  assert(send(ends[0], "ping", 4, 0) == 4);
  assert(recv(ends[0], bytes, 4, MSG_WAITALL) == 4 && bytes[3] == 'g');
  shutdown(ends[0], SHUT_WR);
  pthread_join(thread, NULL);
}
