#include "report/identifier_guess.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <tuple>

#include "report/run_names.h"

namespace heddle {
namespace {

constexpr std::array<std::string_view, 48> kNeverObjects = {
    "alignof", "auto",     "bool",     "break",     "case",     "catch",   "char",     "class",
    "const",   "continue", "decltype", "default",   "delete",   "do",      "double",   "else",
    "enum",    "explicit", "extern",   "false",     "float",    "for",     "goto",     "if",
    "inline",  "int",      "long",     "namespace", "new",      "nullptr", "operator", "return",
    "short",   "signed",   "sizeof",   "static",    "struct",   "switch",  "template", "this",
    "throw",   "true",     "try",      "typename",  "unsigned", "using",   "void",     "while"};

bool IsKeyword(const std::string& word) {
  return std::find(kNeverObjects.begin(), kNeverObjects.end(), word) != kNeverObjects.end();
}

bool StartsWord(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool ContinuesWord(char c) { return StartsWord(c) || (c >= '0' && c <= '9'); }

// Without comments, and with the insides of strings and characters blanked.
std::string CodeOf(std::string_view line) {
  std::string code;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote != '\0') {
      if (line[i] == '\\')
        ++i;
      else if (line[i] == quote)
        quote = '\0';
      code += ' ';
    } else if (line.substr(i, 2) == "//") {
      break;
    } else if (line[i] == '"' || line[i] == '\'') {
      quote = line[i];
      code += ' ';
    } else {
      code += line[i];
    }
  }
  return code;
}

struct Word {
  std::string text;
  std::string before;  // the two nearest characters that are not blank; fewer at the ends
  std::string after;
  bool follows_word = false;  // "int value": a declaration
  bool touches_next = false;  // no blank behind it
  bool touches_last = false;  // none before it
};

std::vector<Word> WordsOf(const std::string& code) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < code.size();) {
    if (!ContinuesWord(code[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < code.size() && ContinuesWord(code[i])) ++i;
    Word word;
    word.text = code.substr(begin, i - begin);
    std::size_t left = begin, right = i;
    while (left > 0 && code[left - 1] == ' ') --left;
    while (right < code.size() && code[right] == ' ') ++right;
    word.before = code.substr(left < 2 ? 0 : left - 2, std::min<std::size_t>(left, 2));
    word.after = code.substr(right, 2);
    word.touches_next = right == i;
    word.touches_last = left == begin;
    word.follows_word = left < begin && left > 0 && ContinuesWord(code[left - 1]) &&
                        !words.empty() && words.back().text != "return";
    if (StartsWord(word.text[0])) words.push_back(word);
  }
  return words;
}

struct Assignment {
  std::size_t at = std::string::npos;  // of its "=", outside of all brackets
  bool is_compound = false;            // "+="
};

Assignment AssignmentIn(const std::string& code) {
  int depth = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (std::string_view("([{").find(code[i]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(code[i]) != std::string_view::npos) --depth;
    if (code[i] != '=' || depth != 0) continue;
    const char before = i > 0 ? code[i - 1] : ' ', after = i + 1 < code.size() ? code[i + 1] : ' ';
    const bool is_comparison =
        after == '=' || std::string_view("=!<>").find(before) != std::string_view::npos;
    if (is_comparison) continue;
    return {i, std::string_view("+-*/%&|^").find(before) != std::string_view::npos};
  }
  return {};
}

// The last name before an assignment, without an index: "x" of "int x", "next" of "node->next".
// Nothing for "*p" and "f(x)", which have no name.
std::set<std::string> TargetOf(const std::string& left) {
  const std::size_t first = left.find_first_not_of(' '), last = left.find_last_not_of(" +-*/%&|^");
  if (first == std::string::npos || left[first] == '*' || left[last] == ')') return {};
  int depth = 0;
  for (std::size_t i = left.size(); i-- > 0;) {
    if (left[i] == ']') ++depth;
    if (left[i] == '[') --depth;
    if (depth != 0 || !ContinuesWord(left[i])) continue;
    std::size_t begin = i;
    while (begin > 0 && ContinuesWord(left[begin - 1])) --begin;
    return {left.substr(begin, i + 1 - begin)};
  }
  return {};
}

std::set<std::string> ReferencesInCode(const std::string& code) {
  std::set<std::string> references;
  std::set<std::string> declared;
  const std::vector<Word> words = WordsOf(code);
  for (const Word& word : words) {
    if (word.follows_word && !IsKeyword(word.text)) declared.insert(word.text);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    const auto before = [&word](char c) { return !word.before.empty() && word.before.back() == c; };
    const auto after = [&word](char c) { return !word.after.empty() && word.after.front() == c; };
    const bool is_type = i + 1 < words.size() && words[i + 1].follows_word;
    const bool is_scoped = word.after == "::" || word.before == "::";
    // "a < b" is a comparison, "lock_guard<M>" is not.
    const bool is_template =
        (after('<') && word.touches_next) || (before('<') && word.touches_last) ||
        (after('>') && word.touches_next && word.after != "->" && word.after != ">=");
    if (IsKeyword(word.text) || after('(') || is_type || is_scoped || is_template) continue;
    // "account.balance" means the balance, "ready.load()" means ready.
    const bool has_member = after('.') || word.after == "->";
    const bool member_is_called = i + 1 < words.size() && words[i + 1].after.substr(0, 1) == "(";
    if (has_member && !member_is_called) continue;
    if (declared.count(word.text) == 0) references.insert(word.text);
  }
  return references;
}

}  // namespace

