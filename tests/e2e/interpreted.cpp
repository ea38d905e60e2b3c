// Runs abstract programs (describe_programs.cc) as real threads, all with one executable:
//
//   interpreted STRATEGY < PROGRAMS
//
// Every step is one operation of the program's. Prints, per program, a line "ran" with runs,
// classes, redundant runs, whether the search was complete, an assertion failed, threads got stuck;
// and a line "state" for every state in which all threads had ended.
#include <heddle/heddle.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr int kObjects = 8, kThreads = 8;

struct Step {
  std::string kind;
  int object, mutex, into, skip;
  bool timed, asserts;
  int condition;
  long operand, constant;
  int first, second, thread;
  bool compares;
  long expected;
  int expected_first, expected_second;
};

struct Program {
  std::string name;
  std::vector<long> initial;
  std::vector<std::vector<Step>> threads;
  std::vector<bool> at_once;
};

// Everything that the threads share, made anew for every run.
struct World {
  const Program* program;
  std::atomic<long> values[kObjects];
  pthread_mutex_t mutexes[kObjects];
  pthread_rwlock_t rwlocks[kObjects];
  pthread_cond_t conditions[kObjects];
  sem_t semaphores[kObjects];
  pthread_t threads[kThreads];
};

struct Start {
  World* world;
  int thread;
};

void* Run(void* argument);

void Begin(World* world, Start* starts, int thread) {
  starts[thread] = {world, thread};
  pthread_create(&world->threads[thread], nullptr, Run, &starts[thread]);
}

bool Holds(int relation, long value, long operand) {
  switch (relation) {
    case 1:
      return value == operand;
    case 2:
      return value != operand;
    case 3:
      return value < operand;
    default:
      return true;
  }
}

// A deadline that no run reaches by itself: time is virtual.
const timespec kLate = {4'000'000'000, 0};

void* Run(void* argument) {
  World& world = *static_cast<Start*>(argument)->world;
  const auto me = static_cast<std::size_t>(static_cast<Start*>(argument)->thread);
  Start* const starts = static_cast<Start*>(argument) - me;
  const std::vector<Step>& steps = world.program->threads[me];
  long registers[4] = {};
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const Step& step = steps[at];
    const long value = step.constant + (step.first < 0 ? 0 : registers[step.first]) +
                       (step.second < 0 ? 0 : registers[step.second]);
    long read = 0;
    if (step.kind == "load") {
      read = world.values[step.object].load(kRelaxed);
    } else if (step.kind == "store" && step.condition != 0) {
      read = world.values[step.object].exchange(value, kRelaxed);
    } else if (step.kind == "store") {
      world.values[step.object].store(value, kRelaxed);
    } else if (step.compares) {
      long expected = step.expected +
                      (step.expected_first < 0 ? 0 : registers[step.expected_first]) +
                      (step.expected_second < 0 ? 0 : registers[step.expected_second]);
      read = world.values[step.object].compare_exchange_strong(expected, value, kRelaxed) ? 1 : 0;
    } else if (step.kind == "rmw") {
      read = world.values[step.object].fetch_add(value, kRelaxed);
    } else if (step.kind == "lock") {
      pthread_mutex_lock(&world.mutexes[step.object]);
    } else if (step.kind == "trylock") {
      read = pthread_mutex_trylock(&world.mutexes[step.object]) == 0 ? 1 : 0;
    } else if (step.kind == "unlock") {
      pthread_mutex_unlock(&world.mutexes[step.object]);
    } else if (step.kind == "rdlock") {
      pthread_rwlock_rdlock(&world.rwlocks[step.object]);
    } else if (step.kind == "tryrdlock") {
      read = pthread_rwlock_tryrdlock(&world.rwlocks[step.object]) == 0 ? 1 : 0;
    } else if (step.kind == "wrlock") {
      pthread_rwlock_wrlock(&world.rwlocks[step.object]);
    } else if (step.kind == "trywrlock") {
      read = pthread_rwlock_trywrlock(&world.rwlocks[step.object]) == 0 ? 1 : 0;
    } else if (step.kind == "rdunlock" || step.kind == "wrunlock") {
      pthread_rwlock_unlock(&world.rwlocks[step.object]);
    } else if (step.kind == "sem-wait" && step.timed) {
      read = sem_timedwait(&world.semaphores[step.object], &kLate) == 0 ? 1 : 0;
    } else if (step.kind == "sem-wait") {
      sem_wait(&world.semaphores[step.object]);
    } else if (step.kind == "sem-trywait") {
      read = sem_trywait(&world.semaphores[step.object]) == 0 ? 1 : 0;
    } else if (step.kind == "sem-post") {
      sem_post(&world.semaphores[step.object]);
    } else if (step.kind == "wait" && step.timed) {
      pthread_cond_timedwait(&world.conditions[step.object], &world.mutexes[step.mutex], &kLate);
    } else if (step.kind == "wait") {
      pthread_cond_wait(&world.conditions[step.object], &world.mutexes[step.mutex]);
    } else if (step.kind == "signal") {
      pthread_cond_signal(&world.conditions[step.object]);
    } else if (step.kind == "broadcast") {
      pthread_cond_broadcast(&world.conditions[step.object]);
    } else if (step.kind == "yield") {
      sched_yield();
    } else if (step.kind == "create") {
      Begin(&world, starts, step.thread);
    } else if (step.kind == "join") {
      pthread_join(world.threads[step.thread], nullptr);
      world.threads[step.thread] = 0;
    }
    if (step.into >= 0) registers[step.into] = read;
    if (Holds(step.condition, read, step.operand)) continue;
    HEDDLE_ASSERT(!step.asserts);
    at += static_cast<std::size_t>(step.skip);
  }
  return nullptr;
}

