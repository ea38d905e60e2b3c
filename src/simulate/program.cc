#include "simulate/program.h"

#include <algorithm>

namespace heddle::simulate {

int Program::ObjectCount() const {
  std::size_t count = initial.size();
  for (const std::vector<Step>& thread : threads) {
    for (const Step& step : thread) {
      if (TouchesNoObject(step.kind)) continue;
      count = std::max<std::size_t>(count, step.object + 1u);
      count = std::max<std::size_t>(count, step.mutex + 1u);
      count = std::max<std::size_t>(count, static_cast<std::size_t>(step.clock + 1));
    }
  }
  return static_cast<int>(count);
}

int Program::StepCount() const {
  std::size_t count = 0;
  for (const std::vector<Step>& thread : threads) count += thread.size();
  return static_cast<int>(count);
}

std::uint64_t Program::InitialThreads() const {
  std::uint64_t started = 0;
  for (const std::vector<Step>& thread : threads) {
    for (const Step& step : thread) {
      if (step.kind == OpKind::kCreate) started |= std::uint64_t{1} << step.thread;
    }
  }
  const std::uint64_t all =
      threads.size() >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << threads.size()) - 1;
  return all & ~started;
}

}  // namespace heddle::simulate
