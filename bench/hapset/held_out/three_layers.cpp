// A registry, a session and its journal, each with a lock: opening goes from registry to session,
// writing from session to journal; a journal that is full asks the registry for another one.
// (deadlock of three locks, in three functions)
#include <thread>

#include "../stir.h"

static std::mutex registry, session, journal;
static int sessions = 0, entries = 1, journals = 1;

static void Open() {
  Stir(1);
  const std::lock_guard guard(registry);
  StirFreely(1);
  const std::lock_guard inner(session);
  ++sessions;
}

static void Write() {
  Stir(2);
  const std::lock_guard guard(session);
  const std::lock_guard inner(journal);
  ++entries;
}

static void Rotate() {
  StirFreely(2);
  const std::lock_guard guard(journal);
  if (entries == 0) return;
  const std::lock_guard inner(registry);
  ++journals;
  entries = 0;
}

int main() {
  std::thread a(Open), b(Write), c(Rotate);
  a.join();
  b.join();
  c.join();
}
