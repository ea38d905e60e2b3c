#include "trace/race_detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"

namespace heddle {
namespace {

constexpr std::uint64_t kData = 0x1000;
constexpr std::uint64_t kFlag = 0x2000;

MemoryAccess Read(ThreadId thread) { return {.thread = thread}; }
MemoryAccess Write(ThreadId thread) { return {.thread = thread, .is_write = true}; }

RaceDetector WithThreads(int count) {
  RaceDetector detector;
  for (int i = 1; i <= count; ++i) detector.ThreadCreated(static_cast<ThreadId>(i), kMainThread);
  return detector;
}

TEST(RaceDetectorTest, UnorderedWritesRace) {
  RaceDetector detector = WithThreads(2);
  EXPECT_TRUE(detector.Touch(kData, 4, Write(1)).empty());
  const auto racing = detector.Touch(kData, 4, Write(2));
  ASSERT_EQ(racing.size(), 1u);
  EXPECT_EQ(racing[0].thread, 1);
}

TEST(RaceDetectorTest, NeighboursInOneWordDoNotRace) {
  RaceDetector detector = WithThreads(2);
  detector.Touch(kData, 4, Write(1));
  EXPECT_TRUE(detector.Touch(kData + 4, 4, Write(2)).empty());
  EXPECT_EQ(detector.Touch(kData + 3, 2, Write(2)).size(), 1u);
}

TEST(RaceDetectorTest, CreationAndJoiningOrder) {
  RaceDetector detector;
  detector.Touch(kData, 8, Write(0));
  detector.ThreadCreated(1, 0);
  EXPECT_TRUE(detector.Touch(kData, 8, Write(1)).empty());
  detector.ThreadJoined(1, 0);
  EXPECT_TRUE(detector.Touch(kData, 8, Read(0)).empty());
}

TEST(RaceDetectorTest, ARelaxedFlagOrdersNothingButFencesMakeItDo) {
  for (const bool fenced : {false, true}) {
    RaceDetector detector = WithThreads(2);
    detector.Touch(kData, 4, Write(1));
    if (fenced) detector.Fence(1, MemoryOrder::kRelease);
    detector.Store(1, kFlag, MemoryOrder::kRelaxed);
    detector.Load(2, kFlag, MemoryOrder::kRelaxed);
    if (fenced) detector.Fence(2, MemoryOrder::kAcquire);
    EXPECT_EQ(detector.Touch(kData, 4, Read(2)).empty(), fenced);
  }
}

TEST(RaceDetectorTest, AReleaseSequenceGoesOnThroughReadModifyWritesOnly) {
  for (const bool stored : {false, true}) {
    RaceDetector detector = WithThreads(3);
    detector.Touch(kData, 4, Write(1));
    detector.Store(1, kFlag, MemoryOrder::kRelease);
    if (stored) {
      detector.Store(3, kFlag, MemoryOrder::kRelaxed);
    } else {
      detector.Load(3, kFlag, MemoryOrder::kRelaxed);
      detector.Modify(3, kFlag, MemoryOrder::kRelaxed);
    }
    detector.Load(2, kFlag, MemoryOrder::kAcquire);
    EXPECT_EQ(detector.Touch(kData, 4, Read(2)).empty(), !stored);
  }
}

TEST(RaceDetectorTest, AtomicsRaceWithPlainAccessesOnly) {
  RaceDetector detector = WithThreads(3);
  detector.Touch(kData, 4, {.thread = 1, .is_write = true, .is_atomic = true});
  EXPECT_TRUE(detector.Touch(kData, 4, {.thread = 2, .is_write = true, .is_atomic = true}).empty());
  EXPECT_EQ(detector.Touch(kData, 4, Read(3)).size(), 2u);
}

TEST(RaceDetectorTest, WhatIsReleasedUnseenIsToBeHadByReadingAnAtomic) {
  RaceDetector detector = WithThreads(3);
  detector.Touch(kData, 4, Write(1));
  detector.ReleaseUnseen(1);
  EXPECT_EQ(detector.Touch(kData, 4, Write(2)).size(), 1u);
  detector.Reset();
  for (ThreadId thread : {1, 2, 3}) detector.ThreadCreated(thread, kMainThread);
  detector.Touch(kData, 4, Write(1));
  detector.ReleaseUnseen(1);
  detector.Touch(kData + 8, 4, Write(1));
  detector.Load(2, kFlag, MemoryOrder::kAcquire);
  EXPECT_TRUE(detector.Touch(kData, 4, Write(2)).empty());
  EXPECT_EQ(detector.Touch(kData + 8, 4, Write(2)).size(), 1u);  // behind the release
  detector.Load(3, kFlag, MemoryOrder::kRelaxed);
  detector.Fence(3, MemoryOrder::kAcquire);
  EXPECT_EQ(detector.Touch(kData, 4, Read(3)).size(), 1u);  // only with the second thread's
}

TEST(RaceDetectorTest, MemoryWithANewLifeRacesWithNothing) {
  RaceDetector detector = WithThreads(2);
  detector.Touch(kData, 64, Write(1));
  detector.Forget(kData, 64);
  EXPECT_TRUE(detector.Touch(kData, 64, Write(2)).empty());
}

TEST(RaceDetectorTest, ANewRunKnowsNothingOfTheLast) {
  RaceDetector detector = WithThreads(2);
  detector.Touch(kData, 4, Write(1));
  detector.ReleaseOnly(1, kFlag);
  detector.Reset();
  detector.ThreadCreated(1, 0);
  detector.ThreadCreated(2, 0);
  EXPECT_TRUE(detector.Touch(kData, 4, Write(2)).empty());
  detector.Acquire(1, kFlag);
  EXPECT_EQ(detector.Touch(kData, 4, Write(1)).size(), 1u);
}

// --- against brute force
// -----------------------------------------------------------------------------------------

enum class Kind {
  kPlain,
  kAtomicLoad,
  kAtomicStore,
  kAtomicRmw,
  kFence,
  kLock,
  kUnlock,
  kPost,
  kTake,
  kForget  // a granule
};

struct Step {
  Kind kind = Kind::kPlain;
  ThreadId thread = 0;
  std::uint64_t address = 0;  // or the lock
  std::uint64_t size = 4;
  bool is_write = false;
  MemoryOrder order = MemoryOrder::kRelaxed;
};

MemoryOrder OrderFrom(Rng& rng) {
  constexpr MemoryOrder kOrders[] = {MemoryOrder::kRelaxed, MemoryOrder::kAcquire,
                                     MemoryOrder::kRelease, MemoryOrder::kAcquireRelease,
                                     MemoryOrder::kSequential};
  return kOrders[rng.Below(5)];
}

// Threads 1 … n, all created at the beginning. Locks are taken only when free. `reads_mostly`: by
// relaxed atomics, side by side.
std::vector<Step> RandomSteps(Rng& rng, int threads, int length, bool reads_mostly) {
  std::vector<Step> steps;
  std::optional<ThreadId> owner[2];
  int permits = 0;
  while (static_cast<int>(steps.size()) < length) {
    Step step;
    step.thread = static_cast<ThreadId>(1 + rng.Below(static_cast<std::uint64_t>(threads)));
    const std::uint64_t what = rng.Below(17);
    step.order = OrderFrom(rng);
    if (reads_mostly && rng.Below(2) == 0) {
      step.kind = Kind::kAtomicLoad;
      step.address = kData + 4;
      step.order = MemoryOrder::kRelaxed;
    } else if (what < 6) {
      step.address = kData + rng.Below(10);
      constexpr std::uint64_t kSizes[] = {1, 2, 4, 8};
      step.size = kSizes[rng.Below(4)];
      step.is_write = rng.Below(2) == 0;
    } else if (what < 11) {
      constexpr Kind kKinds[] = {Kind::kAtomicLoad, Kind::kAtomicStore, Kind::kAtomicRmw};
      step.kind = kKinds[rng.Below(3)];
      // One of the flags lies in the data: plain and atomic accesses meet.
      step.address = rng.Below(3) == 0 ? kData + 4 : kFlag + 4 * rng.Below(2);
      step.is_write = step.kind != Kind::kAtomicLoad;
    } else if (what < 13) {
      step.kind = Kind::kFence;
    } else if (what < 15) {
      step.address = rng.Below(2);
      std::optional<ThreadId>& by = owner[step.address];
      if (by && *by != step.thread) continue;
      step.kind = by ? Kind::kUnlock : Kind::kLock;
      by = by ? std::nullopt : std::optional(step.thread);
    } else if (what == 15) {
      if (rng.Below(4) != 0) continue;
      step.kind = Kind::kForget;
      step.address = kData + 8 * rng.Below(2);
      step.size = 8;
    } else {
      step.kind = permits > 0 && rng.Below(2) == 0 ? Kind::kTake : Kind::kPost;
      permits += step.kind == Kind::kPost ? 1 : -1;
    }
    steps.push_back(step);
  }
  return steps;
}

// Happens-before as the standard defines it, edge by edge, closed under transitivity.
class BruteForce {
 public:
  explicit BruteForce(const std::vector<Step>& steps)
      : steps_(steps), before_(steps.size(), std::vector<bool>(steps.size(), false)) {
    for (std::size_t to = 0; to < steps.size(); ++to) {
      for (std::size_t from = 0; from < to; ++from) {
        if (steps[from].thread == steps[to].thread || Locks(from, to)) before_[from][to] = true;
      }
    }
    for (std::size_t load = 0; load < steps.size(); ++load) AddReadsFrom(load);
    for (std::size_t via = 0; via < steps.size(); ++via) {
      for (std::size_t from = 0; from < via; ++from) {
        if (!before_[from][via]) continue;
        for (std::size_t to = via + 1; to < steps.size(); ++to) {
          if (before_[via][to]) before_[from][to] = true;
        }
      }
    }
  }

