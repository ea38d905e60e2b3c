#include "report/identifier_guess.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>

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
    word.follows_word = left < begin && left > 0 && ContinuesWord(code[left - 1]) &&
                        !words.empty() && words.back().text != "return";
    if (StartsWord(word.text[0])) words.push_back(word);
  }
  return words;
}

}  // namespace

std::set<std::string> ReferencesIn(std::string_view line) {
  std::set<std::string> references;
  std::set<std::string> declared;
  const std::vector<Word> words = WordsOf(CodeOf(line));
  for (const Word& word : words) {
    if (word.follows_word && !IsKeyword(word.text)) declared.insert(word.text);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    const bool is_type = i + 1 < words.size() && words[i + 1].follows_word;
    const bool is_scoped = word.after == "::" || word.before == "::";
    const bool is_called = word.after.substr(0, 1) == "(";
    // "a < b" is a comparison, "lock_guard<M>" is not.
    const bool is_template = word.after.substr(0, 1) == "<" && word.touches_next;
    if (IsKeyword(word.text) || is_called || is_type || is_scoped || is_template) continue;
    // "account.balance" means the balance, "ready.load()" means ready.
    const bool has_member = word.after.substr(0, 1) == "." || word.after == "->";
    const bool member_is_called = i + 1 < words.size() && words[i + 1].after.substr(0, 1) == "(";
    if (has_member && !member_is_called) continue;
    if (declared.count(word.text) == 0) references.insert(word.text);
  }
  return references;
}

void GuessNamesFromSource(const RunTrace& trace, Symbolizer& symbols, const RunNames& run,
                          std::vector<std::string>* names) {
  std::map<ObjectId, std::set<std::string>> left;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (event.object == kNoObject || !(*names)[event.object].empty()) continue;
    if (trace.objects[event.object].kind == ObjectKind::kThread) continue;
    const std::vector<std::uint64_t> stack = run.StackOf(i);
    const Frame place = run.Place(stack);
    const std::optional<std::string> line = symbols.SourceLine(place.file, place.line);
    if (place.is_system || !line) continue;
    const std::set<std::string> here = ReferencesIn(*line);
    if (here.empty()) continue;  // a closing brace, where a guard unlocks
    const auto [known, is_first] = left.emplace(event.object, here);
    if (is_first) continue;
    std::set<std::string> both;
    std::set_intersection(known->second.begin(), known->second.end(), here.begin(), here.end(),
                          std::inserter(both, both.end()));
    known->second = both;
  }
  std::map<std::string, int> claims;
  for (const auto& [object, candidates] : left) {
    if (candidates.size() == 1) ++claims[*candidates.begin()];
  }
  std::map<std::string, int> given;
  for (const auto& [object, candidates] : left) {
    if (candidates.size() != 1) continue;
    const std::string& name = *candidates.begin();
    const bool is_shared = claims[name] > 1;
    (*names)[object] = is_shared ? name + "#" + std::to_string(++given[name]) : name;
  }
}

}  // namespace heddle
