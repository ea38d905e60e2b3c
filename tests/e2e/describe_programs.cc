// Abstract programs as text, with what brute force says of them: for interpreted.cpp, which runs
// them as real threads, and systematic_test.py, which compares.
//
//   describe_programs COUNT          COUNT random programs of every family, then the litmus tests
//
// A program is a line "program NAME" and lines "initial", "thread" and "step"; a line "expect" has
// its number of classes, whether an assertion can fail and whether it can get stuck; lines "state"
// are the values that its objects can have when all threads have ended.
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/rng.h"
#include "simulate/enumerate.h"
#include "simulate/generate.h"
#include "simulate/interpreter.h"
#include "simulate/litmus.h"

namespace heddle::simulate {
namespace {

// A thread whose assertion fails is left behind: as if it jumped to its end.
Program WithoutAssertions(Program program) {
  for (std::vector<Step>& steps : program.threads) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!steps[i].asserts) continue;
      steps[i].asserts = false;
      steps[i].skip = static_cast<std::int8_t>(steps.size() - i - 1);
    }
  }
  return program;
}

struct Truth {
  std::set<std::string> classes;  // by their partial orders, written out
  std::set<std::vector<std::int64_t>> states;
  bool fails = false;
  bool gets_stuck = false;
};

void Walk(const Program& program, const State& state, std::vector<EventName>* events,
          Truth* truth) {
  if (state.failed) {
    truth->fails = true;
    return;
  }
  const std::vector<int> choices = Choices(program, state);
  if (choices.empty()) {
    truth->classes.insert(CanonicalOrder(*events));
    bool all_ended = true;
    for (const ThreadState& thread : state.threads) {
      all_ended = all_ended && HasEnded(program, thread);
    }
    if (all_ended) truth->states.insert(state.values);
    truth->gets_stuck = truth->gets_stuck || !all_ended;
    return;
  }
  for (const int thread : choices) {
    std::vector<int> waiters = WaitersOf(program, state, thread);
    if (waiters.empty()) waiters = {-1};
    for (const int waiter : waiters) {
      events->push_back(NextEvent(program, state, state.threads[static_cast<std::size_t>(thread)]));
      if (waiter >= 0) {
        events->back().woken = state.threads[static_cast<std::size_t>(waiter)].program_thread;
      }
      State next = state;
      Execute(program, next, thread, waiter);
      Walk(program, next, events, truth);
      events->pop_back();
    }
  }
}

Truth TruthOf(const Program& program) {
  Truth truth;
  std::vector<EventName> events;
  Walk(program, InitialState(program), &events, &truth);
  return truth;
}

void Describe(const std::string& name, const Program& program) {
  std::cout << "program " << name << "\ninitial";
  for (int i = 0; i < program.ObjectCount(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    std::cout << ' ' << (at < program.initial.size() ? program.initial[at] : 0);
  }
  std::cout << '\n';
  const std::uint64_t initial = program.InitialThreads();
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    std::cout << "thread " << (initial >> t & 1) << '\n';
    for (const Step& step : program.threads[t]) {
      std::cout << "step " << NameOf(step.kind) << ' ' << step.object << ' ' << step.mutex << ' '
                << int{step.into} << ' ' << int{step.skip} << ' ' << step.timed << ' '
                << step.asserts << ' ' << static_cast<int>(step.condition) << ' ' << step.operand
                << ' ' << step.value.constant << ' ' << int{step.value.first} << ' '
                << int{step.value.second} << ' ' << step.thread << ' ' << step.compares << ' '
                << step.expected.constant << ' ' << int{step.expected.first} << ' '
                << int{step.expected.second} << '\n';
    }
  }
  const Truth truth = TruthOf(program);
  const std::size_t classes = TruthOf(WithoutAssertions(program)).classes.size();
  std::cout << "expect " << classes << ' ' << truth.fails << ' ' << truth.gets_stuck << '\n';
  for (const std::vector<std::int64_t>& state : truth.states) {
    std::cout << "state";
    for (const std::int64_t value : state) std::cout << ' ' << value;
    std::cout << '\n';
  }
}

}  // namespace
}  // namespace heddle::simulate

int main(int argc, char** argv) {
  using heddle::simulate::Describe;
  const int count = argc > 1 ? std::atoi(argv[1]) : 1;
  for (const heddle::simulate::Family& family : heddle::simulate::FamiliesOfThreads()) {
    heddle::Rng rng(heddle::HashText(family.name) + 77);
    for (int i = 0; i < count; ++i) {
      std::string name(family.name);
      for (char& c : name) c = c == ' ' ? '-' : c;
      Describe(name + "-" + std::to_string(i), family.make(rng));
    }
  }
  for (const heddle::simulate::Litmus& litmus : heddle::simulate::LitmusTests()) {
    Describe(litmus.program.name, litmus.program);
  }
  return 0;
}