  bool Races(std::size_t a, std::size_t b) const {
    const Step& x = steps_[a];
    const Step& y = steps_[b];
    if (!IsAccess(x) || !IsAccess(y) || before_[a][b] || x.thread == y.thread) return false;
    const bool overlap = Overlap(a, b, false);
    const bool atomic = x.kind != Kind::kPlain && y.kind != Kind::kPlain;
    return overlap && (x.is_write || y.is_write) && !atomic;
  }

  // Of two that race: whether the first is remembered, in a byte that they have in common.
  bool IsKept(std::size_t a, std::size_t b) const { return Overlap(a, b, true); }

  static bool IsAccess(const Step& step) { return step.kind <= Kind::kAtomicRmw; }

 private:
  bool Locks(std::size_t from, std::size_t to) const {
    const Step& a = steps_[from];
    const Step& b = steps_[to];
    if (a.kind == Kind::kPost && b.kind == Kind::kTake) return true;
    return a.kind == Kind::kUnlock && b.kind == Kind::kLock && a.address == b.address;
  }

  // In some byte whose life went on in between, and which nobody touched whose access covers that
  // of the first.
  bool Overlap(std::size_t a, std::size_t b, bool uncovered) const {
    const Step& x = steps_[a];
    const Step& y = steps_[b];
    const std::uint64_t end = std::min(x.address + x.size, y.address + y.size);
    for (std::uint64_t at = std::max(x.address, y.address); at < end; ++at) {
      bool is_gone = false;
      for (std::size_t i = a + 1; i < b && !is_gone; ++i) {
        is_gone = Forgets(i, at) || (uncovered && Covers(i, a, at));
      }
      if (!is_gone) return true;
    }
    return false;
  }

