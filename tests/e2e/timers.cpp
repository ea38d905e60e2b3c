// Threads that use timers of timerfd and pipes, for timers_test.py:
//
//   timers STRATEGY < SCRIPTS     a line each: searched inside this process
//
// A script is a word of descriptors, one letter each, and then threads, each a list of steps: t is
// a timer, p a pipe. Steps, with the numbers of what they use:
//   t sets it to so many seconds ("t03": the first to three), 0 stops it
//   r reads without waiting, w waits for that; q polls without waiting, p waits for any of those
//   s writes to a pipe; z sleeps for so many seconds; g asks how long it still takes
// What a thread saw is what its steps came to. Steps that begin with = are done before there are
// threads. Prints, per line: runs outcomes complete(0|1), an outcome being what all threads saw.
#include <fcntl.h>
#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "searched_scripts.h"

namespace {

struct Used {
  int reader = -1, writer = -1;
};

struct World {
  std::vector<Used> all;

  ~World() {
    for (const Used& one : all) {
      close(one.reader);
      if (one.writer >= 0) close(one.writer);
    }
  }
};

struct Thread {
  std::vector<std::string> steps;
  std::string saw;
};

std::string Poll(const World& world, const std::string& numbers, int milliseconds) {
  std::vector<pollfd> asked;
  for (const char digit : numbers) {
    asked.push_back({world.all[static_cast<std::size_t>(digit - '0')].reader, POLLIN, 0});
  }
  poll(asked.data(), asked.size(), milliseconds);
  std::string found;
  for (const pollfd& one : asked) found += std::to_string(one.revents) + " ";
  return found;
}

std::string Do(const World& world, const std::string& step) {
  const Used& one = world.all[static_cast<std::size_t>(step[1] - '0') % world.all.size()];
  std::uint64_t bytes = 0;
  itimerspec time = {};
  switch (step[0]) {
    case 't':
      time.it_value.tv_sec = step[2] - '0';
      return std::to_string(timerfd_settime(one.reader, 0, &time, nullptr));
    case 'g':
      timerfd_gettime(one.reader, &time);
      return std::to_string(time.it_value.tv_sec);
    case 'r':
    case 'w':
      if (step[0] == 'r' && Poll(world, step.substr(1), 0) == "0 ") return "nothing";
      return std::to_string(read(one.reader, &bytes, sizeof bytes)) + ":" + std::to_string(bytes);
    case 's':
      bytes = 1;
      return std::to_string(write(one.writer, &bytes, sizeof bytes));
    case 'z':
      return std::to_string(sleep(static_cast<unsigned>(step[1] - '0')));
    default:
      return Poll(world, step.substr(1), step[0] == 'q' ? 0 : -1);
  }
}

void Run(const std::string& script) {
  World world;
  std::istringstream words(script);
  std::string word;
  words >> word;
  for (const char form : word) {
    int ends[2] = {-1, -1};
    if (form == 't') ends[0] = timerfd_create(CLOCK_MONOTONIC, 0);
    if (form == 'p' && pipe(ends) != 0) std::abort();
    world.all.push_back({ends[0], ends[1]});
  }
  std::deque<Thread> all;
  while (words >> word) {
    if (word[0] == '=') {
      Do(world, word.substr(1));
      continue;
    }
    std::istringstream steps(word);
    Thread& thread = all.emplace_back();
    for (std::string step; std::getline(steps, step, ',');) thread.steps.push_back(step);
  }
  std::deque<std::thread> threads;
  for (Thread& one : all) {
    threads.emplace_back([&world, &one] {
      for (const std::string& step : one.steps) one.saw += Do(world, step) + ",";
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::string saw;
  for (const Thread& one : all) saw += one.saw + " | ";
  searched_scripts::Note(std::hash<std::string>()(saw));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  searched_scripts::Prepare();
  searched_scripts::Search(argv[1], Run);
  return 0;
}
