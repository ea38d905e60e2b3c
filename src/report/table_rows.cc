#include "report/table_rows.h"

#include <algorithm>
#include <tuple>

namespace heddle {
namespace {

constexpr std::size_t kLongestPattern = 8;
constexpr std::size_t kFewestRepeats = 3;

// What makes two steps look alike. Values differ in a loop that makes progress, so they count.
auto Look(const Step& step) {
  return std::tie(step.thread, step.kind, step.object, step.value, step.note, step.file, step.line,
                  step.reason, step.from, step.is_failure);
}

// How often the `length` steps before `at` come again from `at` on.
std::size_t Repeats(const std::vector<Step>& steps, std::size_t at, std::size_t length) {
  std::size_t same = 0;
  while (at + same < steps.size() && !steps[at + same].is_failure) {
    const Step& later = steps[at + same];
    Step earlier = steps[at + same - length];
    // The first of them may be where the thread was switched to.
    if (same == 0 && later.reason == SwitchReason::kNone) {
      earlier.reason = later.reason;
      earlier.from = later.from;
    }
    if (Look(later) != Look(earlier)) break;
    ++same;
  }
  return same / length;
}

struct Shown {
  std::size_t step = 0;
  std::size_t repeats = 0;  // of the `span` steps that end here
  std::size_t span = 0;
  std::size_t steps_in_all = 1;
};

std::vector<Shown> FoldRepeats(const std::vector<Step>& steps) {
  std::vector<Shown> shown;
  for (std::size_t i = 0; i < steps.size();) {
    shown.push_back({.step = i});
    ++i;
    for (std::size_t length = 1; length <= kLongestPattern && length <= i; ++length) {
      if (shown.size() < length || shown[shown.size() - length].step + length != i) continue;
      if (length > 1 && shown.back().repeats > 0) continue;
      const std::size_t repeats = Repeats(steps, i, length);
      if (repeats + 1 < kFewestRepeats) continue;
      shown.back().repeats = repeats;
      shown.back().span = length;
      shown.back().steps_in_all += repeats * length;
      i += repeats * length;
      break;
    }
  }
  return shown;
}

bool Switches(const Step& step) { return step.reason != SwitchReason::kNone; }

}  // namespace

std::string OperationText(const Step& step) {
  // A thread asleep in a wait has announced its wake-up; people would say that it waits.
  const OpKind kind = step.never_done && step.kind == OpKind::kWake ? OpKind::kWait : step.kind;
  std::string text = kind == OpKind::kNone ? "" : std::string(NameOf(kind));
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : " ") + part;
  };
  add(step.object);
  add(step.value);
  if (!step.note.empty()) text += (text.empty() ? "" : ", ") + step.note;
  return text;
}

std::string SwitchText(const Finding& finding, const Step& step) {
  const auto name = [&finding](ThreadId thread) { return finding.threads[thread].name; };
  switch (step.reason) {
    case SwitchReason::kNone:
      return "";
    case SwitchReason::kPreempted:
      return name(step.from) + " preempted";
    case SwitchReason::kBlocked:
      return name(step.from) + " blocked" +
             (step.reason_detail.empty() ? "" : ": waits for " + step.reason_detail);
    case SwitchReason::kExited:
      return name(step.from) + " ended";
    case SwitchReason::kTimeout:
      return "time-out of " + name(step.thread);
  }
  return "";
}

std::vector<TableRow> RowsOf(const Finding& finding, const RowOptions& options) {
  const std::vector<Step>& steps = finding.steps;
  std::vector<Shown> shown;
  if (options.everything) {
    for (std::size_t i = 0; i < steps.size(); ++i) shown.push_back({.step = i});
  } else {
    shown = FoldRepeats(steps);
  }

  std::vector<TableRow> rows;
  const auto add_step = [&](const Shown& item) {
    rows.push_back({TableRow::Kind::kStep, item.step});
    if (item.repeats > 0) {
      rows.push_back({TableRow::Kind::kRepeat, item.step, item.repeats, item.span});
    }
  };
  for (std::size_t i = 0; i < shown.size();) {
    const Step& first = steps[shown[i].step];
    std::size_t end = i + 1;
    while (end < shown.size() && steps[shown[end].step].thread == first.thread &&
           !Switches(steps[shown[end].step]) && !steps[shown[end].step].is_failure) {
      ++end;
    }
    // Steps of a very long run that were not kept.
    if (i > 0) {
      const std::size_t before = shown[i - 1].step + shown[i - 1].steps_in_all - 1;
      const std::uint64_t gap = first.number - std::min(first.number, steps[before].number + 1);
      if (gap > 0) rows.push_back({TableRow::Kind::kFold, shown[i].step, gap});
    }
    if (Switches(first)) rows.push_back({TableRow::Kind::kSwitch, shown[i].step});
    const std::size_t length = end - i;
    if (options.everything || length <= options.stretch) {
      for (; i < end; ++i) add_step(shown[i]);
      continue;
    }
    const std::size_t head = options.stretch / 2;
    const std::size_t tail = options.stretch - head - 1;
    std::size_t left_out = 0;
    for (std::size_t k = 0; k < length; ++k) {
      const Shown& item = shown[i + k];
      if (k < head || k >= length - tail) {
        add_step(item);
        continue;
      }
      left_out += item.steps_in_all;
      if (k + 1 == length - tail) {
        rows.push_back({TableRow::Kind::kFold, item.step, left_out});
      }
    }
    i = end;
  }
  return rows;
}

}  // namespace heddle