  bool Covers(std::size_t later, std::size_t old, std::uint64_t address) const {
    const Step& step = steps_[later];
    return IsAccess(step) && address - step.address < step.size && before_[old][later] &&
           heddle::Covers(AccessOf(step), AccessOf(steps_[old]));
  }

  static MemoryAccess AccessOf(const Step& step) {
    return {.is_write = step.is_write, .is_atomic = step.kind != Kind::kPlain};
  }

  bool Forgets(std::size_t at, std::uint64_t address) const {
    return steps_[at].kind == Kind::kForget && address - steps_[at].address < steps_[at].size;
  }

  bool IsAtomicWrite(std::size_t at, std::uint64_t address) const {
    const Kind kind = steps_[at].kind;
    return (kind == Kind::kAtomicStore || kind == Kind::kAtomicRmw) &&
           steps_[at].address == address;
  }

  // What a load may synchronise with, through every write whose release sequence it reads from.
  void AddReadsFrom(std::size_t load) {
    const Step& reader = steps_[load];
    if (reader.kind != Kind::kAtomicLoad && reader.kind != Kind::kAtomicRmw) return;
    std::vector<std::size_t> targets;
    if (Acquires(reader.order)) targets.push_back(load);
    for (std::size_t f = load + 1; f < steps_.size(); ++f) {
      if (steps_[f].thread == reader.thread && steps_[f].kind == Kind::kFence &&
          Acquires(steps_[f].order)) {
        targets.push_back(f);
      }
    }
    for (std::size_t write = load; write-- > 0;) {
      if (Forgets(write, reader.address)) return;
      if (!IsAtomicWrite(write, reader.address)) continue;
      for (const std::size_t target : targets) {
        if (Releases(steps_[write].order)) before_[write][target] = true;
        for (std::size_t f = 0; f < write; ++f) {
          if (steps_[f].thread == steps_[write].thread && steps_[f].kind == Kind::kFence &&
              Releases(steps_[f].order)) {
            before_[f][target] = true;
          }
        }
      }
      if (steps_[write].kind == Kind::kAtomicStore) return;
    }
  }

