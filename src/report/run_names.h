// What to call the threads, objects and places of one run.
#ifndef HEDDLE_REPORT_RUN_NAMES_H_
#define HEDDLE_REPORT_RUN_NAMES_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "symbols/symbolizer.h"
#include "trace/run_trace.h"

namespace heddle {

// Lives while its trace and symbols do. Names depend on the run alone, so two runs with the same
// events get the same names.
class RunNames {
 public:
  RunNames(const RunTrace& trace, Symbolizer& symbols);

  // "main", "T2".
  std::string Thread(ThreadId thread) const;
  // The name a thread gave itself, or the function it runs.
  std::string Label(ThreadId thread) const;

  // "counter", "bank.lock", "mutex 2" (when there is no name: by order of appearance).
  std::string Object(ObjectId object) const;
  // The same for the object of an event. Memory is traced in granules of eight bytes: where several
  // variables share one, the line of the event tells which is meant.
  std::string ObjectOf(std::size_t event) const;
  // "counter", "mutex bank.lock", "mutex 2".
  std::string Phrase(ObjectId object) const;

  // Whether the values of the object are such numbers.
  bool IsFloatingPoint(ObjectId object) const;

  // Return addresses of an event (its site alone when no stack was taken), innermost first.
  std::vector<std::uint64_t> StackOf(std::size_t event) const;
  // Of a thread at the failure.
  std::vector<std::uint64_t> StackOfThread(ThreadId thread) const;

  // All activations of a stack, inlined ones included.
  std::vector<Frame> Expand(std::span<const std::uint64_t> stack) const;
  // What the user wrote there: the innermost activation that is not system code.
  Frame Place(std::span<const std::uint64_t> stack) const;

 private:
  // What lies in an object's granule, by address.
  std::vector<std::string> VariablesIn(ObjectId object) const;
  // "heap a.cpp:12+8": by the place that allocated it; "" when that is not the user's.
  std::string HeapName(ObjectId object) const;
  void NameObjects();

  const RunTrace& trace_;
  Symbolizer& symbols_;
  std::vector<std::string> object_names_;
  std::map<ObjectId, std::vector<std::string>> shared_granules_;
};

}  // namespace heddle

#endif  // HEDDLE_REPORT_RUN_NAMES_H_
