// Threads that close, replace and copy descriptors which others use, for numbers_test.py:
//
//   numbers STRATEGY < SCRIPTS     a line each: searched inside this process
//
// A script is a number of pipes and then threads, each a list of steps: "3 s0 D01,s2 q12" is three
// pipes, a thread that writes to the first, and so on. Steps, with the numbers of their pipes:
//   s writes, c closes the reading end, D makes the first's reading end the second's, too (dup2)
//   d copies the reading end, o makes another pipe and n writes to that
//   q polls without waiting, v the same by select, p waits; + puts it into the set of epoll, -
//   takes it out, w waits there for nothing
// What a thread saw is what its steps came to. Prints, per line: runs outcomes complete(0|1), an
// outcome being what all threads saw.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "searched_scripts.h"

namespace {

struct Pipe {
  int reader = -1, writer = -1;
};

struct World {
  std::vector<Pipe> pipes;
  int set = epoll_create1(0);

  ~World() {
    for (const Pipe& one : pipes) close(one.reader), close(one.writer);
    close(set);
  }
};

struct Thread {
  std::vector<std::string> steps;
  std::string saw;
  std::vector<int> made;

  ~Thread() {
    for (const int one : made) close(one);
  }
};

std::string Poll(const World& world, const std::string& numbers, int milliseconds) {
  std::vector<pollfd> asked;
  for (const char digit : numbers) {
    asked.push_back({world.pipes[static_cast<std::size_t>(digit - '0')].reader, POLLIN, 0});
  }
  poll(asked.data(), asked.size(), milliseconds);
  std::string found;
  for (const pollfd& one : asked) found += std::to_string(one.revents) + " ";
  return found;
}

std::string Select(const Pipe& one) {
  fd_set asked;
  FD_ZERO(&asked);
  FD_SET(one.reader, &asked);
  timeval none = {};
  return std::to_string(select(one.reader + 1, &asked, nullptr, nullptr, &none));
}

std::string Control(const World& world, char sign, char digit) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u32 = static_cast<std::uint32_t>(digit - '0');
  const int reader = world.pipes[event.data.u32].reader;
  return std::to_string(
      epoll_ctl(world.set, sign == '+' ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, reader, &event));
}

std::string Wait(const World& world) {
  epoll_event events[8] = {};
  const int count = epoll_wait(world.set, events, 8, 0);
  std::string told = "told";
  for (int i = 0; i < count; ++i) told += std::to_string(events[i].data.u32);
  return told;
}

std::string Do(World* world, const std::string& step, std::vector<int>* made) {
  static const char byte = 'x';
  const std::size_t nth = step.size() > 1 ? static_cast<std::size_t>(step[1] - '0') : 0;
  const Pipe& one = world->pipes[nth];
  int ends[2];
  switch (step[0]) {
    case 's':
      return std::to_string(write(one.writer, &byte, 1));
    case 'c':
      return std::to_string(close(one.reader));
    case 'D':
      return dup2(one.reader, world->pipes[static_cast<std::size_t>(step[2] - '0')].reader) >= 0
                 ? "replaced"
                 : "not";
    case 'd':
      made->push_back(dup(one.reader));
      return "";
    case 'o':
      if (pipe(ends) != 0) std::abort();
      made->insert(made->end(), {ends[0], ends[1]});
      return "";
    case 'n':
      return std::to_string(write(made->back(), &byte, 1));
    case 'q':
    case 'p':
      return Poll(*world, step.substr(1), step[0] == 'q' ? 0 : -1);
    case 'v':
      return Select(one);
    case 'w':
      return Wait(*world);
    default:
      return Control(*world, step[0], step[1]);
  }
}

void Run(const std::string& script) {
  World world;
  std::istringstream words(script);
  std::string word;
  words >> word;
  for (char left = word[0]; left > '0'; --left) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    world.pipes.push_back({ends[0], ends[1]});
  }
  std::deque<Thread> all;
  Thread before;
  while (words >> word) {
    if (word[0] == '=') {  // before there are threads
      Do(&world, word.substr(1), &before.made);
      continue;
    }
    std::istringstream steps(word);
    Thread& thread = all.emplace_back();
    for (std::string step; std::getline(steps, step, ',');) thread.steps.push_back(step);
  }
  std::deque<std::thread> threads;
  for (Thread& one : all) {
    threads.emplace_back([&world, &one] {
      for (const std::string& step : one.steps) one.saw += Do(&world, step, &one.made) + ",";
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::size_t hash = 0;
  for (const Thread& one : all) hash = hash * 31 + std::hash<std::string>()(one.saw);
  searched_scripts::Note(hash);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::signal(SIGPIPE, SIG_IGN);
  searched_scripts::Prepare();
  searched_scripts::Search(argv[1], Run);
  return 0;
}
