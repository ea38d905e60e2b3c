// Threads that use sockets, for sockets_test.py:
//
//   sockets STRATEGY < SCRIPTS     a line each: searched inside this process
//   sockets run SCRIPT PORT        one run; it chooses ports from that one on
//
// A script is a word of sockets, one letter each, and then threads, each a list of steps. Sockets:
//   t  TCP, as it was made; m bound to a port that the program chose
//   l  listens at a port that the system chose; L at one that the program chose
//   R  listens with SO_REUSEPORT, all of them at one port
//   d  UDP, at a port that the system chose; D at one that the program chose; f as it was made
//   x  Unix datagrams, at a name that the program chose; y as it was made
// Steps, with the numbers of their sockets:
//   n connects the first to the second, q polls without waiting, p waits until it can be read
//   s sends from the first to the second, S through one that is connected
//   r receives without waiting, w waits for that; a accepts without waiting, A waits for that
//   b accepts without waiting from the first of the two where somebody waits
//   c closes, h shuts down what is written; i begins to listen
//   B binds one as it was made, to a port that the program chose, o to one that the system chooses,
//   V the first to where the second is, or would be
// What a thread saw is what its steps came to. Prints, per line: runs outcomes complete(0|1), an
// outcome being what all threads saw.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "searched_scripts.h"

namespace {

constexpr int kPorts = 8;
in_port_t ports[kPorts];  // that the program chose: nobody used them when it began

struct Address {
  sockaddr_storage storage = {};
  socklen_t length = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

void Check(bool holds, const char* what) {
  if (holds) return;
  std::perror(what);
  std::abort();
}

Address AtPort(in_port_t port) {
  Address address;
  sockaddr_in in = {};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  in.sin_port = port;
  std::memcpy(&address.storage, &in, sizeof in);
  address.length = sizeof in;
  return address;
}

// In the abstract namespace: it is gone with the socket.
Address AtName(std::size_t nth) {
  Address address;
  sockaddr_un un = {};
  un.sun_family = AF_UNIX;
  const int size =
      std::snprintf(un.sun_path + 1, sizeof un.sun_path - 1, "heddle-%u-%zu", ports[0], nth);
  std::memcpy(&address.storage, &un, sizeof un);
  address.length = static_cast<socklen_t>(sizeof(sa_family_t) + 1 + static_cast<std::size_t>(size));
  return address;
}

Address LocalOf(int descriptor) {
  Address address;
  address.length = sizeof address.storage;
  Check(getsockname(descriptor, address.get(), &address.length) == 0, "getsockname");
  return address;
}

struct Socket {
  int descriptor = -1;
  Address address;  // where it was bound
};

struct World {
  std::vector<Socket> sockets;

  ~World() {
    for (const Socket& one : sockets) close(one.descriptor);
  }

