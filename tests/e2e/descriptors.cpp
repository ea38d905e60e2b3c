// Threads that use descriptors as a script says, for descriptors_test.py:
//
//   descriptors SCRIPT                         once, for `heddle run`
//   descriptors explore STRATEGY < SCRIPTS     a line each: searched inside this process
//
// A script names its channels and then its threads, e.g. "pp s0 s1,p01": two pipes, one thread that
// writes to each of them, one that waits for either. Channels: p a pipe, f a pipe with room for one
// message, e an eventfd, u one direction of a pair of sockets (the next u is the other), t and i
// the same of a connection (TCP, Unix), l a listener (TCP), m and j one that lets a single one wait
// (TCP, Unix), d a datagram socket (UDP), g a pair of them and k one of packets (Unix), b a pipe
// whose reading end has a copy. Steps, each with the numbers of its channels:
//   s writes, r reads, c closes the writer's end (of both directions), n connects, a accepts
//   p polls until one can be read, q does not wait, d waits for a while, o until one can be written
//   v as p, by select; x polls as p and reads what can be read first
// Sets of epoll come into being with what is put into them, set 2 with a timer that nobody sets;
// the first number is the set's:
//   +SC and how: l by level, e by edge, o once, b by edge and once; ~ the same, changed; - taken
//   out w waits for one event, W for up to eight, k does not wait (for one); z as w, Z as W, and
//   reads from what is told first
// The second form prints, per line: runs classes redundant complete(0|1).
#include <fcntl.h>
#include <heddle/heddle.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

constexpr int kPage = 4096;

void Check(bool holds) {
  if (!holds) std::abort();
}

struct Channel {
  char form = 'p';
  int reader = -1, writer = -1;
};

// All that the threads share, made anew for every run.
struct World {
  std::vector<Channel> channels;
  std::deque<int> made;      // by steps
  std::map<char, int> sets;  // of epoll

  // What is closed already is closed once more: there is nobody left.
  ~World() {
    for (const Channel& channel : channels) close(channel.reader), close(channel.writer);
    for (const int one : made) close(one);
    for (const auto& [name, set] : sets) close(set);
  }
};

int Listener(bool is_tcp, int backlog = 16) {
  const int listener = socket(is_tcp ? AF_INET : AF_UNIX, SOCK_STREAM, 0);
  sockaddr_storage address = {};
  socklen_t length = sizeof(sa_family_t);
  address.ss_family = is_tcp ? AF_INET : AF_UNIX;
  if (is_tcp) {
    reinterpret_cast<sockaddr_in*>(&address)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    length = sizeof(sockaddr_in);
  }
  Check(bind(listener, reinterpret_cast<sockaddr*>(&address), length) == 0);
  Check(listen(listener, backlog) == 0);
  return listener;
}

