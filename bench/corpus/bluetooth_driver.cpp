// A driver that may be stopped while a request comes in: the flag is looked at before the request
// is counted, so the driver can stop in between. (after the Windows Bluetooth driver model of
// KISS/CHESS)
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> pending_io = 1;
std::atomic<bool> stopping = false;
std::atomic<bool> stop_event = false;
std::atomic<bool> stopped = false;

bool Enter() {
#ifdef FIXED
  ++pending_io;
  if (!stopping) return true;
  if (--pending_io == 0) stop_event = true;
  return false;
#else
  if (stopping) return false;
  ++pending_io;
  return true;
#endif
}

void Leave() {
  if (--pending_io == 0) stop_event = true;
}

void AddRequest() {
  if (!Enter()) return;
  assert(!stopped);
  Leave();
}

void Stop() {
  stopping = true;
  Leave();
  if (stop_event) stopped = true;
}

int main() {
  std::thread stop(Stop);
  AddRequest();
  stop.join();
}
