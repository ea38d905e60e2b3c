// A small program over the primitives, given as text, run natively or under every schedule.
//
//   interpret native N SEED PROGRAM     N times with random delays; prints every outcome once
//   interpret STRATEGY RUNS PROGRAM     under heddle::Explore; prints every outcome, then
//   "complete" or "incomplete"
//
// A program is threads separated by '/', each a list of steps separated by ','. A step is a letter
// and a digit, which says on which of the two objects of its kind it works:
//   A add to an atomic, record what was there     S store 1 into it       R load it, record
//   X compare and exchange 0 by 2, record         L mutex around an add   N both mutexes, in order
//   T try the mutex, record; an add if it came    r read lock, load, record   w write lock, add
//   t try the write lock, record; add if it came  P semaphore around an add   V post    p try,
//   record b barrier of two       o once, an add          s spin lock around an add c wait until
//   the flag is set, load, record     n set the flag and signal    a set it and broadcast y yield
// The outcome is what each thread recorded, and the numbers at the end.
#include <heddle/heddle.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Step {
  char kind;
  int object;
};
using Program = std::vector<std::vector<Step>>;

Program Parse(const char* text) {
  Program program(1);
  for (; *text != '\0'; ++text) {
    if (*text == '/') program.emplace_back();
    if (*text == '/' || *text == ',') continue;
    program.back().push_back({text[0], text[1] - '0'});
    ++text;
  }
  return program;
}

// Nothing while heddle schedules.
struct Delays {
  std::minstd_rand random;
  bool on = false;
  void Here() {
    if (!on) return;
    const unsigned kind = random() % 8;
    if (kind == 0) std::this_thread::yield();
    if (kind == 1) usleep(random() % 40);
    for (volatile unsigned i = kind * (random() % 60); i > 0; i = i - 1) {
    }
  }
};

pthread_once_t once[2];
std::atomic<int>* number_of_once = nullptr;
void AddOnce0() { number_of_once[0].fetch_add(1); }
void AddOnce1() { number_of_once[1].fetch_add(1); }

