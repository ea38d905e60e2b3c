// What nobody may do to the objects of <heddle/sync.h>: a finding that says so, with its schedule.
// RUN: heddle run --strategy=reachability -- unlock
// EXPECT: kind=misuse, output~unlock by a thread that does not hold the lock
// RUN: heddle run --strategy=reachability -- unheld
// EXPECT: kind=misuse, any-schedule, output~unlock of a lock that nobody holds
// RUN: heddle run --strategy=reachability -- signal
// EXPECT: kind=misuse, any-schedule, output~signal by a thread outside the monitor
// RUN: heddle run --strategy=reachability -- wait
// EXPECT: kind=misuse, any-schedule, output~wait by a thread outside the monitor
// RUN: heddle run --strategy=reachability -- receivers
// EXPECT: kind=misuse, any-schedule, output~a second thread receives from the port
// RUN: heddle run --strategy=reachability -- alternatives
// EXPECT: kind=misuse, any-schedule, output~two alternatives for one port
// RUN: heddle run --strategy=reachability -- close
// EXPECT: kind=misuse, any-schedule, output~closed while in use
// RUN: heddle run --strategy=reachability -- closed-guards
// EXPECT: kind=exception, any-schedule, output~all guards are closed
#include <heddle/heddle.h>
#include <heddle/sync.h>

#include <string>

namespace {

heddle::Lock held;
heddle::Lock guard;
bool taken = false;
heddle::MonitorSC monitor;
heddle::Condition condition(monitor);
heddle::AsyncPort<int> port;

void Take() {
  held.lock();
  guard.lock();
  taken = true;
  guard.unlock();
  guard.lock();
  taken = false;
  guard.unlock();
  held.unlock();
}

// Only if it comes while the other holds the lock.
void Unlock() {
  guard.lock();
  const bool seen = taken;
  guard.unlock();
  if (seen) held.unlock();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "unlock") {
    heddle::Concurrently(Take, Unlock);
  } else if (what == "unheld") {
    heddle::Concurrently([] { held.unlock(); }, [] {});
  } else if (what == "signal") {
    heddle::Concurrently([] { condition.Signal(); }, [] {});
  } else if (what == "wait") {
    heddle::Concurrently([] { condition.Wait(); }, [] {});
  } else if (what == "receivers") {
    port.Send(1);
    port.Send(2);
    heddle::Concurrently([] { port.Receive(); }, [] { port.Receive(); });
  } else if (what == "alternatives") {
    port.Send(1);
    heddle::Concurrently([] { heddle::Select().On(port, [](int) {}).On(port, [](int) {}).Wait(); },
                         [] {});
  } else if (what == "close") {
    heddle::Concurrently(
        [] {
          port.Send(1);
          port.Close();
        },
        [] {});
  } else {
    heddle::Concurrently([] { heddle::Select().When(false, port, [](int) {}).Wait(); }, [] {});
  }
  return 0;
}
