// Bodies that are searched twice, by reachability testing and by optimal-dpor: both must end
// complete, with the same final states (heddle::Outcome) and the same deadlocks.
#include <heddle/heddle.h>
#include <heddle/sync.h>

#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace {

// A word that each step appends to, under a lock of its own.
class Log {
 public:
  void Add(char c) {
    const std::lock_guard<heddle::Lock> lock(lock_);
    text_ += c;
  }
  const std::string& text() const { return text_; }

 private:
  heddle::Lock lock_;
  std::string text_;
};

void Semaphores() {
  heddle::Semaphore tokens(1);
  std::string text;
  heddle::Semaphore mutex(1);
  const auto use = [&](char c) {
    tokens.P();
    mutex.P();
    text += c;
    mutex.V();
    tokens.V();
  };
  heddle::Concurrently([&] { use('a'); }, [&] { use('b'); }, [&] { use('c'); });
  heddle::Outcome(text);
}

void Philosophers() {
  heddle::Semaphore fork[3] = {heddle::Semaphore(1), heddle::Semaphore(1), heddle::Semaphore(1)};
  const auto dine = [&](int i) {
    fork[i].P();
    fork[(i + 1) % 3].P();
    fork[i].V();
    fork[(i + 1) % 3].V();
  };
  heddle::Concurrently([&] { dine(0); }, [&] { dine(1); }, [&] { dine(2); });
  heddle::Outcome("dined");
}

void BinarySemaphores() {
  heddle::BinarySemaphore turn(0);
  Log log;
  heddle::Concurrently(
      [&] {
        turn.V();
        log.Add('a');
        turn.V();
      },
      [&] {
        turn.P();
        log.Add('b');
      },
      [&] {
        turn.P();
        log.Add('c');
      });
  heddle::Outcome(log.text());
}

void RecursiveLocks() {
  heddle::Lock lock;
  std::string text;
  const auto add = [&](char c) {
    const std::lock_guard<heddle::Lock> outer(lock);
    const std::lock_guard<heddle::Lock> inner(lock);
    text += c;
  };
  heddle::Concurrently([&] { add('a'); }, [&] { add('b'); },
                       [&] {
                         add('c');
                         add('d');
                       });
  heddle::Outcome(text);
}

// A condition that is signalled once, for two who may wait: one of them may stay.
template <typename Monitor>
void Monitors() {
  Monitor monitor;
  heddle::Condition ready(monitor);
  int items = 0;
  std::string text;
  const auto take = [&](char c) {
    monitor.Enter();
    while (items == 0) ready.Wait();
    --items;
    text += c;
    monitor.Exit();
  };
  heddle::Concurrently([&] { take('a'); }, [&] { take('b'); },
                       [&] {
                         for (int i = 0; i < 2; ++i) {
                           monitor.Enter();
                           ++items;
                           text += '+';
                           if (i == 0 || !ready.Empty()) ready.Signal();
                           monitor.Exit();
                         }
                       });
  heddle::Outcome(text);
}

void Ports() {
  heddle::AsyncPort<char> port;
  std::string text;
  heddle::Concurrently(
      [&] {
        for (int i = 0; i < 3; ++i) text += port.Receive();
      },
      [&] {
        port.Send('a');
        port.Send('b');
      },
      [&] { port.Send('c'); });
  heddle::Outcome(text);
}

void BoundedPorts() {
  heddle::AsyncPort<char> port(1);
  std::string text;
  heddle::Concurrently(
      [&] {
        for (int i = 0; i < 3; ++i) text += port.Receive();
      },
      [&] {
        port.Send('a');
        port.Send('b');
      },
      [&] { port.Send('c'); });
  heddle::Outcome(text);
}

// What is open depends on what came: a send to one port decides whether another is received.
void Selects() {
  heddle::SyncPort<char> deposit;
  heddle::SyncPort<char> withdraw;
  std::string text;
  heddle::Concurrently(
      [&] {
        int full = 0;
        for (int i = 0; i < 3; ++i) {
          heddle::Select()
              .When(full < 2, deposit,
                    [&](char c) {
                      ++full;
                      text += c;
                    })
              .When(full > 0, withdraw,
                    [&](char c) {
                      --full;
                      text += c;
                    })
              .Wait();
        }
      },
      [&] { deposit.Send('a'); }, [&] { deposit.Send('b'); }, [&] { withdraw.Send('-'); });
  heddle::Outcome(text);
}

