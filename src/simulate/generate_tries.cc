// Random programs in which much is tried in vain: compare-exchanges that find another value, locks
// and semaphores that somebody else has.
#include "simulate/generate_tries.h"

#include <utility>
#include <vector>

namespace heddle::simulate {
namespace {

Value Small(Rng& rng) { return Const(static_cast<std::int64_t>(rng.Below(3))); }

Object OneOf(Rng& rng, Object first, std::uint64_t count) {
  return static_cast<Object>(first + rng.Below(count));
}

// Loads, stores and compare-exchanges of few values; of these most.
Step Exchange(Rng& rng, std::uint64_t objects) {
  const Object object = OneOf(rng, 0, objects);
  const std::uint64_t kind = rng.Below(8);
  if (kind == 0) return Read(object).Into(0);
  if (kind == 1) return Write(object, Small(rng));
  if (kind == 2) return Add(object, Small(rng)).Into(1);
  const bool by_register = rng.Below(4) == 0;
  const Value expected = by_register ? Reg(0) : Small(rng);
  return CompareExchange(object, expected, Small(rng)).Into(1);
}

}  // namespace

Program Exchanges(Rng& rng) {
  Program program;
  program.initial = {static_cast<std::int64_t>(rng.Below(2)), 0};
  const std::uint64_t threads = 2 + rng.Below(3);
  const std::uint64_t most = threads == 2 ? 5 : threads == 3 ? 3 : 2;
  for (std::uint64_t t = 0; t < threads; ++t) {
    std::vector<Step> steps;
    for (std::uint64_t left = 1 + rng.Below(most); left > 0; --left) {
      steps.push_back(Exchange(rng, 2));
      const bool branches = rng.Below(3) == 0;
      if (branches && left > 1) steps.back().Unless(Is::kEqual, 1, 1);
    }
    program.Thread(std::move(steps));
  }
  return program;
}

Program ExchangeLoops(Rng& rng) {
  constexpr Object kCounter = 0, kOther = 1, kFirstNode = 2;
  Program program;
  const std::uint64_t threads = 2 + rng.Below(2);
  for (std::uint64_t t = 0; t < threads; ++t) {
    std::vector<Step> steps;
    const bool before = rng.Below(threads == 2 ? 2 : 4) == 0;
    if (before) steps.push_back(Exchange(rng, 2));
    const std::uint64_t shape = rng.Below(4);
    const auto node = static_cast<Object>(kFirstNode + t);
    if (shape == 0) {  // adds one, however often that takes
      steps.push_back(Read(kCounter).Into(0));
      steps.push_back(
          CompareExchange(kCounter, Reg(0), {.constant = 1, .first = 0}).Unless(Is::kEqual, 1, -2));
    } else if (shape == 1) {  // pushes a node
      steps.push_back(Read(kCounter).Into(0));
      steps.push_back(Write(node, Reg(0)));
      steps.push_back(CompareExchange(kCounter, Reg(0), Const(node))
                          .Unless(Is::kEqual, 1, threads == 2 ? -3 : 0));
    } else if (shape == 2) {  // takes the place if it is free, and gives it back
      steps.push_back(CompareExchange(kCounter, Const(0), Const(1)).Unless(Is::kEqual, 1, 2));
      steps.push_back(Exchange(rng, 2));
      steps.push_back(Write(kCounter, Const(0)));
    } else {  // tries two places
      steps.push_back(CompareExchange(kCounter, Const(0), Const(node)).Unless(Is::kNotEqual, 1, 1));
      steps.push_back(CompareExchange(kOther, Const(0), Const(node)));
    }
    program.Thread(std::move(steps));
  }
  return program;
}

Program Losers(Rng& rng) {
  constexpr Object kMutex = 1, kFirstSemaphore = 3;
  Program program;
  program.initial = {0, 0, 0, static_cast<std::int64_t>(rng.Below(2)),
                     static_cast<std::int64_t>(rng.Below(2))};
  const std::uint64_t threads = 2 + rng.Below(3);
  for (std::uint64_t t = 0; t < threads; ++t) {
    std::vector<Step> steps;
    for (std::uint64_t left = threads == 2 ? 2 + rng.Below(2) : 1; left > 0; --left) {
      const Object mutex = OneOf(rng, kMutex, threads == 2 ? 2 : 1);
      const Object semaphore = OneOf(rng, kFirstSemaphore, threads == 4 ? 1 : 2);
      const bool inside = threads < 4 && rng.Below(2) == 0;
      const bool behind = rng.Below(4) == 0;
      const Step access = Exchange(rng, 1);
      switch (rng.Below(6)) {
        case 0:
          steps.push_back(Lock(mutex));
          if (inside) steps.push_back(access);
          steps.push_back(Unlock(mutex));
          break;
        case 1:
          steps.push_back(SemPost(semaphore));
          break;
        case 2:
        case 3:
          steps.push_back(SemTryWait(semaphore).Unless(Is::kEqual, 1, inside ? 1 : 0));
          if (inside) steps.push_back(access);
          break;
        default:
          steps.push_back(TryLock(mutex).Unless(Is::kEqual, 1, inside ? 2 : 1));
          if (inside) steps.push_back(access);
          steps.push_back(Unlock(mutex));
          break;
      }
      if (behind && threads == 3) steps.push_back(Exchange(rng, 1));
    }
    program.Thread(std::move(steps));
  }
  return program;
}

Program ReadWriteLosers(Rng& rng) {
  constexpr Object kLock = 2;
  Program program;
  const std::uint64_t threads = 2 + rng.Below(3);
  for (std::uint64_t t = 0; t < threads; ++t) {
    std::vector<Step> steps;
    for (std::uint64_t left = threads == 2 ? 2 : 1; left > 0; --left) {
      const bool writes = rng.Below(2) == 0;
      const bool tries = rng.Below(3) != 0;
      const bool inside = threads < 4 && rng.Below(2) == 0;
      const bool behind = threads == 3 && rng.Below(4) == 0;
      const Step access = Exchange(rng, 1);
      if (tries) {
        Step step = writes ? TryWriteLock(kLock) : TryReadLock(kLock);
        steps.push_back(step.Unless(Is::kEqual, 1, inside ? 2 : 1));
      } else {
        steps.push_back(writes ? WriteLock(kLock) : ReadLock(kLock));
      }
      if (inside) steps.push_back(access);
      steps.push_back(writes ? WriteUnlock(kLock) : ReadUnlock(kLock));
      if (behind) steps.push_back(access);
    }
    program.Thread(std::move(steps));
  }
  return program;
}

Program ExitingLosers(Rng& rng) {
  constexpr Object kMutex = 1, kSemaphore = 2, kProcess = 3;
  Program program;
  const std::uint64_t threads = 2 + rng.Below(2);
  for (std::uint64_t t = 0; t < threads; ++t) {
    std::vector<Step> steps;
    for (std::uint64_t left = 1 + rng.Below(threads == 2 ? 4 : 2); left > 0; --left) {
      switch (rng.Below(5)) {
        case 0:
          steps.push_back(TryLock(kMutex).Unless(Is::kEqual, 1, 1));
          steps.push_back(Unlock(kMutex));
          break;
        case 1: {
          const bool posts = rng.Below(2) == 0;
          steps.push_back(posts ? SemPost(kSemaphore) : SemTryWait(kSemaphore));
          break;
        }
        default:
          steps.push_back(Exchange(rng, 1));
      }
    }
    const bool exits = rng.Below(2) == 0;
    if (exits) steps.push_back(Exit(kProcess));
    program.Thread(std::move(steps));
  }
  return program;
}

}  // namespace heddle::simulate
