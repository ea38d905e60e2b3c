#include "symbols/names.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <initializer_list>
#include <memory>

namespace heddle {
namespace {

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// End of the bracket that opens at `at`, one past its partner.
std::size_t SkipGroup(std::string_view text, std::size_t at, char open, char close) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == open) ++depth;
    if (text[i] == close && --depth == 0) return i + 1;
  }
  return text.size();
}

// End of the template arguments that open at `at`; "->" and "operator<" inside are rare enough.
std::size_t SkipTemplateArguments(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == '(') {
      i = SkipGroup(text, i, '(', ')') - 1;
    } else if (text[i] == '<') {
      ++depth;
    } else if (text[i] == '>' && text[i - 1] != '-' && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

bool StartsWithAny(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  for (const std::string_view beginning : beginnings) {
    if (text.substr(0, beginning.size()) == beginning) return true;
  }
  return false;
}

bool ContainsAny(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    if (text.find(part) != std::string_view::npos) return true;
  }
  return false;
}

// "operator" and its symbol, starting at `at`; one past its end.
std::size_t SkipOperator(std::string_view text, std::size_t at) {
  std::size_t i = at + 8;
  if (text.substr(i, 2) == "()" || text.substr(i, 2) == "[]") return i + 2;
  if (i < text.size() && text[i] == ' ') {  // operator new, operator bool
    const std::size_t end = text.find('(', i);
    return end == std::string_view::npos ? text.size() : end;
  }
  while (i < text.size() && text[i] != '(' && !IsWordCharacter(text[i])) ++i;
  return i;
}

}  // namespace

std::string Demangle(const std::string& linkage_name) {
  // Without this beginning a name would be read as a type's: "i" would become "int".
  if (linkage_name.substr(0, 2) != "_Z") return linkage_name;
  return DemangleType(linkage_name);
}

std::string DemangleType(const std::string& linkage_name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : linkage_name;
}

std::string ShortName(std::string_view text) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  constexpr std::string_view kLambda = "{lambda(";
  constexpr std::string_view kCall = "::operator()";
  std::string name;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const bool at_word = i == 0 || !IsWordCharacter(text[i - 1]);
    if (rest.substr(0, kAnonymous.size()) == kAnonymous) {
      i += kAnonymous.size();
    } else if (rest.substr(0, kLambda.size()) == kLambda) {
      const std::size_t close = SkipGroup(text, i, '{', '}');
      const std::size_t number = text.rfind('#', close);
      name += "{lambda";
      name += text.substr(number, close - number);
      i = close;
      if (text.substr(i, kCall.size()) == kCall) i += kCall.size();
    } else if (at_word && rest.substr(0, 8) == "operator" &&
               (rest.size() == 8 || !IsWordCharacter(rest[8]))) {
      const std::size_t end = SkipOperator(text, i);
      // Blanks in "operator new" must not look like the end of a return type.
      for (; i < end; ++i) name += text[i] == ' ' ? '\1' : text[i];
    } else if (text[i] == '(') {
      i = SkipGroup(text, i, '(', ')');
    } else if (text[i] == '[' && rest.substr(0, 5) == "[abi:") {
      i = SkipGroup(text, i, '[', ']');
    } else if (text[i] == '<') {
      const std::size_t end = SkipTemplateArguments(text, i);
      for (; i < end; ++i) name += text[i] == ' ' ? '\1' : text[i];
    } else if (text[i] == ' ') {
      // What stands before a blank is a return type; what follows a name are qualifiers.
      if (StartsWithAny(rest, {" const", " volatile", " [clone", " &"})) break;
      name.clear();
      ++i;
    } else {
      name += text[i++];
    }
  }
  for (char& c : name) {
    if (c == '\1') c = ' ';
  }
  return name.empty() ? std::string(text) : name;
}

bool IsSystemFile(std::string_view file) {
  return StartsWithAny(file, {"/usr/include/", "/usr/lib/", "/usr/local/include/"}) ||
         ContainsAny(file, {"/include/c++/", "/libstdc++-v3/", "/include/heddle/", "<built-in>"});
}

bool IsSystemModule(std::string_view path) {
  return StartsWithAny(path, {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "linux-vdso"}) ||
         ContainsAny(path, {"/libheddle"});
}

bool IsSystemFunction(std::string_view name, bool has_source) {
  if (StartsWithAny(name, {"__tsan_", "heddle_"})) return true;
  if (has_source) return false;
  return StartsWithAny(name, {"std::", "__gnu_cxx::", "__cxxabiv1::", "heddle::", "__libc_",
                              "__cxa_", "__gthread_", "__wrap_"}) ||
         name == "_start" || name == "start_thread" || name == "clone3" || name == "clone";
}

}  // namespace heddle