  const std::vector<Step>& steps_;
  std::vector<std::vector<bool>> before_;
};

std::set<std::uint32_t> Feed(RaceDetector* detector, const Step& step, std::uint32_t number) {
  const MemoryAccess access{.thread = step.thread,
                            .is_write = step.is_write,
                            .is_atomic = step.kind != Kind::kPlain,
                            .event = number};
  std::set<std::uint32_t> racing;
  const auto touch = [&] {
    for (const MemoryAccess& old : detector->Touch(step.address, step.size, access)) {
      racing.insert(old.event);
    }
  };
  constexpr RaceDetector::Key kLocks = 0x9000, kSemaphore = 0x9100;
  switch (step.kind) {
    case Kind::kPlain:
      touch();
      break;
    case Kind::kAtomicLoad:
      detector->Load(step.thread, step.address, step.order);
      touch();
      break;
    case Kind::kAtomicStore:
      touch();
      detector->Store(step.thread, step.address, step.order);
      break;
    case Kind::kAtomicRmw:
      detector->Load(step.thread, step.address, step.order);
      touch();
      detector->Modify(step.thread, step.address, step.order);
      break;
    case Kind::kFence:
      detector->Fence(step.thread, step.order);
      break;
    case Kind::kLock:
      detector->Acquire(step.thread, kLocks + step.address);
      break;
    case Kind::kUnlock:
      detector->ReleaseOnly(step.thread, kLocks + step.address);
      break;
    case Kind::kPost:
      detector->Release(step.thread, kSemaphore);
      break;
    case Kind::kTake:
      detector->Acquire(step.thread, kSemaphore);
      break;
    case Kind::kForget:
      detector->Forget(step.address, step.size);
      break;
  }
  return racing;
}

struct Counts {
  int racing = 0;
  int silent = 0;
};

// An access is reported exactly when it races with some earlier one: with those that are kept.
Counts CompareWithBruteForce(RaceDetector* detector, int threads, const std::vector<Step>& steps) {
  Counts counts;
  const BruteForce truth(steps);
  detector->Reset();
  for (int i = 1; i <= threads; ++i) detector->ThreadCreated(static_cast<ThreadId>(i), kMainThread);
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const std::set<std::uint32_t> reported =
        Feed(detector, steps[at], static_cast<std::uint32_t>(at));
    bool races = false;
    std::set<std::uint32_t> expected;
    for (std::size_t old = 0; old < at; ++old) {
      if (!truth.Races(old, at)) continue;
      races = true;
      if (truth.IsKept(old, at)) expected.insert(static_cast<std::uint32_t>(old));
    }
    EXPECT_EQ(!reported.empty(), races) << "step " << at;
    EXPECT_EQ(reported, expected) << "step " << at;
    if (BruteForce::IsAccess(steps[at])) ++(races ? counts.racing : counts.silent);
  }
  return counts;
}

TEST(RaceDetectorTest, AgreesWithBruteForceOnRandomSequences) {
  Counts all;
  RaceDetector detector;
  for (std::uint64_t seed = 1; seed <= 3000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const int threads = 2 + static_cast<int>(rng.Below(3));
    const Counts counts =
        CompareWithBruteForce(&detector, threads, RandomSteps(rng, threads, 40, false));
    all.racing += counts.racing;
    all.silent += counts.silent;
  }
  // The sequences are of both kinds.
  EXPECT_GT(all.racing, 10'000);
  EXPECT_GT(all.silent, 10'000);
}

// More threads than a granule can tell apart, most of whose accesses lie side by side.
TEST(RaceDetectorTest, AgreesWithBruteForceOnManyThreads) {
  Counts all;
  RaceDetector detector;
  for (std::uint64_t seed = 1; seed <= 400 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const int threads = 10 + static_cast<int>(rng.Below(40));
    const Counts counts =
        CompareWithBruteForce(&detector, threads, RandomSteps(rng, threads, 100, true));
    all.racing += counts.racing;
    all.silent += counts.silent;
  }
  EXPECT_GT(all.racing, 1'000);
  EXPECT_GT(all.silent, 1'000);
}

}  // namespace
}  // namespace heddle
