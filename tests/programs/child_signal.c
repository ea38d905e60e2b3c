// Who waits for a descriptor is told of the end of a child by a handler that writes there.
// RUN: heddle run --runs=4
// EXPECT: clean, uncontrolled=fork, uncontrolled=waiting for somebody outside the program
// RUN: heddle run --runs=4 -- thread
// EXPECT: clean, uncontrolled=fork, uncontrolled=waiting for somebody outside the program
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

static void Tell(int number) {
  const int error = errno;
  const char byte = (char)number;
  assert(send(ends[0], &byte, 1, 0) == 1);
  errno = error;
}

static void* Nothing(void* given) { return given; }

int main(int argc, char** argv) {
  (void)argv;
  pthread_t thread;
  if (argc > 1) {
    pthread_create(&thread, NULL, Nothing, NULL);
    pthread_join(thread, NULL);
  }
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  signal(SIGCHLD, Tell);
  const pid_t child = fork();
  if (child == 0) {
    const struct timespec moment = {0, 50000000};
    nanosleep(&moment, NULL);
    _exit(3);
  }
  struct pollfd one = {ends[1], POLLIN, 0};
  while (poll(&one, 1, -1) < 0) assert(errno == EINTR);
  char byte = 0;
  assert(recv(ends[1], &byte, 1, 0) == 1 && byte == SIGCHLD);
  int status = 0;
  assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
  return 0;
}
