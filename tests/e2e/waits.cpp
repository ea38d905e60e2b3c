// Threads that lock, wait with a time limit, sleep and read the clock, as a script says. Searched
// inside this process.
//
//   waits STRATEGY       scripts on standard input; for each: runs outcomes complete(0|1)
//
// A script is a word for the main thread and one for each other thread, joined (+) or detached (-),
// of these letters:
//   a adds to x   b reads x   c writes y   d reads y
//   l locks   t tries to   T waits for the lock for a while
//   p posts   W tries to take what was posted   w waits for it for a while
//   n makes the condition true and signals   v waits for it for a while
//   r, R read and write under a lock of that kind   q tries to read   Q waits to write for a while
//   o once   s sleeps   S sleeps longer   y yields   g sees how late it is
//   P polls what never gets ready for a while
//   V waits for a condition for a while, as C++ does, and sees whether it was late   N signals that
// and, of the main thread, that is about the first of the others:
//   j looks whether it has ended   J waits for that for a while
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "searched_scripts.h"

namespace {

constexpr char kLate = 'L', kNot = 'N';
constexpr auto kRelaxed = std::memory_order_relaxed;

// Each in a word of its own: what lies in one is not told apart.
struct alignas(64) Number {
  std::atomic<int> value{0};
};

struct World {
  Number x, y;
  alignas(64) int under_lock = 0;
  bool is_true = false;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_rwlock_t read_write = PTHREAD_RWLOCK_INITIALIZER;
  pthread_once_t once = PTHREAD_ONCE_INIT;
  sem_t posted, over;
  int never_ready = -1;
  std::mutex of_late;
  std::condition_variable late;
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
};
World* world = nullptr;

timespec Soon() {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  ++time.tv_sec;
  return time;
}

// One thread at work. All its own: what threads share is theirs to search.
struct Actor {
  std::string seen;
  pthread_t other = {};  // of the main thread, to join
  bool joined = false;

  void See(int number) { seen.push_back(static_cast<char>('a' + number)); }
  void SeeUnderLock(int error, char otherwise) {
    if (error != 0) {
      seen.push_back(otherwise);
      return;
    }
    See(++world->under_lock);
    pthread_mutex_unlock(&world->mutex);
  }
  void SeeBetween(int error, char otherwise) {
    if (error != 0) {
      seen.push_back(otherwise);
      return;
    }
    See(world->y.value.load(kRelaxed));
    pthread_rwlock_unlock(&world->read_write);
  }
  void Wait() {
    const timespec soon = Soon();
    pthread_mutex_lock(&world->mutex);
    int error = 0;
    if (!world->is_true) {
      error = pthread_cond_timedwait(&world->condition, &world->mutex, &soon);
    }
    seen.push_back(error != 0 ? kLate : 'a');
    seen.push_back(world->is_true ? 'a' : kNot);
    pthread_mutex_unlock(&world->mutex);
  }

  void WaitAsInCpp() {
    std::unique_lock lock(world->of_late);
    const bool is_late =
        world->late.wait_for(lock, std::chrono::milliseconds(2)) == std::cv_status::timeout;
    seen.push_back(is_late ? kLate : 'a');
  }
  void Poll() {
    pollfd one = {world->never_ready, POLLIN, 0};
    poll(&one, 1, 2);
  }
  // Reading the clock takes time, too, but not that much.
  void SeeTime() {
    const auto passed = std::chrono::steady_clock::now() - world->begun;
    See(static_cast<int>(passed / std::chrono::milliseconds(1)) % 16);
  }
  void Join(int error) {
    joined = joined || error == 0;
    seen.push_back(error == 0 ? 'a' : kLate);
  }

