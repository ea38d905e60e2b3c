#include "strategy/surw.h"

#include <algorithm>

#include "strategy/flat_data.h"
#include "strategy/profiled_search.h"
#include "strategy/sampler.h"

namespace heddle {

namespace {

// Who waits in a loop, yielding, sleeping or timing out, comes round so often before the intention
// is dropped and all priorities are void: it may wait for one who is held, or whose priority
// happens to be so low that hardly any of the loop's is lower. More often would be closer to
// uniform, and longer runs.
constexpr std::uint32_t kMostStops = 10;

}  // namespace

void SurwPolicy::Begin(const Plan& plan) {
  priorities_.Begin(RunSeed(plan));
  std::span<const std::uint8_t> data = plan.data;
  TakeRows(data, targets_);
  TakeRows(data, rows_);
  intended_ = kNoThread;
  stops_ = 0;
  held_.clear();
  held_.reserve(64);

  std::uint64_t accesses = 0;
  for (const Target& target : targets_) accesses += target.accesses;
  has_target_ = accesses > 0;
  std::span<const PathWeight> weights;
  if (has_target_) {
    std::uint64_t drawn = priorities_.rng().Below(accesses);
    const Target* target = targets_.data();
    for (; drawn >= target->accesses; ++target) drawn -= target->accesses;
    target_ = target->key;
    if (target->first <= rows_.size() && target->count <= rows_.size() - target->first) {
      weights = std::span<const PathWeight>(rows_).subspan(target->first, target->count);
    }
  }
  weights_.Begin(weights);
}

bool SurwPolicy::IsTarget(ObjectId object, const RunView& view) const {
  return has_target_ && object != kNoObject && view.objects != nullptr &&
         view.objects[object].key == target_;
}

void SurwPolicy::Hold(ThreadId thread) {
  if (thread >= held_.size()) held_.resize(thread + std::size_t{1});
  held_[thread] = 1;
}

void SurwPolicy::ReleaseAll() { std::fill(held_.begin(), held_.end(), 0); }

void SurwPolicy::DropIntention() {
  ReleaseAll();
  intended_ = kNoThread;
}

// Only another operation on the target lets it go on.
bool SurwPolicy::WaitsForTarget(ThreadId thread, const RunView& view) const {
  const PendingOp& op = view.pending[thread];
  return !op.timed() && view.IsLive(thread) && !view.IsEnabled(thread) && IsTarget(op.object, view);
}

std::uint64_t SurwPolicy::LeftOn(ThreadId thread, const RunView& view) {
  if (!view.IsLive(thread) || WaitsForTarget(thread, view)) return 0;
  const std::uint64_t left = weights_.Left(thread);
  return left == 0 && IsTarget(view.pending[thread].object, view) ? 1 : left;
}

// Among all live threads, those that can't go on now included: they may before the next operation
// on the target is due.
ThreadId SurwPolicy::DrawIntended(const RunView& view) {
  std::uint64_t total = 0;
  const auto count = static_cast<ThreadId>(view.pending.size());
  for (ThreadId thread = 0; thread < count; ++thread) {
    total += LeftOn(thread, view);
  }
  if (total == 0) return kNoThread;
  std::uint64_t drawn = priorities_.rng().Below(total);
  for (ThreadId thread = 0; thread < count; ++thread) {
    const std::uint64_t left = LeftOn(thread, view);
    if (drawn < left) return thread;
    drawn -= left;
  }
  return kNoThread;
}

std::size_t SurwPolicy::Choose(const Decision& decision) {
  if (decision.kind != DecisionKind::kThread) {
    return priorities_.rng().Below(decision.options.size());
  }
  weights_.Know(decision.view->pending.size());
  // Each round holds one thread more or, once, releases all of them: it ends.
  bool dropped = false;
  if (stops_ >= kMostStops) {
    stops_ = 0;
    priorities_.Redraw();
    DropIntention();
  }
  if (intended_ != kNoThread && WaitsForTarget(intended_, *decision.view)) DropIntention();
  while (true) {
    std::size_t best = decision.options.size();
    std::uint64_t highest = 0;
    for (std::size_t i = 0; i < decision.options.size(); ++i) {
      if (IsHeld(decision.options[i].thread)) continue;
      const std::uint64_t priority = priorities_.Of(decision.options[i]);
      if (best < decision.options.size() && priority <= highest) continue;
      best = i;
      highest = priority;
    }
    if (best == decision.options.size()) {
      DropIntention();
      dropped = true;
      continue;
    }
    const ThreadId thread = decision.options[best].thread;
    const PendingOp& op = decision.view->pending[thread];
    // A wait that ends by time-out looks again whether there is something to do.
    const bool times_out = decision.options[best].outcome == Outcome::kTimeout;
    if (OffersToStop(op) || times_out) ++stops_;
    if (!IsTarget(op.object, *decision.view)) return best;
    if (dropped) return best;
    if (intended_ == kNoThread) intended_ = DrawIntended(*decision.view);
    if (intended_ == thread || intended_ == kNoThread) return best;
    Hold(thread);
  }
}

void SurwPolicy::Observe(const Event& event, const RunView& view) {
  priorities_.Executed(event.thread);
  if (event.kind == OpKind::kCreate) {
    const std::uint64_t before = weights_.Left(event.thread);
    const ThreadId child = weights_.Created(event.thread, view.pending.size());
    // The operation that was meant may be one of the child's.
    if (intended_ == event.thread && before > 0) {
      const std::uint64_t drawn = priorities_.rng().Below(before);
      if (drawn < weights_.Left(child)) intended_ = child;
    }
  }
  if (!IsTarget(event.object, view)) return;
  weights_.Executed(event.thread);
  DropIntention();
}

std::unique_ptr<Policy> MakeSurwPolicy() { return std::make_unique<SurwPolicy>(); }

void PrepareSurw(const Profile& profile, Plan& plan) {
  // A plan's data is limited: the objects with the most accesses are kept.
  constexpr std::size_t kMostTargets = 1024;
  std::vector<SurwPolicy::Target> targets;
  for (const auto& [key, object] : profile.objects) {
    if (object.accesses.size() < 2 || object.writes == 0) continue;
    SurwPolicy::Target target{.key = key};
    for (const auto& [path, count] : object.accesses) target.accesses += count;
    targets.push_back(target);
  }
  std::sort(targets.begin(), targets.end(), [](const auto& a, const auto& b) {
    return a.accesses != b.accesses ? a.accesses > b.accesses : a.key < b.key;
  });
  if (targets.size() > kMostTargets) targets.resize(kMostTargets);
  constexpr std::size_t kMostRows = 1u << 15;
  std::vector<PathWeight> rows;
  for (SurwPolicy::Target& target : targets) {
    const auto& accesses = profile.objects.at(target.key).accesses;
    const std::vector<PathWeight> weights = WeightsOf(profile, [&](std::uint64_t path) {
      const auto found = accesses.find(path);
      return found == accesses.end() ? 0 : found->second;
    });
    target.first = rows.size();
    for (const PathWeight& row : weights) {
      if (row.weight > 0 && rows.size() < kMostRows) rows.push_back(row);
    }
    target.count = rows.size() - target.first;
  }
  AppendRows<SurwPolicy::Target>(targets, plan.data);
  AppendRows<PathWeight>(rows, plan.data);
}

std::unique_ptr<Search> MakeSurwSearch(const SearchOptions& options) {
  ProfiledSearch::Plans plans;
  plans.profile.resize(1);
  plans.profile[0].policy = "random";
  plans.sampling.policy = "surw";
  return std::make_unique<ProfiledSearch>(options.seed, plans, PrepareSurw);
}

}  // namespace heddle
