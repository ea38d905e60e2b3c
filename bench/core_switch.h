// The bare switch of both backends, with the engine's own code, outside any program.
#ifndef HEDDLE_BENCH_CORE_SWITCH_H_
#define HEDDLE_BENCH_CORE_SWITCH_H_

#include "core_figure.h"

namespace heddle::bench {

// Nanoseconds per switch between two stacks (fiber) or two kernel threads (baton).
Figure BareFiberSwitch(int switches, int repetitions);
Figure BareBatonSwitch(int switches, int repetitions);

}  // namespace heddle::bench

#endif  // HEDDLE_BENCH_CORE_SWITCH_H_
