#include "strategy/reachability_policy.h"

#include <algorithm>

#include "strategy/syn_ops.h"

namespace heddle {
namespace {

// Room for what a run keeps: nothing is allocated after Begin. Messages beyond it are not chosen by
// name.
constexpr std::size_t kMostMessages = 4096;

std::uint64_t PathOf(const RunView& view, ThreadId thread) {
  return view.threads != nullptr ? view.threads[thread].path_hash : Mix(thread);
}

std::uint64_t KeyOf(const RunView& view, ObjectId object) {
  return view.objects != nullptr ? view.objects[object].key : Mix(object);
}

// What others should not wait for.
bool PassesTheTime(const PendingOp& op) {
  return OffersToStop(op) || op.kind == OpKind::kProcessExit;
}

}  // namespace

void ReachabilityPolicy::Begin(const Plan& plan) {
  TakeVariant(plan, variant_);
  state_.step = 0;
  state_.to_replay = variant_.partners.size();
  state_.received.assign(variant_.owners.size(), 0);
  state_.sends.assign(kMaxThreads, 0);
  state_.messages.clear();
  state_.messages.reserve(kMostMessages);
  state_.open.clear();
  state_.open.reserve(kMostMessages);
  state_.sleepers.clear();
  state_.sleepers.reserve(kMaxThreads);
}

int ReachabilityPolicy::OwnerIndex(std::uint64_t key) const {
  const auto at =
      std::lower_bound(variant_.owners.begin(), variant_.owners.end(), key,
                       [](const OwnerRow& row, std::uint64_t k) { return row.key < k; });
  if (at == variant_.owners.end() || at->key != key) return -1;
  return static_cast<int>(at - variant_.owners.begin());
}

bool ReachabilityPolicy::IsOld(std::uint64_t path, std::uint32_t number) const {
  const auto at = std::lower_bound(variant_.old.begin(), variant_.old.end(), path,
                                   [](const OldRow& row, std::uint64_t p) { return row.path < p; });
  return at != variant_.old.end() && at->path == path && number < at->count;
}

// Whether the owner's next receive may be that send now.
bool ReachabilityPolicy::MayTake(std::uint64_t owner_key, std::uint64_t path,
                                 std::uint32_t number) const {
  const int index = OwnerIndex(owner_key);
  const bool replaying = state_.to_replay > 0;
  if (index < 0) return !replaying;
  const OwnerRow& owner = variant_.owners[index];
  const std::uint32_t received = state_.received[index];
  if (received < owner.fixed) {
    const PartnerRow& partner = variant_.partners[owner.first + received];
    return partner.path == path && partner.number == number;
  }
  if (replaying) return false;
  return received > owner.fixed || owner.recollected == 0 || !IsOld(path, number);
}

// The first of its sender at its port, or the first of all at a bounded one.
bool ReachabilityPolicy::IsFirst(std::size_t message) const {
  const Message& it = state_.messages[message];
  for (std::size_t i = 0; i < message; ++i) {
    const Message& other = state_.messages[i];
    if (other.port == it.port && (it.bounded || other.sender == it.sender)) return false;
  }
  return true;
}

// A plain access to a variable that has shown no data race is no SYN-event.
bool ReachabilityPolicy::IsQuiet(OpKind kind, ObjectId object, const RunView& view) const {
  return IsPlainAccess(kind) && object != kNoObject &&
         !std::binary_search(variant_.racy.begin(), variant_.racy.end(), KeyOf(view, object));
}

ReachabilityPolicy::OpenPort ReachabilityPolicy::OpenPortOf(ThreadId thread) const {
  for (const OpenPort& open : state_.open) {
    if (open.receiver == thread) return open;
  }
  return {};
}

ReachabilityPolicy::Verdict ReachabilityPolicy::Judge(ThreadId thread, const RunView& view) const {
  const PendingOp& op = view.pending[thread];
  const std::uint64_t path = PathOf(view, thread);
  if (IsQuiet(op.kind, op.object, view)) return Verdict::kLocal;
  switch (SynOpOf(op.kind).role) {
    case SynRole::kLocal:
    case SynRole::kSend:
      return Verdict::kLocal;
    case SynRole::kCall:
    case SynRole::kWait:
      return MayTake(KeyOf(view, op.object), path, state_.sends[thread]) ? Verdict::kAllowed
                                                                         : Verdict::kBarred;
    case SynRole::kReceive:
      break;
    case SynRole::kPipe: {
      const OpenPort open = OpenPortOf(thread);
      const ObjectId pipe = open.port;
      if (pipe == kNoObject || open.use == PipeUse::kClose) return Verdict::kLocal;
      if (!Takes(open.use)) {
        return MayTake(KeyOf(view, pipe), path, state_.sends[thread]) ? Verdict::kAllowed
                                                                      : Verdict::kBarred;
      }
      // Nothing in it, and yet the read can go on: its end was reached.
      if (std::none_of(state_.messages.begin(), state_.messages.end(),
                       [&](const Message& message) { return message.port == pipe; })) {
        return Verdict::kLocal;
      }
      break;
    }
  }
  const std::uint64_t owner = ReceiverKey(path);
  for (std::size_t i = 0; i < state_.messages.size(); ++i) {
    const Message& message = state_.messages[i];
    const bool is_open = std::any_of(
        state_.open.begin(), state_.open.end(),
        [&](const OpenPort& open) { return open.receiver == thread && open.port == message.port; });
    if (is_open && IsFirst(i) && MayTake(owner, PathOf(view, message.sender), message.number)) {
      return Verdict::kAllowed;
    }
  }
  return Verdict::kBarred;
}

std::size_t ReachabilityPolicy::Choose(const Decision& decision) {
  const RunView& view = *decision.view;
  if (decision.kind != DecisionKind::kThread) {
    const OpKind asks = view.pending[decision.current].kind;
    if (asks == OpKind::kPortReceive) return ChooseMessage(decision);
    // Other questions have a fixed answer, and the search says that it did not explore them.
    return asks == OpKind::kSignal ? ChooseSleeper(decision) : 0;
  }
  // Local steps first. Of several, the running thread's: it costs no switch. Who only passes the
  // time comes last; a barred step is taken when nothing else is left.
  enum Rank { kBarred, kIdle, kAllowed, kLocal };
  std::size_t best = 0;
  int best_rank = -1;
  for (std::size_t i = 0; i < decision.options.size(); ++i) {
    const Option& option = decision.options[i];
    int rank = kIdle;
    if (option.outcome == Outcome::kNormal && !PassesTheTime(view.pending[option.thread])) {
      const Verdict verdict = Judge(option.thread, view);
      rank = verdict == Verdict::kLocal     ? kLocal
             : verdict == Verdict::kAllowed ? kAllowed
                                            : kBarred;
    }
    if (rank > best_rank || (rank == best_rank && option.thread == decision.current)) {
      best = i;
      best_rank = rank;
    }
  }
  return best;
}

std::size_t ReachabilityPolicy::ChooseMessage(const Decision& decision) {
  const RunView& view = *decision.view;
  const std::uint64_t owner = ReceiverKey(PathOf(view, decision.current));
  for (std::size_t i = 0; i < decision.options.size(); ++i) {
    const Option& option = decision.options[i];
    for (const Message& message : state_.messages) {
      if (message.sender == option.thread && message.step == option.which &&
          MayTake(owner, PathOf(view, option.thread), message.number)) {
        return i;
      }
    }
  }
  return 0;
}

std::size_t ReachabilityPolicy::ChooseSleeper(const Decision& decision) {
  const RunView& view = *decision.view;
  const std::uint64_t owner = KeyOf(view, view.pending[decision.current].object);
  for (std::size_t i = 0; i < decision.options.size(); ++i) {
    const ThreadId thread = decision.options[i].thread;
    for (const Sleeper& sleeper : state_.sleepers) {
      if (sleeper.thread == thread && MayTake(owner, PathOf(view, thread), sleeper.number)) {
        return i;
      }
    }
  }
  return 0;
}

void ReachabilityPolicy::Answered(const Decision& decision, std::size_t chosen) {
  const RunView& view = *decision.view;
  if (decision.kind != DecisionKind::kWaiter ||
      view.pending[decision.current].kind != OpKind::kSignal) {
    return;
  }
  for (std::size_t i = 0; i < state_.sleepers.size(); ++i) {
    if (state_.sleepers[i].thread != decision.options[chosen].thread) continue;
    Woken(i, view);
    return;
  }
}

// The condition has received the sleeper's wish.
void ReachabilityPolicy::Woken(std::size_t sleeper, const RunView& view) {
  const std::uint64_t owner = KeyOf(view, state_.sleepers[sleeper].condition);
  state_.sleepers.erase(state_.sleepers.begin() + static_cast<std::ptrdiff_t>(sleeper));
  Received(owner);
}

// A signal that could wake several asks who it is; otherwise nobody is asked.
void ReachabilityPolicy::Signalled(const Event& event, const RunView& view) {
  const auto waits = [&](const Sleeper& sleeper) { return sleeper.condition == event.object; };
  const auto count = std::count_if(state_.sleepers.begin(), state_.sleepers.end(), waits);
  if (event.kind == OpKind::kSignal && count != 1) return;
  for (std::size_t i = 0; i < state_.sleepers.size();) {
    if (waits(state_.sleepers[i])) {
      Woken(i, view);
    } else {
      ++i;
    }
  }
}

void ReachabilityPolicy::Received(std::uint64_t owner_key) {
  const int index = OwnerIndex(owner_key);
  if (index < 0) return;
  if (state_.received[index]++ < variant_.owners[index].fixed) --state_.to_replay;
}

// A write is a call of the pipe and a message; a read takes the oldest one.
void ReachabilityPolicy::UsedPipe(const Event& event, std::uint32_t step, const RunView& view) {
  const OpenPort open = OpenPortOf(event.thread);
  const ObjectId pipe = open.port;
  if (pipe == kNoObject) return;
  if (Counts(open.use)) {
    ++state_.sends[event.thread];
    Received(KeyOf(view, pipe));
  } else if (Puts(open.use)) {
    ++state_.sends[event.thread];
    Received(KeyOf(view, pipe));
    if (state_.messages.size() < kMostMessages) {
      state_.messages.push_back({pipe, event.thread, state_.sends[event.thread], step, true});
    }
    ++state_.sends[event.thread];
  } else if (Takes(open.use)) {
    const auto at = std::find_if(state_.messages.begin(), state_.messages.end(),
                                 [&](const Message& message) { return message.port == pipe; });
    if (at == state_.messages.end()) return;
    state_.messages.erase(at);
    Received(ReceiverKey(PathOf(view, event.thread)));
  }
}

void ReachabilityPolicy::Observe(const Event& event, const RunView& view) {
  const std::uint32_t step = state_.step++;
  const ThreadId thread = event.thread;
  if (IsQuiet(event.kind, event.object, view)) return;
  switch (SynOpOf(event.kind).role) {
    case SynRole::kLocal:
      if (event.kind == OpKind::kPortOpen && state_.open.size() < kMostMessages) {
        state_.open.push_back({thread, event.object, PipeUseOf(event)});
      }
      break;
    case SynRole::kCall:
      ++state_.sends[thread];
      Received(KeyOf(view, event.object));
      if (event.kind == OpKind::kSignal || event.kind == OpKind::kBroadcast) {
        Signalled(event, view);
      }
      break;
    case SynRole::kWait:
      if (state_.sleepers.size() < kMaxThreads) {
        state_.sleepers.push_back({event.object, thread, state_.sends[thread] + 1});
      }
      state_.sends[thread] += 3;
      Received(KeyOf(view, event.object));
      Received(KeyOf(view, view.pending[thread].second));
      break;
    case SynRole::kSend:
      if (state_.messages.size() < kMostMessages) {
        const bool bounded =
            view.objects != nullptr && view.objects[event.object].kind == ObjectKind::kBoundedPort;
        state_.messages.push_back({event.object, thread, state_.sends[thread], step, bounded});
      }
      ++state_.sends[thread];
      break;
    case SynRole::kReceive: {
      const auto at =
          std::find_if(state_.messages.begin(), state_.messages.end(), [&](const Message& message) {
            return message.port == event.object && message.sender == event.other;
          });
      if (at != state_.messages.end()) state_.messages.erase(at);
      std::erase_if(state_.open, [&](const OpenPort& open) { return open.receiver == thread; });
      Received(ReceiverKey(PathOf(view, thread)));
      break;
    }
    case SynRole::kPipe:
      UsedPipe(event, step, view);
      std::erase_if(state_.open, [&](const OpenPort& open) { return open.receiver == thread; });
      break;
  }
}

std::unique_ptr<Policy> MakeReachabilityPolicy() { return std::make_unique<ReachabilityPolicy>(); }

}  // namespace heddle
