#include "stats/verdict.h"

#include <cmath>
#include <cstdio>

namespace heddle {
namespace {

template <typename... Values>
std::string Format(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string Thousands(double number) {
  std::string digits = Format("%.0f", number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

}  // namespace

Verdict Judge(std::uint64_t hits, const FrequencyCounts& counts) {
  Verdict verdict;
  verdict.runs = counts.runs;
  verdict.hits = hits;
  verdict.classes_seen = counts.classes;
  verdict.classes_estimate = EstimateClasses(counts);
  verdict.classes_exact = counts.exact;
  verdict.unseen = EstimateUnseenMass(counts);
  if (counts.runs == 0) return verdict;
  verdict.hit_ratio = static_cast<double>(hits) / static_cast<double>(counts.runs);
  verdict.ci95 = ClopperPearson95(hits, counts.runs);
  if (hits > 0) {
    verdict.p_upper95 = verdict.ci95.high;
    verdict.runs_for_99 = RunsToHit(verdict.hit_ratio);
  } else {
    verdict.p_upper95 = UpperBoundWithoutHit(counts.runs);
    verdict.runs_for_99 = RunsToHit(verdict.p_upper95);
  }
  return verdict;
}

std::string Describe(const Verdict& verdict) {
  if (verdict.runs == 0) return "no runs, no verdict";
  const std::string runs = Thousands(static_cast<double>(verdict.runs));
  std::string text;
  if (verdict.hits > 0) {
    text = Format("fails in %.3g of the runs (95 %% interval %.3g to %.3g); ", verdict.hit_ratio,
                  verdict.ci95.low, verdict.ci95.high) +
           Thousands(static_cast<double>(verdict.runs_for_99)) +
           " runs show it with 99 % probability.";
  } else {
    text = "no failure in " + runs +
           Format(" runs: for this sampler its probability is below %.2g (95 %% confidence; ",
                  verdict.p_upper95) +
           Thousands(static_cast<double>(verdict.runs_for_99)) + " runs for 99 %).";
  }
  text.append(verdict.classes_exact ? " " : " About ").append(Thousands(verdict.classes_seen));
  text.append(verdict.classes_seen == 1 ? " partial order seen" : " partial orders seen");
  text.append(", at least ").append(Thousands(std::ceil(verdict.classes_estimate)));
  text += Format(" exist; the next run is of a new one with probability %.2g (%.2g to %.2g).",
                 verdict.unseen.estimate, verdict.unseen.ci95.low, verdict.unseen.ci95.high);
  return text;
}

}  // namespace heddle
