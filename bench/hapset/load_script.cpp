// Mozilla: the script being compiled is kept in a global, set before compiling and used when that
// is done; another thread that finishes its own resets it. (atomicity violation)
#include <cassert>
#include <thread>

#include "stir.h"

struct Script {
  int source = 0;
  int compiled = 0;
};

static Script scripts[2];
static Script* current = nullptr;
static std::mutex cache_lock;
static int cached = 0;

static void Compile(Script* script, int source) {
  Stir(source);
  script->source = source;
  {
    const std::lock_guard guard(cache_lock);
    ++cached;
  }
}

static void LoadScript(int index) {
  current = &scripts[index];
  Stir(index + 1);
  Compile(&scripts[index], index + 1);
  StirFreely(index);
  current->compiled = 1;
}

static void OnComplete() {
  Stir(3);
  StirFreely(2);
  {
    const std::lock_guard guard(cache_lock);
    if (cached > 1) --cached;
  }
  current = nullptr;
  Stir(1);
}

int main() {
  current = &scripts[1];
  std::thread loader(LoadScript, 0), finisher(OnComplete);
  loader.join();
  finisher.join();
  assert(scripts[0].compiled == 1);
}
