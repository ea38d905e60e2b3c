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
      initial_(program.initial),
      held_(object_count_),
      waiters_(object_count_),
      orders_(object_count_),
      ids_(object_count_),
      objects_(object_count_ + 1) {
  HEDDLE_CHECK(program.threads.size() <= kMaxSimulatedThreads);
  initial_.resize(object_count_);
  values_ = initial_;
  for (std::size_t object = 0; object < object_count_; ++object) keys_.push_back(Mix(object));
}

void Machine::Reset(std::uint64_t run) {
  run_ = RunState();
  record_ = RunRecord();
  record_.run = run;
  failure_.kind = FailureKind::kNone;
  std::copy(initial_.begin(), initial_.end(), values_.begin());
  std::fill(held_.begin(), held_.end(), 0);
  std::fill(waiters_.begin(), waiters_.end(), 0);
  std::fill(orders_.begin(), orders_.end(), ObjectOrder());
  std::fill(ids_.begin(), ids_.end(), kNoObject);
  if (options_.cover) coverage_ = PairCoverage();
  decisions_.clear();
  events_.clear();
  view_.live = {&run_.live, 1};
  view_.enabled = {&run_.enabled, 1};
  view_.objects = objects_.data();
  view_.threads = thread_records_.data();
  // The first thread stands for the main thread, the others for children that it has created.
  std::uint16_t nth = 0;
  for (std::uint64_t left = initial_threads_; left != 0; left &= left - 1) {
    const auto thread = static_cast<std::uint16_t>(std::countr_zero(left));
    const std::uint64_t path = nth == 0 ? kMainPathHash : ChildPathHash(kMainPathHash, nth);
    AddThread(thread, path, nth == 0 ? kNoThread : kMainThread, nth);
    threads_[0].children = nth++;
  }
}

void Machine::AddThread(std::uint16_t program_thread, std::uint64_t path, ThreadId parent,
                        std::uint16_t nth_child) {
  const auto id = static_cast<ThreadId>(run_.thread_count++);
  const std::vector<Step>& steps = program_.threads[program_thread];
  Thread& thread = threads_[id];
  thread = Thread();
  thread.code = steps.data();
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

ObjectId Machine::IdOf(Object object) {
  HEDDLE_CHECK(object < object_count_);
  ObjectId& id = ids_[object];
  if (id == kNoObject) {
    id = run_.object_count++;
    objects_[id].key = keys_[object];
    objects_[id].kind = ObjectKind::kUnknown;
  }
  return id;
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
  const ThreadId thread = decision.options[chosen].thread;
  if (current_enabled && thread != decision.current) ++record_.preemptions;
  if (options_.keep_records) {
    std::uint64_t among = 0;
    for (const Option& option : decision.options) among |= Bit(option.thread);
    decisions_.push_back({.event = static_cast<std::uint32_t>(record_.events),
                          .options = static_cast<std::uint16_t>(decision.options.size()),
                          .chosen = static_cast<std::uint16_t>(chosen),
                          .thread = thread,
                          .current = decision.current,
                          .kind = decision.kind,
                          .outcome = decision.options[chosen].outcome,
                          .current_enabled = current_enabled,
                          .among = among});
  }
  return chosen;
}

ThreadId Machine::Choose(const Plan& plan, Policy& policy) {
  if (const std::uint64_t eager = run_.enabled & run_.eager; eager != 0) {
    return static_cast<ThreadId>(std::countr_zero(eager));
  }
  const std::uint64_t options = run_.enabled | run_.timed;
  if ((options & (options - 1)) == 0) return static_cast<ThreadId>(std::countr_zero(options));
  std::size_t count = 0;
  for (std::uint64_t left = options; left != 0; left &= left - 1) {
    const auto id = static_cast<ThreadId>(std::countr_zero(left));
    const bool enabled = (run_.enabled & Bit(id)) != 0;
    choices_[count++] = {.thread = id, .outcome = enabled ? Outcome::kNormal : Outcome::kTimeout};
  }
  const Decision decision{.kind = DecisionKind::kThread,
                          .options = {choices_.data(), count},
                          .current = run_.current,
                          .step = record_.events,
                          .view = &view_};
  return choices_[Ask(decision, plan, policy)].thread;
}

void Machine::Execute(ThreadId id, const Plan& plan, Policy& policy) {
  Thread& thread = threads_[id];
  const Step& step = thread.code[thread.pc];
  const OpKind kind = pending_[id].kind;
  Event event;
  event.site = pending_[id].site;
  event.object = pending_[id].object;
  event.thread = id;
  event.kind = kind;
  if (step.timed && kind != OpKind::kLock) event.flags = Event::kMayTimeOut;

  const bool may_time_out = pending_[id].timed;
  const Done done = Act(id, &event);
  if (may_time_out) event.flags |= Event::kMayTimeOut;

  if (TouchesNoObject(kind)) {
    run_.classes.AddLocal(EventIdentity(thread.path, thread.executed), kind);
  } else {
    Order(thread, kind, AccessOf(kind), done.object);
    if (kind == OpKind::kWait) Order(thread, kind, AccessMode::kAlone, step.mutex);
  }
  const std::uint64_t what = thread.path + Bit(40) * static_cast<std::uint64_t>(kind) + done.object;
  record_.event_hash = (record_.event_hash ^ what) * 0x9fb21c651e98df25ull;
  record_.event_hash ^= record_.event_hash >> 29;
  ++thread.executed;
  ++record_.events;
  if (watches_) policy.Observe(event, view_);
  // Who else is concerned is known only now, as in the runtime.
  if (ConcernsOthers(kind)) event.other = Concern(id, plan, policy);
  if (options_.keep_records) events_.push_back(event);
  thread.pc = done.next;
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
    RefreshEnabled();
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
  }
  return record_;
}

RunTrace Machine::Trace() const {
  RunTrace trace;
  trace.record = record_;
  trace.failure = failure_;
  trace.decisions = decisions_;
  trace.events = events_;
  trace.objects = {objects_.data(), run_.object_count};
  trace.threads = {thread_records_.data(), run_.thread_count};
  return trace;
}

}  // namespace heddle::simulate
