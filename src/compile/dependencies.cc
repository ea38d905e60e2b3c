#include "compile/dependencies.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
#include <fstream>
#include <sstream>

#include "base/hash.h"

namespace heddle {
namespace {

std::uint64_t ModifiedOf(const struct stat& status) {
  return static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
}

std::optional<std::uint64_t> ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return HashText(text.view());
}

// Reads a number and the blank behind it.
bool TakeNumber(std::string_view* text, std::uint64_t* number) {
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (failure != std::errc() || end == text->data() + text->size() || *end != ' ') return false;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()) + 1);
  return true;
}

}  // namespace

std::optional<Dependency> DescribeFile(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  const std::optional<std::uint64_t> content = ContentOf(path);
  if (!content) return std::nullopt;
  return Dependency{path, static_cast<std::uint64_t>(status.st_size), ModifiedOf(status), *content};
}

bool IsUnchanged(const Dependency& dependency) {
  struct stat status;
  if (stat(dependency.path.c_str(), &status) != 0) return false;
  if (static_cast<std::uint64_t>(status.st_size) != dependency.size) return false;
  if (ModifiedOf(status) == dependency.modified) return true;
  return ContentOf(dependency.path) == dependency.content;
}

std::vector<std::string> PrerequisitesIn(std::string_view makefile) {
  std::vector<std::string> files;
  std::string word;
  // The target ends at the first colon before a blank; rules without prerequisites (-MP) follow.
  bool in_target = true;
  const auto finish_word = [&] {
    if (!word.empty() && !in_target) files.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < makefile.size(); ++i) {
    const char c = makefile[i];
    const char next = i + 1 < makefile.size() ? makefile[i + 1] : '\n';
    if (c == '\\' && next == '\n') {
      ++i;
      finish_word();
    } else if (c == '\\' && (next == ' ' || next == '#' || next == '\\')) {
      word += next;
      ++i;
    } else if (c == '$' && next == '$') {
      word += '$';
      ++i;
    } else if (c == ':' && in_target && (next == ' ' || next == '\n' || next == '\\')) {
      word.clear();
      in_target = false;
    } else if (c == '\n') {
      finish_word();
      in_target = true;
    } else if (c == ' ' || c == '\t') {
      finish_word();
    } else {
      word += c;
    }
  }
  finish_word();
  return files;
}

std::string DependenciesAsText(const std::vector<Dependency>& dependencies) {
  std::string text;
  for (const Dependency& dependency : dependencies) {
    text += fmt::format("{} {} {} {}\n", dependency.size, dependency.modified, dependency.content,
                        dependency.path);
  }
  return text;
}

std::optional<std::vector<Dependency>> DependenciesFromText(std::string_view text) {
  std::vector<Dependency> dependencies;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;  // cut off while being written
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    Dependency dependency;
    if (!TakeNumber(&line, &dependency.size) || !TakeNumber(&line, &dependency.modified) ||
        !TakeNumber(&line, &dependency.content) || line.empty()) {
      return std::nullopt;
    }
    dependency.path = line;
    dependencies.push_back(std::move(dependency));
  }
  return dependencies;
}

}  // namespace heddle
