#include "trace/source_hash.h"

#include "source_hash_value.h"

namespace heddle {

std::uint64_t SourceHash() { return HEDDLE_SOURCE_HASH; }

}  // namespace heddle
