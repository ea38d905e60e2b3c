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

std::string Thousands(std::uint64_t number) { return Thousands(static_cast<double>(number)); }

std::string Runs(std::uint64_t number) {
  return Thousands(number) + (number == 1 ? " run" : " runs");
}

std::string DescribeClasses(const SamplingVerdict& verdict) {
  if (verdict.classes_seen == 0) return "No run came to its end, so no class was counted.";
  std::string text = verdict.classes_exact ? "" : "About ";
  text.append(Thousands(verdict.classes_seen));
  text.append(verdict.classes_seen == 1 ? " class was seen" : " classes were seen");
  const double estimate = std::ceil(verdict.classes_estimate);
  if (estimate > verdict.classes_seen) {
    text.append(", at least ").append(Thousands(estimate)).append(" are estimated to exist");
  }
  return text + Format("; the next run is of a new one with probability %.2g (%.2g to %.2g).",
                       verdict.unseen.estimate, verdict.unseen.ci95.low, verdict.unseen.ci95.high);
}

// The last few points are what tells whether it still grows.
std::string DescribeSaturation(const SamplingVerdict& verdict) {
  constexpr std::size_t kShown = 6;
  const auto& points = verdict.saturation;
  std::string text;
  for (std::size_t i = points.size() > kShown ? points.size() - kShown : 0; i < points.size();
       ++i) {
    text.append(text.empty() ? "" : ", ").append(Thousands(points[i].classes)).append(" in ");
    text.append(Thousands(points[i].runs));
  }
  return "Classes by runs: " + text + ".";
}

}  // namespace

HitRatio MeasureHits(std::uint64_t hits, std::uint64_t runs, StoppingRule rule) {
  HitRatio measured;
  measured.hits = hits;
  measured.runs = runs;
  if (runs == 0) return measured;
  measured.ratio = static_cast<double>(hits) / static_cast<double>(runs);
  measured.ci95 = rule == StoppingRule::kFirstHit && hits == 1 ? FirstHit95(runs)
                                                               : ClopperPearson95(hits, runs);
  if (hits > 0) measured.runs_for_99 = RunsToHit(measured.ratio);
  return measured;
}

SamplingVerdict JudgeSamples(const HitRatio& any, StoppingRule rule,
                             const FrequencyCounts& classes) {
  SamplingVerdict verdict;
  verdict.rule = rule;
  verdict.any = any;
  verdict.classes_seen = classes.classes;
  verdict.classes_estimate = EstimateClasses(classes);
  verdict.classes_exact = classes.exact;
  verdict.unseen = EstimateUnseenMass(classes);
  if (any.runs == 0) return verdict;
  if (any.hits > 0) {
    verdict.p_upper95 = any.ci95.high;
    verdict.runs_for_99 = any.runs_for_99;
  } else {
    verdict.p_upper95 = UpperBoundWithoutHit(any.runs);
    verdict.runs_for_99 = RunsToHit(verdict.p_upper95);
  }
  return verdict;
}

std::string Describe(const HitRatio& ratio) {
  return Format("in %.3g of the runs (95 %% interval %.2g to %.2g)", ratio.ratio, ratio.ci95.low,
                ratio.ci95.high);
}

std::string Describe(const SamplingVerdict& verdict) {
  const HitRatio& any = verdict.any;
  if (any.runs == 0) return "No runs, no verdict.";
  std::string text;
  if (any.hits == 0) {
    text = Runs(any.runs) +
           Format(
               " without a failure: for this sampler its probability is below %.2g (95 %% "
               "confidence; ",
               verdict.p_upper95) +
           Thousands(verdict.runs_for_99) + " clean runs for 99 %).";
  } else if (verdict.rule == StoppingRule::kFirstHit) {
    text = "A failure after " + Runs(any.runs) +
           Format(
               ": it shows in one of about that many (95 %% interval of its probability: "
               "%.2g to %.2g); ",
               any.ci95.low, any.ci95.high) +
           "--keep-going counts on.";
  } else {
    text = "Fails " + Describe(any) + "; " + Runs(any.runs_for_99) +
           (any.runs_for_99 == 1 ? " shows" : " show") + " a failure with 99 % probability.";
  }
  text = "Verdict: " + text + "\n" + DescribeClasses(verdict);
  if (verdict.classes_seen > 0 && verdict.saturation.size() > 1)
    text += "\n" + DescribeSaturation(verdict);
  return text;
}

}  // namespace heddle
