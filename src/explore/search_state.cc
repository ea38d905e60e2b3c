#include "explore/search_state.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "report/files.h"
#include "report/words.h"

namespace heddle {
namespace {

constexpr std::string_view kMark = "heddle search 1";

// In front of what is no access.
constexpr std::string_view MarkOf(Lesson lesson) {
  switch (lesson) {
    case Lesson::kAccess:
      return "";
    case Lesson::kLoop:
      return "loop:";
    case Lesson::kRule:
      return "rule:";
    case Lesson::kUnseenLoop:
      return "unseen-loop:";
  }
  return "";
}

// Lines, and what is behind them.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  std::string_view Next() {
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    return line;
  }
  std::optional<std::uint64_t> Number() { return ParseNumber(Next()); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

Error Damaged(const std::string& path) {
  return Error{path +
               " is not a saved search of this heddle; run without --resume to start afresh"};
}

}  // namespace

std::string BuildIdText(const ModuleRecord& module) {
  std::string text;
  for (std::uint32_t i = 0; i < module.build_id_size; ++i) {
    text += fmt::format("{:02x}", module.build_id[i]);
  }
  return text;
}

Status WriteSearchState(const std::string& path, const SearchState& state) {
  std::string text = fmt::format("{}\n{}\n{}\n{}\n{}\n", kMark, state.identity, state.build_id,
                                 state.runs, state.points.size());
  for (const Point& point : state.points)
    text += fmt::format("{}{} {}\n", MarkOf(point.lesson), point.offset, point.module);
  text += state.search;
  return WriteFileAtomically(path, text);
}

Result<std::optional<SearchState>> ReadSearchState(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::optional<SearchState>();
  const Result<std::string> text = ReadWholeFile(path);
  if (!text) return text.error();
  Lines lines(*text);
  if (lines.Next() != kMark) return Damaged(path);
  SearchState state;
  state.identity = lines.Next();
  state.build_id = lines.Next();
  const std::optional<std::uint64_t> runs = lines.Number();
  const std::optional<std::uint64_t> points = lines.Number();
  if (!runs || !points) return Damaged(path);
  state.runs = *runs;
  for (std::uint64_t i = 0; i < *points; ++i) {
    const std::string_view line = lines.Next();
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) return Damaged(path);
    std::string_view place = line.substr(0, blank);
    Lesson lesson = Lesson::kAccess;
    for (const Lesson other : {Lesson::kLoop, Lesson::kRule, Lesson::kUnseenLoop}) {
      if (place.starts_with(MarkOf(other))) lesson = other;
    }
    place.remove_prefix(MarkOf(lesson).size());
    const auto offset = ParseNumber(place);
    const std::uint64_t most = lesson == Lesson::kRule ? kRuleCount - 1 : UINT32_MAX;
    if (!offset || *offset > most) return Damaged(path);
    state.points.push_back({.module = std::string(line.substr(blank + 1)),
                            .offset = static_cast<std::uint32_t>(*offset),
                            .lesson = lesson});
  }
  state.search = lines.rest();
  return std::optional<SearchState>(std::move(state));
}

}  // namespace heddle
