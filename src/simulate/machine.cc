#include "simulate/machine.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "trace/thread_path.h"

namespace heddle::simulate {
namespace {

constexpr std::uint64_t Bit(std::size_t index) { return std::uint64_t{1} << index; }

bool ConcernsOthers(OpKind kind) {
  return kind == OpKind::kCreate || kind == OpKind::kJoin || kind == OpKind::kSignal ||
         kind == OpKind::kBroadcast;
}

}  // namespace

Machine::Machine(const Program& program, const MachineOptions& options)
    : program_(program),
      options_(options),
      initial_threads_(program.InitialThreads()),
      object_count_(static_cast<std::size_t>(program.ObjectCount())),
      kinds_(object_count_, ObjectKind::kUnknown),
      objects_(object_count_),
      object_records_(object_count_ + 1) {
  HEDDLE_CHECK(program.threads.size() <= kMaxSimulatedThreads);
  for (std::size_t object = 0; object < object_count_; ++object) keys_.push_back(Mix(object));
  Compile();
  view_.live = {&run_.live, 1};
  view_.enabled = {&run_.enabled, 1};
  view_.objects = object_records_.data();
  view_.threads = thread_records_.data();
  view_.counts = this;
  Begin();
}

void Machine::Compile() {
  for (std::size_t thread = 0; thread < program_.threads.size(); ++thread) {
    std::vector<Instruction>& instructions = instructions_.emplace_back();
    for (const Step& step : program_.threads[thread]) {
      Instruction& made = instructions.emplace_back();
      made.op.kind = step.kind;
      made.op.site = Bit(32) * thread + instructions.size();
      made.object = step.object;
      if (IsOnChannel(step.kind)) {
        kinds_[step.object] = ObjectKind::kChannel;
        kinds_[step.mutex] = ObjectKind::kIo;
      }
      if (step.clock >= 0) kinds_[static_cast<Object>(step.clock)] = ObjectKind::kClock;
      if (step.kind == OpKind::kSleep || step.kind == OpKind::kTime) {
        kinds_[step.object] = ObjectKind::kClock;
      }
      made.is_access = IsAtomic(step.kind) && step.index < 0;
      made.name = Bit(40) * static_cast<std::uint64_t>(step.kind) + step.object;
    }
  }
}

// Makes the beginning, by beginning.
void Machine::Begin() {
  for (std::size_t i = 0; i < program_.initial.size(); ++i) {
    objects_[i].value = program_.initial[i];
  }
  // The first thread stands for the main thread, the others for children that it has created.
  std::uint16_t nth = 0;
  for (std::uint64_t left = initial_threads_; left != 0; left &= left - 1) {
    const auto thread = static_cast<std::uint16_t>(std::countr_zero(left));
    const std::uint64_t path = nth == 0 ? kMainPathHash : ChildPathHash(kMainPathHash, nth);
    AddThread(thread, path, nth == 0 ? kNoThread : kMainThread, nth);
    threads_[0].children = nth++;
  }
  beginning_.run = run_;
  beginning_.threads.assign(threads_.begin(), threads_.begin() + run_.thread_count);
  beginning_.pending.assign(pending_.begin(), pending_.begin() + run_.thread_count);
  beginning_.objects = objects_;
}

void Machine::Reset(std::uint64_t run) {
  run_ = beginning_.run;
  record_ = RunRecord();
  record_.run = run;
  failure_.kind = FailureKind::kNone;
  std::copy(beginning_.threads.begin(), beginning_.threads.end(), threads_.begin());
  std::copy(beginning_.pending.begin(), beginning_.pending.end(), pending_.begin());
  std::copy(beginning_.objects.begin(), beginning_.objects.end(), objects_.begin());
  view_.pending = {pending_.data(), run_.thread_count};
  if (options_.cover) coverage_ = PairCoverage();
  decisions_.clear();
  events_.clear();
}

void Machine::AddThread(std::uint16_t program_thread, std::uint64_t path, ThreadId parent,
                        std::uint16_t nth_child) {
  const auto id = static_cast<ThreadId>(run_.thread_count++);
  const std::vector<Step>& steps = program_.threads[program_thread];
  Thread& thread = threads_[id];
  thread = Thread();
  thread.code = steps.data();
  thread.instructions = instructions_[program_thread].data();
  thread.length = static_cast<std::uint32_t>(steps.size());
  thread.program_thread = program_thread;
  thread.path = path;
  id_of_[program_thread] = id;
  thread_records_[id].path_hash = path;
  thread_records_[id].parent = parent;
  thread_records_[id].nth_child = nth_child;
  view_.pending = {pending_.data(), run_.thread_count};
  Announce(id);
}

// The thread says what it does next; or ends.
inline void Machine::Announce(ThreadId id) {
  const Thread& thread = threads_[id];
  if (thread.pc < thread.length && thread.instructions[thread.pc].is_access &&
      (run_.special & Bit(id)) == 0) {
    const Instruction& next = thread.instructions[thread.pc];
    PendingOp& op = pending_[id];
    op = next.op;
    op.object = IdOf(next.object);
    run_.live |= Bit(id);
    run_.enabled |= Bit(id);
    return;
  }
  AnnounceAny(id);
}

void Machine::RefreshEnabled() {
  for (std::uint64_t left = run_.blocking; left != 0; left &= left - 1) {
    const auto id = static_cast<ThreadId>(std::countr_zero(left));
    if (CanGoOn(id)) {
      run_.enabled |= Bit(id);
    } else {
      run_.enabled &= ~Bit(id);
    }
  }
}

void Machine::Record(const Decision& decision, std::size_t chosen, bool current_enabled) {
  std::uint64_t among = 0;
  for (const Option& option : decision.options) among |= Bit(option.thread);
  decisions_.push_back({.event = static_cast<std::uint32_t>(record_.events),
                        .options = static_cast<std::uint16_t>(decision.options.size()),
                        .chosen = static_cast<std::uint16_t>(chosen),
                        .thread = decision.options[chosen].thread,
                        .current = decision.current,
                        .kind = decision.kind,
                        .outcome = decision.options[chosen].outcome,
                        .current_enabled = current_enabled,
                        .among = among});
}

// One answer, from the prefix or the policy. A prefix that does not fit ends the run.
std::size_t Machine::Ask(const Decision& decision, const Plan& plan, Policy& policy) {
  std::size_t chosen;
  if (run_.answered < plan.prefix.size()) {
    const Answer& answer = plan.prefix[run_.answered];
    if (answer.options != decision.options.size() || answer.chosen >= answer.options) {
      record_.diverged_at = static_cast<std::uint32_t>(run_.answered);
      Finish(RunOutcome::kDiverged, FailureKind::kNone);
      return 0;
    }
    chosen = answer.chosen;
  } else {
    chosen = policy.Choose(decision);
    if (chosen == Policy::kAbandon) {
      Finish(RunOutcome::kBlocked, FailureKind::kNone);
      return 0;
    }
    HEDDLE_CHECK(chosen < decision.options.size());
  }
  ++run_.answered;
  if (watches_) policy.Answered(decision, chosen);
  const bool current_enabled = decision.kind == DecisionKind::kThread &&
                               decision.current != kNoThread &&
                               (run_.enabled & Bit(decision.current)) != 0;
  const bool preempts = current_enabled && decision.options[chosen].thread != decision.current;
  record_.preemptions += preempts ? 1 : 0;
  if (options_.keep_records) Record(decision, chosen, current_enabled);
  return chosen;
}

void Machine::Offer(std::uint64_t options) {
  offered_ = {.enabled = run_.enabled, .timed = run_.timed};
  for (std::uint64_t left = options; left != 0; left &= left - 1) {
    const auto id = static_cast<ThreadId>(std::countr_zero(left));
    const bool enabled = (run_.enabled & Bit(id)) != 0;
    choices_[offered_.count++] = {.thread = id,
                                  .outcome = enabled ? Outcome::kNormal : Outcome::kTimeout};
  }
}

ThreadId Machine::Choose(const Plan& plan, Policy& policy) {
  if (const std::uint64_t eager = run_.enabled & run_.eager; eager != 0) {
    return static_cast<ThreadId>(std::countr_zero(eager));
  }
  const std::uint64_t options = run_.enabled | run_.timed;
  if ((options & (options - 1)) == 0) return static_cast<ThreadId>(std::countr_zero(options));
  if (run_.enabled != offered_.enabled || run_.timed != offered_.timed) Offer(options);
  const Decision decision{.kind = DecisionKind::kThread,
                          .options = {choices_.data(), offered_.count},
                          .current = run_.current,
                          .step = record_.events,
                          .view = &view_};
  return choices_[Ask(decision, plan, policy)].thread;
}

void Machine::Execute(ThreadId id, const Plan& plan, Policy& policy) {
  Thread& thread = threads_[id];
  if (thread.instructions[thread.pc].is_access) return ExecuteAccess(id, policy);
  const Step& step = thread.code[thread.pc];
  const OpKind kind = pending_[id].kind;
  Event event;
  event.site = pending_[id].site;
  event.object = pending_[id].object;
  event.thread = id;
  event.kind = kind;
  event.order = pending_[id].order;
  if (step.timed && kind != OpKind::kLock) event.flags = Event::kMayTimeOut;

  const bool may_time_out = pending_[id].timed();
  const Done done = Act(id, &event);
  if (may_time_out) event.flags |= Event::kMayTimeOut;

  if (TouchesNoObject(kind)) {
    run_.classes.AddLocal(EventIdentity(thread.path, thread.executed), kind);
  } else {
    Order(thread, kind, AccessBy(event), done.object);
    const bool has_second = kind == OpKind::kWait || IsOnChannel(kind);
    if (has_second) Order(thread, kind, SecondAccessOf(kind), step.mutex);
    if (may_time_out && step.clock >= 0) {
      Order(thread, kind, SecondAccessOf(kind), static_cast<Object>(step.clock));
    }
  }
  Enter(thread, Bit(40) * static_cast<std::uint64_t>(kind) + done.object);
  if (Watches(policy)) policy.Observe(event, view_);
  // Who else is concerned is known only now, as in the runtime.
  if (ConcernsOthers(kind)) event.other = Concern(id, plan, policy);
  if (options_.keep_records) events_.push_back(event);
  thread.pc = done.next;
  Announce(id);
}

// The same for the operation that nearly all are, and no more than it needs.
inline void Machine::ExecuteAccess(ThreadId id, Policy& policy) {
  Thread& thread = threads_[id];
  const Step& step = thread.code[thread.pc];
  const Instruction& instruction = thread.instructions[thread.pc];
  std::uint32_t next = thread.pc + 1;
  Event event;
  event.site = instruction.op.site;
  event.object = pending_[id].object;
  event.thread = id;
  event.kind = step.kind;
  const std::int64_t read = Access(step, thread, instruction.object, &event);
  Branch(step, id, read, &next);
  Order(thread, step.kind, AccessBy(event), instruction.object);
  Enter(thread, instruction.name);
  if (Watches(policy)) policy.Observe(event, view_);
  if (options_.keep_records) events_.push_back(event);
  thread.pc = next;
  Announce(id);
}

void Machine::Finish(RunOutcome outcome, FailureKind failure) {
  run_.over = true;
  record_.outcome = outcome;
  if (failure != FailureKind::kNone) {
    record_.failure = failure;
    failure_.kind = failure;
  }
}

const RunRecord& Machine::Run(const Plan& plan, Policy& policy) {
  Reset(plan.run);
  policy.Begin(plan);
  watches_ = policy.Watches();
  while (!run_.over) {
    if (run_.blocking != 0) RefreshEnabled();
    if ((run_.enabled | run_.timed) == 0) {
      if (run_.live != 0) Finish(RunOutcome::kFailed, FailureKind::kDeadlock);
      break;
    }
    if (record_.events >= options_.max_steps) {
      Finish(RunOutcome::kStepLimit, FailureKind::kNone);
      break;
    }
    const ThreadId id = Choose(plan, policy);
    if (run_.over) break;
    Execute(id, plan, policy);
    run_.current = id;
  }
  // Answers left over: the run was shorter than the recording.
  if (record_.outcome == RunOutcome::kNone && run_.answered < plan.prefix.size()) {
    record_.diverged_at = static_cast<std::uint32_t>(run_.answered);
    Finish(RunOutcome::kDiverged, FailureKind::kNone);
  }
  if (record_.outcome == RunOutcome::kNone) {
    record_.outcome =
        record_.failure == FailureKind::kNone ? RunOutcome::kExited : RunOutcome::kFailed;
  }
  record_.decisions = run_.answered;
  record_.class_hash = run_.classes.value();
  record_.threads = run_.thread_count;
  record_.most_live = run_.thread_count;
  for (ThreadId id = 0; options_.keep_records && id < run_.thread_count; ++id) {
    thread_records_[id].ended = view_.IsLive(id) ? 0 : 1;
    thread_records_[id].enabled = view_.IsEnabled(id) ? 1 : 0;
    thread_records_[id].pending = pending_[id];
    const Thread& thread = threads_[id];
    const Step* const next = thread.pc < thread.length ? &thread.code[thread.pc] : nullptr;
    thread_records_[id].expected =
        next != nullptr && next->compares
            ? FoldedValue(static_cast<std::uint64_t>(ValueIn(thread, next->expected)))
            : kNoThread;
  }
  return record_;
}

RunTrace Machine::Trace() const {
  RunTrace trace;
  trace.record = record_;
  trace.failure = failure_;
  trace.decisions = decisions_;
  trace.events = events_;
  trace.objects = {object_records_.data(), run_.object_count};
  trace.threads = {thread_records_.data(), run_.thread_count};
  return trace;
}

}  // namespace heddle::simulate
