// For programs that search scripts which they read, a line each, inside their process. Printed, per
// line: runs outcomes complete(0|1) classes.
#ifndef HEDDLE_TESTS_SEARCHED_SCRIPTS_H_
#define HEDDLE_TESTS_SEARCHED_SCRIPTS_H_

#include <heddle/heddle.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

namespace searched_scripts {

inline constexpr std::size_t kOutcomes = 1 << 20;  // by hash
inline unsigned char* seen = nullptr;              // shared with those who run the body

// Before there are runs.
inline void Prepare() {
  seen = static_cast<unsigned char*>(
      mmap(nullptr, kOutcomes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
}

// What a run came to.
inline void Note(std::size_t hash) { seen[(hash ^ hash >> 32) % kOutcomes] = 1; }

template <typename Run>
void Search(const char* strategy, const Run& run) {
  for (std::string script; std::getline(std::cin, script);) {
    std::memset(seen, 0, kOutcomes);
    const heddle::Result result = heddle::Explore({.strategy = strategy,
                                                   .runs = 1'000'000,
                                                   .keep_going = true,
                                                   .on_finding = heddle::kReturn},
                                                  [&] { run(script); });
    std::size_t outcomes = 0;
    for (std::size_t i = 0; i < kOutcomes; ++i) outcomes += seen[i];
    std::printf("%llu %zu %d %llu\n", static_cast<unsigned long long>(result.runs), outcomes,
                result.complete ? 1 : 0, static_cast<unsigned long long>(result.classes));
    if (!result.error.empty()) std::printf("error %s\n", result.error.c_str());
    std::fflush(stdout);
  }
}

}  // namespace searched_scripts

#endif  // HEDDLE_TESTS_SEARCHED_SCRIPTS_H_