struct World {
  std::atomic<int> number[2] = {};
  pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
  pthread_rwlock_t rwlock[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
  pthread_spinlock_t spin[2];
  pthread_barrier_t barrier[2];
  sem_t semaphore[2];
  pthread_mutex_t flag_mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
  pthread_cond_t changed[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
  int flag[2] = {};

  World() {
    for (int i = 0; i < 2; ++i) {
      pthread_spin_init(&spin[i], PTHREAD_PROCESS_PRIVATE);
      pthread_barrier_init(&barrier[i], nullptr, 2);
      sem_init(&semaphore[i], 0, 1);
      once[i] = PTHREAD_ONCE_INIT;
    }
    number_of_once = number;
  }
  ~World() {
    for (int i = 0; i < 2; ++i) {
      pthread_barrier_destroy(&barrier[i]);
      sem_destroy(&semaphore[i]);
    }
  }
};

class Runner {
 public:
  Runner(World* world, Delays delays) : world_(*world), delays_(delays) {}

  void Run(const std::vector<Step>& steps) {
    for (const Step& step : steps) Do(step.kind, step.object);
  }
  const std::string& recorded() const { return recorded_; }

 private:
  void Record(int value) { recorded_ += std::to_string(value); }
  void Add(int i) {
    delays_.Here();
    world_.number[i].fetch_add(1);
    delays_.Here();
  }

  void Do(char kind, int i) {
    delays_.Here();
    int expected = 0;
    switch (kind) {
      case 'A':
        return Record(world_.number[i].fetch_add(1));
      case 'S':
        return world_.number[i].store(1);
      case 'R':
        return Record(world_.number[i].load());
      case 'X':
        return Record(world_.number[i].compare_exchange_strong(expected, 2) ? 1 : 0);
      case 'L':
        pthread_mutex_lock(&world_.mutex[i]);
        Add(i);
        pthread_mutex_unlock(&world_.mutex[i]);
        return;
      case 'N':
        pthread_mutex_lock(&world_.mutex[0]);
        delays_.Here();
        pthread_mutex_lock(&world_.mutex[1]);
        Add(i);
        pthread_mutex_unlock(&world_.mutex[1]);
        pthread_mutex_unlock(&world_.mutex[0]);
        return;
      case 'T':
        if (pthread_mutex_trylock(&world_.mutex[i]) != 0) return Record(0);
        Record(1);
        Add(i);
        pthread_mutex_unlock(&world_.mutex[i]);
        return;
      case 'r':
        pthread_rwlock_rdlock(&world_.rwlock[i]);
        delays_.Here();
        Record(world_.number[i].load());
        pthread_rwlock_unlock(&world_.rwlock[i]);
        return;
      case 'w':
        pthread_rwlock_wrlock(&world_.rwlock[i]);
        Add(i);
        pthread_rwlock_unlock(&world_.rwlock[i]);
        return;
      case 't':
        if (pthread_rwlock_trywrlock(&world_.rwlock[i]) != 0) return Record(0);
        Record(1);
        Add(i);
        pthread_rwlock_unlock(&world_.rwlock[i]);
        return;
      case 'P':
        sem_wait(&world_.semaphore[i]);
        Add(i);
        sem_post(&world_.semaphore[i]);
        return;
      case 'V':
        sem_post(&world_.semaphore[i]);
        return;
      case 'p':
        return Record(sem_trywait(&world_.semaphore[i]) == 0 ? 1 : 0);
      case 'b':
        pthread_barrier_wait(&world_.barrier[i]);
        return;
      case 'o':
        pthread_once(&once[i], i == 0 ? AddOnce0 : AddOnce1);
        return;
      case 's':
        pthread_spin_lock(&world_.spin[i]);
        Add(i);
        pthread_spin_unlock(&world_.spin[i]);
        return;
      case 'c':
        pthread_mutex_lock(&world_.flag_mutex[i]);
        while (world_.flag[i] == 0) {
          pthread_cond_wait(&world_.changed[i], &world_.flag_mutex[i]);
        }
        Record(world_.number[i].load());
        pthread_mutex_unlock(&world_.flag_mutex[i]);
        return;
      case 'n':
      case 'a':
        pthread_mutex_lock(&world_.flag_mutex[i]);
        world_.flag[i] = 1;
        if (kind == 'n') pthread_cond_signal(&world_.changed[i]);
        if (kind == 'a') pthread_cond_broadcast(&world_.changed[i]);
        pthread_mutex_unlock(&world_.flag_mutex[i]);
        return;
      case 'y':
        sched_yield();
        return;
      default:
        std::fprintf(stderr, "no step %c\n", kind);
        std::exit(2);
    }
  }

  World& world_;
  Delays delays_;
  std::string recorded_;
};

std::string RunOnce(const Program& program, unsigned seed, bool with_delays) {
  World world;
  std::vector<Runner> runners;
  for (std::size_t i = 0; i < program.size(); ++i) {
    runners.emplace_back(
        &world, Delays{std::minstd_rand(seed * 31u + static_cast<unsigned>(i) + 1), with_delays});
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < program.size(); ++i) {
    threads.emplace_back([&, i] { runners[i].Run(program[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  std::string outcome;
  for (const Runner& runner : runners) outcome += runner.recorded() + "/";
  return outcome + std::to_string(world.number[0]) + "," + std::to_string(world.number[1]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const Program program = Parse(argv[argc - 1]);
  std::map<std::string, std::uint64_t> outcomes;
  if (std::strcmp(argv[1], "native") == 0) {
    for (int i = 0; i < std::atoi(argv[2]); ++i) {
      ++outcomes[RunOnce(program, static_cast<unsigned>(std::atoi(argv[3]) + i), true)];
    }
    for (const auto& [text, count] : outcomes) std::printf("%s\n", text.c_str());
    return 0;
  }
  const heddle::Result result =
      heddle::Explore({.strategy = argv[1],
                       .runs = std::strtoull(argv[2], nullptr, 10),
                       .on_finding = heddle::kReturn},
                      [&] { heddle::Outcome(RunOnce(program, 0, false)); });
  for (const auto& [text, count] : result.outcomes) std::printf("%s\n", text.c_str());
  std::printf("%s\n", result.complete ? "complete" : "incomplete");
  if (!result.ok() || !result.complete) std::fprintf(stderr, "%s", result.Summary().c_str());
  return result.ok() ? 0 : 1;
}
