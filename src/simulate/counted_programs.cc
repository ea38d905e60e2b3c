#include "simulate/counted_programs.h"

#include <algorithm>
#include <vector>

namespace heddle::simulate {

Program StoreBuffering() {
  Program program;
  program.name = "store buffering";
  program.Thread({Write(0, Const(1)), Read(1)});
  program.Thread({Write(1, Const(1)), Read(0)});
  return program;
}

Program LockedIncrements(int n) {
  constexpr Object kCounter = 0, kMutex = 1;
  Program program;
  program.name = "increments under a lock";
  for (int t = 0; t < 2; ++t) {
    std::vector<Step> steps;
    for (int i = 0; i < n; ++i) {
      steps.push_back(Lock(kMutex));
      steps.push_back(Read(kCounter).Into(0));
      steps.push_back(Write(kCounter, {.constant = 1, .first = 0}));
      steps.push_back(Unlock(kMutex));
    }
    program.Thread(std::move(steps));
  }
  return program;
}

Program WriterAndReaders(int n) {
  Program program;
  program.name = "one writer, n readers";
  program.Thread({Write(0, Const(1))});
  for (int i = 0; i < n; ++i) program.Thread({Read(0)});
  return program;
}

Program FibBench(int n) {
  Program program;
  program.name = "fib_bench";
  program.initial = {1, 1};
  for (Object target = 0; target < 2; ++target) {
    std::vector<Step> steps;
    for (int i = 0; i < n; ++i) {
      steps.push_back(Read(0).Into(0));
      steps.push_back(Read(1).Into(1));
      steps.push_back(Write(target, Sum(0, 1)));
    }
    program.Thread(std::move(steps));
  }
  return program;
}

Program Philosophers(int n, bool left_first) {
  Program program;
  program.name = left_first ? "philosophers, left first" : "philosophers, in order";
  for (int i = 0; i < n; ++i) {
    auto first = static_cast<Object>(i);
    auto second = static_cast<Object>((i + 1) % n);
    if (!left_first && second < first) std::swap(first, second);
    program.Thread({Lock(first), Lock(second), Unlock(second), Unlock(first)});
  }
  return program;
}

Program OppositeLocks() {
  Program program;
  program.name = "two locks in opposite orders";
  program.Thread({Lock(0), Lock(1), Unlock(1), Unlock(0)});
  program.Thread({Lock(1), Lock(0), Unlock(0), Unlock(1)});
  return program;
}

}  // namespace heddle::simulate
