// in_library FILE RUNS: what a run of one of the programs costs inside heddle::Explore.
//
// Linked with the program and -Wl,--wrap=main: the program's main is the body. The programs keep
// their state in variables of their own, as programs do: what main finds there is put back before
// every run. The time is that from the beginning of a run to the beginning of the next, where both
// are runs of the search in one process. So these are not measured: a run that shows the bug, which
// ends its process, sooner or later; the uncounted first run of a process, which finds its memory
// untouched; and the runs in which findings are examined once the search is over, which write down
// where everything happened and are made by another worker.
#include <heddle/heddle.h>
#include <sys/mman.h>

#include "../programs/measure.h"

extern "C" {
extern char __data_start, _end;  // of all variables of the executable
int __real_main();               // the program's
int __wrap_main(int, char** arguments);
}

namespace {

// In memory that the runs share with the test: they are made in other processes.
struct Shared {
  std::uint64_t began = 0;
  long worker = 0;   // that makes the search
  long process = 0;  // that began a run last
  std::uint64_t runs_of_process = 0;
  Samples samples;
};
Shared* shared = nullptr;
char* first_state = nullptr;

UNSEEN void Copy(char* to, const char* from, std::size_t size) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

UNSEEN void PutBack() { Copy(&__data_start, first_state, &_end - &__data_start); }

UNSEEN void Begin() {
  const std::uint64_t now = Nanoseconds();
  const long process = Kernel(SYS_getpid), worker = Kernel(SYS_getppid);
  if (shared->worker == 0) shared->worker = worker;
  if (shared->process != process) shared->runs_of_process = 0;
  shared->process = process;
  if (++shared->runs_of_process > 2 && worker == shared->worker) {
    shared->samples.Add(static_cast<double>(now - shared->began));
  }
  shared->began = now;
}

}  // namespace

int __wrap_main(int, char** arguments) {
  const auto map = [](std::size_t size) {
    return mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  };
  shared = static_cast<Shared*>(map(sizeof(Shared)));
  first_state = static_cast<char*>(map(static_cast<std::size_t>(&_end - &__data_start)));
  Copy(first_state, &__data_start, &_end - &__data_start);
  heddle::Options options;
  options.strategy = "random";
  options.runs = std::strtoull(arguments[2], nullptr, 10);
  options.time = "60s";
  options.keep_going = true;
  options.races = "off";
  options.on_finding = heddle::kReturn;
  heddle::Explore(options, [] {
    PutBack();
    Begin();
    __real_main();
  });
  if (shared->samples.count == 0) return 1;
  Report(arguments[1], "run", &shared->samples);
  return 0;
}
