// A sender numbers its messages under a lock and queues them under another: two senders may queue
// theirs in the other order. (atomicity violation over two locks)
#include <cassert>
#include <thread>

#include "../stir.h"

static std::mutex number_lock, queue_lock;
static int next_number = 1;
static int queued[4];
static int length = 0;

static void Send(int n) {
  Stir(n);
  int number = 0;
  {
    const std::lock_guard guard(number_lock);
    number = next_number++;
  }
  StirFreely(n);
  const std::lock_guard guard(queue_lock);
  queued[length++] = number;
  assert(length < 2 || queued[length - 2] < number);
}

int main() {
  std::thread a(Send, 1), b(Send, 2);
  a.join();
  b.join();
}
