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
//   m mutex in time, record; an add if it came    d semaphore in time, the same
//   q wait in time until the flag is set, record whether it is
//   B robust mutex, record whether its owner died, add    D take the robust mutex and keep it
//   M mutex of C11 around an add    z try it, record; add    C, E condition of C11, as c and n
//   W write a byte (0: pipe, 1: pair of sockets)   U read one, record who wrote it
//   i poll for one, record          j the same in time       v, f write to and read from an eventfd
//   k cancel thread 0 or 1          e a cancellation point; whoever is cancelled records x
//   K named semaphore around an add
//   Q, Z as r and w, with a lock that prefers writers
//   g send thread 0 or 1 a signal, whose handler adds to number 1    G load twice, signals blocked
// The outcome is what each thread recorded, and the numbers at the end.
#include <fcntl.h>
#include <heddle/heddle.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
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
  // Soon, on the real clock; heddle's is virtual.
  timespec Soon(clockid_t clock) {
    timespec time = {};
    clock_gettime(clock, &time);
    time.tv_nsec += on ? static_cast<long>(random() % 200) * 1000 : 1'000'000;
    if (time.tv_nsec >= 1'000'000'000) {
      time.tv_nsec -= 1'000'000'000;
      ++time.tv_sec;
    }
    return time;
  }
  // No cancellation point.
  static void Sleep(unsigned microseconds) {
    int before = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    usleep(microseconds);
    pthread_setcancelstate(before, nullptr);
  }
  void Here() {
    if (!on) return;
    const unsigned kind = random() % 8;
    if (kind == 0) std::this_thread::yield();
    if (kind == 1) Sleep(random() % 40);
    for (volatile unsigned i = kind * (random() % 60); i > 0; i = i - 1) {
    }
  }
};

pthread_once_t once[2];
std::atomic<int>* number_of_once = nullptr;
void AddOnce0() { number_of_once[0].fetch_add(1); }
void AddOnce1() { number_of_once[1].fetch_add(1); }

std::atomic<int>* number_of_handler = nullptr;
void AddInHandler(int) { number_of_handler->fetch_add(1); }

