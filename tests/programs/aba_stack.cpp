// ABA in a Treiber stack: a pop that was prepared long ago succeeds, because the node it remembers is
// on top again, at the same address but with another successor. It needs malloc to hand the address
// out again.
// RUN: heddle run --strategy=dfs --runs=20000 --reuse=explore
// EXPECT: kind=use-after-free
// RUN: heddle run --strategy=dfs --runs=20000 --reuse=never
// EXPECT: clean, complete, not-native
#include <atomic>
#include <thread>

struct Node {
  std::atomic<Node*> next{nullptr};
};
std::atomic<Node*> top{nullptr};

void Push(Node* node) {
  Node* old = top.load();
  do {
    node->next.store(old);
  } while (!top.compare_exchange_strong(old, node));
}

Node* Pop() {
  Node* old = top.load();
  while (old != nullptr && !top.compare_exchange_strong(old, old->next.load())) {
  }
  return old;
}

int main() {
  Node* const c = new Node;
  Push(c);
  Node* const b = new Node;
  Push(b);
  Node* const a = new Node;
  Push(a);
  // The slow one has looked at the stack already.
  std::thread slow([a, b] {
    Node* expected = a;
    top.compare_exchange_strong(expected, b);
  });
  std::thread fast([] {
    Node* const first = Pop();
    Node* const second = Pop();
    delete second;
    delete first;
    Push(new Node);
  });
  slow.join();
  fast.join();
  int length = 0;
  for (Node* node = top.load(); node != nullptr; node = node->next.load()) ++length;
  return length > 3 ? 1 : 0;
}
