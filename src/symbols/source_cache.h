// Lines of source files, each file read once.
#ifndef HEDDLE_SYMBOLS_SOURCE_CACHE_H_
#define HEDDLE_SYMBOLS_SOURCE_CACHE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

class SourceCache {
 public:
  // Lines count from 1. Nothing when the file can't be read or has no such line.
  std::optional<std::string> Line(const std::string& file, int line);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace heddle

#endif  // HEDDLE_SYMBOLS_SOURCE_CACHE_H_
