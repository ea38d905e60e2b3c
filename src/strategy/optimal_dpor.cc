#include "strategy/optimal_dpor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "strategy/whole_run.h"
#include "trace/channel_use.h"

namespace heddle {
namespace {

bool Failed(std::uint8_t flags) { return (flags & (Event::kFailed | Event::kTimedOut)) != 0; }

// Waits for its descriptors.
bool WaitsForIo(const RunOrder::StepInfo& step) {
  return IsIo(step.kind) && (step.found & channel_use::kWaits) != 0;
}

// Waits for the state of its object for as long as it takes.
bool Blocks(const RunOrder::StepInfo& step) {
  switch (step.kind) {
    case OpKind::kSend:
    case OpKind::kReceive:
    case OpKind::kLook:
    case OpKind::kEpollWait:
      if (!step.is_on_channel || !WaitsForIo(step)) return false;
      return (step.flags & Event::kMayTimeOut) == 0;
    case OpKind::kLock:
    case OpKind::kSemWait:
    case OpKind::kOnce:
    case OpKind::kReadLock:
    case OpKind::kWriteLock:
      return (step.flags & Event::kMayTimeOut) == 0;
    default:
      return false;
  }
}

// May have to wait for something that the trace does not show: whether it can run is tried out.
bool MayBlockUnseen(const RunOrder::StepInfo& step) {
  if ((step.flags & Event::kAwaited) != 0) return true;  // for a value, in a loop
  switch (step.kind) {
    case OpKind::kReceive:
    case OpKind::kSend:
    case OpKind::kPoll:
    case OpKind::kFileLock:
    case OpKind::kSemOp:
      return WaitsForIo(step) && !step.is_on_channel;
    case OpKind::kSigWait:
    case OpKind::kP:
    case OpKind::kAcquire:
    case OpKind::kEnter:
    case OpKind::kPortPut:
    case OpKind::kPortReceive:
      return true;
    case OpKind::kV:
      return step.on_binary;
    default:
      return false;
  }
}

// Can be carried out wherever its thread is about to, and lets others be: most are.
bool IsFree(const RunOrder::StepInfo& step) {
  return step.is_quick && (step.flags & Event::kAwaited) == 0;
}

bool TakesToWrite(OpKind kind) {
  return kind == OpKind::kWriteLock || kind == OpKind::kTryWriteLock ||
         kind == OpKind::kQueueWriter;
}
bool TakesToRead(OpKind kind) { return kind == OpKind::kReadLock || kind == OpKind::kTryReadLock; }
bool IsOfReader(OpKind kind) { return TakesToRead(kind) || kind == OpKind::kReadUnlock; }

}  // namespace

void OptimalDporSearch::Learn(const Plan& plan, const RunTrace& trace) {
  const auto out = state_.outstanding.find(plan.run);
  if (out == state_.outstanding.end()) return;  // of a search before Restart
  Work work = std::move(out->second);
  state_.outstanding.erase(out);
  const std::size_t before = state_.work.size();
  if (trace.record.outcome == RunOutcome::kBlocked) {
    ++state_.blocked;
  } else if (!HasAllEvents(trace) && !IsHung(trace)) {
    ++state_.lost;
  } else {
    if (IsHung(trace) && StartAnewWithout(trace)) return;
    if (IsHung(trace)) ++state_.lost;
    order_.Build(trace);
    if (order_.hides_orders()) ++state_.lost;
    if (!AssignRoles(work, trace)) {
      ++(IsInVain(work, trace) ? state_.blocked : state_.lost);
    } else {
      if (WasCutShort(trace)) ++state_.lost;
      FindOddEvents(trace);
      FindRepetition(trace);
      VaryOutcomes(work.road, trace);
      LeaveOutReaders(work, trace);
      ReverseRaces(trace);
    }
  }
  ShareWeight(work.weight, before);
  if (work.node != Descents::kNoNode) Pool(work.node, before);
  spare_.push_back(std::move(work));
}

// A thread hung, and others did not get on because of it: the rule changes, and with it which run
// is responsible for what.
bool OptimalDporSearch::StartAnewWithout(const RunTrace& trace) {
  const ThreadId hung = trace.failure.thread;
  if (trace.failure.kind != FailureKind::kWatchdog || hung >= trace.threads.size()) return false;
  bool keeps_others = false;
  for (ThreadId t = 0; t < trace.threads.size(); ++t) {
    const ThreadRecord& thread = trace.threads[t];
    keeps_others = keeps_others || (t != hung && thread.ended == 0 && thread.enabled != 0);
  }
  const std::uint64_t path = trace.threads[hung].path_hash;
  auto* const free = std::find(late_.begin(), late_.end(), 0);
  const bool is_known = std::find(late_.begin(), late_.end(), path) != late_.end();
  if (!keeps_others || is_known || free == late_.end()) return false;
  *free = path;
  const State before = std::move(state_);
  Restart();
  state_.given = before.given;
  state_.blocked = before.blocked;
  state_.lost = before.lost + 1;
  return true;
}

bool OptimalDporSearch::AssignRoles(const Work& work, const RunTrace& trace) {
  const Step events = order_.events();
  if (work.roles.size() > events) return false;
  roles_.assign(work.roles.begin(), work.roles.end());
  roles_.resize(events, Role::kAside);
  block_ = Block();
  const auto begins = road_end_ = static_cast<Step>(work.roles.size());
  std::size_t at = 0;
  Step last = RunOrder::kNone;  // of the road
  bool then_open = true;
  // Another outcome of the road's last event: that was gone by answers.
  const bool is_gone = work.road.steps.empty() && work.road.then_path != 0;
  if (is_gone) last = begins - 1;
  const auto points = order_.PointsFrom(begins);
  auto point = points.begin();
  for (; point != points.end() && then_open; ++point) {
    const Step i = *point;
    if (!order_[i].is_point) continue;
    const std::uint64_t path = trace.threads[order_[i].thread].path_hash;
    while (at < work.road.steps.size() && work.road.steps[at].wakes != 0) ++at;
    if (at < work.road.steps.size()) {
      if (work.road.steps[at].path != path) return false;
      ++at;
      roles_[i] = Role::kEarly;
      last = i;
      road_end_ = i + 1;
      continue;
    }
    if (last != RunOrder::kNone) {
      const ObjectId object = trace.events[i].object;
      const bool named = object != kNoObject && NamesItsObject(order_[i].kind);
      const std::uint64_t key = named ? trace.objects[object].key : 0;
      const bool is_x = path == work.road.then_path &&
                        AreSameKind(order_[i].kind, work.road.then_kind) &&
                        key == work.road.then_key;
      if (!is_x) roles_[last] = Role::kLast;
    }
    then_open = false;
    roles_[i] = Role::kTurn;
  }
  for (; point != points.end(); ++point) {
    if (order_[*point].is_point) roles_[*point] = Role::kTurn;
  }
  while (at < work.road.steps.size() && work.road.steps[at].wakes != 0) ++at;
  if (then_open && last != RunOrder::kNone) roles_[last] = Role::kLast;
  return at == work.road.steps.size();
}

// The road could be gone up to its last step, and that one had to wait: the reversal that was tried
// out does not exist. (Where one thread alone can go on nobody is asked, and nobody gives up.)
bool OptimalDporSearch::IsInVain(const Work& work, const RunTrace& trace) const {
  auto i = static_cast<Step>(work.roles.size());
  std::size_t at = 0;
  const std::vector<RoadStep>& steps = work.road.steps;
  for (;; ++i) {
    while (at < steps.size() && steps[at].wakes != 0) ++at;
    if (at >= steps.size()) return false;
    if (i >= order_.events()) break;
    if (!order_[i].is_point) continue;
    if (trace.threads[order_[i].thread].path_hash != steps[at].path) break;
    ++at;
  }
  for (std::size_t later = at + 1; later < steps.size(); ++later) {
    if (steps[later].wakes == 0) return false;
  }
  for (; i < order_.steps(); ++i) {
    const RunOrder::StepInfo& step = order_[i];
    if (step.kind == OpKind::kNone || !step.is_point) continue;
    const bool is_it = trace.threads[step.thread].path_hash == steps[at].path;
    if (is_it) return MayBlockUnseen(step) || WaitsForIo(step);
  }
  return false;
}

// Whether any of kAtOnce roles is kEarly or kLast.
bool OptimalDporSearch::HasEarly(const Role* roles) {
  static_assert(static_cast<int>(Role::kTurn) == 0 && static_cast<int>(Role::kEarly) == 1);
  static_assert(static_cast<int>(Role::kLast) == 2 && static_cast<int>(Role::kAside) == 3);
  std::uint64_t all;
  static_assert(sizeof all == kAtOnce * sizeof(Role));
  std::memcpy(&all, roles, sizeof all);
  // The second bit of what is one more.
  return ((all + 0x0101010101010101) & 0x0202020202020202) != 0;
}

void OptimalDporSearch::FindOddEvents(const RunTrace& trace) {
  odd_.clear();
  odd_outcome_.clear();
  const auto is_early = [this](Step i) {
    return roles_[i] == Role::kEarly || roles_[i] == Role::kLast;
  };
  if (!order_.has_choices()) {
    Step i = 0;
    for (; i + kAtOnce <= road_end_; i += kAtOnce) {
      if (!HasEarly(&roles_[i])) continue;
      for (Step k = i; k < i + kAtOnce; ++k) {
        if (is_early(k)) odd_.push_back(k);
      }
    }
    for (; i < road_end_; ++i) {
      if (is_early(i)) odd_.push_back(i);
    }
    return;
  }
  for (Step i = 0; i < order_.events(); ++i) {
    const RunOrder::Choices choices = order_.ChoicesOf(i);
    bool by_rule = true;
    for (std::uint32_t c = 0; c < choices.count; ++c) {
      by_rule = by_rule && order_.IsDefault(trace.decisions[choices.first + c]);
    }
    if (!by_rule) odd_outcome_.push_back(i);
    if (!by_rule || is_early(i)) odd_.push_back(i);
  }
}

// The answers that lead to just before `event`: all but the one that chose it.
std::size_t OptimalDporSearch::DecisionsBefore(Step event, const RunTrace& trace) const {
  const auto is_before = [](const DecisionRecord& decision, Step step) {
    return decision.event < step;
  };
  auto at = std::lower_bound(trace.decisions.begin(), trace.decisions.end(), event, is_before);
  for (; at != trace.decisions.end() && at->event == event; ++at) {
    if (at->kind == DecisionKind::kThread || order_.IsMessageChoice(*at)) break;
  }
  return static_cast<std::size_t>(at - trace.decisions.begin());
}

// A run that is the same up to just before `event`.
OptimalDporSearch::Work* OptimalDporSearch::WorkUpTo(Step event, const RunTrace& trace) {
  Work* const work = NewWork();
  work->prefix.resize(DecisionsBefore(event, trace));
  for (std::size_t d = 0; d < work->prefix.size(); ++d) {
    work->prefix[d] = {trace.decisions[d].chosen, trace.decisions[d].options};
  }
  work->roles.assign(roles_.begin(), roles_.begin() + event);
  work->road.begins = event;
  return work;
}

void OptimalDporSearch::SetThen(Step x, const RunTrace& trace, Road* road) const {
  const ObjectId object = trace.events[x].object;
  road->then_path = trace.threads[order_[x].thread].path_hash;
  road->then_kind = order_[x].kind;
  const bool named = object != kNoObject && NamesItsObject(order_[x].kind);
  road->then_key = named ? trace.objects[object].key : 0;
}

void OptimalDporSearch::VaryOutcomes(const Road& road, const RunTrace& trace) {
  if (!order_.has_choices()) return;
  const Step first = odd_.empty() ? 0 : odd_.back();
  for (Step y = first; y < std::min(order_.events(), repeats_from_); ++y) {
    const RunOrder::Choices choices = order_.ChoicesOf(y);
    if (choices.count == 0) continue;
    // Answers up to the last one that is not the rule's are kept: they have been varied already.
    std::uint32_t from = choices.count;
    while (from > 0 && order_.IsDefault(trace.decisions[choices.first + from - 1])) --from;
    for (std::uint32_t c = from; c < choices.count; ++c) {
      const DecisionRecord& decision = trace.decisions[choices.first + c];
      for (std::uint16_t option = 0; option < decision.options; ++option) {
        if (option == decision.chosen) continue;
        Work* const work = NewWork();
        for (std::uint32_t d = 0; d < choices.first + c; ++d) {
          work->prefix.push_back({trace.decisions[d].chosen, trace.decisions[d].options});
        }
        work->prefix.push_back({option, decision.options});
        work->roles.assign(roles_.begin(), roles_.begin() + y + 1);
        work->road.begins = y + 1;
        if (roles_[y] == Role::kTurn || roles_[y] == Role::kAside) continue;
        // It is the last of this run's road, and what it kept from running the other may let go on.
        work->roles[y] = Role::kEarly;
        work->road.then_path = road.then_path;
        work->road.then_kind = road.then_kind;
        work->road.then_key = road.then_key;
      }
    }
  }
}

void OptimalDporSearch::FindBlock(Step x) {
  Step y = x;
  while (y > 0 && roles_[y - 1] == Role::kAside) --y;
  const bool has_s = y > 0 && roles_[y - 1] == Role::kEarly;
  block_.x = x;
  block_.last = has_s ? y - 1 : RunOrder::kNone;
  block_.rank = has_s ? order_.RankOf(order_[y - 1].thread) : 0;
}

void OptimalDporSearch::ReverseRaces(const RunTrace& trace) {
  // This run is not responsible for what lies before its last odd event: that is not needed there.
  for (const Step e : order_.PointsFrom(odd_.empty() ? 0 : odd_.back())) {
    if (!IsFree(order_[e])) {
      ReverseRacesOf(e, trace);
      continue;
    }
    Step x = RunOrder::kNone;
    if (!order_.HasOneConflict(e, &x)) {
      TryImmediate(e, trace);
      continue;
    }
    const bool races =
        x != RunOrder::kNone && roles_[x] == Role::kTurn && !order_.PrecedesStart(x, e);
    if (races) TryReversal(x, e, Seen::kDone, order_[e].start_end, trace);
  }
  for (const ThreadId thread : order_.Pending()) ReverseRacesOf(order_.events() + thread, trace);
  if (order_.reads_clock()) TryTimeoutsBehindReads(trace);
}

void OptimalDporSearch::ReverseRacesOf(Step e, const RunTrace& trace) {
  const RunOrder::StepInfo& step = order_[e];
  if (step.waker != RunOrder::kNone) TryTimeout(e, trace);
  if (step.kind == OpKind::kHandler || step.failed()) TrySignal(e, trace);
  if (!step.is_point) return;
  const bool is_pending = order_.IsPending(e);
  // A run that is cut short leaves operations that could have been carried out, by time-out or not.
  const ThreadRecord& thread = trace.threads[step.thread];
  const bool could_go_on = thread.enabled != 0 || thread.pending.timed();
  if (is_pending && step.kind == OpKind::kWake && !could_go_on) return;  // when woken only
  if (!is_pending || could_go_on) TryImmediate(e, trace);
  if (Blocks(step) || MayBlockUnseen(step)) TryBlocked(e, trace);
}

// The thread that handles a signal could have done what it was about to do before the signal came.
void OptimalDporSearch::TrySignal(Step e, const RunTrace& trace) {
  const Step x = order_[e].disturbed_by;
  if (x == RunOrder::kNone) return;
  if (roles_[x] == Role::kTurn && !order_.PrecedesStart(x, e)) {
    TryReversal(x, e, Seen::kBlocked, order_[e].start_end, trace);
  }
}

// Races with events that `e` follows immediately.
void OptimalDporSearch::TryImmediate(Step e, const RunTrace& trace) {
  polled_.clear();
  const auto conflicts = order_.ConflictsOf(e);
  const bool is_free = IsFree(order_[e]);
  for (const Step x : conflicts) {
    if (roles_[x] != Role::kTurn || order_.PrecedesStart(x, e)) continue;
    // What asks about several descriptors may find another one ready.
    const bool asks = IsLook(order_[e].kind) || order_[e].kind == OpKind::kPoll;
    if (!is_free && (!CouldRunBefore(e, x) || (!asks && Disables(x, e)))) continue;
    Step end = order_[e].start_end;
    const bool is_immediate = std::all_of(conflicts.begin(), conflicts.end(), [&](Step other) {
      // What followed at once, as the end of the thread that `e` is sent to, is part of that turn.
      const bool is_part = x == order_[e].aimed_at && !order_[other].is_point;
      if (other == x || is_part) return true;
      end = std::max(end, other + 1);
      return !order_.HappensBefore(x, other);
    });
    if (is_immediate) TryReversal(x, e, Seen::kDone, end, trace);
  }
}

// Races with events that took what `e` waits for, however long ago.
void OptimalDporSearch::TryBlocked(Step e, const RunTrace& trace) {
  if (IsLook(order_[e].kind)) return TryBlockedLook(e, trace);
  const ObjectId object = order_[e].object;
  leaving_.clear();
  Step x = order_[e].before[0];
  for (; x != RunOrder::kNone; x = order_.LinkOn(x, object).before) {
    const bool shares = order_[e].kind == OpKind::kWriteLock && IsOfReader(order_[x].kind);
    if (!shares) leaving_.clear();
    if (order_[x].thread == order_[e].thread || order_.PrecedesStart(x, e)) {
      if (!shares) return;  // other readers may be later, without it
    } else if (roles_[x] == Role::kTurn && Disables(x, e)) {
      if (shares) {
        TryWriterBefore(x, e, trace);
      } else if (order_.AreDependent(x, e) && CouldRunBefore(e, x)) {
        TryReversal(x, e, Seen::kBlocked, order_[e].start_end, trace);
        if (order_[e].kind == OpKind::kPoll && MayHideFromPolls(x)) ++state_.lost;
      }
    }
    if (order_[x].kind == OpKind::kReadUnlock) leaving_.push_back(x);
  }
}

bool OptimalDporSearch::Disables(Step x, Step e) const {
  // The end of the process has nothing to do with what anybody waits for, nor has how late it is.
  if (order_.EndsProcess(x) || order_[x].kind == OpKind::kTime) return false;
  if (MayBlockUnseen(order_[e])) return true;
  const OpKind kind = order_[x].kind;
  if (order_[e].kind == OpKind::kReadLock && kind == OpKind::kQueueWriter) return true;
  if (!Blocks(order_[e]) || Failed(order_[x].flags)) return false;
  switch (order_[e].kind) {
    case OpKind::kReadLock:
      return TakesToWrite(kind);
    case OpKind::kWriteLock:
      return TakesToWrite(kind) || TakesToRead(kind);
    case OpKind::kLock:
      return order_[x].kind == OpKind::kLock || order_[x].kind == OpKind::kTryLock;
    case OpKind::kSemWait:
      return (order_[x].kind == OpKind::kSemWait || order_[x].kind == OpKind::kSemTryWait) &&
             order_[x].value == 0;
    case OpKind::kOnce:
      return order_[x].kind == OpKind::kOnce && order_[x].begins;
    case OpKind::kSend:
    case OpKind::kReceive:  // nothing but what is done to the channel itself takes from it
      if (kind == OpKind::kDescriptor || order_[x].object != order_[e].object) {
        return BeginsWait(x, e);
      }
      return (kind == OpKind::kSend || kind == OpKind::kReceive) &&
             ReadinessOf(order_[e].kind, order_[x].found) != Readiness::kWaits &&
             ReadinessOf(order_[e].kind, order_[x].left) != Readiness::kReady;
    default:
      return false;
  }
}

// A socket that does not listen or is not connected yet lets nobody wait for what comes.
bool OptimalDporSearch::BeginsWait(Step x, Step e) const {
  const ObjectId channel = order_[e].object;
  if (!order_[x].is_on_list || !order_.Touches(x, channel)) return false;
  const auto at = [&](std::uint8_t noted) {
    return ReadinessOf(order_[e].kind, order_.NotedOf(x, channel, noted));
  };
  return at(order_[x].found) != Readiness::kWaits && at(order_[x].left) == Readiness::kWaits;
}

// Whether the channel of `e` is, or may be, ready for it just before `x`, which is on it or on all
// descriptors.
bool OptimalDporSearch::IsReadyBefore(Step e, Step x) const {
  const ObjectId channel = order_[e].object;
  if (ReadinessOf(order_[e].kind, NotedWithout(channel, e, x)) != Readiness::kWaits) return true;
  if (order_[x].is_on_channel) return false;
  Step last = order_[e].before[0];  // that noted what it left on the channel, before x
  while (last != RunOrder::kNone && (last >= x || !order_.Changes(last, channel))) {
    last = order_.LinkOn(last, channel).before;
  }
  if (last == RunOrder::kNone) return true;
  // What is done to all descriptors may have made it ready since then: the end of a pair of
  // sockets.
  const ObjectId all = order_[x].object;
  Step between = order_[x].before[0];
  while (between != RunOrder::kNone && between > last && order_[between].object != all) {
    between = order_[between].before[1];
  }
  return between != RunOrder::kNone && between > last;
}

// Whether the state of the object just before `x` lets `e` run there.
bool OptimalDporSearch::CouldRunBefore(Step e, Step x) {
  if (order_[x].target == order_[e].thread) return !Failed(order_[e].flags);
  if (order_.EndsProcess(x)) return true;
  if (!Blocks(order_[e])) return order_[e].kind != OpKind::kWake || !order_.IsPending(e);
  switch (order_[e].kind) {
    case OpKind::kLock: {
      if (order_[x].object != order_[e].object) return false;  // its second one: a wait holds it
      const ThreadId holder = order_[x].lock.holder;
      return holder == kNoThread || holder == order_[e].thread;
    }
    case OpKind::kReadLock:
      return order_[x].lock.holder == kNoThread && order_[x].lock.queued == 0;
    case OpKind::kWriteLock:  // x failed to read: then e had it behind others that do
      if (TakesToRead(order_[x].kind) && Failed(order_[x].flags)) return true;
      return order_[x].lock.holder == kNoThread && order_[x].lock.readers == 0;
    case OpKind::kSemWait: {
      std::uint64_t count = order_[x].value;
      if (order_[x].kind == OpKind::kSemPost && !Failed(order_[x].flags)) --count;
      const bool took = order_[x].kind == OpKind::kSemWait || order_[x].kind == OpKind::kSemTryWait;
      if (took) count = Failed(order_[x].flags) ? 0 : count + 1;
      // Posts that came since and commute with x would come before e, too.
      for (Step p = x + 1; p < order_.events(); ++p) {
        if (order_[p].kind == OpKind::kSemPost && order_[p].object == order_[x].object &&
            order_.HappensBefore(p, e) && !order_.HappensBefore(x, p)) {
          ++count;
        }
      }
      return count > 0;
    }
    case OpKind::kOnce:
      return order_[x].kind == OpKind::kOnce;
    case OpKind::kSend:
    case OpKind::kReceive:
      return IsReadyBefore(e, x);
    case OpKind::kLook:
    case OpKind::kEpollWait:
      return FindsReadyWithout(e, x);
    default:
      return true;
  }
}

// Whether `e` is the one of S K e that is added last: of all that nothing in it follows, the one of
// the last thread.
bool OptimalDporSearch::IsLastOf(Step x, Step e, const std::vector<Step>& needed) {
  for (Step y = x; y-- > 0;) {
    if (roles_[y] == Role::kAside) continue;
    if (roles_[y] != Role::kEarly) break;
    if (order_.RankOf(order_[y].thread) <= order_.RankOf(order_[e].thread)) continue;
    if (order_.PrecedesStart(y, e) || order_.WouldDepend(y, e)) continue;
    bool is_followed = std::any_of(needed.begin(), needed.end(),
                                   [&](Step k) { return order_.HappensBefore(y, k); });
    for (Step z = y + 1; z < x && !is_followed; ++z) {
      is_followed = roles_[z] == Role::kEarly && order_.HappensBefore(y, z);
    }
    if (!is_followed) return false;
  }
  return true;
}

// What `e` needs beside x lies before `end`.
void OptimalDporSearch::ReverseRace(Step x, Step e, Seen seen, Step end, const RunTrace& trace) {
  const auto is_needed = [&](Step k) {
    if (seen == Seen::kDone) return order_.HappensBefore(k, e);
    return order_.PrecedesStart(k, e) || IsNeededForCuts(k);
  };
  if (repeats_from_ != RunOrder::kNone && (x >= repeats_from_ || is_needed(repeats_from_))) return;
  if (TakesToRead(order_[e].kind) && IsShutOut(e, x)) return;
  // Only the run in which all but K e follows the rule behind x is responsible.
  for (std::size_t i = odd_.size(); i-- > 0 && odd_[i] > x;) {
    if (!is_needed(odd_[i]) && !(seen == Seen::kDone && odd_[i] == e)) return;
  }
  for (std::size_t i = odd_outcome_.size(); i-- > 0 && odd_outcome_[i] >= x;) {
    if (odd_outcome_[i] == x || odd_outcome_[i] == e) return;
  }
  needed_.clear();
  for (Step k = x + 1; k < end; ++k) {
    if (order_[k].is_point && is_needed(k)) needed_.push_back(k);
  }
  if (!IsLastOf(x, e, needed_) || IsKeptFromBefore(x, e)) return;
  if (order_[e].kind == OpKind::kPoll && !IsFirstPoll(x)) return;

  Work* const work = WorkUpTo(x, trace);
  AppendRoad(e, trace, &work->road);
  SetThen(x, trace, &work->road);
}

// What is needed, and then `e`.
void OptimalDporSearch::AppendRoad(Step e, const RunTrace& trace, Road* road) const {
  for (const Step k : needed_) {
    road->steps.push_back({.path = trace.threads[order_[k].thread].path_hash});
    const RunOrder::Choices choices = order_.ChoicesOf(k);
    for (std::uint32_t c = 0; c < choices.count; ++c) {
      const DecisionRecord& decision = trace.decisions[choices.first + c];
      const std::uint64_t path = trace.threads[decision.thread].path_hash;
      const bool takes = order_.IsMessageChoice(decision);
      road->steps.push_back(
          {.path = path, .wakes = takes ? RoadStep::kTakes + order_.MessageOf(k).nth : 1u});
    }
  }
  road->steps.push_back({.path = trace.threads[order_[e].thread].path_hash});
}

std::unique_ptr<Search> MakeOptimalDporSearch(const SearchOptions& options) {
  return std::make_unique<OptimalDporSearch>(options);
}

}  // namespace heddle
