#include "report/layout.h"

namespace heddle {
namespace {

bool ContinuesCodePoint(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Length in bytes of the first `width` columns.
std::size_t BytesOf(std::string_view text, std::size_t width) {
  std::size_t i = 0;
  for (std::size_t column = 0; i < text.size(); ++column) {
    if (column == width) break;
    ++i;
    while (i < text.size() && ContinuesCodePoint(text[i])) ++i;
  }
  return i;
}

}  // namespace

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += ContinuesCodePoint(c) ? 0 : 1;
  return width;
}

std::string CutTo(std::string_view text, std::size_t width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  if (width == 0) return "";
  return std::string(text.substr(0, BytesOf(text, width - 1))) + "…";
}

std::string PadTo(std::string_view text, std::size_t width) {
  std::string cut = CutTo(text, width);
  cut.append(width - DisplayWidth(cut), ' ');
  return cut;
}

std::string WrapText(std::string_view text, std::size_t width, std::string_view indent) {
  std::string wrapped;
  std::size_t room = width;
  while (DisplayWidth(text) > room) {
    std::size_t end = BytesOf(text, room + 1);
    const std::size_t blank = text.rfind(' ', end - 1);
    const bool has_break = blank != std::string_view::npos && blank > 0;
    end = has_break ? blank : BytesOf(text, room);
    wrapped += text.substr(0, end);
    wrapped += "\n";
    wrapped += indent;
    text.remove_prefix(has_break ? end + 1 : end);
    room = width > DisplayWidth(indent) + 8 ? width - DisplayWidth(indent) : 8;
  }
  return wrapped + std::string(text);
}

}  // namespace heddle
