// SO_RCVTIMEO and SO_SNDTIMEO limit how long a call on a socket waits: nobody waits for ever there.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
// RUN: heddle run --strategy=dfs --runs=100000 -- short
// EXPECT: clean, complete
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static int ends[2];

static void* Write(void* unused) {
  assert(send(ends[1], "x", 1, 0) == 1);
  return unused;
}

static void LimitWaits(int socket) {
  const struct timeval moment = {0, 20000};
  assert(setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof moment) == 0);
  assert(setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &moment, sizeof moment) == 0);
}

int main(int argc, char** argv) {
  (void)argv;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  LimitWaits(ends[0]);
  char byte;
  pthread_t thread;
  pthread_create(&thread, NULL, Write, NULL);
  const ssize_t got = recv(ends[0], &byte, 1, 0);  // either is possible
  assert(got == 1 || (got == -1 && errno == EAGAIN));
  pthread_join(thread, NULL);
  if (got == -1) assert(read(ends[0], &byte, 1) == 1);
  assert(read(ends[0], &byte, 1) == -1 && errno == EAGAIN);
  if (argc > 1) return 0;

  static char much[1 << 20];
  const ssize_t some = write(ends[0], much, sizeof much);
  assert(some > 0 && some < (ssize_t)sizeof much);
  assert(send(ends[0], much, sizeof much, 0) == -1 && errno == EAGAIN);

  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert(bind(listener, (struct sockaddr*)&address, sizeof address) == 0);
  assert(listen(listener, 1) == 0);
  LimitWaits(listener);
  assert(accept(listener, NULL, NULL) == -1 && errno == EAGAIN);
}
