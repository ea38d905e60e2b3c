// in_library FILE RUNS: what a run of one of the programs costs inside heddle::Explore.
//
// Compiled with -DPROGRAM='"source.cpp"'. The programs keep their state in variables of their own,
// as programs do: what main finds there is put back before every run. The time is that from the
// beginning of a run to the beginning of the next. A run that shows the bug ends its process, and
// the next ones find their memory untouched: these are not measured.
//
// A main may end without a return, which a function that is called otherwise may not: -O0 by g++.
#include <heddle/heddle.h>
#include <sys/mman.h>

#define main ProgramMain
#include PROGRAM
#undef main

#include "../programs/measure.h"

extern "C" {
extern char __data_start, _end;  // of all variables of the executable
}

namespace {

// In memory that the runs share with the test: they are made in other processes.
struct Shared {
  std::uint64_t began = 0;
  std::uint64_t passed = 0;  // runs in a row, in one process; 0 while one is made
  std::uint64_t ended = 0;   // before that one
  Samples samples;
};
Shared* shared = nullptr;
char* first_state = nullptr;

UNSEEN void Copy(char* to, const char* from, std::size_t size) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

UNSEEN void PutBack() { Copy(&__data_start, first_state, &_end - &__data_start); }

UNSEEN void Begin() {
  constexpr std::uint64_t kWarm = 3;
  const std::uint64_t now = Nanoseconds();
  if (shared->passed > kWarm) shared->samples.Add(static_cast<double>(now - shared->began));
  shared->ended = shared->passed;
  shared->passed = 0;
  shared->began = now;
}

UNSEEN void Pass() { shared->passed = shared->ended + 1; }

}  // namespace

int main(int, char** argv) {
  const auto map = [](std::size_t size) {
    return mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  };
  shared = static_cast<Shared*>(map(sizeof(Shared)));
  first_state = static_cast<char*>(map(static_cast<std::size_t>(&_end - &__data_start)));
  Copy(first_state, &__data_start, &_end - &__data_start);
  heddle::Options options;
  options.strategy = "random";
  options.runs = std::strtoull(argv[2], nullptr, 10);
  options.time = "60s";
  options.keep_going = true;
  options.races = "off";
  options.on_finding = heddle::kReturn;
  heddle::Explore(options, [] {
    PutBack();
    Begin();
    ProgramMain();
    Pass();
  });
  if (shared->samples.count == 0) return 1;
  Report(argv[1], "run", &shared->samples);
}
