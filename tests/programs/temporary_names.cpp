// Names of temporary files are drawn by libc, which looks at the clock as often as it likes: that
// is no event.
// RUN: heddle run --runs=1000
// EXPECT: clean, classes=1
#include <stdlib.h>
#include <unistd.h>

#include <cassert>
#include <thread>

int main() {
  char file[] = "/tmp/heddle_test_XXXXXX";
  const int descriptor = mkstemp(file);
  assert(descriptor >= 0 && unlink(file) == 0);
  char folder[] = "/tmp/heddle_test_XXXXXX";
  assert(mkdtemp(folder) == folder && rmdir(folder) == 0);
  std::thread([] {}).join();
}
