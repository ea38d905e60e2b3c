// Bodies for heddle::Explore that wait in loops:  library_waits BODY STRATEGY batch|process
//
// What they change is global: a run that was left in the middle would be seen by the next. Prints
// its result as one line of JSON.
#include <heddle/heddle.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

using heddle::Concurrently;

namespace {

std::atomic<bool> locked{false};
std::atomic<int> turn{0};
int guarded = 0;
int flag = 0;
std::vector<int> taken;
int* processes = nullptr;  // that made runs; in memory that they share

void CountProcess() {
  static bool is_counted = false;
  if (is_counted) return;
  is_counted = true;
  ++*processes;
}

void Take() {
  while (locked.exchange(true)) {
  }
}

void GlobalLock() {
  CountProcess();
  HEDDLE_ASSERT(!locked && guarded == 0 && taken.empty());
  const auto section = [](int who) {
    for (int i = 0; i < 3; ++i) {
      Take();
      HEDDLE_ASSERT(++guarded == 1);
      taken.push_back(who);
      --guarded;
      locked.store(false);
    }
  };
  Concurrently([&] { section(1); }, [&] { section(2); });
  std::string order;
  for (const int who : taken) order += std::to_string(who);
  std::vector<int>().swap(taken);
  heddle::Outcome(order.c_str());
}

// Whoever comes first passes the lock on by name: the others wait in a loop that reads twice.
void Turns() {
  CountProcess();
  HEDDLE_ASSERT(turn == 0 && guarded == 0);
  const auto wait = [](int mine) {
    while (turn.load() != mine || locked.load()) {
    }
    ++guarded;
    turn.store(mine + 1);
  };
  Concurrently([&] { wait(0); }, [&] { wait(1); },
               [] {
                 Take();
                 locked.store(false);
               });
  HEDDLE_ASSERT(guarded == 2);
  guarded = 0;
  turn = 0;
}

// In some orders somebody fails in the critical section, in others two threads never come out.
void FailsInside() {
  CountProcess();
  static std::atomic<int> entered{0};
  static std::mutex first, second;
  HEDDLE_ASSERT(!locked && entered == 0);
  const auto both = [](std::mutex& one, std::mutex& other) {
    Take();
    ++entered;
    locked.store(false);
    const std::scoped_lock a(one);
    const std::scoped_lock b(other);
  };
  Concurrently([&] { both(first, second); }, [&] { both(second, first); },
               [] {
                 Take();
                 HEDDLE_ASSERT(entered != 1);
                 locked.store(false);
               });
  entered = 0;
}

// No read of the loop is a scheduling point before somebody has looked.
void PlainFlag() {
  CountProcess();
  HEDDLE_ASSERT(flag == 0 && guarded == 0);
  Concurrently(
      [] {
        while (!*const_cast<volatile int*>(&flag)) {
        }
        heddle::Outcome(guarded);
      },
      [] {
        guarded = 7;
        *const_cast<volatile int*>(&flag) = 1;
      });
  flag = guarded = 0;
}

const std::map<std::string, void (*)()> kBodies = {
    {"global-lock", GlobalLock},
    {"turns", Turns},
    {"fails-inside", FailsInside},
    {"plain-flag", PlainFlag},
};

}  // namespace

int main(int, char** words) {
  void* const shared =
      mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  processes = static_cast<int*>(shared);
  heddle::Options options;
  options.strategy = words[2];
  options.runs = 20'000;
  options.races = "off";
  options.keep_going = true;
  options.on_finding = heddle::kReturn;
  if (std::strcmp(words[3], "process") == 0) options.isolation = heddle::kProcess;
  const heddle::Result result = heddle::Explore(options, kBodies.at(words[1]));
  std::printf(
      "{\"processes\": %d, \"runs\": %llu, \"blocked\": %llu, \"classes\": %llu, \"complete\": %s, "
      "\"leaks\": %s, \"error\": \"%s\", \"findings\": [",
      *processes, static_cast<unsigned long long>(result.runs),
      static_cast<unsigned long long>(result.blocked_runs),
      static_cast<unsigned long long>(result.classes), result.complete ? "true" : "false",
      result.leaks_state ? "true" : "false", result.error.c_str());
  const char* comma = "";
  for (const heddle::Finding& finding : result.findings) {
    std::printf("%s[\"%s\", %llu, %s]", comma, finding.kind.c_str(),
                static_cast<unsigned long long>(finding.hits), finding.replayed ? "true" : "false");
    comma = ", ";
  }
  std::printf("], \"outcomes\": {");
  comma = "";
  for (const auto& [text, count] : result.outcomes) {
    std::printf("%s\"%s\": %llu", comma, text.c_str(), static_cast<unsigned long long>(count));
    comma = ", ";
  }
  std::printf("}}\n%s", result.Summary().c_str());
}
