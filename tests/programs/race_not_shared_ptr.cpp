// The last owner of a shared_ptr destroys what others have only read: the count orders it.
// RUN: heddle run --runs=300
// EXPECT: clean
#include <memory>
#include <string>
#include <thread>

struct Payload {
  std::string text = "long enough to live on the heap, for certain";
  ~Payload() { text.clear(); }
};

int main() {
  auto owner = std::make_shared<Payload>();
  std::weak_ptr<Payload> weak = owner;
  const auto use = [](std::shared_ptr<Payload> mine) {
    if (mine->text.size() < 10) __builtin_abort();
  };
  std::thread a(use, owner);
  std::thread b(use, owner);
  owner.reset();
  if (auto again = weak.lock()) use(std::move(again));
  a.join();
  b.join();
}
