#include "runtime/interpose/signal_timers.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "runtime/engine.h"
#include "runtime/interpose/signal_delivery.h"
#include "runtime/interpose/thread.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {

// From one setting of a timer to the next. Its thread's whole state: another setting is another
// thread.
struct Arming {
  SignalTimer::Notice notice;
  SignalTimer::Setting setting;
  std::uint64_t site = 0;
  ThreadId thread = kNoThread;  // none for what nobody is told of
  bool is_over = false;         // set again, or expired for the last time
  int overruns = 0;             // of the last signal
};

namespace {

// All of the run: the threads of those that are over may still look at them.
std::vector<std::unique_ptr<Arming>>* armings = nullptr;

Arming* NewArming() {
  const EngineScope scope;
  if (armings == nullptr) armings = new std::vector<std::unique_ptr<Arming>>();
  return armings->emplace_back(std::make_unique<Arming>()).get();
}

Thread* ThreadOf(const Scheduler* scheduler, const Arming& arming) {
  return arming.thread == kNoThread ? nullptr : scheduler->ThreadById(arming.thread);
}

// What expires meanwhile is one signal, so the timer needs no turn before that one was taken.
int IsTaken(const void* argument) {
  const auto& arming = *static_cast<const Arming*>(argument);
  const int signal = arming.notice.info.si_signo;
  Scheduler* const scheduler = Scheduler::Get();
  if (arming.is_over) return 1;
  if (scheduler->process_signals().Has(signal)) return 0;
  for (std::size_t i = 0; i < scheduler->thread_count(); ++i) {
    if (scheduler->ThreadById(static_cast<ThreadId>(i))->signals.Has(signal)) return 0;
  }
  return 1;
}

// How often it expired by now, this time included; its next time is set.
int PassTo(SignalTimer::Setting* setting, std::uint64_t now) {
  if (setting->interval == 0) return 1;
  const std::uint64_t times = now < setting->at ? 1 : (now - setting->at) / setting->interval + 1;
  setting->at += times * setting->interval;
  return static_cast<int>(std::min<std::uint64_t>(times, DELAYTIMER_MAX));
}

// False: it was set again before it could.
bool Expire(Scheduler* scheduler, Arming* arming) {
  scheduler->Reach({.kind = OpKind::kSleep,
                    .object = scheduler->clock_object(),
                    .site = arming->site,
                    .timed = true,
                    .deadline = arming->setting.at});
  scheduler->Record();
  ReachSignals(scheduler,
               {.kind = OpKind::kKill, .site = arming->site, .ready = IsTaken, .argument = arming});
  if (arming->is_over) {
    scheduler->Record();  // no signal: it could have been one
    return false;
  }
  arming->overruns = PassTo(&arming->setting, scheduler->Now()) - 1;
  arming->is_over = arming->setting.interval == 0;
  arming->notice.info.si_overrun = arming->overruns;
  Thread* const taker = SendReached(scheduler, arming->notice.target, arming->notice.info);
  if (taker != nullptr) scheduler->current()->paced_by = taker->id;
  return true;
}

void* RunTimer(void* argument) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  auto* const arming = static_cast<Arming*>(argument);
  while (!arming->is_over && Expire(scheduler, arming)) {
  }
  return nullptr;
}

void StartThread(Scheduler* scheduler, const char* name, Arming* arming) {
  pthread_t handle;
  if (CreateThread(scheduler, &handle, nullptr, RunTimer, arming, arming->site) != 0) return;
  Thread* const thread = scheduler->ThreadOf(handle);
  thread->detached = true;
  thread->signal_mask.bits = ~std::uint64_t{0};  // no signal is for it
  std::strncpy(thread->name, name, sizeof thread->name - 1);
  scheduler->recorder().SetName(*thread);
  arming->thread = thread->id;
}

// When its time comes its thread finds that there is nothing to do. To wake it would be one more
// thing that searches have to put in order.
void End(Scheduler* scheduler, Arming* arming) {
  arming->is_over = true;
  ReconsiderSignals(scheduler);
}

SignalTimer::Left LeftOf(const Arming* arming, std::uint64_t now) {
  if (arming == nullptr || arming->is_over) return {};
  SignalTimer::Setting setting = arming->setting;
  const bool is_told = arming->thread != kNoThread;
  if (!is_told && setting.at <= now) PassTo(&setting, now);
  if (!is_told && setting.at <= now) return {};
  // Of one that is due and did not have its turn, a little is left.
  return {setting.at > now ? setting.at - now : 1, setting.interval};
}

}  // namespace

// A signal that would end the program: the timer is there for a program that hangs. That it does is
// ours to find, so it never expires.
bool SignalTimer::IsWatchdog(const Scheduler* scheduler) const {
  const int signal = notice_.info.si_signo;
  return WouldEndProgram(signal) && !scheduler->current()->signal_mask.Has(signal);
}

SignalTimer::Left SignalTimer::Replace(Scheduler* scheduler, const Setting* setting,
                                       std::uint64_t site) {
  if (arming_ != nullptr && arming_->thread != kNoThread) {
    // It expires before or after.
    ReachSignals(scheduler, {.kind = OpKind::kAnnotation, .site = site});
    scheduler->Record();
  }
  const Left before = Look(scheduler);
  if (arming_ != nullptr) End(scheduler, arming_);
  arming_ = nullptr;
  if (setting == nullptr) return before;
  arming_ = NewArming();
  arming_->notice = notice_;
  arming_->setting = *setting;
  arming_->site = site;
  if (!notice_.is_sent) return before;
  if (!IsWatchdog(scheduler)) {
    StartThread(scheduler, name_, arming_);
  } else if (scheduler->thread_count() > 1) {
    scheduler->Uncontrolled(name_, "its signal would end the program, so it is never sent", site);
  }
  return before;
}

SignalTimer::Left SignalTimer::Set(Scheduler* scheduler, const Setting& setting,
                                   std::uint64_t site) {
  return Replace(scheduler, &setting, site);
}

SignalTimer::Left SignalTimer::Clear(Scheduler* scheduler, std::uint64_t site) {
  return Replace(scheduler, nullptr, site);
}

SignalTimer::Left SignalTimer::Look(const Scheduler* scheduler) const {
  return LeftOf(arming_, scheduler->Now());
}

int SignalTimer::overruns() const { return arming_ == nullptr ? 0 : arming_->overruns; }

void EndSignalTimers(Scheduler* scheduler) {
  if (armings == nullptr) return;
  for (const auto& arming : *armings) {
    Thread* const thread = ThreadOf(scheduler, *arming);
    if (thread == nullptr || thread->ended) continue;
    End(scheduler, arming.get());
    thread->detached = false;
    scheduler->Join(thread, {.kind = OpKind::kJoin, .object = thread->object});
  }
}

void ForgetSignalTimers() {
  if (armings != nullptr) armings->clear();
}

}  // namespace heddle
