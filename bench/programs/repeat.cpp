// repeat FILE RUNS STRATEGY SEED TIME [keep-going]: the program that this is linked to with
// --wrap=main, as the body of heddle::Explore. Its static data is put back before every run, so
// that each is the first.
#include <heddle/heddle.h>

#include <cstdlib>

#include "measure.h"

extern "C" {
int __real_main();               // the program's
extern char __data_start, _end;  // by the linker: around all static data of this executable
}

namespace {

char* initial = nullptr;

UNSEEN void Copy(char* to, const char* from, std::size_t size) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

}  // namespace

extern "C" int __wrap_main(int count, char** argv) {
  heddle::Options options;
  options.runs = std::strtoull(argv[2], nullptr, 10);
  options.strategy = argv[3];
  options.seed = std::strtoull(argv[4], nullptr, 10);
  options.time = argv[5];
  options.races = "off";
  options.keep_going = count > 6;
  options.on_finding = heddle::kReturn;
  const auto size = static_cast<std::size_t>(&_end - &__data_start);
  initial = new char[size];
  Copy(initial, &__data_start, size);
  const std::uint64_t began = Nanoseconds();
  const heddle::Result result = heddle::Explore(options, [size] {
    Copy(&__data_start, initial, size);
    __real_main();
  });
  const double seconds = static_cast<double>(Nanoseconds() - began) / 1e9;
  double hits = 0;
  for (const heddle::Finding& finding : result.findings) hits += static_cast<double>(finding.hits);
  const auto report = [argv](const char* name, double value) {
    Report(argv[1], name, value, value);
  };
  report("runs", static_cast<double>(result.runs));
  report("hits", hits);
  report("complete", result.complete ? 1 : 0);
  report("leaks", result.leaks_state ? 1 : 0);
  report("seconds", seconds);
  std::fputs(result.Summary().c_str(), stdout);
  return 0;
}
