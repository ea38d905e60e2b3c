// A std::thread that is destroyed, or assigned to, while it is joinable ends the program.
// RUN: heddle run --runs=50 -- destroyed
// EXPECT: kind=misuse, any-schedule, output~a joinable std::thread
// RUN: heddle run --runs=50 -- assigned
// EXPECT: kind=misuse, any-schedule
// RUN: heddle run --runs=50 --keep-going -- joined
// EXPECT: clean
// RUN: heddle run --runs=50 -- terminate
// EXPECT: kind=crash, any-schedule, output~SIGABRT
#include <exception>
#include <string>
#include <thread>

int main(int, char** words) {
  const std::string what = words[1];
  std::thread thread([] {});
  if (what == "assigned") thread = std::thread();
  if (what != "destroyed") thread.join();
  if (what == "terminate") std::terminate();
}
