#include "simulate/enumerate.h"

#include <algorithm>
#include <numeric>

namespace heddle::simulate {
namespace {

class Walk {
 public:
  Walk(const Program& program, const EnumerateOptions& options,
       const std::function<void(const Interleaving&)>& visit)
      : program_(program), options_(options), visit_(visit) {}

  void From(const State& state) {
    const std::vector<int> choices = Choices(program_, state);
    if (choices.empty() || (state.failed && options_.stop_at_failure)) {
      path_.failed = state.failed;
      path_.deadlocked = choices.empty() && !state.over && !AllEnded(state);
      visit_(path_);
      return;
    }
    Each(choices, [&](int thread) {
      // The question which waiter comes behind the question which thread.
      const std::vector<int> waiters = WaitersOf(program_, state, thread);
      if (waiters.empty()) return Step(state, thread, -1);
      Each(waiters, [&](int waiter) { Step(state, thread, waiter); });
    });
  }

 private:
  bool AllEnded(const State& state) const {
    return std::all_of(state.threads.begin(), state.threads.end(),
                       [this](const ThreadState& thread) { return HasEnded(program_, thread); });
  }

  // Goes on with each of the options in turn; a question only where there are two or more.
  template <typename Go>
  void Each(const std::vector<int>& options, const Go& go) {
    const double before = path_.probability;
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (options.size() > 1) {
        path_.answers.push_back(
            {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(options.size())});
        path_.probability = before / static_cast<double>(options.size());
      }
      go(options[i]);
      if (options.size() > 1) path_.answers.pop_back();
    }
    path_.probability = before;
  }

  void Step(const State& state, int thread, int waiter) {
    path_.events.push_back(
        NextEvent(program_, state, state.threads[static_cast<std::size_t>(thread)]));
    if (waiter >= 0) {
      path_.events.back().woken = state.threads[static_cast<std::size_t>(waiter)].program_thread;
    }
    State next = state;
    Execute(program_, next, thread, waiter);
    From(next);
    path_.events.pop_back();
  }

  const Program& program_;
  const EnumerateOptions options_;
  const std::function<void(const Interleaving&)>& visit_;
  Interleaving path_;
};

std::string NameOf(const EventName& event) {
  std::string name = std::to_string(event.thread) + "." + std::to_string(event.nth) + ":";
  name += heddle::NameOf(event.kind);
  if (event.failed) name += "!";
  if (event.object >= 0) name += "@" + std::to_string(event.object);
  if (event.woken >= 0) name += ">" + std::to_string(event.woken);
  return name;
}

}  // namespace

void ForEachInterleaving(const Program& program, const EnumerateOptions& options,
                         const std::function<void(const Interleaving&)>& visit) {
  Walk(program, options, visit).From(InitialState(program));
}

std::string CanonicalOrder(const std::vector<EventName>& events) {
  const std::size_t count = events.size();
  // before[j][i]: event i must come before event j. Closed under transitivity as it is filled,
  // because everything before i is known when j > i is reached.
  std::vector<std::vector<bool>> before(count, std::vector<bool>(count));
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t i = j; i-- > 0;) {
      if (before[j][i] || !Dependent(events[i], events[j])) continue;
      before[j][i] = true;
      for (std::size_t k = 0; k < i; ++k) {
        if (before[i][k]) before[j][k] = true;
      }
    }
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return events[a] < events[b]; });
  std::string text;
  for (const std::size_t j : order) {
    text += NameOf(events[j]) + " after";
    for (const std::size_t i : order) {
      if (before[j][i]) text += " " + NameOf(events[i]);
    }
    text += "\n";
  }
  return text;
}

}  // namespace heddle::simulate
