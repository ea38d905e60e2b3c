#include "simulate/classes.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "simulate/interpreter.h"
#include "trace/class_hash.h"
#include "trace/thread_path.h"

namespace heddle::simulate {
namespace {

// All interleavings of one partial order, as far as they have come.
struct Prefix {
  State state;
  ClassHash classes;
  std::vector<ObjectOrder> orders;      // by object
  std::vector<std::uint64_t> paths;     // by thread
  std::vector<std::uint16_t> children;  // created so far, by thread
  double random_walk = 0;
  double interleavings = 0;
  std::vector<int> preemptions =
      {};  // the fewest, by thread that ran last; kImpossible = none ends so
};

constexpr int kImpossible = 1 << 20;

Prefix EmptyPrefix(const Program& program) {
  Prefix prefix;
  prefix.state = InitialState(program);
  prefix.orders.resize(prefix.state.values.size());
  for (std::size_t i = 0; i < prefix.state.threads.size(); ++i) {
    prefix.paths.push_back(i == 0 ? kMainPathHash
                                  : ChildPathHash(kMainPathHash, static_cast<std::uint32_t>(i)));
    prefix.children.push_back(0);
  }
  if (!prefix.children.empty()) {
    prefix.children[0] = static_cast<std::uint16_t>(prefix.children.size() - 1);
  }
  prefix.random_walk = 1;
  prefix.interleavings = 1;
  return prefix;
}

// The prefix with one more step of `thread`, without its numbers.
Prefix Extended(const Program& program, const Prefix& prefix, int thread, int waiter) {
  Prefix next{.state = prefix.state,
              .classes = prefix.classes,
              .orders = prefix.orders,
              .paths = prefix.paths,
              .children = prefix.children};
  const auto index = static_cast<std::size_t>(thread);
  const ThreadState& before = prefix.state.threads[index];
  const EventName event = NextEvent(program, prefix.state, before);
  const std::uint64_t identity =
      EventIdentity(prefix.paths[index], static_cast<std::uint64_t>(before.executed));
  if (event.object < 0) next.classes.AddLocal(identity, event.kind);
  for (const int object : {event.object, event.second}) {
    if (object < 0) continue;
    const auto at = static_cast<std::size_t>(object);
    const AccessMode first = event.failed ? FailedAccessOf(event.kind) : AccessOf(event.kind);
    const AccessMode access = object == event.second ? SecondAccessOf(event.kind) : first;
    next.classes.Add(identity, event.kind, access, Mix(at), next.orders[at]);
  }
  Execute(program, next.state, thread, waiter);
  for (std::size_t i = 0; i < prefix.state.threads.size(); ++i) {
    if (i != index && prefix.state.threads[i].waiting && !next.state.threads[i].waiting) {
      next.classes.AddWoken(identity, prefix.paths[i]);
    }
  }
  if (event.kind == OpKind::kCreate) {
    next.paths.push_back(ChildPathHash(next.paths[index], ++next.children[index]));
    next.children.push_back(0);
  }
  return next;
}

class Growth {
 public:
  explicit Growth(const Program& program) : program_(program) {}

  std::vector<ExactClass> Run() {
    layer_.push_back(EmptyPrefix(program_));
    while (!layer_.empty()) {
      std::vector<Prefix> layer = std::exchange(layer_, {});
      index_.clear();
      for (const Prefix& prefix : layer) Grow(prefix);
    }
    std::sort(done_.begin(), done_.end(),
              [](const ExactClass& a, const ExactClass& b) { return a.hash < b.hash; });
    return std::move(done_);
  }

 private:
  void Grow(const Prefix& prefix) {
    const std::vector<int> choices = Choices(program_, prefix.state);
    if (choices.empty()) return Finish(prefix);
    const double walk = prefix.random_walk / static_cast<double>(choices.size());
    for (const int thread : choices) {
      const std::vector<int> waiters = WaitersOf(program_, prefix.state, thread);
      if (waiters.empty()) Step(prefix, thread, -1, walk);
      for (const int waiter : waiters) {
        Step(prefix, thread, waiter, walk / static_cast<double>(waiters.size()));
      }
    }
  }

  void Step(const Prefix& prefix, int thread, int waiter, double walk) {
    Prefix next = Extended(program_, prefix, thread, waiter);
    const auto [found, is_new] = index_.emplace(next.classes.value(), layer_.size());
    if (is_new) layer_.push_back(std::move(next));
    Prefix& merged = layer_[found->second];
    merged.random_walk += walk;
    merged.interleavings += prefix.interleavings;
    merged.preemptions.resize(merged.state.threads.size(), kImpossible);
    int& fewest = merged.preemptions[static_cast<std::size_t>(thread)];
    if (prefix.preemptions.empty()) fewest = 0;
    for (std::size_t last = 0; last < prefix.preemptions.size(); ++last) {
      if (prefix.preemptions[last] == kImpossible) continue;
      const bool could_go_on = IsEnabled(program_, prefix.state, prefix.state.threads[last]);
      const int cost = could_go_on && static_cast<int>(last) != thread ? 1 : 0;
      fewest = std::min(fewest, prefix.preemptions[last] + cost);
    }
  }

  void Finish(const Prefix& prefix) {
    ExactClass done{.hash = prefix.classes.value(),
                    .random_walk = prefix.random_walk,
                    .interleavings = prefix.interleavings,
                    .failed = prefix.state.failed};
    done.deadlocked =
        !prefix.state.over &&
        !std::all_of(prefix.state.threads.begin(), prefix.state.threads.end(),
                     [&](const ThreadState& thread) { return HasEnded(program_, thread); });
    done.preemptions = prefix.preemptions.empty() ? 0 : kImpossible;  // not a single step
    for (const int count : prefix.preemptions) done.preemptions = std::min(done.preemptions, count);
    done_.push_back(done);
  }

  const Program& program_;
  std::vector<Prefix> layer_;
  std::unordered_map<std::uint64_t, std::size_t> index_;  // of layer_; never iterated
  std::vector<ExactClass> done_;
};

}  // namespace

std::vector<ExactClass> ExactClasses(const Program& program) { return Growth(program).Run(); }

}  // namespace heddle::simulate
