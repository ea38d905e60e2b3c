// Mozilla's cache: opening a stream locks the entry and then the service, closing the descriptor
// the service and then the entry; a third thread visits both, one after the other. (deadlock)
#include <thread>

#include "stir.h"

static std::mutex entry_lock;
static std::mutex service_lock;
static int streams = 0;
static int descriptors = 1;
static int visits = 0;

static void OpenInputStream() {
  Stir(1);
  const std::lock_guard entry(entry_lock);
  ++streams;
  StirFreely(1);
  const std::lock_guard service(service_lock);
  ++descriptors;
}

static void CloseDescriptor() {
  Stir(2);
  const std::lock_guard service(service_lock);
  --descriptors;
  StirFreely(2);
  const std::lock_guard entry(entry_lock);
  if (streams > 0) --streams;
}

static void Visit() {
  {
    const std::lock_guard service(service_lock);
    ++visits;
  }
  Stir(3);
  const std::lock_guard entry(entry_lock);
  ++visits;
}

int main() {
  std::thread opener(OpenInputStream), closer(CloseDescriptor), visitor(Visit);
  opener.join();
  closer.join();
  visitor.join();
  return visits == 2 ? 0 : 1;
}
