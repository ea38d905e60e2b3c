// What the program says must happen in the end: heddle::Hot(name) until heddle::Cold(name).
#ifndef HEDDLE_RUNTIME_SCHEDULER_MONITORS_H_
#define HEDDLE_RUNTIME_SCHEDULER_MONITORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"

namespace heddle {

class Scheduler;

class Monitors {
 public:
  void Begin() { hot_.clear(); }
  void Hot(const char* name, ThreadId thread, std::uint64_t site);
  void Cold(const char* name);
  // The run is over, or it is fair and was given up: ends it with a failure when something is hot.
  void CheckAtEnd(Scheduler* scheduler);

 private:
  struct Monitor {
    std::string name;
    ThreadId thread = kNoThread;
    std::uint64_t site = 0;  // that made it hot
  };
  std::vector<Monitor> hot_;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_MONITORS_H_