// Waits for ever if the one message was taken by the other's select.
void LostMessage() {
  heddle::AsyncPort<char> asked;
  heddle::AsyncPort<char> stop;
  std::string text;
  heddle::Concurrently(
      [&] {
        bool more = true;
        while (more) {
          heddle::Select()
              .On(asked, [&](char c) { text += c; })
              .On(stop,
                  [&](char) {
                    text += '.';
                    more = false;
                  })
              .Wait();
        }
        if (text.size() == 1) asked.Receive();
        if (text.size() == 3) stop.Receive();
      },
      [&] { asked.Send('a'); }, [&] { asked.Send('b'); }, [&] { stop.Send('s'); });
  heddle::Outcome(text);
}

void Conditions() {
  std::mutex mutex;
  std::condition_variable changed;
  int tokens = 0;
  std::string text;
  const auto take = [&](char c) {
    std::unique_lock<std::mutex> lock(mutex);
    while (tokens == 0) changed.wait(lock);
    --tokens;
    text += c;
  };
  heddle::Concurrently([&] { take('a'); }, [&] { take('b'); },
                       [&] {
                         {
                           const std::lock_guard<std::mutex> lock(mutex);
                           tokens = 2;
                         }
                         changed.notify_one();
                       });
  heddle::Outcome(text);
}

// Threads that are made when others have begun, by one who holds what they want.
void LateThreads() {
  heddle::Lock lock;
  heddle::Semaphore started(0);
  std::string text;
  const auto add = [&](char c) {
    const std::lock_guard<heddle::Lock> held(lock);
    text += c;
  };
  std::thread first([&] {
    add('a');
    std::thread second;
    {
      const std::lock_guard<heddle::Lock> held(lock);
      second = std::thread([&] {
        started.V();
        add('b');
      });
      text += '(';
    }
    started.P();
    add(')');
    second.join();
  });
  add('m');
  first.join();
  heddle::Outcome(text);
}

// A monitor inside another; who waits in the inner one keeps the outer one.
void NestedMonitors() {
  heddle::MonitorSC outer;
  heddle::MonitorSU inner;
  heddle::Condition full(inner);
  int items = 0;
  std::string text;
  heddle::Concurrently(
      [&] {
        outer.Enter();
        inner.Enter();
        if (items == 0) full.Wait();
        text += 'a';
        inner.Exit();
        outer.Exit();
      },
      [&] {
        inner.Enter();
        ++items;
        full.Signal();
        text += 'b';
        inner.Exit();
      },
      [&] {
        outer.Enter();
        inner.Enter();
        text += 'c';
        inner.Exit();
        outer.Exit();
      });
  heddle::Outcome(text);
}

// Guards over bounded and synchronous ports, and a message that may never be asked for.
void Guards() {
  heddle::AsyncPort<char> jobs(1);
  heddle::SyncPort<char> stop;
  std::string text;
  heddle::Concurrently(
      [&] {
        for (int i = 0; i < 3; ++i) {
          const bool may_stop = text.find('b') != std::string::npos;
          heddle::Select()
              .On(jobs, [&](char c) { text += c; })
              .When(may_stop, stop, [&](char c) { text += c; })
              .Wait();
        }
      },
      [&] { jobs.Send('a'); }, [&] { jobs.Send('b'); }, [&] { stop.Send('.'); });
  heddle::Outcome(text);
}

// One sender, two ports of one receiver: either message may be there first.
void Overtaking() {
  heddle::AsyncPort<char> left;
  heddle::AsyncPort<char> right;
  std::string text;
  heddle::Concurrently(
      [&] {
        for (int i = 0; i < 3; ++i) {
          heddle::Select()
              .On(left, [&](char c) { text += c; })
              .On(right, [&](char c) { text += c; })
              .Wait();
        }
      },
      [&] {
        left.Send('a');
        right.Send('b');
        left.Send('c');
      });
  heddle::Outcome(text);
}

// A message that is sent because of another one may be there before it.
void CausalOvertaking() {
  heddle::AsyncPort<char> port;
  heddle::Semaphore sent(0);
  std::string text;
  heddle::Concurrently(
      [&] {
        text += port.Receive();
        text += port.Receive();
      },
      [&] {
        port.Send('a');
        sent.V();
      },
      [&] {
        sent.P();
        port.Send('b');
      });
  heddle::Outcome(text);
}

