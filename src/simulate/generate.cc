#include "simulate/generate.h"

#include <utility>
#include <vector>

#include "base/check.h"
#include "simulate/generate_clocks.h"
#include "simulate/generate_tries.h"

namespace heddle::simulate {
namespace {

// Sizes of threads: three short ones or two longer ones.
std::vector<int> Lengths(Rng& rng) {
  const bool three = rng.Below(2) == 0;
  std::vector<int> lengths;
  for (int i = 0; i < (three ? 3 : 2); ++i) {
    lengths.push_back(static_cast<int>(rng.Below(three ? 3 : 6)) + 1);
  }
  return lengths;
}

Object AnyObject(Rng& rng, int objects) {
  return static_cast<Object>(rng.Below(static_cast<std::uint64_t>(objects)));
}

Step RandomAccess(Rng& rng, int objects) {
  const Object object = AnyObject(rng, objects);
  const auto constant = static_cast<std::int64_t>(rng.Below(3));
  switch (rng.Below(3)) {
    case 0:
      return Read(object).Into(static_cast<int>(rng.Below(2)));
    case 1:
      return Write(object, {.constant = constant, .first = 0});
    default:
      return Add(object, Const(constant)).Into(1);
  }
}

Program Accesses(Rng& rng) {
  Program program;
  for (const int length : Lengths(rng)) {
    std::vector<Step> steps;
    for (int i = 0; i < length; ++i) {
      steps.push_back(RandomAccess(rng, 3));
      if (rng.Below(8) == 0) steps.back().Assert(Is::kNotEqual, 2);
    }
    program.Thread(std::move(steps));
  }
  return program;
}

// What a thread does depends on what it read.
Program Branches(Rng& rng) {
  Program program;
  for (int length : Lengths(rng)) {
    std::vector<Step> steps;
    while (length-- > 0) {
      steps.push_back(RandomAccess(rng, 2));
      const auto operand = static_cast<std::int64_t>(rng.Below(2));
      const bool branches = rng.Below(2) == 0;
      if (branches) steps.back().Unless(Is::kEqual, operand, length > 0 ? 1 : 0);
    }
    program.Thread(std::move(steps));
  }
  return program;
}

// Sections under one or two locks, taken in either order: some programs deadlock.
Program Locks(Rng& rng) {
  constexpr Object kFirstLock = 2;
  Program program;
  const int threads = 2 + static_cast<int>(rng.Below(2));
  for (int t = 0; t < threads; ++t) {
    std::vector<Step> steps;
    const auto outer = static_cast<Object>(kFirstLock + rng.Below(2));
    const auto inner = static_cast<Object>(2 * kFirstLock + 1 - outer);
    const bool nested = threads == 2 && rng.Below(2) == 0;
    steps.push_back(Lock(outer));
    if (nested) steps.push_back(Lock(inner));
    steps.push_back(RandomAccess(rng, 2));
    if (nested) steps.push_back(Unlock(inner));
    steps.push_back(Unlock(outer));
    const bool outside = threads == 2 && rng.Below(2) == 0;
    if (outside) steps.push_back(RandomAccess(rng, 2));
    program.Thread(std::move(steps));
  }
  return program;
}

Program Semaphores(Rng& rng) {
  constexpr Object kSemaphores = 2;
  Program program;
  program.initial.assign(4, 0);
  program.initial[kSemaphores] = static_cast<std::int64_t>(rng.Below(2));
  program.initial[kSemaphores + 1] = static_cast<std::int64_t>(rng.Below(2));
  for (const int length : Lengths(rng)) {
    std::vector<Step> steps;
    for (int i = 0; i < length; ++i) {
      const auto semaphore = static_cast<Object>(kSemaphores + rng.Below(2));
      switch (rng.Below(4)) {
        case 0:
          steps.push_back(SemWait(semaphore));
          break;
        case 1:
          steps.push_back(SemPost(semaphore));
          break;
        default:
          steps.push_back(RandomAccess(rng, 2));
      }
    }
    program.Thread(std::move(steps));
  }
  return program;
}

// Waiters and signallers; a signal before the wait is lost, so some runs end waiting.
Program Conditions(Rng& rng) {
  constexpr Object kMutex = 1, kCondition = 2;
  Program program;
  const int waiters = 1 + static_cast<int>(rng.Below(2));
  for (int t = 0; t < waiters; ++t) {
    std::vector<Step> steps = {Lock(kMutex)};
    const bool checks = rng.Below(2) == 0;
    if (checks) steps.push_back(Read(0).Unless(Is::kEqual, 0, 1));
    steps.push_back(Wait(kCondition, kMutex));
    steps.push_back(Unlock(kMutex));
    program.Thread(std::move(steps));
  }
  std::vector<Step> steps;
  const bool locks = rng.Below(2) == 0;
  if (locks) steps.push_back(Lock(kMutex));
  steps.push_back(Write(0, Const(1)));
  const bool all = rng.Below(2) == 0;
  steps.push_back(all ? Broadcast(kCondition) : Signal(kCondition));
  if (locks) steps.push_back(Unlock(kMutex));
  const bool again = rng.Below(2) == 0;
  if (again && waiters == 2 && !all) steps.push_back(Signal(kCondition));
  program.Thread(std::move(steps));
  return program;
}

// Waits that may give up, and what a thread does then.
Program Timeouts(Rng& rng) {
  constexpr Object kSemaphore = 2;
  Program program;
  for (int length : Lengths(rng)) {
    std::vector<Step> steps;
    while (length-- > 0) {
      const std::uint64_t kind = rng.Below(4);
      if (kind == 0) {
        steps.push_back(TimedSemWait(kSemaphore));
        const bool skips = rng.Below(2) == 0;
        if (skips && length > 0) steps.back().Unless(Is::kEqual, 1, 1);
      } else if (kind == 1) {
        steps.push_back(SemPost(kSemaphore));
      } else {
        steps.push_back(RandomAccess(rng, 2));
      }
    }
    program.Thread(std::move(steps));
  }
  return program;
}

// Locks that are tried: who fails goes without.
Program Tries(Rng& rng) {
  constexpr Object kFirstLock = 2;
  Program program;
  const int threads = 2 + static_cast<int>(rng.Below(2));
  for (int t = 0; t < threads; ++t) {
    std::vector<Step> steps;
    const int sections = threads == 2 ? 2 : 1;
    for (int i = 0; i < sections; ++i) {
      const auto mutex = static_cast<Object>(kFirstLock + rng.Below(2));
      const bool tries = rng.Below(2) == 0;
      // Over the access and the unlock, or over nothing but the unlock.
      const bool both = rng.Below(2) == 0;
      const Step access = RandomAccess(rng, 2);
      if (tries) {
        steps.push_back(TryLock(mutex).Unless(Is::kEqual, 1, both ? 2 : 1));
        if (both) steps.push_back(access);
        steps.push_back(Unlock(mutex));
        if (!both) steps.push_back(access);
      } else {
        steps.push_back(Lock(mutex));
        steps.push_back(access);
        steps.push_back(Unlock(mutex));
      }
    }
    program.Thread(std::move(steps));
  }
  return program;
}

// Waits on a condition that may give up, one or two of them against a signaller.
Program TimedWaits(Rng& rng) {
  constexpr Object kMutex = 1, kCondition = 2;
  Program program;
  const int waiters = 1 + static_cast<int>(rng.Below(2));
  for (int t = 0; t < waiters; ++t) {
    std::vector<Step> steps = {Lock(kMutex)};
    const bool timed = rng.Below(4) != 0;
    steps.push_back(timed ? TimedWait(kCondition, kMutex) : Wait(kCondition, kMutex));
    const bool looks = rng.Below(2) == 0;
    if (looks && waiters == 1) steps.push_back(Read(0));
    steps.push_back(Unlock(kMutex));
    program.Thread(std::move(steps));
  }
  std::vector<Step> steps;
  const bool locks = rng.Below(2) == 0 && waiters == 1;
  if (locks) steps.push_back(Lock(kMutex));
  const bool writes = rng.Below(2) == 0;
  if (writes && waiters == 1) steps.push_back(Write(0, Const(1)));
  const bool all = rng.Below(3) == 0;
  steps.push_back(all ? Broadcast(kCondition) : Signal(kCondition));
  if (locks) steps.push_back(Unlock(kMutex));
  const bool again = rng.Below(2) == 0;
  if (again) steps.push_back(Signal(kCondition));
  program.Thread(std::move(steps));
  return program;
}

// Threads that create threads at the same time: their numbers differ from run to run.
Program NestedCreation(Rng& rng) {
  Program program;
  program.Thread({Create(2), RandomAccess(rng, 2)});
  program.Thread({RandomAccess(rng, 1), Create(3)});
  program.Thread({RandomAccess(rng, 2)});
  program.Thread({RandomAccess(rng, 2), RandomAccess(rng, 2)});
  return program;
}

Program CreatedThreads(Rng& rng) {
  Program program;
  const auto accesses = [&](int count) {
    std::vector<Step> steps;
    for (int i = 0; i < count; ++i) steps.push_back(RandomAccess(rng, 2));
    return steps;
  };
  const int before = static_cast<int>(rng.Below(2));
  std::vector<Step> main = accesses(before);
  main.push_back(Create(1));
  const std::vector<Step> between = accesses(1);
  main.insert(main.end(), between.begin(), between.end());
  const bool second = rng.Below(2) == 0;
  if (second) main.push_back(Create(2));
  const bool joins = rng.Below(2) == 0;
  if (joins) main.push_back(Join(1));
  const std::vector<Step> after = accesses(1);
  main.insert(main.end(), after.begin(), after.end());
  program.Thread(std::move(main));
  program.Thread(accesses(second ? 2 : 3));
  if (second) program.Thread(accesses(2));
  return program;
}

// Sections that read or write behind one of two read-write locks, some of them only if they get it
// at once; of two threads some take the other lock inside.
Program ReadWriteLocks(Rng& rng) {
  constexpr Object kFirstLock = 2;
  Program program;
  const int threads = 2 + static_cast<int>(rng.Below(3));
  const std::uint64_t locks = threads == 2 ? 2 : 1;
  for (int t = 0; t < threads; ++t) {
    std::vector<Step> steps;
    const bool before = rng.Below(4) == 0;
    const Step first = RandomAccess(rng, 2);
    if (before && threads < 4) steps.push_back(first);
    const int sections = threads == 2 ? 1 + static_cast<int>(rng.Below(2)) : 1;
    for (int i = 0; i < sections; ++i) {
      const auto lock = static_cast<Object>(kFirstLock + rng.Below(locks));
      const auto inner = static_cast<Object>(2 * kFirstLock + 1 - lock);
      const bool writes = rng.Below(3) == 0;
      const bool tries = rng.Below(4) == 0;
      const bool nests = threads == 2 && sections == 1 && rng.Below(2) == 0;
      const Step access = RandomAccess(rng, 2);
      if (tries) {
        Step step = writes ? TryWriteLock(lock) : TryReadLock(lock);
        steps.push_back(step.Unless(Is::kEqual, 1, 2));
        steps.push_back(access);
        steps.push_back(writes ? WriteUnlock(lock) : ReadUnlock(lock));
        continue;
      }
      steps.push_back(writes ? WriteLock(lock) : ReadLock(lock));
      if (nests) steps.push_back(ReadLock(inner));
      if (threads < 4 && !(threads == 3 && before)) steps.push_back(access);
      if (nests) steps.push_back(ReadUnlock(inner));
      steps.push_back(writes ? WriteUnlock(lock) : ReadUnlock(lock));
    }
    program.Thread(std::move(steps));
  }
  return program;
}

// Two channels with little room, sent to and received from, waiting for it or not; what is received
// decides what is done next. Now and then one is closed, or looked at.
Program Channels(Rng& rng) {
  constexpr Object kFirst = 1, kAll = 3;
  Program program;
  for (int length : Lengths(rng)) {
    std::vector<Step> steps;
    while (length-- > 0) {
      const auto channel = static_cast<Object>(kFirst + rng.Below(2));
      const auto amount = static_cast<std::int64_t>(1 + rng.Below(2));
      const bool waits = rng.Below(4) != 0;
      const std::uint64_t kind = rng.Below(12);
      if (kind < 5) {
        steps.push_back(Send(channel, kAll, amount));
      } else if (kind < 9) {
        steps.push_back(Receive(channel, kAll, amount).Into(0));
        const bool branches = rng.Below(3) == 0;
        if (branches && length > 0) steps.back().Unless(Is::kEqual, 1, 1);
      } else if (kind == 9) {
        steps.push_back(Close(channel, kAll));
      } else if (kind == 10) {
        steps.push_back(Look(kAll, channel).Into(0));
      } else {
        steps.push_back(RandomAccess(rng, 1));
      }
      steps.back().waits = steps.back().waits && waits;
    }
    program.Thread(std::move(steps));
  }
  return program;
}

// One thread, or each, may end the process in the middle of what the others do, under a lock or
// not.
Program Exits(Rng& rng) {
  constexpr Object kLock = 2, kProcess = 3;
  Program program;
  for (const int length : Lengths(rng)) {
    std::vector<Step> steps;
    const bool locks = rng.Below(2) == 0;
    const bool exits = rng.Below(2) == 0;
    if (locks) steps.push_back(Lock(kLock));
    for (int i = 0; i < length; ++i) steps.push_back(RandomAccess(rng, 2));
    const bool inside = rng.Below(4) == 0;
    if (locks && !(exits && inside)) steps.push_back(Unlock(kLock));
    if (exits) steps.push_back(Exit(kProcess));
    program.Thread(std::move(steps));
  }
  return program;
}

constexpr Family kFamilies[] = {
    {"accesses", Accesses},
    {"branches", Branches},
    {"locks", Locks},
    {"semaphores", Semaphores},
    {"conditions", Conditions},
    {"created threads", CreatedThreads},
    {"time-outs", Timeouts},
    {"tries", Tries},
    {"timed waits", TimedWaits},
    {"nested creation", NestedCreation},
    {"read-write locks", ReadWriteLocks},
    {"exchanges", Exchanges},
    {"exchange loops", ExchangeLoops},
    {"losers", Losers},
    {"read-write losers", ReadWriteLosers},
    {"channels", Channels},
    {"exits", Exits},
    {"exiting losers", ExitingLosers},
    {"clocks", Clocks},
};
constexpr std::size_t kCommon = 7, kOfThreads = 15;

}  // namespace

std::span<const Family> Families() { return std::span(kFamilies).first(kCommon); }
std::span<const Family> FamiliesOfThreads() { return std::span(kFamilies).first(kOfThreads); }
std::span<const Family> AllFamilies() { return kFamilies; }

Program SharedSections(Rng& rng) {
  constexpr Object kShared = 2, kMutex = 3, kSemaphore = 4;
  Program program;
  const auto count = static_cast<std::int64_t>(rng.Below(2));
  program.initial = {0, 0, 0, 0, count};
  const int threads = 3 + static_cast<int>(rng.Below(2));
  for (int t = 0; t < threads; ++t) {
    const bool writes = rng.Below(3) == 0;
    const bool tries = rng.Below(6) == 0;
    const auto shape = rng.Below(threads == 3 ? 10 : 6);
    const bool posts = rng.Below(2) == 0;
    const bool timed = rng.Below(4) == 0;
    const Step access = RandomAccess(rng, 1);
    const Step meets = posts   ? SemPost(kSemaphore)
                       : timed ? TimedSemWait(kSemaphore)
                               : SemWait(kSemaphore);
    std::vector<Step> inside, before, behind;
    if (shape == 1) before = {access};
    if (shape == 2) inside = {access};
    if (shape == 3) inside = {meets};
    if (shape == 4) before = {meets};
    if (shape == 5) behind = {meets};
    if (shape == 6) before = {Lock(kMutex)}, behind = {Unlock(kMutex)};
    if (shape == 7) inside = {Lock(kMutex), Unlock(kMutex)};
    if (shape == 8) behind = {ReadLock(kShared), ReadUnlock(kShared)};
    if (shape == 9) inside = {Yield()};
    const Step lock = writes ? WriteLock(kShared) : ReadLock(kShared);
    Step try_lock = writes ? TryWriteLock(kShared) : TryReadLock(kShared);
    try_lock.Unless(Is::kEqual, 1, static_cast<int>(inside.size()) + 1);
    std::vector<Step> steps = before;
    steps.push_back(tries ? try_lock : lock);
    steps.insert(steps.end(), inside.begin(), inside.end());
    steps.push_back(writes ? WriteUnlock(kShared) : ReadUnlock(kShared));
    steps.insert(steps.end(), behind.begin(), behind.end());
    program.Thread(std::move(steps));
  }
  return program;
}

Program MicroProgram(const MicroOptions& options, Rng& rng) {
  std::vector<Step> steps;
  for (std::size_t object = 0; object < options.accesses.size(); ++object) {
    for (int i = 0; i < options.accesses[object]; ++i) {
      const auto target = static_cast<Object>(object);
      const bool reads = options.half_reads && steps.size() % 2 == 1;
      steps.push_back(reads ? Read(target) : Write(target, Const(1)));
    }
  }
  HEDDLE_CHECK(steps.size() == static_cast<std::size_t>(options.threads * options.events));
  for (std::size_t i = steps.size(); i > 1; --i) {
    const std::size_t j = rng.Below(i);
    std::swap(steps[i - 1], steps[j]);
  }
  Program program;
  for (int t = 0; t < options.threads; ++t) {
    const auto first = steps.begin() + t * options.events;
    program.Thread(std::vector<Step>(first, first + options.events));
  }
  return program;
}

}  // namespace heddle::simulate
