#include "cli/triage.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/common.h"
#include "report/files.h"
#include "report/sighting_text.h"

namespace heddle {
namespace {

Result<std::set<FindingKind>> ParseKinds(const std::string& text) {
  std::set<FindingKind> kinds;
  std::stringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "none") continue;
    const std::optional<FindingKind> kind = FindingKindByName(word);
    if (!kind) {
      return Error{
          fmt::format("--fail-on {}: there is no kind {}; it is a list like race,deadlock, "
                      "or none",
                      text, word)};
    }
    kinds.insert(*kind);
  }
  return kinds;
}

std::vector<const Finding*> FindingsOf(const Explored& explored) {
  std::vector<const Finding*> findings;
  for (const Explored::Found& found : explored.found) findings.push_back(&found.finding);
  return findings;
}

}  // namespace

Result<Triage> Triage::Make(const TriageWords& words) {
  Triage triage;
  triage.words_ = words;
  if (words.update_baseline && words.baseline.empty()) {
    return Error{"--update-baseline writes the file that --baseline FILE names; give it too"};
  }
  if (!words.fail_on.empty()) {
    Result<std::set<FindingKind>> kinds = ParseKinds(words.fail_on);
    if (!kinds) return kinds.error();
    triage.fail_on_ = std::move(*kinds);
  }
  if (!words.suppressions.empty()) {
    const Result<std::string> text = ReadWholeFile(words.suppressions);
    if (!text) return text.error();
    Result<Suppressions> parsed = Suppressions::Parse(*text, words.suppressions);
    if (!parsed) return parsed.error();
    triage.suppressions_ = std::move(*parsed);
  }
  const bool is_there = !words.baseline.empty() && std::filesystem::exists(words.baseline);
  if (is_there) {
    const Result<std::string> text = ReadWholeFile(words.baseline);
    if (!text) return text.error();
    Result<Baseline> parsed = Baseline::Parse(*text, words.baseline);
    if (!parsed) return parsed.error();
    triage.baseline_ = std::move(*parsed);
  } else if (!words.baseline.empty() && !words.update_baseline) {
    return Error{fmt::format("{}: no such file; make it with --update-baseline", words.baseline)};
  }
  return triage;
}

void Triage::Doubt(const Seen& seen, Explored* explored) {
  const auto loop =
      std::find_if(explored->uncontrolled.begin(), explored->uncontrolled.end(),
                   [](const Uncontrolled& entry) { return entry.what == kUnseenLoopName; });
  for (Explored::Found& found : explored->found) {
    Finding& finding = found.finding;
    if (finding.kind != FindingKind::kRace) continue;
    std::string library;
    for (const FindingStack& stack : finding.stacks) {
      if (library.empty()) library = UnseenLibrary(stack.frames, seen.plain_modules);
    }
    if (library.empty() && !seen.locking_modules.empty()) library = seen.locking_modules.front();
    if (library.empty() && loop != explored->uncontrolled.end())
      library = "the loop at " + loop->site;
    if (library.empty()) continue;
    finding.severity = Severity::kWarning;
    finding.message += fmt::format(", unless {} does, which is not instrumented", library);
  }
}

bool Triage::MayPassOverFailures() const {
  return (suppressions_ && suppressions_->MayMatchFailures()) || (fail_on_ && !fail_on_->empty());
}

bool Triage::Counts(const Finding& failure) const {
  if (IsSuppressed(failure)) return false;
  if (fail_on_ && !fail_on_->empty()) return fail_on_->count(failure.kind) != 0;
  return true;
}

void Triage::Sift(Explored* explored) const {
  const auto end =
      std::remove_if(explored->found.begin(), explored->found.end(),
                     [this](const Explored::Found& found) { return IsSuppressed(found.finding); });
  explored->suppressed += static_cast<std::uint64_t>(explored->found.end() - end);
  explored->found.erase(end, explored->found.end());
  for (Explored::Found& found : explored->found) {
    found.is_known = baseline_ && baseline_->Knows(found.finding);
  }
}

Status Triage::Apply(Explored* explored) const {
  Sift(explored);
  if (suppressions_) {
    const auto& notes = suppressions_->notes();
    explored->notes.insert(explored->notes.end(), notes.begin(), notes.end());
    if (explored->suppressed != 0) {
      explored->notes.push_back(fmt::format(
          "{} suppressed by {}.", Count(explored->suppressed, "finding"), words_.suppressions));
    }
  }
  const std::vector<const Finding*> findings = FindingsOf(*explored);
  if (baseline_) {
    const auto known = static_cast<std::size_t>(
        std::count_if(explored->found.begin(), explored->found.end(),
                      [](const Explored::Found& found) { return found.is_known; }));
    explored->notes.push_back(fmt::format("Of {}, {} known to {} and {} new.",
                                          Count(findings.size(), "finding"), known, words_.baseline,
                                          findings.size() - known));
    for (const Baseline::Entry& entry : baseline_->Vanished(findings)) {
      explored->vanished.push_back(fmt::format("{} {}", entry.kind, entry.fingerprint));
      explored->notes.push_back(fmt::format("Not seen any more: {} {} ({}).", entry.kind,
                                            entry.fingerprint, entry.message));
    }
  }
  if (!words_.update_baseline) return {};
  return WriteFileAtomically(words_.baseline, Baseline::Of(findings).Format());
}

bool Triage::Fails(const Explored& explored) const {
  return std::any_of(explored.found.begin(), explored.found.end(),
                     [this](const Explored::Found& found) {
                       if (found.is_known) return false;
                       if (fail_on_) return fail_on_->count(found.finding.kind) != 0;
                       return found.finding.severity == Severity::kError;
                     });
}

}  // namespace heddle
