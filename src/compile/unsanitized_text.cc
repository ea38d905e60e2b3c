#include "compile/unsanitized_text.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

namespace heddle {
namespace {

bool IsIdentifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Most files have none of it.
bool CouldMatter(std::string_view text) {
  for (const std::string_view word : {"sanitize", "SANITIZE", "tsan", "TSAN"}) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

// Without comments; lines that continue are joined.
std::string Plain(std::string_view text) {
  std::string plain;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\\' && next == '\n') {
      ++i;
    } else if (quote != 0) {
      plain += c;
      if (c == '\\' && next != '\0') plain += text[++i];
      if (c == quote || c == '\n') quote = 0;
    } else if (c == '/' && next == '/') {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (c == '/' && next == '*') {
      i = std::min(text.find("*/", i + 2), text.size() - 1);
      if (i + 1 < text.size()) ++i;
      plain += ' ';
    } else {
      // A single quote inside a number separates digits.
      if (c == '"' || (c == '\'' && (plain.empty() || !IsIdentifier(plain.back())))) quote = c;
      plain += c;
    }
  }
  return plain;
}

// Every identifier, with what follows it up to a closing parenthesis when it is called.
template <typename Visit>
void ForEachIdentifier(std::string_view text, Visit visit) {
  for (std::size_t i = 0; i < text.size();) {
    if (!IsIdentifier(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && IsIdentifier(text[end])) ++end;
    std::size_t open = end;
    while (open < text.size() && std::isspace(static_cast<unsigned char>(text[open]))) ++open;
    const bool called = open < text.size() && text[open] == '(';
    const std::string_view arguments =
        called ? text.substr(open, std::min(text.find(')', open), text.size()) - open)
               : std::string_view();
    visit(text.substr(i, end - i), called, arguments);
    i = end;
  }
}

bool Mentions(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

}  // namespace

void UnsanitizedText::AddFile(std::string_view text) {
  is_found_ = false;
  files_.push_back(Plain(text));
  if (!CouldMatter(text)) return;
  static const std::regex kDefine(R"(^\s*#\s*define\s+(\w+)(.*)$)");
  std::istringstream lines(files_.back());
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (line.find("define") != std::string::npos && std::regex_match(line, parts, kDefine)) {
      macros_[parts[1]] = parts[2];
    }
  }
}

bool UnsanitizedText::IsMarked(std::string_view statement) const {
  bool is_marked = false;
  ForEachIdentifier(statement, [&](std::string_view word, bool called, std::string_view arguments) {
    if (Mentions(word, "no_sanitize_thread") || Mentions(word, "NO_SANITIZE_THREAD") ||
        Mentions(word, "disable_sanitizer_instrumentation") || Mentions(word, "NO_TSAN")) {
      is_marked = true;
    }
    if (called && Mentions(word, "no_sanitize") && Mentions(arguments, "\"thread\"")) {
      is_marked = true;
    }
    const auto macro = mark_macros_.find(std::string(word));
    if (macro == mark_macros_.end()) return;
    // A macro with the sanitizer's name as its argument marks only for this one.
    const std::string& body = macros_.at(*macro);
    const bool takes_name = body.starts_with('(');
    if (!takes_name || Mentions(arguments, "thread") || Mentions(body, "thread")) is_marked = true;
  });
  return is_marked;
}

// Macros are made of macros.
void UnsanitizedText::FindMarkMacros() {
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto& [name, body] : macros_) {
      if (mark_macros_.contains(name)) continue;
      const bool takes_name = body.starts_with('(') && Mentions(body, "no_sanitize");
      if (takes_name || IsMarked(body)) {
        mark_macros_.insert(name);
        grows = true;
      }
    }
  }
}

void UnsanitizedText::FindMarkedStatements(const std::string& text) {
  std::string statement;
  const auto finish = [&] {
    if (IsMarked(statement)) {
      ForEachIdentifier(statement, [&](std::string_view word, bool called, std::string_view) {
        if (called) marked_names_.insert(std::string(word));
      });
    }
    statement.clear();
  };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string::npos && line[first] == '#') continue;
    bool is_quoted = false;
    for (const char c : line) {
      if (!is_quoted && (c == ';' || c == '{' || c == '}')) {
        finish();
        continue;
      }
      if (c == '"') is_quoted = !is_quoted;
      statement += c;
    }
    statement += ' ';
  }
  finish();
}

void UnsanitizedText::FindMarked() {
  is_found_ = true;
  mark_macros_.clear();
  marked_names_.clear();
  FindMarkMacros();
  for (const std::string& text : files_) {
    const auto uses = [&text](const std::string& macro) { return Mentions(text, macro); };
    if (CouldMatter(text) || std::ranges::any_of(mark_macros_, uses)) FindMarkedStatements(text);
  }
}

bool UnsanitizedText::Marks(const std::string& function) {
  if (!is_found_) FindMarked();
  return marked_names_.contains(function);
}

}  // namespace heddle
