// A worker without an engine: plays the program's side of trace/channel.h for the tests of the
// controller's side, including everything a real program could do wrong.
//
//   fake_worker [MODE[=RUN]]…
//
// The program it pretends to be is the lost update: two threads read and write one variable (2 × 2
// events, 6 interleavings, 4 of them lose an update). By itself it passes whatever it loses; the
// modes say which runs go wrong, and how. A mode without =RUN applies to all runs.
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/hash.h"
#include "strategy/registry.h"
#include "trace/channel.h"
#include "trace/thread_path.h"

namespace heddle {
namespace {

constexpr std::uint64_t kEveryRun = 0;
std::map<std::string, std::uint64_t> modes;

bool Has(const char* mode, std::uint64_t run) {
  const auto it = modes.find(mode);
  return it != modes.end() && (it->second == kEveryRun || it->second == run);
}

class FakeWorker {
 public:
  explicit FakeWorker(Channel* channel)
      : channel_(channel), layout_(LayoutFor(channel->config.max_events)) {}

  [[noreturn]] void Serve() {
    channel_->worker_pid = getpid();
    ModuleRecord& module = channel_->modules[0];
    module.begin = module.base = 0x400000;
    module.end = 0x500000;
    std::strcpy(module.path, "/fake/program");
    channel_->module_count = 1;
    while (true) {
      channel_->turn = Turn::kController;
      Futex(FUTEX_WAKE, 1);
      while (channel_->turn != Turn::kWorker) {
        Futex(FUTEX_WAIT, static_cast<int>(Turn::kController));
      }
      if (channel_->request.quit != 0) _exit(0);
      MakeRuns();
    }
  }

 private:
  void Futex(int operation, int value) {
    syscall(SYS_futex, &channel_->turn, operation, value, nullptr);
  }

  void MakeRuns() {
    const Request request = channel_->request;
    channel_->record_count = 0;
    for (std::uint32_t i = 0; i < request.runs; ++i) {
      RunRecord& record = channel_->records[i];
      record = RunRecord();
      record.run = request.first_run + i;
      channel_->run_now = record.run;
      channel_->heartbeat = 0;
      channel_->failure = Failure();
      channel_->new_site_count = 0;
      if (Has("worker-dies", record.run)) _exit(9);
      ForkRun(&record);
      channel_->record_count = i + 1;
      if (record.outcome != RunOutcome::kExited || record.status != 0 || record.new_sites != 0)
        break;
    }
    if (Has("scribble-magic", request.first_run)) channel_->magic = 0x4141414141414141;
    if (Has("scribble-counts", request.first_run)) channel_->event_count = 0xfffffff0;
    if (Has("scribble-records", request.first_run)) channel_->record_count = 100000;
  }

  // Every run is a process of its own, as with the real engine.
  void ForkRun(RunRecord* record) {
    lseek(channel_->config.output_fd, 0, SEEK_SET);
    const pid_t child = fork();
    if (child == 0) {
      Play(record);
      _exit(record->status);
    }
    channel_->run_pid = child;
    int status = 0;
    waitpid(child, &status, 0);
    channel_->run_pid = 0;
    record->output_bytes =
        static_cast<std::uint32_t>(lseek(channel_->config.output_fd, 0, SEEK_CUR));
    if (WIFSIGNALED(status)) {
      record->signal = WTERMSIG(status);
      if (record->signal == SIGKILL) return;  // ended from outside: it could not say why
      record->outcome = RunOutcome::kFailed;
      record->failure = FailureKind::kCrash;
      channel_->failure.kind = FailureKind::kCrash;
      channel_->failure.signal = record->signal;
    }
  }

  void Play(RunRecord* record) {
    const std::uint64_t run = record->run;
    if (Has("print", run)) {
      std::printf("run %llu\n", static_cast<unsigned long long>(run));
      std::fflush(stdout);
    }
    if (Has("flood", run)) {
      const std::string line(1 << 16, 'x');
      while (write(1, line.data(), line.size()) > 0) {
      }
    }
    if (Has("killed-at-once", run)) raise(SIGKILL);
    Schedule(record);
    if (Has("killed", run)) {
      record->outcome = RunOutcome::kNone;
      raise(SIGKILL);
    }
    if (Has("hang", run) || Has("grow", run)) record->outcome = RunOutcome::kNone;
    if (Has("crash", run)) raise(SIGSEGV);
    if (Has("hang", run)) Hang();
    if (Has("grow", run)) Grow();
    if (Has("exit", run)) record->status = 3;
  }

  [[noreturn]] static void Hang() {
    if (modes.count("ignore-dump") == 0) {
      signal(SIGRTMAX - 3, [](int) { _exit(1); });
    } else {
      signal(SIGRTMAX - 3, SIG_IGN);
    }
    while (true) pause();
  }