std::set<std::string> ReferencesIn(std::string_view line, OpKind kind) {
  const std::string code = CodeOf(line);
  const Assignment assignment = AssignmentIn(code);
  if (IsPlainAccess(kind) && assignment.at != std::string::npos) {
    if (kind == OpKind::kWrite) {
      return TargetOf(code.substr(0, assignment.at));
    }
    if (!assignment.is_compound) return ReferencesInCode(code.substr(assignment.at + 1));
  }
  return ReferencesInCode(code);
}

bool MakesGuard(std::string_view statement) {
  for (const std::string_view guard : {"lock_guard", "unique_lock", "shared_lock", "scoped_lock"}) {
    if (statement.find(guard) != std::string_view::npos) return true;
  }
  return false;
}

std::string_view StatementAt(std::string_view line, int column) {
  if (column <= 0 || static_cast<std::size_t>(column) > line.size()) return line;
  const auto at = static_cast<std::size_t>(column) - 1;
  const std::size_t before = at == 0 ? std::string_view::npos : line.find_last_of("{};", at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = line.find_first_of("{};", at);
  // Where a brace opens, the statement goes on behind it: "if (x) {", "thread([this] {".
  return line.substr(begin, end == std::string_view::npos ? end : end - begin);
}

void GuessNamesFromSource(const RunTrace& trace, Symbolizer& symbols, const RunNames& run,
                          std::vector<std::string>* names) {
  const auto is_memory = [&](ObjectId object) {
    return trace.objects[object].kind == ObjectKind::kMemory;
  };
  std::map<ObjectId, std::set<std::string>> left;
  std::map<ObjectId, std::string> guarded;  // locks, by the lines that make guards for them
  const auto narrow = [&](ObjectId object, OpKind kind, const std::vector<std::uint64_t>& stack) {
    if (object == kNoObject || object >= names->size() || !(*names)[object].empty()) return;
    if (trace.objects[object].kind == ObjectKind::kThread) return;
    const Frame place = run.Place(stack);
    const std::optional<std::string> line = symbols.SourceLine(place.file, place.line);
    if (place.is_system || !line) return;
    const std::string_view statement = StatementAt(*line, place.column);
    const std::set<std::string> here = ReferencesIn(statement, kind);
    if (here.empty()) return;  // a closing brace, where a guard unlocks
    if (!is_memory(object) && here.size() == 1 && MakesGuard(statement)) {
      guarded.emplace(object, *here.begin());
    }
    const auto [known, is_first] = left.emplace(object, here);
    if (is_first) return;
    std::set<std::string> both;
    std::set_intersection(known->second.begin(), known->second.end(), here.begin(), here.end(),
                          std::inserter(both, both.end()));
    known->second = both;
  };
  std::set<std::tuple<ObjectId, OpKind, std::uint64_t, std::uint32_t>> said;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (event.object >= names->size() || !(*names)[event.object].empty()) continue;
    // A loop says the same thing over and over.
    if (!said.emplace(event.object, event.kind, event.site, event.context).second) continue;
    narrow(event.object, event.kind, run.StackOf(i));
  }
  for (ThreadId thread = 0; thread < trace.threads.size(); ++thread) {
    const ThreadRecord& record = trace.threads[thread];
    if (record.ended != 0) continue;
    narrow(record.pending.object, record.pending.kind, run.StackOfThread(thread));
  }

  // Elsewhere a guard is given back, or taken again by a wait, and its lock is not mentioned.
  for (const auto& [object, name] : guarded) left[object] = {name};
  // A lock is not its neighbour on the line where a guard for it is made.
  std::set<std::string> taken(names->begin(), names->end());
  for (const auto& [object, candidates] : left) {
    if (!is_memory(object) && candidates.size() == 1) taken.insert(*candidates.begin());
  }
  std::map<std::string, int> claims, given;
  const auto has_claim = [&](ObjectId object, const std::set<std::string>& candidates) {
    return candidates.size() == 1 && !(is_memory(object) && taken.count(*candidates.begin()) != 0);
  };
  for (const auto& [object, candidates] : left) {
    if (has_claim(object, candidates)) ++claims[*candidates.begin()];
  }
  for (const auto& [object, candidates] : left) {
    if (!has_claim(object, candidates)) continue;
    const std::string& name = *candidates.begin();
    const bool is_shared = claims[name] > 1;
    (*names)[object] = is_shared ? name + "#" + std::to_string(++given[name]) : name;
  }
}

}  // namespace heddle
