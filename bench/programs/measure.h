// What the measured programs share: a clock that heddle does not answer, and a place for results
// that is not standard output, which passing runs lose.
//
// Everything here is invisible to heddle: not instrumented, no call that it models.
#ifndef HEDDLE_BENCH_PROGRAMS_MEASURE_H_
#define HEDDLE_BENCH_PROGRAMS_MEASURE_H_

#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define UNSEEN __attribute__((no_sanitize("thread"), noinline))

UNSEEN inline long Kernel(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  long result;
  register long r10 asm("r10") = d;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
               : "rcx", "r11", "memory");
  return result;
}

// Real time, whatever the program is told.
UNSEEN inline std::uint64_t Nanoseconds() {
  timespec now;
  Kernel(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&now));
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// Samples of one figure; Report sorts them.
struct Samples {
  static constexpr int kMost = 4096;
  double values[kMost];
  int count = 0;
  UNSEEN void Add(double value) {
    if (count < kMost) values[count++] = value;
  }
  UNSEEN void Sort(int first) {
    for (int i = first + 1; i < count; ++i) {
      const double value = values[i];
      int at = i;
      for (; at > first && values[at - 1] > value; --at) values[at] = values[at - 1];
      values[at] = value;
    }
  }
};

// Appends "name minimum median" to the file.
UNSEEN inline void Report(const char* path, const char* name, double minimum, double median) {
  char line[128];
  const int length = std::snprintf(line, sizeof line, "%s %.4f %.4f\n", name, minimum, median);
  const long file =
      Kernel(SYS_open, reinterpret_cast<long>(path), O_WRONLY | O_CREAT | O_APPEND, 0600);
  Kernel(SYS_write, file, reinterpret_cast<long>(line), length);
  Kernel(SYS_close, file);
}

UNSEEN inline void Report(const char* path, const char* name, Samples* samples) {
  samples->Sort(0);
  Report(path, name, samples->values[0], samples->values[samples->count / 2]);
}

#endif  // HEDDLE_BENCH_PROGRAMS_MEASURE_H_
