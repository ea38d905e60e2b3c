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
    const bool follows = later.number == steps[at + same - 1].number + 1;
    if (!follows || Look(later) != Look(earlier)) break;
    ++same;
  }
  return same / length;
}

struct Shown {
  std::size_t step = 0;
  std::size_t repeats = 0;  // of the `span` steps that end here
  std::size_t span = 0;
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
      i += repeats * length;
      break;
    }
  }
  return shown;
}

bool Switches(const Step& step) { return step.reason != SwitchReason::kNone; }

// Without the middle of long stretches of one thread.
std::vector<Shown> FoldStretches(const std::vector<Step>& steps, const std::vector<Shown>& all,
                                 std::size_t longest) {
  std::vector<Shown> shown;
  for (std::size_t begin = 0; begin < all.size();) {
    const ThreadId thread = steps[all[begin].step].thread;
    std::size_t end = begin + 1;
    while (end < all.size() && steps[all[end].step].thread == thread &&
           !Switches(steps[all[end].step]) && !steps[all[end].step].is_failure) {
      ++end;
    }
    const std::size_t length = end - begin;
    const std::size_t head = longest / 2, tail = longest - head - 1;
    for (std::size_t k = 0; k < length; ++k) {
      if (length <= longest || k < head || k >= length - tail) shown.push_back(all[begin + k]);
    }
    begin = end;
  }
  return shown;
}

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
    shown = FoldStretches(steps, FoldRepeats(steps), options.stretch);
    if (shown.size() > options.most) {
      // The failure is at the end, and so is most of what led to it.
      const auto head = static_cast<std::ptrdiff_t>(options.most / 4);
      const auto left_out = static_cast<std::ptrdiff_t>(shown.size() - options.most);
      shown.erase(shown.begin() + head, shown.begin() + head + left_out);
    }
  }

  std::vector<TableRow> rows;
  std::uint64_t told = 0;  // number of the last operation that is shown or counted
  for (const Shown& item : shown) {
    const Step& step = steps[item.step];
    if (step.number > told + 1) {
      rows.push_back({TableRow::Kind::kFold, item.step, step.number - told - 1});
    }
    if (Switches(step)) rows.push_back({TableRow::Kind::kSwitch, item.step});
    rows.push_back({TableRow::Kind::kStep, item.step});
    if (item.repeats > 0) {
      rows.push_back({TableRow::Kind::kRepeat, item.step, item.repeats, item.span});
    }
    told = steps[item.step + item.repeats * item.span].number;
  }
  return rows;
}

}  // namespace heddle
