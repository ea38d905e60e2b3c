#include "compile/command_line.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "compile/process.h"

namespace heddle {
namespace {

// Options whose value is the next argument, which therefore is no input. Between blanks.
constexpr std::string_view kOptionsWithValue =
    " -o -x -I -L -l -D -U -B -F -A -G -T -u -z -e -include -imacros -isystem -iquote"
    " -idirafter -iprefix -iwithprefix -imultilib -iwithprefixbefore -isysroot -MF -MT -MQ"
    " -Xlinker -Xclang -Xassembler -Xpreprocessor -mllvm -aux-info --param -wrapper -target"
    " -arch -dumpdir -dumpbase -dumpbase-ext -include-pch --sysroot -framework -resource-dir"
    " -working-directory -rpath -install_name -soname -h --output --language -gcc-toolchain"
    " -cxx-isystem -ivfsoverlay -fmodule-name -Xopenmp-target -Xanalyzer ";

constexpr std::string_view kCompileOnly[] = {
    "-c",        "-S",           "-E",         "-M",           "-MM",      "-fsyntax-only",
    "--compile", "--preprocess", "--assemble", "--precompile", "--analyze"};

constexpr std::string_view kRefusedSanitizers[] = {
    "address",          "hwaddress",     "leak",   "memory",      "dataflow",     "kernel-address",
    "kernel-hwaddress", "kernel-memory", "memtag", "memtag-heap", "memtag-stack", "safe-stack"};

bool StartsWith(std::string_view text, std::string_view prefix) { return text.starts_with(prefix); }

bool TakesValue(const std::string& option) {
  return kOptionsWithValue.find(" " + option + " ") != std::string_view::npos;
}

InputKind KindByLanguage(std::string_view language) {
  return StartsWith(language, "assembler") ? InputKind::kAssembler : InputKind::kSource;
}

InputKind KindByExtension(const std::string& path) {
  static const std::set<std::string> kSources = {
      ".c",  ".i",   ".cc",  ".cpp",  ".cxx", ".c++",  ".cp",   ".C",   ".CPP", ".ii", ".h",
      ".hh", ".hpp", ".hxx", ".h++",  ".H",   ".HPP",  ".hp",   ".tcc", ".m",   ".mi", ".mm",
      ".M",  ".mii", ".ixx", ".cppm", ".ccm", ".cxxm", ".c++m", ".bc",  ".ll"};
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".s" || extension == ".S" || extension == ".sx") return InputKind::kAssembler;
  return kSources.contains(extension) ? InputKind::kSource : InputKind::kLinkable;
}

std::optional<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void Expand(const std::vector<std::string>& arguments, int depth, CommandLine* line) {
  constexpr int kDeepest = 64;  // a file that names itself
  for (const std::string& argument : arguments) {
    if (argument.size() > 1 && argument[0] == '@' && depth < kDeepest) {
      const std::optional<std::string> text = ReadFile(argument.substr(1));
      if (text) {
        Expand(SplitWords(*text), depth + 1, line);
        continue;
      }
    }
    line->arguments.push_back(argument);
  }
}

std::vector<std::string> SplitAtCommas(std::string_view list) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (at <= list.size()) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    parts.emplace_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

void NoteSanitizers(const std::string& argument, std::size_t position, CommandLine* line) {
  std::string rest;
  bool has_thread = false;
  for (const std::string& name : SplitAtCommas(argument.substr(argument.find('=') + 1))) {
    if (name == "thread") {
      has_thread = true;
      continue;
    }
    if (std::ranges::find(kRefusedSanitizers, name) != std::end(kRefusedSanitizers)) {
      line->refused_sanitizer = name;
    }
    rest += (rest.empty() ? "-fsanitize=" : ",") + name;
  }
  if (has_thread) line->thread_sanitizer.push_back({position, rest});
}

// Takes in one linker option, from -Wl, or -Xlinker.
void NoteLinkerOption(std::string_view option, CommandLine* line) {
  if (option == "-r" || option == "--relocatable" || option == "-i") line->is_relocatable = true;
  if (option == "-shared" || option == "-Bshareable") line->is_shared = true;
}

void NoteOption(const std::string& argument, std::size_t position, CommandLine* line) {
  if (argument == "-shared" || argument == "--shared") line->is_shared = true;
  if (argument == "-r") line->is_relocatable = true;
  if (argument == "-static" || argument == "--static" || argument == "-static-pie") {
    line->is_static = true;
  }
  if (argument == "-m32" || argument == "-mx32" || argument == "-m16") line->is_32_bit = true;
  if (argument == "-m64") line->is_32_bit = false;
  if (argument == "-flto" || StartsWith(argument, "-flto=")) line->uses_lto = true;
  if (argument == "-fno-lto") line->uses_lto = false;
  if (StartsWith(argument, "-O")) line->optimises = argument != "-O0";
  if (argument == "--coverage" || argument == "-coverage" || argument == "-fprofile-arcs" ||
      StartsWith(argument, "-fprofile-generate") ||
      StartsWith(argument, "-fprofile-instr-generate")) {
    line->records_coverage = true;
  }
  if (StartsWith(argument, "-fsanitize=")) NoteSanitizers(argument, position, line);
  if (argument == "-ltsan" || argument == "-static-libtsan") {
    line->thread_sanitizer.push_back({position, ""});
  }
  if (StartsWith(argument, "-Wl,")) {
    for (const std::string& option : SplitAtCommas(argument.substr(4))) {
      NoteLinkerOption(option, line);
    }
  }
}

void NoteDefinition(std::string_view macro, bool defined, CommandLine* line) {
  const std::string_view name = macro.substr(0, macro.find('='));
  if (name == "NDEBUG") line->defines_ndebug = defined;
  if (name == "_FORTIFY_SOURCE") line->is_fortified = defined && macro != "_FORTIFY_SOURCE=0";
}

}  // namespace