  void Make(char form) {
    const std::size_t nth = sockets.size();
    const bool is_stream = std::strchr("tmlLR", form) != nullptr;
    const bool is_unix = form == 'x' || form == 'y';
    Socket one;
    one.descriptor = socket(is_unix ? AF_UNIX : AF_INET, is_stream ? SOCK_STREAM : SOCK_DGRAM, 0);
    Check(one.descriptor >= 0, "socket");
    const int yes = 1;
    if (std::strchr("mLR", form) != nullptr) {
      setsockopt(one.descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    }
    if (form == 'R') setsockopt(one.descriptor, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes);
    Address at = AtPort(0);
    if (std::strchr("mLD", form) != nullptr) at = AtPort(ports[nth]);
    if (form == 'R') at = AtPort(ports[kPorts - 1]);
    if (form == 'x') at = AtName(nth);
    if (std::strchr("mlLRdDx", form) != nullptr) {
      Check(bind(one.descriptor, at.get(), at.length) == 0, "bind");
      one.address = LocalOf(one.descriptor);
    }
    if (form == 'f' || form == 't')
      one.address = AtPort(ports[nth]);  // where it is bound by a step
    if (std::strchr("lLR", form) != nullptr) Check(listen(one.descriptor, 8) == 0, "listen");
    sockets.push_back(one);
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

std::string Said(long result) {
  return std::to_string(result < 0 ? -errno : static_cast<int>(result));
}

std::string Poll(int descriptor, short events, int milliseconds) {
  pollfd one = {descriptor, events, 0};
  poll(&one, 1, milliseconds);
  return std::to_string(one.revents);
}

std::string Do(const World& world, const std::string& step, std::vector<int>* made) {
  const Socket& one = world.sockets[static_cast<std::size_t>(step[1] - '0')];
  const Socket& other =
      world.sockets[step.size() > 2 ? static_cast<std::size_t>(step[2] - '0') : 0];
  const int flags = MSG_NOSIGNAL | MSG_DONTWAIT;
  char byte = step[1];
  switch (step[0]) {
    case 'n':
      return Said(connect(one.descriptor, other.address.get(), other.address.length));
    case 'q':
      return Poll(one.descriptor, POLLIN | POLLOUT, 0);
    case 'p':
      return Poll(one.descriptor, POLLIN, -1);
    case 's':
      return Said(
          sendto(one.descriptor, &byte, 1, flags, other.address.get(), other.address.length));
    case 'S':
      return Said(send(one.descriptor, &byte, 1, flags));
    case 'r':
    case 'w': {
      const long got = recv(one.descriptor, &byte, 1, step[0] == 'r' ? flags : 0);
      return Said(got) + (got > 0 ? std::string(1, byte) : "");
    }
    case 'a':
    case 'A': {
      if (step[0] == 'a' && (Poll(one.descriptor, POLLIN, 0) == "0")) return "nobody";
      const int accepted = accept(one.descriptor, nullptr, nullptr);
      if (accepted >= 0) made->push_back(accepted);
      return accepted >= 0 ? "accepted" : Said(accepted);
    }
    case 'b': {
      pollfd both[2] = {{one.descriptor, POLLIN, 0}, {other.descriptor, POLLIN, 0}};
      if (poll(both, 2, 0) <= 0) return "nobody";
      const int accepted = accept(both[both[0].revents != 0 ? 0 : 1].fd, nullptr, nullptr);
      if (accepted >= 0) made->push_back(accepted);
      return "accepted";
    }
    case 'i':
      return Said(listen(one.descriptor, 8));
    case 'B':
      return Said(bind(one.descriptor, one.address.get(), one.address.length));
    case 'V':
      return Said(bind(one.descriptor, other.address.get(), other.address.length));
    case 'o': {
      const Address any = AtPort(0);
      return Said(bind(one.descriptor, any.get(), any.length));
    }
    case 'c':
      return Said(close(one.descriptor));
    default:
      return Said(shutdown(one.descriptor, SHUT_WR));
  }
}

void Run(const std::string& script) {
  World world;
  std::istringstream words(script);
  std::string word;
  words >> word;
  for (const char form : word) world.Make(form);
  std::deque<Thread> all;
  Thread before;
  while (words >> word) {
    if (word[0] == '=') {  // before there are threads
      Do(world, word.substr(1), &before.made);
      continue;
    }
    std::istringstream steps(word);
    Thread& thread = all.emplace_back();
    for (std::string step; std::getline(steps, step, ',');) thread.steps.push_back(step);
  }
  std::deque<std::thread> threads;
  for (Thread& one : all) {
    threads.emplace_back([&world, &one] {
      for (const std::string& step : one.steps) one.saw += Do(world, step, &one.made) + ",";
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::string saw;
  for (const Thread& one : all) saw += one.saw + " | ";
  const std::size_t hash = std::hash<std::string>()(saw);
  searched_scripts::Note(hash);
}

bool IsFree(in_port_t port) {
  bool is_free = true;
  for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
    const int one = socket(AF_INET, type, 0);
    const Address at = AtPort(port);
    is_free = is_free && bind(one, at.get(), at.length) == 0;
    close(one);
  }
  return is_free;
}

// Below those that the system gives to who connects.
constexpr int kFirst = 12000, kLast = 32000;

void ChoosePorts(int next) {
  for (in_port_t& port : ports) {
    do {
      port = htons(static_cast<in_port_t>(next));
      next = next + 1 < kLast ? next + 1 : kFirst;
    } while (!IsFree(port));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::signal(SIGPIPE, SIG_IGN);
  ChoosePorts(argc > 3 ? std::atoi(argv[3]) : kFirst + getpid() * kPorts % (kLast - kFirst));
  searched_scripts::Prepare();
  if (argc > 2) return Run(argv[2]), 0;
  searched_scripts::Search(argv[1], Run);
  return 0;
}
