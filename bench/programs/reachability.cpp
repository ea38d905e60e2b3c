// reachability FILE SIZE: the programs of Carver and Lei's Table 1, written with <heddle/sync.h>,
// each searched inside heddle::Explore; SIZE `small` leaves out those with over a thousand
// sequences.
//
// A line of FILE is a program: its name, sequences, sequences that came again, blocked runs,
// deadlocks, pending variants at most, whether the search was complete, seconds by the clock and
// seconds of processor time. Timed without looking for repetitions, then searched again with a look
// at every sequence.
#include <heddle/heddle.h>
#include <heddle/sync.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "measure.h"

namespace {

// Threads of a body, joined at its end.
class Threads {
 public:
  template <typename Function>
  void Start(int count, Function function) {
    for (int i = 0; i < count; ++i) threads_.emplace_back(function, i);
  }
  ~Threads() {
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::vector<std::thread> threads_;
};

void BoundedBufferSelect() {
  heddle::SyncPort<int> deposit;
  heddle::SyncPort<int> withdraw;
  heddle::SyncPort<int> reply[3];
  Threads threads;
  threads.Start(1, [&](int) {
    int full = 0;
    for (int i = 0; i < 6; ++i) {
      int who = -1;
      heddle::Select()
          .When(full < 2, deposit, [&](int) { ++full; })
          .When(full > 0, withdraw, [&](int consumer) { who = consumer; })
          .Wait();
      if (who < 0) continue;
      reply[who].Send(0);
      --full;
    }
  });
  threads.Start(3, [&](int) { deposit.Send(0); });
  threads.Start(3, [&](int i) {
    withdraw.Send(i);
    reply[i].Receive();
  });
}

void BoundedBufferSemaphore() {
  heddle::Semaphore not_full(2);
  heddle::Semaphore not_empty(0);
  heddle::Semaphore depositing(1);
  heddle::Semaphore withdrawing(1);
  Threads threads;
  threads.Start(3, [&](int) {
    depositing.P();
    not_full.P();
    not_empty.V();
    depositing.V();
  });
  threads.Start(3, [&](int) {
    withdrawing.P();
    not_empty.P();
    not_full.V();
    withdrawing.V();
  });
}

void BoundedBufferSU() {
  heddle::MonitorSU monitor;
  heddle::Condition not_full(monitor);
  heddle::Condition not_empty(monitor);
  int full = 0;
  Threads threads;
  threads.Start(3, [&](int) {
    monitor.Enter();
    while (full == 2) not_full.Wait();
    ++full;
    not_empty.Signal();
    monitor.Exit();
  });
  threads.Start(3, [&](int) {
    monitor.Enter();
    while (full == 0) not_empty.Wait();
    --full;
    not_full.Signal();
    monitor.Exit();
  });
}

void BoundedBufferSC() {
  heddle::MonitorSC monitor;
  heddle::Condition not_full(monitor);
  heddle::Condition not_empty(monitor);
  int full = 0;
  Threads threads;
  threads.Start(3, [&](int) {
    monitor.Enter();
    while (full == 2) not_full.Wait();
    ++full;
    not_empty.SignalAll();
    monitor.Exit();
  });
  threads.Start(3, [&](int) {
    monitor.Enter();
    while (full == 0) not_empty.Wait();
    --full;
    not_full.SignalAll();
    monitor.Exit();
  });
}

// Readers first; whoever lets another one in passes it the mutex.
template <int kReaders, int kWriters>
void ReadersWritersSemaphore() {
  heddle::Semaphore mutex(1);
  heddle::Semaphore readers_queue(0);
  heddle::Semaphore writers_queue(0);
  int reading = 0;
  int writing = 0;
  int waiting_readers = 0;
  int waiting_writers = 0;
  Threads threads;
  threads.Start(kReaders, [&](int) {
    mutex.P();
    if (writing > 0) {
      ++waiting_readers;
      mutex.V();
      readers_queue.P();
    }
    ++reading;
    if (waiting_readers > 0) {
      --waiting_readers;
      readers_queue.V();
    } else {
      mutex.V();
    }
    mutex.P();
    --reading;
    if (reading == 0 && waiting_writers > 0) {
      --waiting_writers;
      writers_queue.V();
    } else {
      mutex.V();
    }
  });
  threads.Start(kWriters, [&](int) {
    mutex.P();
    if (reading > 0 || writing > 0) {
      ++waiting_writers;
      mutex.V();
      writers_queue.P();
    }
    ++writing;
    mutex.V();
    mutex.P();
    --writing;
    if (waiting_readers > 0) {
      --waiting_readers;
      readers_queue.V();
    } else if (waiting_writers > 0) {
      --waiting_writers;
      writers_queue.V();
    } else {
      mutex.V();
    }
  });
}

// The authors' later form. Its number of sequences is not the paper's.
void ReadersWritersSC() {
  heddle::MonitorSC monitor;
  heddle::Condition readers_queue(monitor);
  heddle::Condition writers_queue(monitor);
  int reading = 0;
  bool writing = false;
  int signalled = 0;
  Threads threads;
  threads.Start(3, [&](int) {
    monitor.Enter();
    if (writing) {
      readers_queue.Wait();
      --signalled;
    }
    ++reading;
    monitor.Exit();
    monitor.Enter();
    --reading;
    if (reading == 0 && signalled == 0) writers_queue.Signal();
    monitor.Exit();
  });
  threads.Start(2, [&](int) {
    monitor.Enter();
    while (reading > 0 || writing || !readers_queue.Empty() || signalled > 0) writers_queue.Wait();
    writing = true;
    monitor.Exit();
    monitor.Enter();
    writing = false;
    if (!readers_queue.Empty()) {
      signalled = static_cast<int>(readers_queue.Length());
      readers_queue.SignalAll();
    } else {
      writers_queue.Signal();
    }
    monitor.Exit();
  });
}

void ReadersWritersSU() {
  heddle::MonitorSU monitor;
  heddle::Condition readers_queue(monitor);
  heddle::Condition writers_queue(monitor);
  int reading = 0;
  bool writing = false;
  Threads threads;
  threads.Start(3, [&](int) {
    monitor.Enter();
    if (writing) readers_queue.Wait();
    ++reading;
    readers_queue.SignalAndExit();
    monitor.Enter();
    if (--reading == 0) {
      writers_queue.SignalAndExit();
    } else {
      monitor.Exit();
    }
  });
  threads.Start(2, [&](int) {
    monitor.Enter();
    if (writing || reading > 0) writers_queue.Wait();
    writing = true;
    monitor.Exit();
    monitor.Enter();
    writing = false;
    (readers_queue.Empty() ? writers_queue : readers_queue).SignalAndExit();
  });
}

void ReadersWritersSelect() {
  heddle::SyncPort<int> start_read;
  heddle::SyncPort<int> end_read;
  heddle::SyncPort<int> start_write;
  heddle::SyncPort<int> end_write;
  Threads threads;
  threads.Start(1, [&](int) {
    int reading = 0;
    bool writing = false;
    for (int i = 0; i < 10; ++i) {
      heddle::Select()
          .When(!writing, start_read, [&](int) { ++reading; })
          .On(end_read, [&](int) { --reading; })
          .When(!writing && reading == 0, start_write, [&](int) { writing = true; })
          .On(end_write, [&](int) { writing = false; })
          .Wait();
    }
  });
  threads.Start(3, [&](int) {
    start_read.Send(0);
    end_read.Send(0);
  });
  threads.Start(2, [&](int) {
    start_write.Send(0);
    end_write.Send(0);
  });
}

// A philosopher whom both neighbours keep from eating becomes starving, and then they have to wait.
template <int kCount>
void PhilosophersSU() {
  enum State { kThinking, kHungry, kStarving, kEating };
  heddle::MonitorSU monitor;
  std::deque<heddle::Condition> self;
  for (int i = 0; i < kCount; ++i) self.emplace_back(monitor);
  State state[kCount] = {};
  const auto test = [&](int k) {
    const State left = state[(k + kCount - 1) % kCount];
    const State right = state[(k + 1) % kCount];
    if ((state[k] == kHungry || state[k] == kStarving) && left < kStarving && right < kStarving) {
      state[k] = kEating;
      self[k].Signal();
    } else if (state[k] == kHungry && left != kStarving && right != kStarving) {
      state[k] = kStarving;
    }
  };
  Threads threads;
  threads.Start(kCount, [&](int i) {
    monitor.Enter();
    state[i] = kHungry;
    test(i);
    if (state[i] != kEating) self[i].Wait();
    monitor.Exit();
    monitor.Enter();
    state[i] = kThinking;
    test((i + kCount - 1) % kCount);
    test((i + 1) % kCount);
    monitor.Exit();
  });
}

// All take the left fork first.
template <int kCount>
void PhilosophersSemaphore() {
  std::deque<heddle::Semaphore> fork;
  for (int i = 0; i < kCount; ++i) fork.emplace_back(1);
  Threads threads;
  threads.Start(kCount, [&](int i) {
    heddle::Semaphore& left = fork[i];
    heddle::Semaphore& right = fork[(i + 1) % kCount];
    left.P();
    right.P();
    left.V();
    right.V();
  });
}

struct Row {
  const char* name;  // without spaces
  void (*body)();
  bool is_small = false;
};

constexpr Row kRows[] = {
    {"BB-Select", BoundedBufferSelect, true},
    {"BB-Semaphore", BoundedBufferSemaphore, true},
    {"BB-Monitor-SU", BoundedBufferSU, true},
    {"BB-Monitor-SC", BoundedBufferSC},
    {"RW-Semaphore-2R+2W", ReadersWritersSemaphore<2, 2>, true},
    {"RW-Semaphore-2R+3W", ReadersWritersSemaphore<2, 3>},
    {"RW-Semaphore-3R+2W", ReadersWritersSemaphore<3, 2>},
    {"RW-Monitor-SC", ReadersWritersSC},
    {"RW-Monitor-SU", ReadersWritersSU},
    {"RW-Select", ReadersWritersSelect, true},
    {"DP-Monitor-SU-3", PhilosophersSU<3>, true},
    {"DP-Monitor-SU-4", PhilosophersSU<4>, true},
    {"DP-Monitor-SU-5", PhilosophersSU<5>},
    {"DP-Semaphore-2", PhilosophersSemaphore<2>, true},
    {"DP-Semaphore-3", PhilosophersSemaphore<3>, true},
    {"DP-Semaphore-4", PhilosophersSemaphore<4>, true},
    {"DP-Semaphore-5", PhilosophersSemaphore<5>, true},
};

struct Seconds {
  double wall = 0;
  double processor = 0;
};

double Of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Processor time is that of all processes that were there. Those that make the runs may have lost
// their parent: they come to this process, which waits for them.
Seconds Now() {
  Seconds now;
  now.wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  while (waitpid(-1, nullptr, 0) > 0) continue;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    getrusage(who, &usage);
    now.processor += Of(usage.ru_utime) + Of(usage.ru_stime);
  }
  return now;
}

// The number that stands before `words` in the search's remarks.
unsigned long long NumberBefore(const std::string& text, const std::string& words) {
  std::size_t at = text.find(words);
  if (at == std::string::npos) return ~0ull;
  while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9') --at;
  return std::strtoull(text.c_str() + at, nullptr, 10);
}

heddle::Result Search(const Row& row, const char* strategy) {
  heddle::Options options;
  options.strategy = strategy;
  options.runs = 1'000'000;
  options.time = "300s";
  options.keep_going = true;
  options.on_finding = heddle::kReturn;
  return heddle::Explore(options, row.body);
}

}  // namespace

