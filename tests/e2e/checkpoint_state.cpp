// What a copy in mid-run has to bring along, in one program: thread-locals, an exception in flight,
// a recursive mutex that is held, a condition, memory, names of threads, random numbers, the clock,
// what was read and printed. Whoever finds something missing fails. The first argument says what
// else it does (KIND or KIND=FILE), of which all but reading forbids checkpoints; the second, that
// it does so at once.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

std::atomic<int> shared{0};
std::recursive_mutex mutex;
std::condition_variable_any ready;
bool is_ready = false;
thread_local std::string mine = "nobody";
std::string what;
std::string file;  // that is no temporary one

void Outside() {
  static char byte = 'x';
  if (what == "file") {
    std::FILE* const file = std::fopen((std::string(std::getenv("TMPDIR")) + "/log").c_str(), "w");
    std::fputs("begun\n", file);
    std::fclose(file);
  } else if (what == "open") {
    assert(open("/dev/null", O_WRONLY) >= 0);
  } else if (what == "read") {
    std::FILE* const file = std::fopen("/proc/version", "r");
    assert(std::fread(&byte, 1, 1, file) == 1);
    std::fclose(file);
  } else if (what == "write") {
    std::FILE* const file = std::fopen("/dev/null", "w");
    std::fputs("begun\n", file);
    std::fclose(file);
  } else if (what == "pipe") {
    int ends[2];
    assert(pipe(ends) == 0 && write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1);
  } else if (what == "socket") {
    int ends[2];
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  } else if (what == "memory") {
    void* const page =
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert(page != MAP_FAILED);
    std::memset(page, 1, 4096);
  } else if (what == "close") {
    close(2);
  } else if (what == "rename") {
    const std::string other = file + "-renamed";
    assert(std::rename(file.c_str(), other.c_str()) == 0);
    assert(std::rename(other.c_str(), file.c_str()) == 0);
  } else if (what == "unlink") {
    const std::string link = file + "-link";
    assert(symlink("nowhere", link.c_str()) == 0 && unlink(link.c_str()) == 0);
  } else if (what == "touch") {
    close(open(file.c_str(), O_WRONLY | O_TRUNC));
  }
}

void Work(const char* name, int steps) {
  mine = name;
  pthread_setname_np(pthread_self(), name);
  const auto block = std::make_unique<std::string>(name);
  std::mt19937 random(std::random_device{}());
  const std::uint32_t drawn = random();
  const std::lock_guard outer(mutex);
  try {
    const std::lock_guard inner(mutex);
    for (int i = 0; i < steps; ++i) shared.fetch_add(1, std::memory_order_relaxed);
    std::this_thread::yield();
    throw std::runtime_error(name);
  } catch (const std::exception& error) {
    shared.fetch_add(1, std::memory_order_relaxed);
    assert(std::strcmp(error.what(), name) == 0);
  }
  assert(mine == name && *block == name);
  assert(random() != drawn);
  std::fprintf(stderr, "%s\n", name);
}

}  // namespace

int main(int argc, char** argv) {
  what = argc > 1 ? argv[1] : "nothing";
  if (const std::size_t at = what.find('='); at != std::string::npos) {
    file = what.substr(at + 1);
    what.resize(at);
  }
  std::signal(SIGCHLD, SIG_IGN);
  if (argc > 2) Outside();
  char line[64];
  assert(std::fgets(line, sizeof line, stdin) != nullptr);
  std::printf("read %s", line);
  std::fflush(stdout);
  std::thread one(Work, "one", 2);
  std::thread two([] {
    {
      std::unique_lock lock(mutex);
      ready.wait(lock, [] { return is_ready; });
    }
    Work("two", 2);
  });
  if (argc == 2) Outside();
  {
    const std::lock_guard lock(mutex);
    is_ready = true;
  }
  ready.notify_one();
  const auto before = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  assert(std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(5));
  shared.fetch_add(1, std::memory_order_relaxed);
  one.join();
  two.join();
  assert(std::fgets(line, sizeof line, stdin) != nullptr);
  std::printf("then %s", line);
  assert(shared == 7);
}
