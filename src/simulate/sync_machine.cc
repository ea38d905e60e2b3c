#include "simulate/sync_machine.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "base/check.h"
#include "base/hash.h"
#include "strategy/registry.h"
#include "trace/thread_path.h"

namespace heddle::simulate {

using reach::Code;
using reach::kNone;
using reach::ObjectType;

namespace {

constexpr std::uint64_t Bit(std::size_t index) { return std::uint64_t{1} << index; }

ObjectKind KindOf(ObjectType type) {
  switch (type) {
    case ObjectType::kCountingSemaphore:
      return ObjectKind::kCountingSemaphore;
    case ObjectType::kBinarySemaphore:
      return ObjectKind::kBinarySemaphore;
    case ObjectType::kLock:
      return ObjectKind::kOwnedLock;
    case ObjectType::kMonitorSC:
      return ObjectKind::kMonitorSC;
    case ObjectType::kMonitorSU:
      return ObjectKind::kMonitorSU;
    case ObjectType::kAsyncPort:
      return ObjectKind::kAsyncPort;
    case ObjectType::kBoundedPort:
      return ObjectKind::kBoundedPort;
    case ObjectType::kSyncPort:
      return ObjectKind::kSyncPort;
  }
  return ObjectKind::kUnknown;
}

constexpr ObjectId kPortsId = 1;  // what all operations on ports touch

}  // namespace

SyncMachine::SyncMachine(const reach::Program* program) : program_(program) {
  HEDDLE_CHECK(program->threads.size() <= 64 && !program->threads.empty());
}

void SyncMachine::Reset(std::uint64_t run) {
  const std::size_t threads = program_->threads.size();
  threads_.assign(threads, Thread());
  objects_.assign(program_->objects.size(), ObjectState());
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    objects_[i].value = program_->objects[i].initial;
  }
  conditions_.assign(program_->conditions.size(), {});
  variables_ = program_->variables;
  pending_.assign(threads, PendingOp());
  ids_.assign(objects_.size(), kNoObject);
  object_records_.clear();
  object_records_.reserve(objects_.size() + 2);  // views point into it
  object_records_.resize(2);
  object_records_[kPortsId].kind = ObjectKind::kPorts;
  object_records_[kPortsId].key = Mix(~std::uint64_t{0});
  thread_records_.assign(threads, ThreadRecord());
  decisions_.clear();
  events_.clear();
  live_ = enabled_ = 0;
  answered_ = 0;
  current_ = kNone;
  over_ = false;
  record_ = RunRecord();
  record_.run = run;
  view_ = RunView();
  view_.pending = pending_;
  view_.live = {&live_, 1};
  view_.enabled = {&enabled_, 1};
  view_.objects = object_records_.data();
  view_.threads = thread_records_.data();
  view_.counts = this;
  for (std::size_t t = 0; t < threads; ++t) {
    const auto nth = static_cast<std::uint16_t>(t);
    thread_records_[t].path_hash = t == 0 ? kMainPathHash : ChildPathHash(kMainPathHash, nth);
    thread_records_[t].parent = t == 0 ? kNoThread : kMainThread;
    thread_records_[t].nth_child = nth;
  }
}

ObjectId SyncMachine::IdOf(Index object) {
  ObjectId& id = ids_[object];
  if (id == kNoObject) {
    id = static_cast<ObjectId>(object_records_.size());
    object_records_.emplace_back();
    object_records_[id].key = Mix(object);
    object_records_[id].kind = KindOf(program_->objects[object].type);
  }
  return id;
}

int SyncMachine::ValueOf(const reach::Operand& operand) const {
  switch (operand.kind) {
    case reach::Operand::Kind::kConstant:
      return operand.value;
    case reach::Operand::Kind::kVariable:
      return variables_[operand.value];
    case reach::Operand::Kind::kLength:
      return static_cast<int>(conditions_[operand.value].size());
  }
  return 0;
}

