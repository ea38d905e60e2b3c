// What goes on at a port that the program chose, or in a file: shared_places SHAPE PLACE.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

namespace {

sockaddr_in address = {};
const sockaddr* At() { return reinterpret_cast<const sockaddr*>(&address); }

int Bound(int type) {
  const int here = socket(AF_INET, type, 0);
  assert(bind(here, At(), sizeof address) == 0);
  return here;
}

// The server ends connections first, so the system remembers them there for a minute.
void Connections() {
  const int listener = Bound(SOCK_STREAM);
  assert(listen(listener, 5) == 0);
  std::thread server([&] {
    for (int i = 0; i < 2; ++i) {
      const int one = accept(listener, nullptr, nullptr);
      char byte;
      assert(read(one, &byte, 1) == 1 && write(one, &byte, 1) == 1);
      close(one);
    }
  });
  const auto ask = [](char question) {
    const int here = socket(AF_INET, SOCK_STREAM, 0);
    assert(connect(here, At(), sizeof address) == 0);
    char answer = 0, more;
    assert(write(here, &question, 1) == 1 && read(here, &answer, 1) == 1 && answer == question);
    assert(read(here, &more, 1) == 0);
    close(here);
  };
  std::thread client([&] { ask('a'); });
  ask('b');
  client.join();
  server.join();
  close(listener);
}

char FirstOfTwoDatagrams() {
  const int here = Bound(SOCK_DGRAM);
  const auto send = [](char byte) {
    const int from = socket(AF_INET, SOCK_DGRAM, 0);
    assert(sendto(from, &byte, 1, 0, At(), sizeof address) == 1);
    close(from);
  };
  std::thread one([&] { send('a'); });
  std::thread other([&] { send('b'); });
  char first = 0, second = 0;
  assert(recv(here, &first, 1, 0) == 1 && recv(here, &second, 1, 0) == 1);
  one.join();
  other.join();
  close(here);
  assert(first + second == 'a' + 'b');
  return first;
}

// Only in some runs is anybody there: the first ones of a search need not tell.
void Sometimes() {
  std::atomic<int> steps = 0;
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) ++steps;
  });
  if (steps == 2) {
    const int here = Bound(SOCK_DGRAM);
    for (int i = 0; i < 200; ++i) ++steps;
    close(here);
  }
  other.join();
}

void Twice() {
  std::thread other([] {});
  const int listener = Bound(SOCK_STREAM);
  const int second = socket(AF_INET, SOCK_STREAM, 0);
  assert(bind(second, At(), sizeof address) == -1 && errno == EADDRINUSE);
  other.join();
  close(second);
  close(listener);
}

// As a test would that has not heard of runs side by side.
void Append(const std::string& path) {
  std::ofstream(path, std::ios::trunc).close();
  std::mutex mutex;
  const auto append = [&] {
    for (int i = 0; i < 3; ++i) {
      const std::lock_guard lock(mutex);
      std::ofstream(path, std::ios::app) << "line\n";
    }
  };
  std::thread one(append), other(append);
  one.join();
  other.join();
  std::ifstream file(path);
  int lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  assert(lines == 6);
  assert(unlink(path.c_str()) == 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string shape = argv[1];
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(argv[2])));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (shape == "connections") Connections();
  if (shape == "datagrams") FirstOfTwoDatagrams();
  if (shape == "in-order") assert(FirstOfTwoDatagrams() == 'a');
  if (shape == "sometimes") Sometimes();
  if (shape == "twice") Twice();
  if (shape == "file") Append(argv[2]);
  if (shape == "temporary-file") Append(std::string(std::getenv("TMPDIR")) + "/lines");
}
