#include "explore/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "explore/output_file.h"

namespace heddle {
namespace {

// Equal for failures of one worker that differ in nothing a fingerprint could be made of.
std::uint64_t KeyOf(const OwnedTrace& trace) {
  const Failure& failure = trace.failure;
  std::uint64_t key = Mix(static_cast<std::uint64_t>(trace.record.outcome),
                          static_cast<std::uint64_t>(trace.record.failure));
  const auto add = [&key](std::uint64_t value) { key = Mix(key, value); };
  add(static_cast<std::uint64_t>(trace.record.status));
  add(static_cast<std::uint64_t>(trace.record.signal));
  add(static_cast<std::uint64_t>(failure.kind));
  add(static_cast<std::uint64_t>(failure.signal));
  add(failure.thread);
  add(failure.line);
  add(failure.before_main);
  add(HashText(failure.file));
  add(HashText(failure.function));
  add(HashText(failure.message));
  for (std::uint32_t i = 0; i < failure.cycle_length; ++i) add(failure.cycle[i]);
  for (const ThreadRecord& thread : trace.threads) {
    add(thread.ended);
    add(thread.path_hash);
    add(static_cast<std::uint64_t>(thread.pending.kind));
    add(thread.pending.site);
  }
  for (const StackRecord& stack : trace.thread_stacks) {
    add(stack.frame_count);
    for (std::uint32_t i = 0; i < stack.frame_count; ++i) add(trace.frames[stack.first_frame + i]);
  }
  return key;
}

bool Same(std::span<const ModuleRecord> a, std::span<const ModuleRecord> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].base != b[i].base || std::strcmp(a[i].path, b[i].path) != 0) return false;
  }
  return true;
}

}  // namespace

std::optional<std::uint64_t> HashOfOutput(const std::optional<std::string>& output) {
  if (!output) return std::nullopt;
  return HashText(ShortOutput(*output));
}

Verdict JudgeRun(const RunRecord& record, const std::string& output, const Expectations& expected) {
  switch (record.outcome) {
    case RunOutcome::kFailed:
      return Verdict::kFailed;
    case RunOutcome::kStepLimit:
    case RunOutcome::kDiverged:
    case RunOutcome::kBlocked:
    case RunOutcome::kOvertaken:
      return Verdict::kPassed;
    case RunOutcome::kNone:
    case RunOutcome::kExited:
      break;
  }
  if (record.signal != 0 || record.status != expected.exit_status) return Verdict::kFailed;
  const bool is_wrong = expected.output && *expected.output != HashText(output);
  return is_wrong ? Verdict::kWrongOutput : Verdict::kPassed;
}

std::string MissingInput(std::uint64_t bytes) {
  return fmt::format(
      "a recording keeps the first {} MB of what comes from outside the program; {} bytes that "
      "came "
      "later are missing",
      kMaxInput >> 20, bytes);
}

std::string SightingKey(const Sighting& sighting, std::span<const ModuleRecord> modules) {
  std::vector<std::string> sides;
  for (const SightingSide& side : sighting.Sides()) {
    std::string place = fmt::format("{:x}", side.site);
    for (const ModuleRecord& module : modules) {
      if (side.site - module.begin < module.end - module.begin) {
        place = fmt::format("{}+{:x}", module.path, side.site - module.base);
      }
    }
    sides.push_back(std::move(place));
  }
  std::sort(sides.begin(), sides.end());
  return fmt::format("{} {}", InfoOf(KindOf(sighting.kind)).name, fmt::join(sides, " "));
}

void FailureNamer::UseModules(std::span<const ModuleRecord> modules) {
  if (symbols_ != nullptr && Same(modules_, modules)) return;
  symbols_.reset();  // it may look at modules_
  modules_.assign(modules.begin(), modules.end());
  symbols_ = MakeSymbolizer(modules_);
  fingerprints_.clear();
  locations_.clear();
}

std::string FailureNamer::Fingerprint(const OwnedTrace& trace, Verdict verdict) {
  if (verdict == Verdict::kWrongOutput) return kOutputFingerprint;
  std::string& known = fingerprints_[KeyOf(trace)];
  if (known.empty()) known = FingerprintOf(trace.View(), *symbols_, context_);
  return known;
}

std::string FailureNamer::Location(std::uint64_t return_address) {
  if (return_address == 0) return "";
  const auto [entry, is_new] = locations_.emplace(return_address, "");
  if (is_new) entry->second = ShortLocation(UserFrame(symbols_->FramesOfReturn(return_address)));
  return entry->second;
}

}  // namespace heddle
