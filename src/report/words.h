// Lines of words, quoted where a word needs it: what schedule files are made of.
#ifndef HEDDLE_REPORT_WORDS_H_
#define HEDDLE_REPORT_WORDS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// As it is, or in double quotes when it is empty or has blanks, quotes or control characters.
std::string QuoteWord(std::string_view word);

// Nothing when a quote is not closed or an escape is unknown.
std::optional<std::vector<std::string>> SplitWords(std::string_view line);

std::string Hexadecimal(std::uint64_t value);  // 16 digits
std::optional<std::uint64_t> ParseHexadecimal(std::string_view text);
std::optional<std::uint64_t> ParseNumber(std::string_view text);

}  // namespace heddle

#endif  // HEDDLE_REPORT_WORDS_H_
