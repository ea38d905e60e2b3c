#include "symbols/source_cache.h"

#include <fstream>
#include <utility>

namespace heddle {

std::optional<std::string> SourceCache::Line(const std::string& file, int line) {
  auto found = files_.find(file);
  if (found == files_.end()) {
    std::vector<std::string> lines;
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) {
      if (!text.empty() && text.back() == '\r') text.pop_back();
      lines.push_back(std::move(text));
    }
    found = files_.emplace(file, std::move(lines)).first;
  }
  const std::vector<std::string>& lines = found->second;
  if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return std::nullopt;
  return lines[static_cast<std::size_t>(line) - 1];
}

}  // namespace heddle
