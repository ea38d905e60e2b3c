// A SYN-sequence for people: its space-time diagram, its race sets and its race table, as text.
#ifndef HEDDLE_REACH_DIAGRAM_H_
#define HEDDLE_REACH_DIAGRAM_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "reach/sequence.h"
#include "reach/variant.h"

namespace heddle::reach {

struct DiagramNames {
  std::vector<std::string> threads;
  std::vector<std::string> owners;
  // By owner: the thread that receives, or kNone for an object.
  std::vector<Index> receivers;
  // By the object that a message is sent to, where that tells more than who receives it.
  std::map<Index, std::string> ports = {};
};

// Threads and objects are columns; a line is a pair of a send and its receive, an arrow from the
// thread to the owner that ends at the number of the receive. What was never received comes last.
std::string Diagram(const Sequence& sequence, const DiagramNames& names);

// Every receive with its descriptor, its partner and its race set; then the table whose rows are
// the variants.
std::string RaceReport(const Sequence& sequence, std::span<const Heading> headings,
                       const DiagramNames& names);

}  // namespace heddle::reach

#endif  // HEDDLE_REACH_DIAGRAM_H_