  void Do(char step, int nth) {
    const auto y_becomes = [nth](int from) { world->y.value.store(from + nth, kRelaxed); };
    timespec soon;
    switch (step) {
      case 'a':
        return See(world->x.value.fetch_add(1, kRelaxed));
      case 'b':
        return See(world->x.value.load(kRelaxed));
      case 'c':
        return y_becomes(1);
      case 'd':
        return See(world->y.value.load(kRelaxed));
      case 'l':
        return SeeUnderLock(pthread_mutex_lock(&world->mutex), kNot);
      case 't':
        return SeeUnderLock(pthread_mutex_trylock(&world->mutex), kNot);
      case 'T':
        soon = Soon();
        return SeeUnderLock(pthread_mutex_timedlock(&world->mutex, &soon), kLate);
      case 'p':
        sem_post(&world->posted);
        return;
      case 'W':
        seen.push_back(sem_trywait(&world->posted) == 0 ? 'a' : kNot);
        return;
      case 'w':
        soon = Soon();
        seen.push_back(sem_timedwait(&world->posted, &soon) == 0 ? 'a' : kLate);
        return;
      case 'n':
        pthread_mutex_lock(&world->mutex);
        world->is_true = true;
        pthread_cond_signal(&world->condition);
        pthread_mutex_unlock(&world->mutex);
        return;
      case 'v':
        return Wait();
      case 'r':
        return SeeBetween(pthread_rwlock_rdlock(&world->read_write), kNot);
      case 'q':
        return SeeBetween(pthread_rwlock_tryrdlock(&world->read_write), kNot);
      case 'Q':
        soon = Soon();
        return SeeBetween(pthread_rwlock_timedwrlock(&world->read_write, &soon), kLate);
      case 'R':
        pthread_rwlock_wrlock(&world->read_write);
        y_becomes(5);
        pthread_rwlock_unlock(&world->read_write);
        return;
      case 'o':
        pthread_once(&world->once, [] { world->x.value.fetch_add(10, kRelaxed); });
        return See(world->x.value.load(kRelaxed));
      case 's':
        usleep(1000);
        return;
      case 'S':
        usleep(5000);
        return;
      case 'g':
        return SeeTime();
      case 'P':
        return Poll();
      case 'V':
        return WaitAsInCpp();
      case 'N':
        world->late.notify_one();
        return;
      case 'j':
        if (!joined) Join(pthread_tryjoin_np(other, nullptr));
        return;
      case 'J':
        soon = Soon();
        if (!joined) Join(pthread_timedjoin_np(other, nullptr, &soon));
        return;
      default:
        sched_yield();
    }
  }

  void Act(const std::string& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) Do(steps[i], static_cast<int>(i));
  }
  std::size_t hash() const { return std::hash<std::string>()(seen); }
};

struct Part {
  char way;  // how its thread ends
  std::string steps;
  std::size_t seen = 0;
};

void* Play(void* argument) {
  auto* const part = static_cast<Part*>(argument);
  Actor actor;
  actor.Act(part->steps);
  part->seen = actor.hash();
  sem_post(&world->over);
  return nullptr;
}

void RunScript(const std::string& script) {
  World here;
  world = &here;
  sem_init(&here.posted, 0, 0);
  sem_init(&here.over, 0, 0);
  if (script.find('P') != std::string::npos) here.never_ready = eventfd(0, 0);
  std::istringstream words(script);
  std::vector<Part> parts;
  for (std::string word; words >> word;) parts.push_back({word[0], word.substr(1)});
  std::vector<pthread_t> threads(parts.size());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    pthread_create(&threads[i], nullptr, Play, &parts[i]);
  }
  Actor main;
  if (parts.size() > 1) main.other = threads[1];
  main.Act(parts[0].steps);
  const auto is_joined = [&main](std::size_t i) { return i == 1 && main.joined; };
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].way == '-' && !is_joined(i)) pthread_detach(threads[i]);
  }
  main.Do('b', 0);  // behind the detach
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].way == '+' && !is_joined(i)) pthread_join(threads[i], nullptr);
  }
  for (std::size_t i = 1; i < parts.size(); ++i) sem_wait(&here.over);
  parts[0].seen = main.hash();
  std::size_t all = 0;
  for (const Part& part : parts) all = all * 1099511628211u + part.seen;
  searched_scripts::Note(all);
  if (here.never_ready >= 0) close(here.never_ready);
}

}  // namespace

int main(int argc, char** argv) {
  searched_scripts::Prepare();
  searched_scripts::Search(argc > 1 ? argv[1] : "dfs", RunScript);
}