// Room for one: who is admitted first is received first, and nobody is admitted too early.
void Admission() {
  heddle::AsyncPort<char> port(1);
  heddle::AsyncPort<char> done;
  std::string text;
  heddle::Concurrently(
      [&] {
        for (int i = 0; i < 4; ++i) {
          heddle::Select()
              .On(port, [&](char c) { text += c; })
              .On(done, [&](char c) { text += c; })
              .Wait();
        }
      },
      [&] {
        port.Send('a');
        done.Send('.');
      },
      [&] {
        port.Send('b');
        port.Send('c');
      });
  heddle::Outcome(text);
}

// Both P and V wait; somebody may stay behind.
void Alternation() {
  heddle::BinarySemaphore turn(1);
  Log log;
  heddle::Concurrently(
      [&] {
        turn.V();
        log.Add('v');
      },
      [&] {
        turn.P();
        log.Add('p');
        turn.V();
      },
      [&] {
        turn.V();
        log.Add('w');
      });
  heddle::Outcome(log.text());
}

void Rendezvous() {
  heddle::SyncPort<char> port;
  std::string text;
  heddle::Concurrently(
      [&] {
        for (int i = 0; i < 4; ++i) text += port.Receive();
      },
      [&] {
        port.Send('a');
        port.Send('b');
      },
      [&] {
        port.Send('c');
        port.Send('d');
      });
  heddle::Outcome(text);
}

struct Searched {
  bool complete = false;
  std::set<std::string> states;
  std::set<std::string> failures;
  std::uint64_t runs = 0;

  bool Ends(const Searched& other) const {
    return complete && other.complete && states == other.states && failures == other.failures;
  }
};

Searched Search(const char* strategy, void (*body)()) {
  heddle::Options options;
  options.strategy = strategy;
  options.runs = 200'000;
  options.keep_going = true;
  options.on_finding = heddle::kReturn;
  const heddle::Result result = heddle::Explore(options, body);
  Searched searched;
  searched.complete = result.complete;
  searched.runs = result.runs;
  for (const auto& [text, count] : result.outcomes) searched.states.insert(text);
  for (const heddle::Finding& finding : result.findings) {
    searched.failures.insert(finding.kind + " " + finding.fingerprint);
  }
  return searched;
}

struct Case {
  const char* name;
  void (*body)();
};
constexpr Case kCases[] = {
    {"semaphores", Semaphores},
    {"philosophers", Philosophers},
    {"binary-semaphores", BinarySemaphores},
    {"recursive-locks", RecursiveLocks},
    {"monitors-sc", Monitors<heddle::MonitorSC>},
    {"monitors-su", Monitors<heddle::MonitorSU>},
    {"ports", Ports},
    {"bounded-ports", BoundedPorts},
    {"selects", Selects},
    {"lost-message", LostMessage},
    {"conditions", Conditions},
    {"late-threads", LateThreads},
    {"nested-monitors", NestedMonitors},
    {"guards", Guards},
    {"overtaking", Overtaking},
    {"causal-overtaking", CausalOvertaking},
    {"admission", Admission},
    {"alternation", Alternation},
    {"rendezvous", Rendezvous},
};

}  // namespace

int main() {
  int different = 0;
  for (const Case& each : kCases) {
    const Searched reach = Search("reachability", each.body);
    const Searched order = Search("optimal-dpor", each.body);
    std::printf("%s %s: %zu states, %zu failures, %d and %d complete, %llu and %llu runs\n",
                reach.Ends(order) ? "same" : "DIFFERENT", each.name, reach.states.size(),
                reach.failures.size(), reach.complete, order.complete,
                static_cast<unsigned long long>(reach.runs),
                static_cast<unsigned long long>(order.runs));
    if (reach.Ends(order)) continue;
    ++different;
    for (const std::string& state : reach.states) std::printf("  r %s\n", state.c_str());
    for (const std::string& state : order.states) std::printf("  o %s\n", state.c_str());
    for (const std::string& text : reach.failures) std::printf("  r %s\n", text.c_str());
    for (const std::string& text : order.failures) std::printf("  o %s\n", text.c_str());
  }
  return different;
}
