// Mozilla: a connection's reader is announced to the socket thread before the connection itself is
// stored where that thread looks for it. (order violation)
#include <cassert>
#include <condition_variable>
#include <thread>

#include "stir.h"

struct Connection {
  int socket = 0;
  int received = 0;
};

static Connection the_connection;
static Connection* connection = nullptr;
static std::mutex poll_lock;
static std::condition_variable poll_changed;
static int to_poll = 0;
static int polls = 0;

static void Connect() {
  Stir(1);
  the_connection.socket = 3;
  {
    const std::lock_guard guard(poll_lock);
    ++to_poll;
    poll_changed.notify_one();
  }
  StirFreely(1);
  connection = &the_connection;
  Stir(2);
}

static void SocketThread() {
  Stir(2);
  {
    std::unique_lock held(poll_lock);
    while (to_poll == 0) poll_changed.wait(held);
    --to_poll;
    ++polls;
  }
  Stir(3);
  StirFreely(2);
  connection->received = 1;
}

int main() {
  std::thread connecting(Connect), socket(SocketThread);
  connecting.join();
  socket.join();
  assert(the_connection.received == 1 && polls == 1);
}