int ConnectTo(int listener) {
  sockaddr_storage address = {};
  socklen_t length = sizeof address;
  Check(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  const int client = socket(address.ss_family, SOCK_STREAM, 0);
  Check(connect(client, reinterpret_cast<sockaddr*>(&address), length) == 0);
  return client;
}

// One end that was made at once, one that was accepted.
std::pair<int, int> Connection(bool is_tcp) {
  const int listener = Listener(is_tcp);
  const int client = ConnectTo(listener);
  const int accepted = accept(listener, nullptr, nullptr);
  Check(accepted >= 0 && close(listener) == 0);
  return {client, accepted};
}

// One that receives, and one that sends to it.
std::pair<int, int> Datagrams() {
  const int receiver = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  Check(bind(receiver, reinterpret_cast<sockaddr*>(&address), length) == 0);
  Check(getsockname(receiver, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  const int sender = socket(AF_INET, SOCK_DGRAM, 0);
  Check(connect(sender, reinterpret_cast<sockaddr*>(&address), length) == 0);
  return {receiver, sender};
}

void Open(const std::string& forms, World* world) {
  for (std::size_t i = 0; i < forms.size(); ++i) {
    Channel channel = {forms[i]};
    int ends[2] = {-1, -1};
    const bool is_second =
        i > 0 && std::strchr("uti", forms[i]) != nullptr && world->channels[i - 1].form == forms[i];
    switch (forms[i]) {
      case 'p':
      case 'f':
      case 'b':
        Check(pipe(ends) == 0);
        if (forms[i] == 'b') world->made.push_back(dup(ends[0]));
        if (forms[i] == 'f') Check(fcntl(ends[1], F_SETPIPE_SZ, kPage) == kPage);
        break;
      case 'l':
        ends[0] = ends[1] = Listener(true);
        break;
      case 'm':
      case 'j':
        ends[0] = ends[1] = Listener(forms[i] == 'm', 0);
        break;
      case 'g':
      case 'k':
        Check(socketpair(AF_UNIX, forms[i] == 'g' ? SOCK_DGRAM : SOCK_SEQPACKET, 0, ends) == 0);
        break;
      case 'e':
        ends[0] = ends[1] = eventfd(0, EFD_SEMAPHORE);
        break;
      case 'd':
        std::tie(ends[0], ends[1]) = Datagrams();
        break;
      default:
        if (is_second) {
          channel.form = 'U';  // its pair is complete
          ends[0] = world->channels[i - 1].writer;
          ends[1] = world->channels[i - 1].reader;
        } else if (forms[i] == 'u') {
          Check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
        } else {
          const auto [client, accepted] = Connection(forms[i] == 't');
          ends[0] = accepted;
          ends[1] = client;
        }
    }
    channel.reader = ends[0];
    channel.writer = ends[1];
    world->channels.push_back(channel);
  }
}

void Write(const Channel& channel) {
  static const char page[kPage] = {};
  const eventfd_t one = 1;
  const std::size_t size = channel.form == 'e' ? sizeof one : channel.form == 'f' ? kPage : 1;
  const void* const from = channel.form == 'e' ? static_cast<const void*>(&one) : page;
  Check(write(channel.writer, from, size) == static_cast<ssize_t>(size));
}

void Read(const Channel& channel) {
  char page[kPage];
  const std::size_t size = channel.form == 'e'   ? sizeof(eventfd_t)
                           : channel.form == 'f' ? kPage
                                                 : 1;
  Check(read(channel.reader, page, size) >= 0);
}

using Chosen = std::vector<const Channel*>;

// Which can be used first; -1: none.
int Poll(const Chosen& chosen, short events, int milliseconds) {
  std::vector<pollfd> asked;
  for (const Channel* const one : chosen) {
    asked.push_back({events == POLLIN ? one->reader : one->writer, events, 0});
  }
  Check(poll(asked.data(), asked.size(), milliseconds) >= 0);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i].revents != 0) return static_cast<int>(i);
  }
  return -1;
}

void Select(const Chosen& chosen) {
  fd_set asked;
  FD_ZERO(&asked);
  int most = 0;
  for (const Channel* const one : chosen) {
    FD_SET(one->reader, &asked);
    most = one->reader > most ? one->reader : most;
  }
  Check(select(most + 1, &asked, nullptr, nullptr, nullptr) > 0);
}

std::size_t NumberOf(char digit) { return static_cast<std::size_t>(digit - '0'); }

void Control(World* world, const std::string& step) {
  epoll_event event = {};
  event.data.u32 = static_cast<std::uint32_t>(NumberOf(step[2]));
  event.events = EPOLLIN;
  const char how = step.size() > 3 ? step[3] : 'l';
  if (how == 'e' || how == 'b') event.events |= EPOLLET;
  if (how == 'o' || how == 'b') event.events |= EPOLLONESHOT;
  const int operation = step[0] == '+'   ? EPOLL_CTL_ADD
                        : step[0] == '~' ? EPOLL_CTL_MOD
                                         : EPOLL_CTL_DEL;
  const int descriptor = world->channels[NumberOf(step[2])].reader;
  Check(epoll_ctl(world->sets.at(step[1]), operation, descriptor, &event) == 0);
}

