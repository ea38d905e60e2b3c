// The corpus of `heddle bench sampling`: programs with one concurrency bug each, in bench/corpus,
// written after the public descriptions of the cases, and the paper's figures where it has a row.
#ifndef HEDDLE_BENCH_SAMPLING_CASES_H_
#define HEDDLE_BENCH_SAMPLING_CASES_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::bench {

// A row of Table 3 of Yuan, Yang, Gu (CAV 2018): hit ratios in 10^4 runs of their own program.
struct PaperRow {
  double random, pct2, pct3, pct4, pct5, pct20, pos;
};

struct SamplingCase {
  std::string_view name;
  std::string_view source;  // in bench/corpus, without the suffix
  std::string_view define;  // makes this case of the source; -DFIXED makes the twin without the bug
  PaperRow paper = {-1, -1, -1, -1, -1, -1, -1};  // negative: the paper has none
  std::uint64_t runs = 0;       // at least so many per sampler, where more than the others need
  std::uint64_t auto_runs = 0;  // that auto may need, likewise

  bool has_paper_row() const { return paper.random >= 0; }
};

std::span<const SamplingCase> SamplingCases();

}  // namespace heddle::bench

#endif  // HEDDLE_BENCH_SAMPLING_CASES_H_
