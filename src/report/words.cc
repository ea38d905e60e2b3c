#include "report/words.h"

#include <charconv>
#include <cstdio>

namespace heddle {
namespace {

std::optional<std::uint64_t> ParseInBase(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

}  // namespace

std::string QuoteWord(std::string_view word) {
  bool is_plain = !word.empty();
  for (const char c : word) {
    is_plain &= c != '"' && c != '\\' && static_cast<unsigned char>(c) > ' ' && c != '\x7f';
  }
  if (is_plain) return std::string(word);
  std::string quoted = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(c));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::optional<std::vector<std::string>> SplitWords(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == ' ') {
      ++i;
      continue;
    }
    std::string word;
    if (line[i] != '"') {
      while (i < line.size() && line[i] != ' ') word += line[i++];
      words.push_back(word);
      continue;
    }
    for (++i;; ++i) {
      if (i >= line.size()) return std::nullopt;
      if (line[i] == '"') break;
      if (line[i] != '\\') {
        word += line[i];
        continue;
      }
      if (++i >= line.size()) return std::nullopt;
      if (line[i] == '"' || line[i] == '\\') {
        word += line[i];
      } else if (line[i] == 'n') {
        word += '\n';
      } else if (line[i] == 'x' && i + 2 < line.size()) {
        const std::optional<std::uint64_t> code = ParseInBase(line.substr(i + 1, 2), 16);
        if (!code) return std::nullopt;
        word += static_cast<char>(*code);
        i += 2;
      } else {
        return std::nullopt;
      }
    }
    ++i;
    words.push_back(word);
  }
  return words;
}

std::string Hexadecimal(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::optional<std::uint64_t> ParseHexadecimal(std::string_view text) {
  return ParseInBase(text, 16);
}

std::optional<std::uint64_t> ParseNumber(std::string_view text) { return ParseInBase(text, 10); }

}  // namespace heddle
