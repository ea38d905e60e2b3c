#include "simulate/paper_programs.h"

#include <utility>

namespace heddle::simulate {

Program Figure1a(int m) {
  constexpr Object kX = 0, kLocal = 1;
  Program program;
  program.name = "Fig. 1a, m = " + std::to_string(m);
  program.Thread({Read(kX).Assert(Is::kEqual, 0)});
  std::vector<Step> steps(static_cast<std::size_t>(m - 1), Write(kLocal, Const(1)));
  steps.push_back(Write(kX, Const(1)));
  program.Thread(std::move(steps));
  return program;
}

Program Figure2() {
  constexpr Object kX = 0, kY = 1, kZ = 2, kW = 3;
  constexpr int kA = 0, kB = 1;  // locals of thread B
  Program program;
  program.name = "Fig. 2";
  program.Thread(
      {Add(kX, Const(1)), Add(kY, Const(1)), SemPost(kW), Read(kZ).Assert(Is::kLess, 5)});
  program.Thread({Write(kX, Const(1)), Read(kX).Into(kA), Write(kY, Reg(kA)), SemWait(kW),
                  Read(kY).Into(kB), Write(kZ, Sum(kA, kB))});
  return program;
}

Program Figure3(int threads, int m) {
  constexpr Object kX = 0, kFirstY = 1;
  constexpr int kI = 0;
  Program program;
  program.name = "Fig. 3, n = " + std::to_string(threads) + ", m = " + std::to_string(m);
  // x counts threads inside: its value is an index below the number of threads, unless a thread
  // comes back, which raises it for good.
  program.initial.assign(static_cast<std::size_t>(kFirstY + 2 * threads), 0);
  for (int t = 0; t < threads; ++t) {
    std::vector<Step> steps = {Add(kX, Const(1)).Into(kI)};
    for (int i = 1; i <= m; ++i) {
      steps.push_back(Write(kFirstY, Const(i)).At(kI));
    }
    steps.push_back(Add(kX, Const(-1)));
    steps.push_back(Add(kX, Const(1)));
    program.Thread(std::move(steps));
  }
  return program;
}

}  // namespace heddle::simulate
