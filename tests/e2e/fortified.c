// Every call here becomes another one where its buffer's size is known and -D_FORTIFY_SOURCE is given.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int first[2], second[2], sockets[2];
volatile int one = 1, eight = 8;  // not known before

static void* Read(void* unused) {
  char text[8];
  struct pollfd wait[1] = {{first[0], POLLIN, 0}};
  assert(poll(wait, (nfds_t)one, -1) == 1);
  assert(read(first[0], text, (size_t)eight) == 2 && text[0] == 'h');
  assert(recv(sockets[0], text, (size_t)eight, 0) == 1 && text[0] == 's');
  assert(recvfrom(sockets[0], text, (size_t)one, MSG_WAITALL, NULL, NULL) == 1);
  FILE* const stream = fdopen(second[0], "r");
  assert(fgets(text, eight, stream) != NULL && strcmp(text, "line\n") == 0);
  assert(fread(text, 1, (size_t)one, stream) == 1 && text[0] == 'x');
  fclose(stream);
  return unused;
}

int main(void) {
  assert(pipe(first) == 0 && pipe(second) == 0);
  assert(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Read, NULL);
  assert(write(first[1], "hi", 2) == 2);
  assert(send(sockets[1], "s", 1, 0) == 1 && send(sockets[1], "t", 1, 0) == 1);
  assert(dprintf(second[1], "line%c", '\n') == 5 && write(second[1], "x", 1) == 1);
  pthread_join(thread, NULL);
  printf("%d\n", one);
}
