// What was written before a byte is sent is there for whoever gets it: pipe, socket, eventfd.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <thread>

int question = 0, answer = 0;

int main() {
  int pipes[2], sockets[2];
  assert(pipe(pipes) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  const int event = eventfd(0, 0);
  std::thread other([&] {
    char byte = 1;
    question = 1;
    assert(write(pipes[1], &byte, 1) == 1);
    assert(recv(sockets[0], &byte, 1, 0) == 1);
    assert(answer == 2);
    question = 3;
    assert(eventfd_write(event, 1) == 0);
  });
  char byte = 0;
  assert(read(pipes[0], &byte, 1) == 1);
  assert(question == 1);
  answer = 2;
  assert(send(sockets[1], &byte, 1, 0) == 1);
  eventfd_t value = 0;
  assert(eventfd_read(event, &value) == 0);
  assert(question == 3);
  other.join();
}
