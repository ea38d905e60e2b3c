// A server that logs under its cache's lock, a logger that asks for the level under the log's lock,
// and a reload that empties the cache under the configuration's lock. (deadlock of three locks)
#include <thread>

#include "../stir.h"

static std::mutex cache, log_file, config;
static int cached = 0, lines = 0, level = 1;

static int Level() {
  const std::lock_guard guard(config);
  return level;
}

static void Log() {
  const std::lock_guard guard(log_file);
  if (Level() > 0) ++lines;
}

static void Serve() {
  for (int i = 0; i < 2; ++i) {
    Stir(i);
    const std::lock_guard guard(cache);
    if (++cached == 2) Log();
  }
}

static void Reload() {
  Stir(1);
  const std::lock_guard guard(config);
  level = 2;
  const std::lock_guard inner(cache);
  cached = 1;
}

static void Tick() {
  StirFreely(2);
  Log();
}

int main() {
  std::thread server(Serve), reloader(Reload), ticker(Tick);
  server.join();
  reloader.join();
  ticker.join();
}