bool SyncMachine::Holds(const reach::Guard& guard) const {
  return std::all_of(guard.begin(), guard.end(), [&](const reach::Comparison& c) {
    const int left = ValueOf(c.left);
    const int right = ValueOf(c.right);
    return c.compare == reach::Compare::kEqual      ? left == right
           : c.compare == reach::Compare::kNotEqual ? left != right
           : c.compare == reach::Compare::kLess     ? left < right
                                                    : left > right;
  });
}

void SyncMachine::Advance(Index t) {
  Thread& thread = threads_[t];
  const std::vector<reach::Instruction>& code = program_->threads[t];
  while (thread.status == Status::kLive) {
    if (thread.pc >= code.size()) {
      End(t);
      return;
    }
    const reach::Instruction& instruction = code[thread.pc];
    switch (instruction.code) {
      case Code::kSet:
        variables_[instruction.object] = ValueOf(instruction.operand);
        ++thread.pc;
        break;
      case Code::kAdd:
        variables_[instruction.object] += ValueOf(instruction.operand);
        ++thread.pc;
        break;
      case Code::kJumpIf:
        thread.pc = Holds(instruction.guard) ? instruction.target : thread.pc + 1;
        break;
      case Code::kJump:
        thread.pc = instruction.target;
        break;
      default:
        Announce(t);
        return;
    }
  }
}

void SyncMachine::SetPending(Index thread, OpKind kind, Index object, bool all_ports) {
  PendingOp op;
  op.kind = kind;
  op.object = IdOf(object);
  if (all_ports) op.second = kPortsId;
  pending_[thread] = op;
}

void SyncMachine::Fail(Index thread) {
  threads_[thread].status = Status::kFailed;
  record_.failure = FailureKind::kMisuse;
}

void SyncMachine::Announce(Index t) {
  Thread& thread = threads_[t];
  const reach::Instruction& instruction = At(t);
  const Index object = instruction.object;
  const auto inside = [&](Index monitor) { return objects_[monitor].owner == t; };
  switch (instruction.code) {
    case Code::kP:
      return SetPending(t, OpKind::kP, object);
    case Code::kV:
      return SetPending(t, OpKind::kV, object);
    case Code::kLock:
      return SetPending(t, OpKind::kAcquire, object);
    case Code::kUnlock:
      return inside(object) ? SetPending(t, OpKind::kRelease, object) : Fail(t);
    case Code::kEnter:
      return SetPending(t, OpKind::kEnter, object);
    case Code::kExit:
      return inside(object) ? SetPending(t, OpKind::kLeave, object) : Fail(t);
    case Code::kWait: {
      const Index monitor = program_->conditions[object];
      return inside(monitor) ? SetPending(t, OpKind::kQueue, monitor) : Fail(t);
    }
    case Code::kSignal:
    case Code::kSignalAll:
    case Code::kSignalAndExit: {
      const Index monitor = program_->conditions[object];
      if (!inside(monitor)) return Fail(t);
      const std::size_t waiting = conditions_[object].size();
      thread.to_notify =
          instruction.code == Code::kSignalAll ? waiting : std::min<std::size_t>(waiting, 1);
      thread.heir = kNone;
      return SetPending(t, OpKind::kNotify, monitor);
    }
    case Code::kSend:
      if (program_->objects[object].type == ObjectType::kBoundedPort) {
        return SetPending(t, OpKind::kPortPut, object);
      }
      return SetPending(t, OpKind::kPortSend, object, true);
    case Code::kReceive:
    case Code::kSelect:
      thread.open.clear();
      for (const reach::Alternative& alternative : instruction.alternatives) {
        if (!Holds(alternative.guard)) continue;
        thread.open.push_back(alternative.port);
      }
      if (thread.open.empty()) return Fail(t);
      for (const Index port : thread.open) {
        Event event;
        event.kind = OpKind::kPortOpen;
        event.thread = static_cast<ThreadId>(t);
        event.object = IdOf(port);
        Record(event);
      }
      return SetPending(t, OpKind::kPortReceive, thread.open[0], thread.open.size() > 1);
    default:
      HEDDLE_CHECK(false);
  }
}

