#include "report/suppressions.h"

#include <algorithm>

namespace heddle {
namespace {

std::string_view Trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// With `*` only, from the beginning to the end.
bool MatchesWhole(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  std::size_t star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(),
                     [](char c) { return c == '*'; });
}

bool MatchesFrame(const std::string& pattern, const Frame& frame) {
  return MatchesPattern(pattern, frame.function) || MatchesPattern(pattern, frame.file) ||
         MatchesPattern(pattern, frame.module);
}

// The stacks a finding is about: its own, or its threads'.
std::vector<const std::vector<Frame>*> StacksOf(const Finding& finding) {
  std::vector<const std::vector<Frame>*> stacks;
  for (const FindingStack& stack : finding.stacks) stacks.push_back(&stack.frames);
  for (const FindingThread& thread : finding.threads) {
    if (finding.stacks.empty()) stacks.push_back(&thread.stack);
  }
  return stacks;
}

}  // namespace

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  if (text.empty()) return false;
  std::string whole;
  if (pattern.empty() || pattern.front() != '^') {
    whole = "*";
  } else {
    pattern.remove_prefix(1);
  }
  const bool to_the_end = !pattern.empty() && pattern.back() == '$';
  if (to_the_end) pattern.remove_suffix(1);
  whole += pattern;
  if (!to_the_end) whole += '*';
  return MatchesWhole(whole, text);
}

bool IsTheLibrarysOwn(const Finding& race) {
  constexpr std::size_t kSides = 2;
  if (race.kind != FindingKind::kRace || race.stacks.size() < kSides) return false;
  return std::all_of(race.stacks.begin(), race.stacks.begin() + kSides, [](const auto& stack) {
    for (const Frame& frame : stack.frames) {
      if (MatchesPattern("^std::_Sp_atomic<", frame.function)) return true;
      if (!frame.is_system) return false;
    }
    return false;
  });
}

Result<Suppressions> Suppressions::Parse(std::string_view text, std::string_view name) {
  constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"race", Kind::kRace},
      {"race_top", Kind::kRaceTop},
      {"called_from_lib", Kind::kCalledFromLibrary},
      {"deadlock", Kind::kDeadlock},
      {"mutex", Kind::kMutex},
  };
  constexpr std::string_view kMeaningless[] = {"signal", "thread"};
  Suppressions result;
  if (text.find('\0') != std::string_view::npos) {
    return Error{std::string(name) + " is no text; it has lines like race:PATTERN"};
  }
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::string where =
        std::string(name) + ":" + std::to_string(number) + ": `" + std::string(line) + "`";
    const std::size_t colon = line.find(':');
    const std::string_view word = line.substr(0, colon);
    const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [word](const auto& entry) { return entry.first == word; });
    if (colon != std::string_view::npos && kind != std::end(kKinds)) {
      result.lines_.push_back({kind->second, std::string(Trim(line.substr(colon + 1)))});
      continue;
    }
    const bool is_known =
        colon != std::string_view::npos &&
        std::find(std::begin(kMeaningless), std::end(kMeaningless), word) != std::end(kMeaningless);
    if (!is_known) {
      return Error{where +
                   " is no suppression; it is race:PATTERN, race_top:, called_from_lib:, "
                   "deadlock: or mutex:"};
    }
    result.notes_.push_back(where + " suppresses nothing: heddle has no such finding.");
  }
  return result;
}

bool Suppressions::Matches(const Line& line, const Finding& finding) {
  const bool is_race = finding.kind == FindingKind::kRace;
  const auto any_frame = [&] {
    for (const std::vector<Frame>* stack : StacksOf(finding)) {
      for (const Frame& frame : *stack) {
        if (MatchesFrame(line.pattern, frame)) return true;
      }
    }
    return false;
  };
  switch (line.kind) {
    case Kind::kRace:
      if (!is_race) return false;
      for (const FindingStack& stack : finding.stacks) {
        // "T2 writes counter = 3": the variable is in the title.
        const std::size_t verb = stack.title.find("s ");
        if (verb != std::string::npos &&
            MatchesPattern(line.pattern, stack.title.substr(verb + 2))) {
          return true;
        }
      }
      return any_frame();
    case Kind::kRaceTop:
      return is_race &&
             std::any_of(finding.stacks.begin(), finding.stacks.end(), [&](const auto& stack) {
               return !stack.frames.empty() && MatchesFrame(line.pattern, stack.frames.front());
             });
    case Kind::kCalledFromLibrary:
      for (const std::vector<Frame>* stack : StacksOf(finding)) {
        for (const Frame& frame : *stack) {
          if (is_race && MatchesPattern(line.pattern, frame.module)) return true;
        }
      }
      return false;
    case Kind::kDeadlock:
      return (finding.kind == FindingKind::kDeadlock || finding.kind == FindingKind::kLockOrder) &&
             any_frame();
    case Kind::kMutex:
      return finding.kind == FindingKind::kMisuse && any_frame();
  }
  return false;
}

bool Suppressions::Match(const Finding& finding) const {
  return std::any_of(lines_.begin(), lines_.end(),
                     [&finding](const Line& line) { return Matches(line, finding); });
}

bool Suppressions::MayMatchFailures() const {
  return std::any_of(lines_.begin(), lines_.end(), [](const Line& line) {
    return line.kind == Kind::kDeadlock || line.kind == Kind::kMutex;
  });
}

}  // namespace heddle