int main(int argc, char** argv) {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  std::FILE* const file = std::fopen(argv[1], "w");
  const std::string only = argc > 2 ? argv[2] : "all";
  for (const Row& row : kRows) {
    if (only == "small" ? !row.is_small : only != "all" && only != row.name) continue;
    const Seconds begin = Now();
    const heddle::Result timed = Search(row, "reachability");
    const Seconds end = Now();
    const heddle::Result checked = Search(row, "reachability:check=on");
    if (!timed.error.empty() || !checked.error.empty() || timed.runs != checked.runs) {
      std::fprintf(stderr, "%s: %s%s\n", row.name, timed.error.c_str(), checked.Summary().c_str());
      return 1;
    }
    unsigned long long deadlocks = 0;
    for (const heddle::Finding& finding : timed.findings) {
      if (finding.kind == "deadlock") deadlocks += finding.hits;
    }
    std::fprintf(file, "%s %llu %llu %llu %llu %llu %d %.6f %.6f\n", row.name,
                 NumberBefore(checked.summary, " SYN-sequences"),
                 NumberBefore(checked.summary, " came again"),
                 static_cast<unsigned long long>(timed.blocked_runs), deadlocks,
                 NumberBefore(checked.summary, " variants were pending"),
                 timed.complete && checked.complete ? 1 : 0, end.wall - begin.wall,
                 end.processor - begin.processor);
  }
  return std::fclose(file) == 0 ? 0 : 1;
}