// The first message of each sender at each open port (the first of all at a bounded one), by
// sender, then by the order of sending.
std::vector<SyncMachine::Candidate> SyncMachine::CandidatesOf(Index t) const {
  std::vector<Candidate> found;
  for (const Index port : threads_[t].open) {
    const std::deque<Message>& messages = objects_[port].messages;
    const bool bounded = program_->objects[port].type == ObjectType::kBoundedPort;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (!messages[i].sent) break;
      const bool is_first = std::none_of(
          messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(i),
          [&](const Message& earlier) { return earlier.sender == messages[i].sender; });
      if (is_first) found.push_back({port, i});
      if (bounded) break;
    }
  }
  std::sort(found.begin(), found.end(), [&](const Candidate& a, const Candidate& b) {
    const Message& x = objects_[a.port].messages[a.message];
    const Message& y = objects_[b.port].messages[b.message];
    return x.sender != y.sender ? x.sender < y.sender : x.step < y.step;
  });
  return found;
}

bool SyncMachine::CanGoOn(Index t) const {
  const Thread& thread = threads_[t];
  if (thread.status != Status::kLive) return false;
  const reach::Instruction& instruction = At(t);
  const ObjectState* const object =
      instruction.object < objects_.size() ? &objects_[instruction.object] : nullptr;
  switch (pending_[t].kind) {
    case OpKind::kP:
      return object->value > 0;
    case OpKind::kV:
      return program_->objects[instruction.object].type == ObjectType::kCountingSemaphore ||
             object->value == 0;
    case OpKind::kAcquire:
      return object->owner == kNone || object->owner == t;
    case OpKind::kEnter: {
      const Index monitor =
          thread.reenters ? program_->conditions[instruction.object] : instruction.object;
      return objects_[monitor].owner == kNone && (!thread.reenters || thread.granted);
    }
    case OpKind::kResume:
      return thread.granted;
    case OpKind::kPortPut:
      return static_cast<int>(object->messages.size()) <
             program_->objects[instruction.object].initial;
    case OpKind::kPortSent:
      return thread.received;
    case OpKind::kPortReceive:
      return !CandidatesOf(t).empty();
    default:
      return true;
  }
}

// One answer, from the prefix or the policy; false: the run is over.
bool SyncMachine::Ask(const Decision& decision, const Plan& plan, Policy& policy,
                      std::size_t* chosen) {
  if (answered_ < plan.prefix.size()) {
    const Answer& answer = plan.prefix[answered_];
    if (answer.options != decision.options.size() || answer.chosen >= answer.options) {
      record_.outcome = RunOutcome::kDiverged;
      record_.diverged_at = static_cast<std::uint32_t>(answered_);
      return false;
    }
    *chosen = answer.chosen;
  } else {
    *chosen = policy.Choose(decision);
    if (*chosen == Policy::kAbandon) {
      record_.outcome = RunOutcome::kBlocked;
      return false;
    }
    HEDDLE_CHECK(*chosen < decision.options.size());
  }
  ++answered_;
  if (watcher_ != nullptr) policy.Answered(decision, *chosen);
  std::uint64_t among = 0;
  for (const Option& option : decision.options) among |= Bit(option.thread);
  decisions_.push_back({.event = static_cast<std::uint32_t>(events_.size()),
                        .options = static_cast<std::uint16_t>(decision.options.size()),
                        .chosen = static_cast<std::uint16_t>(*chosen),
                        .thread = decision.options[*chosen].thread,
                        .current = decision.current,
                        .kind = decision.kind,
                        .among = among});
  return true;
}

bool SyncMachine::Choose(const Plan& plan, Policy& policy, Index* thread) {
  for (std::uint64_t left = enabled_; left != 0; left &= left - 1) {
    *thread = static_cast<Index>(std::countr_zero(left));
    if (!IsPoint(pending_[*thread].kind)) return true;
  }
  *thread = static_cast<Index>(std::countr_zero(enabled_));
  if (std::has_single_bit(enabled_)) return true;
  options_.clear();
  for (std::uint64_t left = enabled_; left != 0; left &= left - 1) {
    options_.push_back({.thread = static_cast<ThreadId>(std::countr_zero(left))});
  }
  std::size_t chosen = 0;
  if (!Ask({.kind = DecisionKind::kThread,
            .options = options_,
            .current = current_ == kNone ? kNoThread : static_cast<ThreadId>(current_),
            .step = events_.size(),
            .view = &view_},
           plan, policy, &chosen)) {
    return false;
  }
  *thread = options_[chosen].thread;
  return true;
}

