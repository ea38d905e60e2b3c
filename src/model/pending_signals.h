// Signals that were sent and not yet delivered, to a thread or to the process: pure.
//
// Ordinary signals are remembered once, realtime signals as often as they were sent; the lowest
// number comes first, and of equal ones the one sent first.
#ifndef HEDDLE_MODEL_PENDING_SIGNALS_H_
#define HEDDLE_MODEL_PENDING_SIGNALS_H_

#include <signal.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace heddle {

class PendingSignals {
 public:
  bool empty() const { return queue_.empty(); }
  bool has_memory() const { return queue_.capacity() != 0; }  // to be given back

  void Add(const siginfo_t& info) {
    const bool is_queued = info.si_signo >= kFirstRealtime;
    if (!is_queued && Has(info.si_signo)) return;
    queue_.push_back(info);
  }

  bool Has(int signal) const {
    return std::any_of(queue_.begin(), queue_.end(),
                       [signal](const siginfo_t& info) { return info.si_signo == signal; });
  }

  bool HasOneOf(const sigset_t& set) const {
    return std::any_of(queue_.begin(), queue_.end(), [&set](const siginfo_t& info) {
      return sigismember(&set, info.si_signo) == 1;
    });
  }

  template <typename Wanted>
  bool HasAny(const Wanted& wanted) const {
    return std::any_of(queue_.begin(), queue_.end(),
                       [&wanted](const siginfo_t& info) { return wanted(info.si_signo); });
  }

  // The first for which `wanted` holds, taken out.
  template <typename Wanted>
  std::optional<siginfo_t> Take(const Wanted& wanted) {
    auto best = queue_.end();
    for (auto at = queue_.begin(); at != queue_.end(); ++at) {
      if (!wanted(at->si_signo)) continue;
      if (best == queue_.end() || at->si_signo < best->si_signo) best = at;
    }
    if (best == queue_.end()) return std::nullopt;
    const siginfo_t info = *best;
    queue_.erase(best);
    return info;
  }

 private:
  static constexpr int kFirstRealtime = 32;

  std::vector<siginfo_t> queue_;
};

}  // namespace heddle

#endif  // HEDDLE_MODEL_PENDING_SIGNALS_H_
