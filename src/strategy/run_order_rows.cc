// What happens before what in a run: computed for the steps that somebody asks about.
#include <algorithm>
#include <cstring>

#include "strategy/run_order.h"

namespace heddle {

// Walks back through the group on the object that ends at `at`.
void RunOrder::CollectGroup(Step i, ObjectId object, Step at, std::vector<Step>* conflicts) const {
  if (at == kNone) return;
  const ThreadId thread = steps_[i].thread;
  const Step boundary = LinkOn(at, object).group_before;
  while (at != kNone && at != boundary) {
    const Link link = LinkOn(at, object);
    if (link.group_before != boundary) break;
    if (steps_[at].thread != thread) conflicts->push_back(at);
    at = link.before;
  }
}

void RunOrder::CollectConflicts(Step i, std::vector<Step>* conflicts) const {
  conflicts->clear();
  const StepInfo& step = steps_[i];
  CollectGroup(i, step.object, step.group_before[0], conflicts);
  CollectGroup(i, step.second, step.group_before[1], conflicts);
  if (const auto links = LinksOf(i); !links.empty()) {
    for (const Link& link : links) CollectGroup(i, link.object, link.group_before, conflicts);
    std::sort(conflicts->begin(), conflicts->end());
    conflicts->erase(std::unique(conflicts->begin(), conflicts->end()), conflicts->end());
  }
  const auto add = [conflicts](Step other) {
    if (other == kNone) return;
    const bool is_known =
        std::find(conflicts->begin(), conflicts->end(), other) != conflicts->end();
    if (!is_known) conflicts->push_back(other);
  };
  add(step.aimed_at);
  add(step.disturbed_by);
  if (last_ != kNone && IsPending(i) && step.thread != steps_[last_].thread) add(last_);
  const bool ends_all = EndsProcess(i);
  for (ThreadId t = 0; ends_all && t < threads_.size(); ++t) {
    if (t != step.thread) add(LastPointOf(t, i));
  }
}

std::span<const RunOrder::Step> RunOrder::ConflictsOf(Step step) {
  const StepInfo& info = steps_[step];
  const bool is_usual = info.is_quick && step != last_ && links_from_.empty();
  if (!is_usual) {
    CollectConflicts(step, &conflicts_);
    return conflicts_;
  }
  // It has one object, and nothing else that it could depend on.
  conflicts_.clear();
  const Step group = info.group_before[0];
  if (group != kNone) CollectGroup(step, info.object, group, &conflicts_);
  return conflicts_;
}

void RunOrder::Merge(Step into, Step from) const {
  std::int32_t* const row = &rows_[into * width_];
  const std::int32_t* const other = &rows_[slots_[from].past * width_];
  for (std::size_t t = 0; t < width_; t += kAtOnce) {
    std::int32_t most[kAtOnce];  // that the two do not overlap is plain in this way
    for (std::size_t k = 0; k < kAtOnce; ++k) most[k] = std::max(row[t + k], other[t + k]);
    std::copy_n(most, kAtOnce, row + t);
  }
  std::int32_t& its = row[steps_[from].thread];
  its = std::max(its, static_cast<std::int32_t>(steps_[from].nth + 1));
}

RunOrder::Step RunOrder::CopyOf(Step slot, Step into) const {
  std::memcpy(&rows_[into * width_], &rows_[slot * width_], width_ * sizeof rows_[0]);
  return into;
}

// Whether rows are missing that the row is made of; their steps are then asked for.
bool RunOrder::AwaitsRows(Step step, Row row) const {
  const StepInfo& info = steps_[step];
  const std::size_t before = asked_.size();
  const auto ask = [this](Step other) {
    if (other != kNone && slots_[other].past == kNone) asked_.push_back(other);
  };
  ask(info.previous);
  ask(info.creator);
  ask(info.waker);
  if (row == Row::kPast) {
    ask(info.joined);
    CollectConflicts(step, &row_conflicts_);
    for (const Step conflict : row_conflicts_) ask(conflict);
  }
  return asked_.size() > before;
}

void RunOrder::SetStart(Step step) const {
  const StepInfo& info = steps_[step];
  Step slot = info.previous != kNone ? slots_[info.previous].past : kNothingBefore;
  for (const Step other : {info.creator, info.waker}) {
    if (other == kNone) continue;
    const Step own = OwnSlot(step, Row::kStart);
    if (slot != own) slot = CopyOf(slot, own);
    Merge(own, other);
  }
  slots_[step].start = slot;
}

// Behind AwaitsRows: the conflicts are at hand.
void RunOrder::SetPast(Step step) const {
  Step slot = slots_[step].start;
  const auto add = [&](Step other) {
    if (Has(slot, other)) return;
    const Step own = OwnSlot(step, Row::kPast);
    if (slot != own) slot = CopyOf(slot, own);
    Merge(own, other);
  };
  if (steps_[step].joined != kNone) add(steps_[step].joined);
  for (const Step conflict : row_conflicts_) add(conflict);
  slots_[step].past = slot;
}

// Not by recursion: a run may be long.
void RunOrder::ComputeRow(Step step, Row row) const {
  asked_.clear();
  asked_.push_back(step);
  while (!asked_.empty()) {
    const Step at = asked_.back();
    const Row wanted = at == step ? row : Row::kPast;
    if (AwaitsRows(at, wanted)) continue;
    asked_.pop_back();
    if (slots_[at].start == kNone) SetStart(at);
    if (wanted == Row::kPast && slots_[at].past == kNone) SetPast(at);
  }
}

}  // namespace heddle
