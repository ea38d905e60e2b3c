// A server whose configuration is replaced while it runs: a request takes the pointer, does
// something else, and uses it after the old configuration has been taken out of service. (atomicity
// violation)
#include <cassert>
#include <thread>

#include "../stir.h"

struct Config {
  int port = 0;
  bool in_service = true;
};

static Config first{1, true}, second{2, true};
static Config* config = &first;
static std::mutex config_lock;

static Config* Current() {
  const std::lock_guard guard(config_lock);
  return config;
}

static void Serve() {
  for (int i = 0; i < 2; ++i) {
    Config* const mine = Current();
    Stir(i + 1);
    assert(mine->in_service);
    StirFreely(mine->port);
  }
}

static void Reload() {
  Stir(1);
  Config* old = nullptr;
  {
    const std::lock_guard guard(config_lock);
    old = config;
    config = &second;
  }
  Stir(2);
  old->in_service = false;  // nobody asked whether it is in use
}

int main() {
  std::thread server(Serve), reloader(Reload);
  server.join();
  reloader.join();
}