void RunOnce(const Program& program) {
  World world{};
  world.program = &program;
  Start starts[kThreads];
  for (std::size_t i = 0; i < kObjects; ++i) {
    const long value = i < program.initial.size() ? program.initial[i] : 0;
    world.values[i].store(value, kRelaxed);
    pthread_mutex_init(&world.mutexes[i], nullptr);
    pthread_rwlock_init(&world.rwlocks[i], nullptr);
    pthread_cond_init(&world.conditions[i], nullptr);
    sem_init(&world.semaphores[i], 0, static_cast<unsigned>(value));
  }
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    if (program.at_once[t]) Begin(&world, starts, static_cast<int>(t));
  }
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    if (program.at_once[t]) pthread_join(world.threads[t], nullptr);
  }
  // Whom the program created and did not join.
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    if (!program.at_once[t] && world.threads[t] != 0) pthread_join(world.threads[t], nullptr);
  }
  std::string state;
  for (std::size_t i = 0; i < program.initial.size(); ++i) {
    int count = 0;
    sem_getvalue(&world.semaphores[i], &count);
    const long value = world.values[i].load(kRelaxed);
    const bool counts = count != program.initial[i];
    state += (i == 0 ? "" : " ") + std::to_string(counts ? count : value);
  }
  heddle::Outcome(state.c_str());
}

std::vector<Program> ReadPrograms() {
  std::vector<Program> programs;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "program") {
      programs.emplace_back();
      words >> programs.back().name;
    } else if (word == "initial") {
      for (long value; words >> value;) programs.back().initial.push_back(value);
    } else if (word == "thread") {
      bool at_once = false;
      words >> at_once;
      programs.back().at_once.push_back(at_once);
      programs.back().threads.emplace_back();
    } else if (word == "step") {
      Step step;
      words >> step.kind >> step.object >> step.mutex >> step.into >> step.skip >> step.timed >>
          step.asserts >> step.condition >> step.operand >> step.constant >> step.first >>
          step.second >> step.thread >> step.compares >> step.expected >> step.expected_first >>
          step.expected_second;
      programs.back().threads.back().push_back(step);
    }
  }
  return programs;
}

}  // namespace

int main(int, char** argv) {
  for (const Program& program : ReadPrograms()) {
    const heddle::Result result = heddle::Explore({.strategy = argv[1],
                                                   .runs = 100'000,
                                                   .races = "off",
                                                   .keep_going = true,
                                                   .on_finding = heddle::kReturn},
                                                  [&program] { RunOnce(program); });
    std::printf("ran %s %llu %llu %llu %d %d %d\n", program.name.c_str(),
                static_cast<unsigned long long>(result.runs),
                static_cast<unsigned long long>(result.classes),
                static_cast<unsigned long long>(result.blocked_runs), result.complete,
                result.Found("assertion"), result.Found("deadlock"));
    for (const auto& [state, count] : result.outcomes) std::printf("state %s\n", state.c_str());
    if (!result.error.empty()) std::printf("error %s\n", result.error.c_str());
    std::fflush(stdout);
  }
  return 0;
}
