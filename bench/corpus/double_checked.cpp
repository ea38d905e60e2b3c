// Double-checked initialisation that publishes the object before it is filled in.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Config {
  std::atomic<int> size = 0;
};

std::mutex lock;
std::atomic<Config*> instance = nullptr;

Config* Get() {
  if (Config* config = instance) return config;
  const std::lock_guard guard(lock);
  if (Config* config = instance) return config;
  Config* const made = new Config;
#ifdef FIXED
  made->size = 64;
  instance = made;
#else
  instance = made;
  made->size = 64;
#endif
  return made;
}

void Use() { assert(Get()->size == 64); }

int main() {
  std::thread one(Use), other(Use);
  one.join();
  other.join();
}