// Which channel was told first; -1: none.
int Wait(World* world, char set, int most, int milliseconds) {
  epoll_event events[8] = {};
  const int told = epoll_wait(world->sets.at(set), events, most, milliseconds);
  Check(told > 0 || milliseconds == 0);
  return told > 0 ? static_cast<int>(events[0].data.u32) : -1;
}

void DoWithSet(World* world, const std::string& step) {
  const bool is_for_one = step[0] == 'w' || step[0] == 'z' || step[0] == 'k';
  if (std::strchr("+~-", step[0]) != nullptr) return Control(world, step);
  const int told = Wait(world, step[1], is_for_one ? 1 : 8, step[0] == 'k' ? 0 : -1);
  if (step[0] == 'z' || step[0] == 'Z') Read(world->channels[static_cast<std::size_t>(told)]);
}

// `made`: a descriptor that comes of it.
void Do(World* world, const std::string& step, int* made) {
  if (std::strchr("+~-wWkzZ", step[0]) != nullptr) return DoWithSet(world, step);
  Chosen chosen;
  for (const char digit : step.substr(1)) chosen.push_back(&world->channels[NumberOf(digit)]);
  switch (step[0]) {
    case 's':
      return Write(*chosen[0]);
    case 'r':
      return Read(*chosen[0]);
    case 'c':
      Check(close(chosen[0]->writer) == 0);
      return;
    case 'n':
      *made = ConnectTo(chosen[0]->reader);
      return;
    case 'a':
      *made = accept(chosen[0]->reader, nullptr, nullptr);
      Check(*made >= 0);
      return;
    case 'p':
      Poll(chosen, POLLIN, -1);
      return;
    case 'q':
      Poll(chosen, POLLIN, 0);
      return;
    case 'd':
      Poll(chosen, POLLIN, 1000);
      return;
    case 'o':
      Poll(chosen, POLLOUT, -1);
      return;
    case 'v':
      return Select(chosen);
    case 'x':
      return Read(*chosen[static_cast<std::size_t>(Poll(chosen, POLLIN, -1))]);
    default:
      std::abort();
  }
}

void Run(const std::string& script) {
  World world;
  std::istringstream words(script);
  std::string word;
  words >> word;
  Open(word, &world);
  for (std::size_t at = script.find('+'); at != std::string::npos; at = script.find('+', at + 1)) {
    const char name = script[at + 1];
    if (world.sets.count(name) != 0) continue;
    world.sets[name] = epoll_create1(0);
    if (name != '2') continue;
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.u32 = 99;
    world.made.push_back(timerfd_create(CLOCK_MONOTONIC, 0));
    Check(epoll_ctl(world.sets[name], EPOLL_CTL_ADD, world.made.back(), &event) == 0);
  }
  std::deque<std::thread> threads;
  while (words >> word) {
    if (word[0] == '=') {  // before there are threads
      Do(&world, word.substr(1), &world.made.emplace_back(-1));
      continue;
    }
    std::istringstream steps(word);  // not in the thread: its first use is an event
    std::vector<std::string> all;
    for (std::string step; std::getline(steps, step, ',');) all.push_back(step);
    std::vector<int*> made;
    for (std::size_t i = 0; i < all.size(); ++i) made.push_back(&world.made.emplace_back(-1));
    threads.emplace_back([&world, all, made] {
      for (std::size_t i = 0; i < all.size(); ++i) Do(&world, all[i], made[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

int ExploreAll(const char* strategy) {
  for (std::string script; std::getline(std::cin, script);) {
    const heddle::Result result = heddle::Explore({.strategy = strategy,
                                                   .runs = 1'000'000,
                                                   .keep_going = true,
                                                   .on_finding = heddle::kReturn},
                                                  [&] { Run(script); });
    std::printf("%llu %llu %llu %d\n", static_cast<unsigned long long>(result.runs),
                static_cast<unsigned long long>(result.classes),
                static_cast<unsigned long long>(result.blocked_runs), result.complete ? 1 : 0);
    if (!result.error.empty()) std::printf("error %s\n", result.error.c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "explore") return ExploreAll(argv[2]);
  if (argc != 2) return 2;
  Run(argv[1]);
  return 0;
}
