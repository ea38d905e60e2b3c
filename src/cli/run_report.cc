#include "cli/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/common.h"
#include "cli/progress.h"
#include "report/json.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

// It ended before any budget did, whether or not that proves anything.
bool HasNothingLeft(const Explored& explored, const ExploreOptions& options) {
  return explored.stopped_by == StoppedBy::kComplete ||
         (explored.stopped_by == StoppedBy::kRuns && explored.runs < options.runs);
}

std::string Reason(const Explored& explored, const ExploreOptions& options) {
  switch (explored.stopped_by) {
    case StoppedBy::kRuns:
      if (HasNothingLeft(explored, options)) return "the strategy has nothing left to try";
      return fmt::format("the budget of {} is used up (--runs)", Count(options.runs, "run"));
    case StoppedBy::kTime:
      return fmt::format("the budget of {} is used up (--time)", RenderSeconds(options.seconds));
    case StoppedBy::kInterrupted:
      return "it was interrupted";
    case StoppedBy::kFinding:
      return "a failure ends the search (--keep-going goes on)";
    case StoppedBy::kComplete:
      return "nothing is left to try";
  }
  return "";
}

std::string Duration(double seconds) {
  return seconds < 60 ? fmt::format("{:.2f} s", seconds) : RenderSeconds(seconds);
}

Json ToJson(const Interval& interval) { return Json::array({interval.low, interval.high}); }

Json ToJson(const HitRatio& ratio) {
  return {{"hits", ratio.hits},
          {"hit_ratio", ratio.ratio},
          {"ci95", ToJson(ratio.ci95)},
          {"runs_for_99", ratio.runs_for_99}};
}

// Empty: the search was no sampling.
Json VerdictToJson(const Explored& explored) {
  if (!explored.verdict) return Json::object();
  const SamplingVerdict& verdict = *explored.verdict;
  Json json = {{"runs", verdict.any.runs},
               {"stopped_at_first_hit", verdict.rule == StoppingRule::kFirstHit}};
  json.update(ToJson(verdict.any));
  json["runs_for_99"] = verdict.runs_for_99;
  json["p_upper95"] = verdict.p_upper95;
  json["classes_seen"] = verdict.classes_seen;
  json["classes_exact"] = verdict.classes_exact;
  json["classes_estimate"] = verdict.classes_estimate;
  json["unseen_mass"] = verdict.unseen.estimate;
  json["unseen_mass_ci95"] = ToJson(verdict.unseen.ci95);
  json["saturation"] = Json::array();
  for (const SaturationCurve::Point& point : verdict.saturation) {
    json["saturation"].push_back({{"runs", point.runs}, {"classes", point.classes}});
  }
  json["samplers"] = Json::array();
  for (const SamplerShare& share : verdict.samplers) {
    json["samplers"].push_back({{"name", share.name},
                                {"runs", share.runs},
                                {"hits", share.hits},
                                {"new_classes", share.new_classes},
                                {"new_pairs", share.new_pairs}});
  }
  json["findings"] = Json::array();
  for (const Explored::Found& found : explored.found) {
    Json one = {{"id", found.finding.id}};
    one.update(ToJson(found.ratio));
    json["findings"].push_back(std::move(one));
  }
  return json;
}

// A verdict is about the runs that were drawn since the scheduling points last changed. Where the
// failure is another run's, "no failure" needs a word.
std::string WhereTheFailureWas(const Explored& explored, bool is_auto) {
  const bool is_counted = explored.verdict->any.hits > 0;
  const bool has_failed =
      std::any_of(explored.found.begin(), explored.found.end(), [](const Explored::Found& found) {
        return found.finding.kind != FindingKind::kRace &&
               found.finding.kind != FindingKind::kLockOrder;
      });
  if (is_counted || !has_failed) return {};
  return is_auto ? "The failure was found by the exhaustive search that auto went over to; this is "
                   "about the runs drawn before:\n"
                 : "The failure was found before the last scheduling point was; this is about the "
                   "runs drawn since:\n";
}

std::string RenderVerdict(const Explored& explored, const ExploreOptions& options) {
  const SamplingVerdict& verdict = *explored.verdict;
  const bool is_auto = options.strategy.info != nullptr && options.strategy.info->name == "auto";
  std::string text = WhereTheFailureWas(explored, is_auto) + Describe(verdict) + "\n";
  if (is_auto) {
    for (const SamplerShare& share : verdict.samplers) {
      text += fmt::format("  {:<7} {}: {}, {} first, {} of events first\n", share.name,
                          Count(share.runs, "run"), Count(share.hits, "failure"),
                          Count(share.new_classes, "class"), Count(share.new_pairs, "pair"));
    }
  }
  // One failure's ratio is that of all.
  if (explored.found.size() < 2) return text;
  for (const Explored::Found& found : explored.found) {
    // One that could not be stored has no id.
    const std::string_view name =
        found.finding.id.empty() ? InfoOf(found.finding.kind).name : found.finding.id;
    text += fmt::format("{}: {}", name, Describe(found.ratio));
    if (found.ratio.hits > 0) {
      text += fmt::format("; {} for 99 %", Count(found.ratio.runs_for_99, "run"));
    }
    text += ".\n";
  }
  return text;
}

