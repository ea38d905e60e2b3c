// The programs of the paper's Table 1 and the dining philosophers with semaphores.
//
// The paper does not print its programs. These are forms whose number of SYN-sequences agrees with
// its table, all but the readers and writers with an SC monitor.
#ifndef HEDDLE_REACH_TABLE_PROGRAMS_H_
#define HEDDLE_REACH_TABLE_PROGRAMS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "reach/program.h"

namespace heddle::reach {

Program BoundedBufferSelect(int producers, int consumers, int slots);
Program BoundedBufferSemaphore(int producers, int consumers, int slots);
Program BoundedBufferSU(int producers, int consumers, int slots);
Program BoundedBufferSC(int producers, int consumers, int slots);
Program ReadersWritersSemaphore(int readers, int writers);
Program ReadersWritersSU(int readers, int writers);
Program ReadersWritersSC(int readers, int writers);
Program ReadersWritersSelect(int readers, int writers);
Program PhilosophersSU(int philosophers);
// All take the left fork first: one of the sequences is the deadlock.
Program PhilosophersSemaphore(int philosophers);

struct TableRow {
  std::string_view name;
  std::string_view configuration;
  std::string_view real;  // the same in bench/programs/reachability.cpp
  Program (*make)();
  std::uint64_t paper = 0;     // sequences as printed; for BB-Semaphore the unique ones of the text
  std::uint64_t expected = 0;  // what must come out; 0: reported only
};
std::span<const TableRow> TableOne();

}  // namespace heddle::reach

#endif  // HEDDLE_REACH_TABLE_PROGRAMS_H_
