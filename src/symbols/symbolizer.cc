#include "symbols/symbolizer.h"

#include <cctype>
#include <string>

#include "base/hash.h"

namespace heddle {
namespace {

std::string_view FileName(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::uint64_t Symbolizer::LineHashOf(const Frame& frame) {
  if (frame.file.empty() || frame.line <= 0) return 0;
  const std::optional<std::string> text = SourceLine(frame.file, frame.line);
  return text ? LineHash(*text) : 0;
}

std::optional<SiteRef> Symbolizer::SiteOf(std::uint64_t pc) const {
  const std::span<const ModuleRecord> all = modules();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (pc >= all[i].begin && pc < all[i].end) {
      return SiteRef{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(pc - all[i].base)};
    }
  }
  return std::nullopt;
}

std::uint64_t Symbolizer::AddressOf(SiteRef site) const {
  const std::span<const ModuleRecord> all = modules();
  return site.module < all.size() ? all[site.module].base + site.offset : 0;
}

std::uint64_t LineHash(std::string_view text) {
  std::string folded;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      folded += c;
    } else if (!folded.empty() && folded.back() != ' ') {
      folded += ' ';
    }
  }
  if (!folded.empty() && folded.back() == ' ') folded.pop_back();
  return HashText(folded);
}

const Frame& UserFrame(std::span<const Frame> frames) {
  for (const Frame& frame : frames) {
    if (!frame.is_system) return frame;
  }
  return frames.front();
}

std::string ModuleName(std::span<const ModuleRecord> modules, std::size_t index) {
  if (index == 0) return "program";
  return std::string(FileName(modules[index].path));
}

std::string ShortLocation(const Frame& frame) {
  if (frame.file.empty()) return "";
  std::string text(FileName(frame.file));
  if (frame.line > 0) text += ":" + std::to_string(frame.line);
  return text;
}

}  // namespace heddle
