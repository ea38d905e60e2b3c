// Programs that heddle must survive; the first argument chooses one. Each starts a thread first, so
// that it is searched and not just run.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

volatile int* volatile nowhere = nullptr;

// A bug that shows in some orders only: what comes before it must not keep heddle from finding it.
void LoseAnUpdate() {
  int counter = 0;
  const auto add = [&counter] {
    const int seen = counter;
    counter = seen + 1;
  };
  std::thread a(add);
  std::thread b(add);
  a.join();
  b.join();
  assert(counter == 2);
}

struct Range {
  std::uint64_t begin;
  std::uint64_t end;
};

// The writable mappings, shared ones only or all.
std::vector<Range> Writable(bool shared_only) {
  std::vector<Range> ranges;
  FILE* const maps = std::fopen("/proc/self/maps", "r");
  char line[4096];
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin;
    unsigned long end;
    char mode[5];
    if (std::sscanf(line, "%lx-%lx %4s", &begin, &end, mode) != 3 || mode[1] != 'w') continue;
    if (!shared_only || mode[3] == 's') ranges.push_back({begin, end});
  }
  std::fclose(maps);
  return ranges;
}

void Scribble(const Range& range, std::uint64_t seed, std::uint64_t step) {
  for (std::uint64_t at = range.begin; at + 8 <= range.end; at += 8 * (1 + seed % step)) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    *reinterpret_cast<volatile std::uint64_t*>(at) = seed;
  }
}

[[gnu::noinline]] int Overflow(int depth) {
  volatile char block[4096];
  block[depth % 4096] = static_cast<char>(depth);
  return Overflow(depth + 1) + block[0];
}

sigjmp_buf back;

void Run(const std::string& what) {
  if (what == "nothing") return;
  if (what == "close-all") {
    syscall(SYS_close_range, 0u, ~0u, 0u);
    LoseAnUpdate();
  } else if (what == "close-stdio") {
    close(0);
    close(1);
    close(2);
    LoseAnUpdate();
  } else if (what == "loop") {
    for (volatile int i = 0;; i = i + 1) {
    }
  } else if (what == "loop-with-events") {
    static std::atomic<unsigned> rounds{0};
    for (;;) ++rounds;
  } else if (what == "allocate") {
    for (;;) {
      char* const block = new char[1 << 20];
      std::memset(block, 1, 1 << 20);
    }
  } else if (what == "allocate-mmap") {
    for (;;) {
      void* const block =
          mmap(nullptr, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (block == MAP_FAILED) std::exit(9);
      std::memset(block, 1, 16 << 20);
    }
  } else if (what == "scribble-heap") {
    char* const block = new char[16];
    std::memset(block - 64, 0x5a, 4096);
    for (int i = 0; i < 100; ++i) delete[](new char[i * 16]);
    delete[] block;
  } else if (what == "scribble-channel") {
    for (const Range& range : Writable(true)) Scribble(range, 1, 3);
    LoseAnUpdate();
  } else if (what == "scribble-channel-rarely") {
    for (const Range& range : Writable(true)) Scribble(range, 7, 5000);
    LoseAnUpdate();
  } else if (what == "zero-channel") {
    for (const Range& range : Writable(true)) {
      std::memset(reinterpret_cast<void*>(range.begin), 0, range.end - range.begin);
    }
    LoseAnUpdate();
  } else if (what == "ones-channel") {
    for (const Range& range : Writable(true)) {
      std::memset(reinterpret_cast<void*>(range.begin), 0xff, range.end - range.begin);
    }
    _exit(0);
  } else if (what == "scribble-everything") {
    for (const Range& range : Writable(false)) Scribble(range, 3, 100);
  } else if (what == "unmap-channel") {
    for (const Range& range : Writable(true)) {
      munmap(reinterpret_cast<void*>(range.begin), range.end - range.begin);
    }
    LoseAnUpdate();
  } else if (what == "fork") {
    const pid_t child = fork();
    if (child == 0) {
      std::thread([] {}).join();
      _exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    LoseAnUpdate();
  } else if (what == "exec") {
    execl("/bin/true", "true", nullptr);
  } else if (what == "exec-fails") {
    execl("/bin/false", "false", nullptr);
  } else if (what == "kill-itself") {
    kill(getpid(), SIGKILL);
  } else if (what == "stop-itself") {
    kill(getpid(), SIGSTOP);
  } else if (what == "kill-the-worker") {
    kill(getppid(), SIGKILL);
    pause();
  } else if (what == "kill-the-group") {
    kill(0, SIGKILL);
    pause();
  } else if (what == "raw-exit") {
    syscall(SYS_exit_group, 5);
  } else if (what == "raw-exit-of-thread") {
    std::thread([] { syscall(SYS_exit, 0); }).join();
  } else if (what == "print") {
    const std::string line(99, 'x');
    for (int i = 0; i < 1000000; ++i) std::puts(line.c_str());
    LoseAnUpdate();
  } else if (what == "jump-out") {
    struct sigaction action = {};
    action.sa_handler = [](int) { siglongjmp(back, 1); };
    sigaction(SIGSEGV, &action, nullptr);
    for (int i = 0; i < 3; ++i) {
      if (sigsetjmp(back, 1) == 0) *nowhere = 1;
    }
    std::thread other([] {
      if (sigsetjmp(back, 1) == 0) *nowhere = 1;
    });
    other.join();
  } else if (what == "overflow") {
    Overflow(0);
  } else if (what == "overflow-in-thread") {
    std::thread([] { Overflow(0); }).join();
  } else if (what == "many-threads") {
    std::atomic<int> count{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 500; ++i) threads.emplace_back([&count] { ++count; });
    for (std::thread& thread : threads) thread.join();
    assert(count == 500);
  } else if (what == "detached-at-exit") {
    static std::atomic<int> never{0};
    std::thread([] {
      while (never.load() == 0) std::this_thread::yield();
    }).detach();
  } else if (what == "block") {
    int ends[2];
    if (pipe(ends) != 0) std::exit(9);
    char byte;
    std::exit(read(ends[0], &byte, 1) == 1 ? 8 : 9);
  } else if (what == "limits") {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    LoseAnUpdate();
  } else {
    std::exit(99);
  }
}

__attribute__((constructor)) void BeforeMain(int argc, char** argv, char**) {
  if (argc > 1 && std::strcmp(argv[1], "crash-before-main") == 0) *nowhere = 1;
  if (argc > 1 && std::strcmp(argv[1], "exit-before-main") == 0) _exit(4);
  if (argc > 1 && std::strcmp(argv[1], "loop-before-main") == 0) {
    for (volatile int i = 0;; i = i + 1) {
    }
  }
}

}  // namespace

int main(int, char** argv) {
  std::thread([] {}).join();
  Run(argv[1]);
}