struct World {
  std::atomic<int> number[2] = {};
  pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
  pthread_rwlock_t rwlock[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
  pthread_spinlock_t spin[2];
  pthread_barrier_t barrier[2];
  pthread_rwlock_t for_writers[2];
  sem_t semaphore[2];
  sem_t* named[2] = {};
  pthread_mutex_t flag_mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
  pthread_cond_t changed[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
  int flag[2] = {};
  pthread_mutex_t robust[2];
  mtx_t c11_mutex[2];
  mtx_t c11_flag_mutex[2];
  cnd_t c11_changed[2];
  int c11_flag[2] = {};
  int read_end[2] = {-1, -1}, write_end[2] = {-1, -1}, event[2] = {-1, -1};
  std::vector<pthread_t> threads;
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  bool is_gated = false;

  explicit World(const Program& program) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    for (int i = 0; i < 2; ++i) {
      pthread_mutex_init(&robust[i], &attributes);
      mtx_init(&c11_mutex[i], mtx_plain);
      mtx_init(&c11_flag_mutex[i], mtx_plain);
      cnd_init(&c11_changed[i]);
    }
    pthread_mutexattr_destroy(&attributes);
    pthread_rwlockattr_t prefers;
    pthread_rwlockattr_init(&prefers);
    pthread_rwlockattr_setkind_np(&prefers, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    for (pthread_rwlock_t& lock : for_writers) pthread_rwlock_init(&lock, &prefers);
    pthread_rwlockattr_destroy(&prefers);
    for (const auto& thread : program) {
      for (const Step& step : thread) OpenFor(step);
    }
    number_of_handler = &number[1];

    for (int i = 0; i < 2; ++i) {
      pthread_spin_init(&spin[i], PTHREAD_PROCESS_PRIVATE);
      pthread_barrier_init(&barrier[i], nullptr, 2);
      sem_init(&semaphore[i], 0, 1);
      once[i] = PTHREAD_ONCE_INIT;
    }
    number_of_once = number;
  }
  void OpenFor(const Step& step) {
    const int i = step.object;
    int ends[2];
    if (std::strchr("WUij", step.kind) != nullptr && read_end[i] < 0) {
      if (i == 0 ? pipe(ends) != 0 : socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
      read_end[i] = ends[0];
      write_end[i] = ends[1];
    }
    if (std::strchr("vf", step.kind) != nullptr && event[i] < 0) {
      event[i] = eventfd(0, EFD_SEMAPHORE);
    }
    if (step.kind == 'K' && named[i] == nullptr) {
      const std::string name =
          "/heddle-differential-" + std::to_string(getpid()) + "-" + std::to_string(i);
      named[i] = sem_open(name.c_str(), O_CREAT | O_EXCL, 0600, 1);
      if (named[i] == SEM_FAILED || sem_unlink(name.c_str()) != 0) std::abort();
    }
  }
  ~World() {
    for (int i = 0; i < 2; ++i) {
      for (const int descriptor : {read_end[i], write_end[i], event[i]}) {
        if (descriptor >= 0) close(descriptor);
      }
      mtx_destroy(&c11_mutex[i]);
      mtx_destroy(&c11_flag_mutex[i]);
      cnd_destroy(&c11_changed[i]);
      pthread_barrier_destroy(&barrier[i]);
      pthread_rwlock_destroy(&for_writers[i]);
      sem_destroy(&semaphore[i]);
      if (named[i] != nullptr) sem_close(named[i]);
    }
  }
};

class Runner {
 public:
  Runner(World* world, std::size_t index, Delays delays)
      : world_(*world), index_(index), delays_(delays) {}

  void Run(const std::vector<Step>& steps) {
    struct IfCancelled {
      std::string* recorded;
      bool ended = false;
      ~IfCancelled() {
        if (!ended) *recorded += 'x';
      }
    } mark = {&recorded_};
    if (world_.is_gated) {
      pthread_mutex_lock(&world_.gate);
      pthread_mutex_unlock(&world_.gate);
    }
    for (const Step& step : steps) Do(step.kind, step.object);
    mark.ended = true;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
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
      case 'Q':
        pthread_rwlock_rdlock(&world_.for_writers[i]);
        delays_.Here();
        Record(world_.number[i].load());
        pthread_rwlock_unlock(&world_.for_writers[i]);
        return;
      case 'Z':
        pthread_rwlock_wrlock(&world_.for_writers[i]);
        Add(i);
        pthread_rwlock_unlock(&world_.for_writers[i]);
        return;
      case 'K':
        sem_wait(world_.named[i]);
        Add(i);
        sem_post(world_.named[i]);
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
      case 'm': {
        const timespec soon = delays_.Soon(CLOCK_REALTIME);
        if (pthread_mutex_timedlock(&world_.mutex[i], &soon) != 0) return Record(0);
        Record(1);
        Add(i);
        pthread_mutex_unlock(&world_.mutex[i]);
        return;
      }
      case 'd': {
        const timespec soon = delays_.Soon(CLOCK_REALTIME);
        if (sem_timedwait(&world_.semaphore[i], &soon) != 0) return Record(0);
        Record(1);
        Add(i);
        sem_post(&world_.semaphore[i]);
        return;
      }
      case 'q': {
        const timespec soon = delays_.Soon(CLOCK_MONOTONIC);
        pthread_mutex_lock(&world_.flag_mutex[i]);
        while (world_.flag[i] == 0) {
          if (pthread_cond_clockwait(&world_.changed[i], &world_.flag_mutex[i], CLOCK_MONOTONIC,
                                     &soon) == ETIMEDOUT) {
            break;
          }
        }
        Record(world_.flag[i]);
        pthread_mutex_unlock(&world_.flag_mutex[i]);
        return;
      }
      case 'B': {
        const bool died = pthread_mutex_lock(&world_.robust[i]) == EOWNERDEAD;
        if (died) pthread_mutex_consistent(&world_.robust[i]);
        Record(died ? 1 : 0);
        Add(i);
        pthread_mutex_unlock(&world_.robust[i]);
        return;
      }
      case 'D':
        if (pthread_mutex_lock(&world_.robust[i]) == EOWNERDEAD) {
          pthread_mutex_consistent(&world_.robust[i]);
        }
        return;
      case 'M':
        mtx_lock(&world_.c11_mutex[i]);
        Add(i);
        mtx_unlock(&world_.c11_mutex[i]);
        return;
      case 'z':
        if (mtx_trylock(&world_.c11_mutex[i]) != thrd_success) return Record(0);
        Record(1);
        Add(i);
        mtx_unlock(&world_.c11_mutex[i]);
        return;
      case 'C':
        mtx_lock(&world_.c11_flag_mutex[i]);
        while (world_.c11_flag[i] == 0) {
          cnd_wait(&world_.c11_changed[i], &world_.c11_flag_mutex[i]);
        }
        Record(world_.number[i].load());
        mtx_unlock(&world_.c11_flag_mutex[i]);
        return;
      case 'E':
        mtx_lock(&world_.c11_flag_mutex[i]);
        world_.c11_flag[i] = 1;
        cnd_signal(&world_.c11_changed[i]);
        mtx_unlock(&world_.c11_flag_mutex[i]);
        return;
      case 'W': {
        const char me = static_cast<char>('0' + index_);
        if (write(world_.write_end[i], &me, 1) != 1) std::abort();
        return;
      }
      case 'U': {
        char who = 0;
        if (read(world_.read_end[i], &who, 1) != 1) std::abort();
        return Record(who - '0');
      }
      case 'i':
      case 'j': {
        pollfd one = {world_.read_end[i], POLLIN, 0};
        return Record(poll(&one, 1, kind == 'i' ? 0 : 1));
      }
      case 'v': {
        const std::uint64_t one = 1;
        if (write(world_.event[i], &one, sizeof one) != sizeof one) std::abort();
        return;
      }
      case 'f': {
        std::uint64_t one = 0;
        if (read(world_.event[i], &one, sizeof one) != sizeof one) std::abort();
        return Record(static_cast<int>(one));
      }
      case 'k':
        pthread_cancel(world_.threads[static_cast<std::size_t>(i)]);
        return;
      case 'e':
        pthread_testcancel();
        return;
      case 'g':
        pthread_kill(world_.threads[static_cast<std::size_t>(i)], SIGUSR1);
        // It gets there a moment later; what happens in between could as well happen before.
        if (delays_.on) Delays::Sleep(300);
        return;
      case 'G': {
        sigset_t mask;
        sigemptyset(&mask);
        sigaddset(&mask, SIGUSR1);
        sched_yield();  // to change the mask is no scheduling point by itself
        pthread_sigmask(SIG_BLOCK, &mask, nullptr);
        Record(world_.number[i].load());
        delays_.Here();
        Record(world_.number[i].load());
        pthread_sigmask(SIG_UNBLOCK, &mask, nullptr);
        return;
      }
      case 'y':
        sched_yield();
        return;
      default:
        std::fprintf(stderr, "no step %c\n", kind);
        std::exit(2);
    }
  }

  World& world_;
  std::size_t index_;
  Delays delays_;
  std::string recorded_;
};

struct Start {
  Runner* runner;
  const std::vector<Step>* steps;
};

void* RunThread(void* argument) {
  const auto& start = *static_cast<Start*>(argument);
  start.runner->Run(*start.steps);
  return nullptr;
}

bool Uses(const Program& program, const char* kinds) {
  for (const auto& thread : program) {
    for (const Step& step : thread) {
      if (std::strchr(kinds, step.kind) != nullptr) return true;
    }
  }
  return false;
}

std::string RunOnce(const Program& program, unsigned seed, bool with_delays) {
  World world(program);
  std::vector<Runner> runners;
  std::vector<Start> starts;
  const std::size_t count = program.size();
  runners.reserve(count);
  starts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    runners.emplace_back(
        &world, i,
        Delays{std::minstd_rand(seed * 31u + static_cast<unsigned>(i) + 1), with_delays});
    starts.push_back({&runners[i], &program[i]});
  }
  // Who is sent something is there before anybody begins; heddle sees to that by itself.
  const bool gated = with_delays && Uses(program, "kg");
  world.threads.resize(count);
  if (gated) pthread_mutex_lock(&world.gate);
  world.is_gated = gated;
  pthread_t* const threads = world.threads.data();  // looking it up again would be a point
  for (std::size_t i = 0; i < count; ++i) {
    pthread_create(&threads[i], nullptr, RunThread, &starts[i]);
  }
  if (gated) pthread_mutex_unlock(&world.gate);
  for (std::size_t i = 0; i < count; ++i) pthread_join(world.threads[i], nullptr);
  std::string outcome;
  for (const Runner& runner : runners) outcome += runner.recorded() + "/";
  return outcome + std::to_string(world.number[0]) + "," + std::to_string(world.number[1]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const Program program = Parse(argv[argc - 1]);
  struct sigaction action = {};
  action.sa_handler = AddInHandler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
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
