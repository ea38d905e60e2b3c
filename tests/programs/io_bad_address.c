// An address that can't be read is an error of the call, as without heddle: with one thread, and
// while there are others.
// RUN: heddle run --runs=5 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void* Use(void* nowhere) {
  const struct sockaddr* const bad = (const struct sockaddr*)nowhere;
  const int types[2] = {SOCK_STREAM, SOCK_DGRAM};
  for (int i = 0; i < 4; ++i) {
    const int mine = socket(i < 2 ? AF_INET : AF_UNIX, types[i % 2], 0);
    const socklen_t length = i < 2 ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_un);
    assert(bind(mine, bad, length) == -1 && errno == EFAULT);
    assert(connect(mine, bad, length) == -1 && errno == EFAULT);
    if (i % 2 == 1 && bad != NULL)
      assert(sendto(mine, "x", 1, 0, bad, length) == -1 && errno == EFAULT);
    close(mine);
  }
  return NULL;
}

int main(void) {
  void* const pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(munmap((char*)pages + 4096, 4096) == 0);
  void* const half = (char*)pages + 4096 - 4;  // its family can be read
  ((struct sockaddr*)half)->sa_family = AF_INET;
  void* const bad[3] = {NULL, (char*)pages + 4096, half};
  for (int i = 0; i < 3; ++i) {
    Use(bad[i]);
    pthread_t threads[2];
    for (int k = 0; k < 2; ++k) pthread_create(&threads[k], NULL, Use, bad[i]);
    for (int k = 0; k < 2; ++k) pthread_join(threads[k], NULL);
  }
}
