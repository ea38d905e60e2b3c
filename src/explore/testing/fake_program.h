// The fake worker as a program to run; see fake_worker.cc for its modes.
#ifndef HEDDLE_EXPLORE_TESTING_FAKE_PROGRAM_H_
#define HEDDLE_EXPLORE_TESTING_FAKE_PROGRAM_H_

#include <string>
#include <vector>

#include "explore/worker.h"
#include "report/finding.h"

namespace heddle {

inline Invocation FakeProgram(std::vector<std::string> modes = {}) {
  Invocation invocation;
  invocation.program = HEDDLE_FAKE_WORKER;
  invocation.arguments = std::move(modes);
  invocation.working_directory = "/";
  invocation.environment = {"PATH=/usr/bin:/bin"};
  return invocation;
}

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_TESTING_FAKE_PROGRAM_H_