// Threads were not switched wherever they could have been.
bool IsPartial(const ExploreOptions& options) {
  return !options.worker.scope.focus.empty() || !options.worker.scope.ignore.empty();
}

}  // namespace

Json RunToJson(const Explored& explored, const ExploreOptions& options, const RunFacts& facts) {
  Json json;
  json["tool"] = "heddle";
  json["schema"] = 1;
  json["version"] = kVersion;
  json["command"] = "run";
  json["command_line"] = facts.command_line;
  json["build_id"] = explored.build_id;
  json["strategy"] = options.strategy_text;
  json["seed"] = options.seed;
  json["backend"] = NameOf(explored.backend);
  json["points"] = NameOf(options.worker.points);
  json["workers"] = facts.workers;
  json["memory_model"] = "sc";
  json["runs"] = explored.runs;
  json["blocked_runs"] = explored.blocked_runs;
  json["classes"] = explored.classes;
  json["classes_exact"] = explored.classes_exact;
  json["events"] = explored.events;
  json["complete"] = explored.complete;
  json["stopped_by"] = NameOf(explored.stopped_by);
  json["seconds"] = explored.seconds;
  json["compile_seconds"] = facts.compile_seconds;
  json["findings"] = Json::array();
  for (const Explored::Found& found : explored.found) {
    json["findings"].push_back(FindingToJson(found.finding));
    json["findings"].back()["known"] = found.is_known;
  }
  json["verdict"] = VerdictToJson(explored);
  if (const CheckpointCounts& checkpoints = explored.checkpoints; checkpoints.left != 0) {
    json["checkpoints"] = {{"left", checkpoints.left},
                           {"runs", checkpoints.runs},
                           {"events_skipped", checkpoints.events_skipped}};
  }
  json["uncontrolled"] = Json::array();
  for (const Uncontrolled& entry : explored.uncontrolled) {
    json["uncontrolled"].push_back({{"what", entry.what},
                                    {"site", entry.site},
                                    {"count", entry.count},
                                    {"effect", entry.effect}});
  }
  // Beyond the keys that scripts rely on. They know no value of `stopped_by` for a search that
  // ended by itself and proves nothing (hapset, a bound): it is "runs" there.
  json["nothing_left"] = HasNothingLeft(explored, options);
  json["estimated_runs"] = nullptr;
  if (const RunEstimate& estimate = explored.estimated_runs; estimate.runs > 0) {
    json["estimated_runs"] = {{"runs", estimate.runs},
                              {"low", estimate.low},
                              {"high", estimate.high},
                              {"seconds_left", explored.time_left.seconds}};
  }
  json["complete_for"] = IsPartial(options) ? "the chosen points" : "all points";
  json["step_limited_runs"] = explored.step_limited_runs;
  json["diverged_runs"] = explored.diverged_runs;
  json["voided_runs"] = explored.voided_runs;
  json["starts_no_thread"] = explored.starts_no_thread;
  json["instrumented"] = SeenToJson(facts.seen);
  json["suppressed"] = explored.suppressed;
  json["vanished"] = explored.vanished;
  json["notes"] = explored.notes;
  return json;
}

std::string RenderSummary(const Explored& explored, const ExploreOptions& options) {
  std::string text;
  const std::size_t findings = explored.found.size();
  if (explored.starts_no_thread) {
    text = findings == 0 ? "The program starts no thread: it was run once, and nothing failed.\n"
                         : "The program starts no thread: it was run once.\n";
  } else {
    text = fmt::format("{} in {} with {}, seed {}: {}{}, {}, {}.\n",
                       findings == 0 ? "No failure" : Count(findings, "finding"),
                       Count(explored.runs, "run"), options.strategy_text, options.seed,
                       explored.classes_exact ? "" : "about ", Count(explored.classes, "class"),
                       Count(explored.events, "event"), Duration(explored.seconds));
    if (explored.blocked_runs > 0) {
      text += fmt::format(
          "{} redundant: what a thread waited for there comes in another run.\n",
          explored.blocked_runs == 1 ? "1 run was" : Count(explored.blocked_runs, "run") + " were");
    }
    if (explored.complete && IsPartial(options)) {
      text +=
          "Complete for the chosen points (--focus, --ignore): every schedule was tried that "
          "switches "
          "threads there, under sequential consistency.\n";
    } else if (explored.complete) {
      text += findings == 0 ? "Complete: every schedule was tried, under sequential consistency.\n"
                            : "Complete: every schedule was tried.\n";
    } else {
      text += fmt::format("The search ended because {}.\n", Reason(explored, options));
      // Where both are one number nothing is left to run.
      if (explored.estimated_runs.high > explored.estimated_runs.low) {
        text += fmt::format("In all there are {} runs; the rest would take {} at this rate.\n",
                            RenderEstimate(explored.estimated_runs),
                            RenderTimeLeft(explored.time_left));
      }
    }
    if (explored.verdict) text += RenderVerdict(explored, options);
  }
  for (const Uncontrolled& entry : explored.uncontrolled) {
    text += fmt::format("Not under heddle's control: {}{}{} ({}): {}.\n", entry.what,
                        entry.site.empty() ? "" : " at ", entry.site, Count(entry.count, "time"),
                        entry.effect);
  }
  for (const std::string& note : explored.notes) text += note + "\n";
  return text;
}

}  // namespace heddle
