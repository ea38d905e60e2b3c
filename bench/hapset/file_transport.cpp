// Mozilla: a transport that is cancelled takes its own monitor and then the service's lock; the
// service, suspending all of its transports, takes them the other way round. (deadlock)
#include <thread>

#include "stir.h"

static std::mutex transport_lock;
static std::mutex service_lock;
static int state = 0;
static int active = 1;

static void Cancel() {
  Stir(1);
  const std::lock_guard transport(transport_lock);
  state = 2;
  StirFreely(1);
  {
    const std::lock_guard service(service_lock);
    --active;
  }
  Stir(2);
}

static void SuspendAll() {
  Stir(2);
  StirFreely(2);
  const std::lock_guard service(service_lock);
  if (active > 0) {
    const std::lock_guard transport(transport_lock);
    if (state == 0) state = 1;
  }
  Stir(3);
}

int main() {
  std::thread canceller(Cancel), suspender(SuspendAll);
  canceller.join();
  suspender.join();
}
