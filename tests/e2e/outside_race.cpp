// Two threads ask a server each, and write down what it says without a lock.
//
//   outside_race PORT
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <thread>

namespace {

int heard = 0;  // not as it should be done

void Ask(int port) {
  const int to = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (connect(to, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::_Exit(9);
  char line[64];
  if (send(to, "hello\n", 6, 0) != 6 || recv(to, line, sizeof line, 0) <= 0) std::_Exit(9);
  ++heard;
  close(to);
}

}  // namespace

int main(int, char** argv) {
  const int port = std::atoi(argv[1]);
  std::thread other(Ask, port);
  Ask(port);
  other.join();
}