CommandLine ParseCommandLine(const std::vector<std::string>& arguments) {
  CommandLine line;
  Expand(arguments, 0, &line);

  bool compiles_only = false;
  bool has_library = false;
  std::string language = "none";
  for (std::size_t i = 0; i < line.arguments.size(); ++i) {
    const std::string& argument = line.arguments[i];
    const bool has_next = i + 1 < line.arguments.size();
    if (argument.empty()) continue;
    if (argument[0] != '-' || argument == "-") {
      const InputKind kind =
          language == "none" ? KindByExtension(argument) : KindByLanguage(language);
      line.inputs.push_back({argument, kind});
      continue;
    }
    if (std::ranges::find(kCompileOnly, argument) != std::end(kCompileOnly)) compiles_only = true;
    if (StartsWith(argument, "-l")) has_library = true;

    if (StartsWith(argument, "-D") || StartsWith(argument, "-U")) {
      const bool joined = argument.size() > 2;
      if (joined || has_next) {
        NoteDefinition(joined ? std::string_view(argument).substr(2) : line.arguments[i + 1],
                       argument[1] == 'D', &line);
      }
    } else if (argument == "-x" || argument == "--language") {
      if (has_next) language = line.arguments[i + 1];
    } else if (StartsWith(argument, "-x")) {
      language = argument.substr(2);
    } else if (argument == "-Xlinker" && has_next) {
      NoteLinkerOption(line.arguments[i + 1], &line);
    } else {
      NoteOption(argument, i, &line);
    }
    if (TakesValue(argument)) ++i;
  }

  const auto is_source = [](const Input& input) { return input.kind == InputKind::kSource; };
  line.compiles = std::ranges::any_of(line.inputs, is_source);
  line.links = !compiles_only && (!line.inputs.empty() || (has_library && line.is_shared));
  // A header by itself becomes a precompiled header.
  const auto is_header = [](const Input& input) {
    const std::string extension = std::filesystem::path(input.path).extension();
    return input.kind == InputKind::kSource &&
           (StartsWith(extension, ".h") || StartsWith(extension, ".H") || extension == ".tcc");
  };
  if (StartsWith(language, "c") && language.ends_with("-header")) line.links = false;
  if (!line.inputs.empty() && std::ranges::all_of(line.inputs, is_header) && language == "none") {
    line.links = false;
  }
  return line;
}

}  // namespace heddle
