// The state of a Search as text: words and numbers separated by blanks.
//
// No streams and no exceptions: this is also linked into the tested program.
#ifndef HEDDLE_STRATEGY_STATE_TEXT_H_
#define HEDDLE_STRATEGY_STATE_TEXT_H_

#include <bit>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/result.h"

namespace heddle {

// What Load says to a state that is not of this strategy, these options or this version.
inline Error BadState(std::string_view strategy) {
  return Error{std::string("the saved state of the search does not belong to strategy '")
                   .append(strategy)
                   .append("' with these options; start the search afresh")};
}

class StateWriter {
 public:
  StateWriter& Word(std::string_view word) {
    if (!text_.empty()) text_ += ' ';
    text_ += word;
    return *this;
  }
  StateWriter& Number(std::uint64_t number) { return Word(std::to_string(number)); }

  // Exactly: its bits.
  StateWriter& Real(double number) { return Number(std::bit_cast<std::uint64_t>(number)); }

  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// Reads what StateWriter wrote. After the first thing that does not fit everything is 0 and ok() is
// false.
class StateReader {
 public:
  explicit StateReader(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return rest_.empty(); }

  void Expect(std::string_view word) { ok_ = ok_ && Next() == word; }

  // A number of at most `most`.
  std::uint64_t Number(std::uint64_t most = UINT64_MAX) {
    const std::string_view word = Next();
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    ok_ = ok_ && error == std::errc() && end == word.data() + word.size() && number <= most;
    return ok_ ? number : 0;
  }

  double Real() { return std::bit_cast<double>(Number()); }

  // All that is left, for a search within a search.
  std::string_view Rest() { return std::exchange(rest_, {}); }

 private:
  std::string_view Next() {
    const std::size_t end = rest_.find(' ');
    const std::string_view word = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    return word;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_STATE_TEXT_H_
