// Whether two parts of heddle come from the same sources.
//
// The controller and the engine inside a program share memory whose layout and meaning the sources
// of base, trace and strategy fix. A program finds its engine by the path it was linked with, so it
// may be another heddle's.
#ifndef HEDDLE_TRACE_SOURCE_HASH_H_
#define HEDDLE_TRACE_SOURCE_HASH_H_

#include <cstdint>

namespace heddle {

std::uint64_t SourceHash();

}  // namespace heddle

#endif  // HEDDLE_TRACE_SOURCE_HASH_H_
