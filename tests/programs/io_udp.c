// Datagrams to oneself, with the address they come from.
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
  const int mine = socket(AF_INET, SOCK_DGRAM, 0);
  assert(sendto(mine, "ab", 2, 0, (struct sockaddr*)&address, sizeof address) == 2);
  close(mine);
  return unused;
}

int main(void) {
  const int mine = socket(AF_INET, SOCK_DGRAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert(bind(mine, (struct sockaddr*)&address, sizeof address) == 0);
  socklen_t length = sizeof address;
  assert(getsockname(mine, (struct sockaddr*)&address, &length) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Client, NULL);
  char bytes[8];
  struct sockaddr_in from;
  length = sizeof from;
  assert(recvfrom(mine, bytes, sizeof bytes, 0, (struct sockaddr*)&from, &length) == 2);
  assert(from.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
  pthread_join(thread, NULL);
  close(mine);
}
