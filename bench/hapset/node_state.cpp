// Mozilla: a thread looks at its own node as soon as it runs; its creator fills the node in when
// the creation has returned. (order violation)
#include <cassert>
#include <thread>

#include "stir.h"

struct Node {
  int state = 0;
  int priority = 0;
};

static Node* node = nullptr;
static Node the_node;
static std::mutex table_lock;
static int registered = 0;

static void Main() {
  Stir(1);
  {
    const std::lock_guard guard(table_lock);
    ++registered;
  }
  StirFreely(2);
  node->state = 2;
  Stir(2);
}

static void Init() {
  Stir(2);
  the_node.priority = 1;
  node = &the_node;
  {
    const std::lock_guard guard(table_lock);
    ++registered;
  }
  Stir(3);
}

int main() {
  std::thread creator(Init), created(Main);
  creator.join();
  created.join();
  assert(registered == 2);
}