std::uint64_t SyncMachine::EventsOf(ThreadId thread) const {
  const auto is_its = [thread](const Event& event) { return event.thread == thread; };
  return static_cast<std::uint64_t>(std::count_if(events_.begin(), events_.end(), is_its));
}

void SyncMachine::Record(const Event& event) {
  events_.push_back(event);
  const bool is_watched = watcher_ != nullptr && events_.size() > watcher_->watches_from();
  if (is_watched) watcher_->Observe(event, view_);
}

const RunRecord& SyncMachine::Run(const Plan& plan, Policy& policy) {
  Reset(plan.run);
  policy.Begin(plan);
  watcher_ = policy.Watches() ? &policy : nullptr;
  for (Index t = 0; t < threads_.size(); ++t) Advance(t);
  while (!over_) {
    live_ = enabled_ = 0;
    for (Index t = 0; t < threads_.size(); ++t) {
      if (threads_[t].status == Status::kLive) live_ |= Bit(t);
      if (CanGoOn(t)) enabled_ |= Bit(t);
    }
    if (enabled_ == 0) break;
    Index thread = 0;
    if (!Choose(plan, policy, &thread)) break;
    Execute(thread, plan, policy);
    current_ = thread;
  }
  if (record_.outcome == RunOutcome::kNone) {
    if (live_ != 0) record_.failure = FailureKind::kDeadlock;
    record_.outcome =
        record_.failure == FailureKind::kNone ? RunOutcome::kExited : RunOutcome::kFailed;
  }
  record_.ran_on = 1;
  record_.decisions = answered_;
  record_.events = events_.size();
  record_.threads = record_.most_live = static_cast<std::uint32_t>(threads_.size());
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    thread_records_[t].ended = threads_[t].status == Status::kLive ? 0 : 1;
    thread_records_[t].enabled = (enabled_ & Bit(t)) != 0 ? 1 : 0;
    thread_records_[t].pending = pending_[t];
  }
  return record_;
}

RunTrace SyncMachine::Trace() const {
  RunTrace trace;
  trace.record = record_;
  trace.decisions = decisions_;
  trace.events = events_;
  trace.objects = object_records_;
  trace.threads = thread_records_;
  return trace;
}

reach::FinalState SyncMachine::Final() const {
  reach::FinalState state;
  state.variables = variables_;
  for (Index t = 0; t < threads_.size(); ++t) {
    if (threads_[t].status == Status::kFailed) state.failed = true;
    if (threads_[t].status == Status::kLive) state.stuck.push_back(t);
  }
  return state;
}

SyncStates StatesBy(std::string_view strategy, const reach::Program& program,
                    std::uint64_t most_runs) {
  const auto spec = ParseStrategy(strategy);
  HEDDLE_CHECK(spec);
  const std::unique_ptr<Search> search = spec->info->make_search({.params = spec->params});
  const std::unique_ptr<Policy> policy = spec->info->make_policy();
  SyncMachine machine(&program);
  SyncStates result;
  while (const std::optional<Plan> plan = search->Next()) {
    if (result.runs == most_runs) return result;
    ++result.runs;
    const bool abandoned = machine.Run(*plan, *policy).outcome == RunOutcome::kBlocked;
    const std::uint64_t before = search->BlockedRuns();
    search->Learn(*plan, machine.Trace());
    if (abandoned || search->BlockedRuns() > before) {
      ++result.blocked;
    } else {
      result.states.insert(machine.Final());
    }
  }
  result.complete = search->Complete();
  return result;
}

}  // namespace heddle::simulate