  [[noreturn]] static void Grow() {
    while (true) {
      constexpr std::size_t kStep = 1 << 20;
      void* const memory =
          mmap(nullptr, kStep, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      std::memset(memory, 1, kStep);
      usleep(100);
    }
  }

  void Schedule(RunRecord* record) {
    const Request& request = channel_->request;
    Plan plan;
    plan.run = record->run;
    plan.seed = request.seed;
    const std::unique_ptr<Policy> policy = FindStrategy(request.policy)->make_policy();
    policy->Begin(plan);

    std::size_t next[3] = {0, 0, 0};
    std::uint64_t seen[3] = {0, 0, 0};
    std::uint64_t variable = 0;
    ThreadId current = kMainThread;
    std::uint32_t decisions = 0;
    std::uint32_t events = 0;
    std::uint64_t hash = 0;
    while (next[1] < 2 || next[2] < 2) {
      std::vector<Option> options;
      for (ThreadId t = 1; t <= 2; ++t) {
        if (next[t] < 2) options.push_back({.thread = t});
      }
      std::size_t chosen = 0;
      if (options.size() > 1) {
        Decision decision;
        decision.options = options;
        decision.current = current;
        decision.step = events;
        if (decisions < request.prefix_size) {
          const Answer answer = AreaOf<Answer>(channel_, layout_.prefix)[decisions];
          if (answer.options != options.size() || Has("diverge", record->run)) {
            record->outcome = RunOutcome::kDiverged;
            record->diverged_at = decisions;
            return;
          }
          chosen = answer.chosen;
        } else {
          PendingOp pending[3];
          const std::uint64_t all = 6;
          ThreadRecord threads[3];
          for (ThreadId t = 0; t < 3; ++t) {
            threads[t].path_hash = t == 0 ? kMainPathHash : ChildPathHash(kMainPathHash, t);
            threads[t].parent = t == 0 ? kNoThread : kMainThread;
            threads[t].nth_child = t;
          }
          const RunView view{
              .pending = pending, .live = {&all, 1}, .enabled = {&all, 1}, .threads = threads};
          decision.view = &view;
          chosen = policy->Choose(decision);
        }
        DecisionRecord& kept = AreaOf<DecisionRecord>(channel_, layout_.decisions)[decisions++];
        kept = DecisionRecord();
        kept.event = events;
        kept.options = static_cast<std::uint16_t>(options.size());
        kept.chosen = static_cast<std::uint16_t>(chosen);
        kept.thread = options[chosen].thread;
        kept.current = current;
        kept.current_enabled = current != kMainThread && next[current] < 2;
        if (kept.current_enabled && kept.thread != current) ++record->preemptions;
      }
      const ThreadId thread = options[chosen].thread;
      Event& event = AreaOf<Event>(channel_, layout_.events)[events++];
      event = Event();
      event.thread = thread;
      event.object = 1;
      event.site = 0x400100 + 16 * thread + 4 * next[thread];
      if (next[thread]++ == 0) {
        event.kind = OpKind::kRead;
        seen[thread] = variable;
      } else {
        event.kind = OpKind::kWrite;
        variable = seen[thread] + 1;
      }
      hash = Mix(hash, event.site);
      current = thread;
      channel_->heartbeat = events;
    }
    Finish(record, decisions, events, hash, variable);
  }

  void Finish(RunRecord* record, std::uint32_t decisions, std::uint32_t events, std::uint64_t hash,
              std::uint64_t variable) {
    const bool one_thread = modes.count("one-thread") != 0;
    channel_->decision_count = decisions;
    channel_->event_count = events;
    channel_->object_count = 2;
    channel_->thread_count = one_thread ? 1 : 3;
    auto* const threads = AreaOf<ThreadRecord>(channel_, layout_.threads);
    for (ThreadId t = 0; t < 3; ++t) {
      threads[t] = ThreadRecord();
      threads[t].path_hash = t + 1u;
      if (t > 0) threads[t].parent = kMainThread;
      threads[t].nth_child = t;
    }
    if (one_thread) channel_->decision_count = channel_->event_count = 0;
    record->threads = one_thread ? 1 : 3;
    record->decisions = channel_->decision_count;
    record->events = channel_->event_count;
    record->event_hash = hash;
    if (modes.count("unstable") != 0) record->event_hash = static_cast<std::uint64_t>(getpid());
    record->class_hash = hash;
    record->outcome = RunOutcome::kExited;
    if (Has("new-site", record->run) && channel_->request.site_count == 0) {
      AreaOf<SiteRef>(channel_, layout_.new_sites)[0] = {0, 0x110};
      channel_->new_site_count = record->new_sites = 1;
    }
    const bool lost = variable != 2;
    if (Has("assert", record->run) || (modes.count("lost-update") != 0 && lost)) {
      record->outcome = RunOutcome::kFailed;
      record->failure = FailureKind::kAssertion;
      Failure& failure = channel_->failure;
      failure.kind = FailureKind::kAssertion;
      failure.thread = kMainThread;
      failure.line = 12;
      std::strcpy(failure.file, "fake.cpp");
      std::strcpy(failure.function, "int main()");
      std::strcpy(failure.message, "counter == 2");
    }
  }

  Channel* const channel_;
  const Layout layout_;
};

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  using heddle::Channel;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    heddle::modes[argument.substr(0, equals)] =
        equals == std::string::npos ? heddle::kEveryRun : std::stoull(argument.substr(equals + 1));
  }
  const auto& modes = heddle::modes;
  if (modes.count("never-attach") != 0) {
    std::puts("hello from outside");
    return 4;
  }
  if (modes.count("crash-at-start") != 0) raise(SIGSEGV);
  if (modes.count("hang-at-start") != 0) {
    while (true) pause();
  }
  const int fd = std::atoi(std::getenv(heddle::kChannelVariable));
  const off_t size = lseek(fd, 0, SEEK_END);
  void* const memory =
      mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  auto* const channel = static_cast<Channel*>(memory);
  if (modes.count("exit-before-main") != 0) {
    channel->worker_pid = getpid();
    return 5;
  }
  heddle::FakeWorker(channel).Serve();
}
