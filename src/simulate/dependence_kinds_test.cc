// The dependence relation kind by kind, so that none goes without: each has a meaning here, on a
// small state, and every two on one sort of object are tried in both orders from every small state;
// or it is named with the reason why there is nothing to try. dependence_test.cc does the same with
// the abstract machine, which has fewer kinds.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/barrier.h"
#include "model/mutex.h"
#include "model/once.h"
#include "model/rwlock.h"
#include "simulate/dependence_places.h"
#include "trace/dependence.h"

namespace heddle {
namespace {

// One object of each sort, as threads 0 and 1 find it; thread 2 did what was done before.
struct State {
  int value = 0;  // of a variable or a semaphore
  Mutex mutex;
  RwLock rwlock;
  Barrier barrier{.count = 2};
  Once once;
  std::set<ThreadId> sleepers;
  bool ended = false;  // a thread that others join
  bool joined = false;
  std::vector<int> sent;

  std::string Text() const {
    std::string text = std::to_string(value) + " l" + std::to_string(mutex.owner) + " w" +
                       std::to_string(rwlock.writer) + "q" + std::to_string(rwlock.queued_writers) +
                       "r";
    std::vector<ThreadId> readers = rwlock.readers;  // a set: who came first is nobody's matter
    std::sort(readers.begin(), readers.end());
    for (const ThreadId reader : readers) text += std::to_string(reader);
    text += " b" + std::to_string(barrier.arrived) + " o" + std::to_string(once.done) +
            std::to_string(once.runner) + " s";
    for (const ThreadId sleeper : sleepers) text += std::to_string(sleeper);
    text += " e" + std::to_string(ended) + std::to_string(joined) + " m";
    for (const int message : sent) text += std::to_string(message);
    return text;
  }
};

struct Outcome {
  std::string result;
  State state;
};
// What the operation of this thread can do: nothing where it has to wait.
using Meaning = std::function<std::vector<Outcome>(State, ThreadId)>;

enum class Sort : std::uint8_t {
  kMemory,
  kFutex,
  kMutex,
  kSemaphore,
  kCondition,
  kRwLock,
  kBarrier,
  kOnce,
  kThread,
  kChannel,
  kClock,
};

struct Kind {
  OpKind kind;
  Sort sort;
  Meaning meaning;
  const char* variant = "";
  // Whether the thread may be about to do it.
  std::function<bool(const State&, ThreadId)> is_legal = [](const State&, ThreadId) {
    return true;
  };
};

std::vector<Outcome> Just(std::string result, const State& state) {
  return {{std::move(result), state}};
}
std::string Number(std::int64_t value) { return std::to_string(value); }

bool Holds(const State& s, ThreadId t) { return s.rwlock.IsHeldBy(t); }
bool HoldsNot(const State& s, ThreadId t) { return !Holds(s, t); }

std::vector<Outcome> Lock(State s, ThreadId t) {
  if (!s.mutex.CanLock(t, MutexKind::kNormal)) return {};
  s.mutex.Lock(t, MutexKind::kNormal);
  return Just("", s);
}
std::vector<Outcome> SemWait(State s, ThreadId) {
  if (s.value == 0) return {};
  --s.value;
  return Just("", s);
}
std::vector<Outcome> ReadLock(State s, ThreadId t) {
  if (!s.rwlock.CanRead()) return {};
  s.rwlock.Read(t);
  return Just("", s);
}
std::vector<Outcome> WriteLock(State s, ThreadId t) {
  if (!s.rwlock.CanWrite()) return {};
  s.rwlock.Write(t);
  return Just("", s);
}
std::vector<Outcome> GiveBack(State s, ThreadId t) {
  s.rwlock.Unlock(t);
  return Just("", s);
}
// Writers are preferred: who can't get in queues.
std::vector<Outcome> QueueWriter(State s, ThreadId t) {
  if (s.rwlock.CanWrite()) return WriteLock(s, t);
  ++s.rwlock.queued_writers;
  return Just("queued", s);
}
// It gets it, or fails where it can't.
Meaning Trying(const Meaning& of) {
  return [of](const State& s, ThreadId t) {
    std::vector<Outcome> got = of(s, t);
    return got.empty() ? Just("failed", s) : got;
  };
}
// Time is up for who would have to wait, and only for them: what is there is taken.
Meaning Timed(const Meaning& of) { return Trying(of); }

std::vector<Outcome> WakeOne(const State& s, ThreadId) {
  if (s.sleepers.empty()) return Just("nobody", s);
  std::vector<Outcome> all;
  for (const ThreadId sleeper : s.sleepers) {
    State after = s;
    after.sleepers.erase(sleeper);
    all.push_back({Number(sleeper), after});
  }
  return all;
}

std::vector<Kind> Kinds() {
  const auto store = [](State s, ThreadId t) {
    s.value = static_cast<int>(t) + 1;
    return Just("", s);
  };
  const auto load = [](const State& s, ThreadId) { return Just(Number(s.value), s); };
  const auto add = [](State s, ThreadId) {
    ++s.value;
    return Just(Number(s.value), s);
  };
  const auto exchange = [](State s, ThreadId t) {
    if (s.value != 0) return Just("failed", s);
    s.value = static_cast<int>(t) + 1;
    return Just("", s);
  };
  const auto owns_not = [](const State& s, ThreadId t) { return s.mutex.owner != t; };
  const auto reads = [](const State& s, ThreadId t) { return s.rwlock.IsReadBy(t); };
  const auto writes = [](const State& s, ThreadId t) { return s.rwlock.writer == t; };
  return {
      {OpKind::kRead, Sort::kMemory, load},
      {OpKind::kWrite, Sort::kMemory, store},
      {OpKind::kAtomicLoad, Sort::kMemory, load},
      {OpKind::kAtomicStore, Sort::kMemory, store},
      {OpKind::kAtomicRmw, Sort::kMemory, add},
      {OpKind::kAtomicRmw, Sort::kMemory, exchange, "compare-exchange"},
      {OpKind::kFutexWait, Sort::kFutex,
       [](State s, ThreadId t) {
         if (s.value != 0) return Just("other value", s);
         s.sleepers.insert(t);
         return Just("", s);
       }},
      // Not tried: a wake and an access to the word, which are held to depend on each other and do
      // not. They share an object because a wait belongs to both.
      {OpKind::kFutexWake, Sort::kFutex, WakeOne},
      {OpKind::kLock, Sort::kMutex, Lock, "", owns_not},
      {OpKind::kLock, Sort::kMutex, Timed(Lock), "timed", owns_not},
      {OpKind::kTryLock, Sort::kMutex, Trying(Lock), "", owns_not},
      {OpKind::kUnlock, Sort::kMutex,
       [](State s, ThreadId t) {
         s.mutex.Unlock(t, MutexKind::kNormal);
         return Just("", s);
       },
       "", [](const State& s, ThreadId t) { return s.mutex.owner == t; }},
      {OpKind::kSemWait, Sort::kSemaphore, SemWait},
      {OpKind::kSemWait, Sort::kSemaphore, Timed(SemWait), "timed"},
      {OpKind::kSemTryWait, Sort::kSemaphore, Trying(SemWait)},
      {OpKind::kSemPost, Sort::kSemaphore,
       [](State s, ThreadId) {
         ++s.value;
         return Just("", s);
       }},
      {OpKind::kSemValue, Sort::kSemaphore, load},
      {OpKind::kWait, Sort::kCondition,
       [](State s, ThreadId t) {
         s.sleepers.insert(t);
         return Just("", s);
       },
       "", [](const State& s, ThreadId t) { return !s.sleepers.count(t); }},
      // Its time is up: it leaves by itself. One that was woken goes on with its mutex instead.
      {OpKind::kWake, Sort::kCondition,
       [](State s, ThreadId t) {
         return s.sleepers.erase(t) == 0 ? std::vector<Outcome>() : Just("", s);
       },
       "", [](const State& s, ThreadId t) { return s.sleepers.count(t) != 0; }},
      {OpKind::kSignal, Sort::kCondition, WakeOne},
      {OpKind::kBroadcast, Sort::kCondition,
       [](State s, ThreadId) {
         std::string all;
         for (const ThreadId sleeper : s.sleepers) all += Number(sleeper);
         s.sleepers.clear();
         return Just(all, s);
       }},
      {OpKind::kReadLock, Sort::kRwLock, ReadLock, "", HoldsNot},
      {OpKind::kReadLock, Sort::kRwLock, Timed(ReadLock), "timed", HoldsNot},
      {OpKind::kTryReadLock, Sort::kRwLock, Trying(ReadLock), "", HoldsNot},
      {OpKind::kReadUnlock, Sort::kRwLock, GiveBack, "", reads},
      {OpKind::kQueueWriter, Sort::kRwLock, QueueWriter, "", HoldsNot},
      {OpKind::kWriteLock, Sort::kRwLock, WriteLock, "", HoldsNot},
      {OpKind::kWriteLock, Sort::kRwLock, Timed(WriteLock), "timed", HoldsNot},
      {OpKind::kTryWriteLock, Sort::kRwLock, Trying(WriteLock), "", HoldsNot},
      {OpKind::kWriteUnlock, Sort::kRwLock, GiveBack, "", writes},
      // Who is the last is told so.
      {OpKind::kBarrierArrive, Sort::kBarrier,
       [](State s, ThreadId) {
         const bool is_last = s.barrier.Arrive();
         return Just(is_last ? "last" : "", s);
       }},
      {OpKind::kOnce, Sort::kOnce,
       [](State s, ThreadId t) -> std::vector<Outcome> {
         if (!s.once.CanPass()) return {};
         if (s.once.done) return Just("done", s);
         s.once.Begin(t);
         return Just("begins", s);
       },
       "", [](const State& s, ThreadId t) { return s.once.runner != t; }},
      {OpKind::kOnceDone, Sort::kOnce,
       [](State s, ThreadId) {
         s.once.Finish();
         return Just("", s);
       },
       "", [](const State& s, ThreadId t) { return s.once.runner == t; }},
      // The end of a thread is an operation of its own where somebody tries to join it, otherwise
      // an event that never branches.
      {OpKind::kTryJoin, Sort::kThread,
       [](State s, ThreadId) {
         const bool takes = s.ended && !s.joined;
         s.joined = s.joined || takes;
         return Just(takes ? "joined" : "failed", s);
       }},
      {OpKind::kTimedJoin, Sort::kThread, Timed([](State s, ThreadId) -> std::vector<Outcome> {
         if (!s.ended || s.joined) return {};
         s.joined = true;
         return Just("joined", s);
       })},
      {OpKind::kExit, Sort::kThread,
       [](State s, ThreadId) {
         s.ended = true;
         return Just("", s);
       },
       "", [](const State& s, ThreadId t) { return t == 0 && !s.ended; }},
      {OpKind::kEnd, Sort::kThread,
       [](State s, ThreadId) {
         s.ended = true;
         return Just("", s);
       },
       "", [](const State& s, ThreadId t) { return t == 0 && !s.ended; }},
      // Whatever the others do, it is as late as the latest that anybody waited for.
      {OpKind::kSleep, Sort::kClock,
       [](State s, ThreadId t) {
         s.value = std::max(s.value, static_cast<int>(t) + 5);
         return Just("", s);
       }},
      {OpKind::kTime, Sort::kClock, load},
      {OpKind::kSend, Sort::kChannel,
       [](State s, ThreadId t) {
         s.sent.push_back(static_cast<int>(t));
         return Just("", s);
       }},
      {OpKind::kReceive, Sort::kChannel,
       [](State s, ThreadId) -> std::vector<Outcome> {
         if (s.sent.empty()) return {};
         const int first = s.sent.front();
         s.sent.erase(s.sent.begin());
         return Just(Number(first), s);
       }},
      {OpKind::kLook, Sort::kChannel,
       [](const State& s, ThreadId) { return Just(s.sent.empty() ? "nothing" : "ready", s); }},
      {OpKind::kLook, Sort::kChannel,
       [](const State& s, ThreadId) -> std::vector<Outcome> {
         if (s.sent.empty()) return {};
         return Just("ready", s);
       },
       "that waits"},
  };
}

using Change = std::function<void(State&)>;

// What can be before two operations on such an object.
std::vector<Change> ChangesOf(Sort sort) {
  const auto locked_by = [](ThreadId t) {
    return [t](State& s) { s.mutex.Lock(t, MutexKind::kNormal); };
  };
  const auto sleep = [](const std::set<ThreadId>& who) {
    return [who](State& s) { s.sleepers = who; };
  };
  const auto number = [](int value) { return [value](State& s) { s.value = value; }; };
  const auto reading = [](const std::vector<ThreadId>& who) {
    return [who](State& s) { s.rwlock.readers = who; };
  };
  const auto writing = [](ThreadId t) { return [t](State& s) { s.rwlock.writer = t; }; };
  const auto at_it = [](ThreadId t) { return [t](State& s) { s.once.runner = t; }; };
  switch (sort) {
    case Sort::kMemory:
    case Sort::kClock:
      return {number(7)};
    case Sort::kFutex:
      return {number(7), sleep({2}), sleep({2, 3})};
    case Sort::kMutex:
      return {locked_by(0), locked_by(1), locked_by(2)};
    case Sort::kSemaphore:
      return {number(1), number(2)};
    case Sort::kCondition:
      return {sleep({0}),    sleep({1}),    sleep({2}),       sleep({0, 1}),
              sleep({0, 2}), sleep({1, 2}), sleep({0, 1, 2}), sleep({2, 3})};
    case Sort::kRwLock:
      return {reading({0}), reading({1}), reading({2}), reading({0, 1}),
              writing(0),   writing(1),   writing(2)};
    case Sort::kBarrier:
      return {[](State& s) { s.barrier.arrived = 1; }};
    case Sort::kOnce:
      return {at_it(0), at_it(1), at_it(2), [](State& s) { s.once.done = true; }};
    case Sort::kThread:
      return {[](State& s) { s.ended = true; }};
    case Sort::kChannel:
      return {[](State& s) { s.sent = {5}; }};
  }
  return {};
}

std::vector<State> SmallStates(Sort sort) {
  std::vector<State> states(1);
  for (const Change& change : ChangesOf(sort)) change(states.emplace_back());
  if (sort == Sort::kRwLock) {  // each with a writer that is queued, too
    const std::size_t without = states.size();
    for (std::size_t i = 0; i < without; ++i) {
      states.push_back(states[i]);
      states.back().rwlock.queued_writers = 1;
    }
  }
  return states;
}

std::set<std::string> InOrder(const State& state, const Kind& a, const Kind& b, bool a_first) {
  std::set<std::string> all;
  const Kind& first = a_first ? a : b;
  const Kind& second = a_first ? b : a;
  for (const Outcome& one : first.meaning(state, a_first ? 0 : 1)) {
    for (const Outcome& two : second.meaning(one.state, a_first ? 1 : 0)) {
      all.insert((a_first ? one : two).result + "|" + (a_first ? two : one).result + "|" +
                 two.state.Text());
    }
  }
  return all;
}

// What `a` can come to, alone or behind `b`.
bool GainsOrLoses(const State& state, const Kind& a, ThreadId thread, const Kind& b) {
  const auto results = [&](const State& from) {
    std::set<std::string> all;
    for (const Outcome& outcome : a.meaning(from, thread)) all.insert(outcome.result);
    return all;
  };
  const std::vector<Outcome> behind = b.meaning(state, 1 - thread);
  if (behind.empty()) return false;
  std::set<std::string> all;
  for (const Outcome& outcome : behind) all.merge(results(outcome.state));
  return all != results(state);
}

TEST(DependenceKindsTest, TwoOperationsDependExactlyWhenSomeStateShowsTheirOrder) {
  const std::vector<Kind> kinds = Kinds();
  int pairs = 0;
  for (const Kind& a : kinds) {
    for (const Kind& b : kinds) {
      if (a.sort != b.sort) continue;
      bool differs = false, is_possible = false;
      for (const State& state : SmallStates(a.sort)) {
        if (!a.is_legal(state, 0) || !b.is_legal(state, 1)) continue;
        is_possible = true;
        differs = differs || InOrder(state, a, b, true) != InOrder(state, a, b, false) ||
                  GainsOrLoses(state, a, 0, b) || GainsOrLoses(state, b, 1, a);
      }
      if (!is_possible) continue;
      PendingOp one, two;
      one.kind = a.kind;
      two.kind = b.kind;
      one.object = two.object = 1;
      EXPECT_EQ(Dependent(one, two), differs)
          << NameOf(a.kind) << a.variant << " and " << NameOf(b.kind) << b.variant;
      two.object = 2;
      EXPECT_FALSE(Dependent(one, two)) << "on different objects";
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 80);
}

// How an operation that came to this result touched its object.
struct Touched {
  bool failed = false;
  AccessMode access = AccessMode::kAlone;
  bool behind_queue = false;

  friend auto operator<=>(const Touched&, const Touched&) = default;
};

Touched HowTouched(const Kind& kind, const State& before, const std::string& result) {
  Touched touched;
  touched.failed = result == "failed" || (kind.kind == OpKind::kOnce && result == "done");
  const bool reads = kind.kind == OpKind::kTryReadLock || kind.kind == OpKind::kReadLock;
  touched.behind_queue = touched.failed && reads && before.rwlock.writer == kNoThread;
  const bool in_vain = touched.failed && !touched.behind_queue;
  touched.access = in_vain ? FailedAccessOf(kind.kind) : AccessOf(kind.kind);
  return touched;
}

// Two that have been carried out, at least one of them in vain, by their outcomes and no more.
TEST(DependenceKindsTest, TwoEventsDependExactlyWhenSomeStateWithTheirOutcomesShowsTheirOrder) {
  struct Pair {
    bool differs = false;
    bool claimed = false;
  };
  const std::vector<Kind> kinds = Kinds();
  int in_vain = 0, independent = 0;
  for (const Kind& a : kinds) {
    for (const Kind& b : kinds) {
      if (a.sort != b.sort) continue;
      std::map<std::pair<Touched, Touched>, Pair> pairs;
      for (const State& state : SmallStates(a.sort)) {
        if (!a.is_legal(state, 0) || !b.is_legal(state, 1)) continue;
        const bool differs = InOrder(state, a, b, true) != InOrder(state, a, b, false) ||
                             GainsOrLoses(state, a, 0, b) || GainsOrLoses(state, b, 1, a);
        for (const bool a_first : {true, false}) {
          const Kind& first = a_first ? a : b;
          const Kind& second = a_first ? b : a;
          for (const Outcome& one : first.meaning(state, a_first ? 0 : 1)) {
            for (const Outcome& two : second.meaning(one.state, a_first ? 1 : 0)) {
              const Touched by_first = HowTouched(first, state, one.result);
              const Touched by_second = HowTouched(second, one.state, two.result);
              const Touched& by_a = a_first ? by_first : by_second;
              const Touched& by_b = a_first ? by_second : by_first;
              // A reader that a queue keeps out commutes with readers that leave and with a writer
              // that fails; those two do not with each other. It counts as a reader.
              const bool meets_loser = (by_a.behind_queue && by_b.access == AccessMode::kLooking) ||
                                       (by_b.behind_queue && by_a.access == AccessMode::kLooking);
              if (meets_loser) continue;
              PendingOp p, q;
              p.kind = a.kind;
              q.kind = b.kind;
              p.object = q.object = 1;
              Pair& pair = pairs[{by_a, by_b}];
              pair.claimed = Dependent(p, by_a.access, q, by_b.access);
              pair.differs = pair.differs || differs;
            }
          }
        }
      }
      for (const auto& [touched, pair] : pairs) {
        const auto& [by_a, by_b] = touched;
        if (!by_a.failed && !by_b.failed) continue;
        // Taken for more than they are: a reader that a queue keeps out, beside a writer (whoever
        // is inside keeps it out as well), and two that give up waiting for a thread's end.
        const bool is_coarse =
            by_a.behind_queue || by_b.behind_queue || a.kind == OpKind::kTimedJoin;
        if (is_coarse && pair.claimed) continue;
        EXPECT_EQ(pair.claimed, pair.differs)
            << NameOf(a.kind) << a.variant << (by_a.failed ? " in vain" : "") << " and "
            << NameOf(b.kind) << b.variant << (by_b.failed ? " in vain" : "");
        ++in_vain;
        independent += pair.claimed ? 0 : 1;
      }
    }
  }
  EXPECT_GT(in_vain, 60);
  EXPECT_GT(independent, 30);
}

// The clock is what they act on beside their object: time-outs change how late it is, whoever has
// one first.
TEST(DependenceKindsTest, WhatMayTimeOutDependsOnWhoReadsTheClock) {
  constexpr ObjectId kLock = 1, kOther = 2, kClock = 3;
  for (int k = 0; k < kOpKindCount; ++k) {
    PendingOp timed, other, sleeps, reads;
    timed.kind = other.kind = static_cast<OpKind>(k);
    if (!MayLetTimePass(timed.kind)) continue;
    timed.object = kLock;
    other.object = kOther;
    timed.second = other.second = kClock;
    sleeps.kind = OpKind::kSleep;
    reads.kind = OpKind::kTime;
    sleeps.object = reads.object = kClock;

    EXPECT_TRUE(Dependent(timed, reads)) << NameOf(timed.kind);
    EXPECT_TRUE(Dependent(reads, timed)) << NameOf(timed.kind);
    EXPECT_FALSE(Dependent(timed, sleeps)) << NameOf(timed.kind);
    EXPECT_FALSE(Dependent(sleeps, timed)) << NameOf(timed.kind);
    EXPECT_FALSE(Dependent(timed, other)) << NameOf(timed.kind);
  }
}

TEST(DependenceKindsTest, EveryKindOfOperationIsLookedAtSomewhere) {
  std::set<OpKind> here;
  for (const Kind& kind : Kinds()) here.insert(kind.kind);
  for (int k = 0; k < kOpKindCount; ++k) {
    const auto kind = static_cast<OpKind>(k);
    switch (PlaceOf(kind)) {
      case Place::kHere:
        EXPECT_TRUE(here.count(kind)) << NameOf(kind);
        break;
      case Place::kNoOrder:
        EXPECT_TRUE(!IsPoint(kind) || kind == OpKind::kYield) << NameOf(kind);
        break;
      case Place::kAll:
        for (int other = 0; other < kOpKindCount; ++other) {
          PendingOp one, two;
          one.kind = kind;
          two.kind = static_cast<OpKind>(other);
          one.object = two.object = 1;
          EXPECT_TRUE(Dependent(one, two)) << NameOf(kind) << " and " << NameOf(two.kind);
        }
        break;
      case Place::kSyncMachine:
        break;
    }
  }
}

}  // namespace
}  // namespace heddle
