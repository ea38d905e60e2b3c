// A thread waits for a child that ends only when another thread has told it to.
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <thread>

int main() {
  int ends[2];
  assert(pipe(ends) == 0);
  const pid_t child = fork();
  assert(child >= 0);
  if (child == 0) {
    close(ends[1]);
    char byte = 0;
    _exit(read(ends[0], &byte, 1) == 1 ? byte : 1);
  }
  close(ends[0]);
  std::thread waits([child] {
    int status = 0;
    assert(waitpid(child, &status, 0) == child);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    assert(waitpid(child, nullptr, 0) == -1);
  });
  std::thread tells([end = ends[1]] {
    const char five = 5;
    assert(write(end, &five, 1) == 1);
  });
  waits.join();
  tells.join();
}
