#include "explore/hapset_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "explore/search_state.h"
#include "report/files.h"
#include "report/words.h"
#include "symbols/symbolizer.h"

namespace heddle {
namespace {

constexpr std::string_view kMark = "heddle hapset 2";

// Words of a line.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::string_view Next() {
    const std::size_t end = rest_.find(' ');
    const std::string_view word = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    return word;
  }
  bool Number(std::uint64_t* number) {
    const std::optional<std::uint64_t> parsed = ParseHexadecimal(Next());
    if (parsed) *number = *parsed;
    return parsed.has_value();
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

const ModuleRecord* ModuleAt(std::uint64_t site, std::span<const ModuleRecord> modules) {
  for (const ModuleRecord& module : modules) {
    if (site >= module.begin && site < module.end) return &module;
  }
  return nullptr;
}

// The same two statements in the other order.
HapPair Reversed(const HapPair& pair) {
  return {pair.before, pair.statement, !pair.statement_is_lower};
}

class Writer {
 public:
  explicit Writer(std::span<const ModuleRecord> modules)
      : modules_(modules), symbolizer_(MakeSymbolizer(modules)) {}

  // False: a statement lies in no module.
  bool Add(std::string_view mark, const HapPair& pair) {
    const std::string statement = Encoded(pair.statement), before = Encoded(pair.before);
    if (statement.empty() || before.empty()) return false;
    text_ += fmt::format("{} {} {} {} # {} behind {}\n", mark, pair.statement_is_lower ? 1 : 0,
                         statement, before, Named(pair.statement), Named(pair.before));
    return true;
  }
  const std::string& text() const { return text_; }

 private:
  std::string Encoded(const HapStatement& statement) const {
    const ModuleRecord* const module = ModuleAt(statement.site, modules_);
    if (module == nullptr) return {};
    return fmt::format("{:x} {:x} {:x} {}", module - modules_.data(), statement.site - module->base,
                       statement.context, NameOf(statement.kind));
  }
  std::string Named(const HapStatement& statement) {
    std::string where = "?";
    for (const Frame& frame : symbolizer_->FramesOfReturn(statement.site)) {
      if (frame.file.empty()) continue;
      where =
          fmt::format("{}:{}", std::filesystem::path(frame.file).filename().string(), frame.line);
      if (!frame.is_system) break;
    }
    return fmt::format("{} {}", where, NameOf(statement.kind));
  }

  const std::span<const ModuleRecord> modules_;
  const std::unique_ptr<Symbolizer> symbolizer_;
  std::string text_;
};

}  // namespace

Result<HapSets> HapsetFile::Read(std::span<const ModuleRecord> modules, std::uint64_t call_sites) {
  HapSets sets;
  sets.call_sites = call_sites;
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored)) return sets;
  const Result<std::string> text = ReadWholeFile(path_);
  if (!text) return text.error();
  const Error damaged{path_ + " is no file of HaPSets of this heddle; name another, or remove it"};
  std::string_view rest = *text;
  const auto next_line = [&rest] {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return line;
  };
  if (next_line() != kMark) return damaged;
  if (next_line() != "build " + BuildIdText(modules[0])) {
    return Error{path_ + " is of another build of the program; name another file, or remove it"};
  }
  std::uint64_t of_file = 0;
  Words context(next_line());
  if (context.Next() != "ctx" || !context.Number(&of_file)) return damaged;
  if (of_file != call_sites) {
    return Error{
        fmt::format("{} is of statements with {} call sites; add ctx={} to the strategy, or "
                    "name another file",
                    path_, of_file, of_file)};
  }
  std::map<std::uint64_t, std::uint64_t> bases;  // by the file's number of the module
  const auto read = [&bases](Words& words, HapStatement* statement) {
    std::uint64_t module = 0, offset = 0, context = 0;
    if (!words.Number(&module) || !words.Number(&offset) || !words.Number(&context)) return false;
    const std::optional<OpKind> kind = OpKindByName(words.Next());
    const auto base = bases.find(module);
    if (!kind || base == bases.end()) return false;
    *statement = {.site = base->second + offset,
                  .context = static_cast<std::uint32_t>(context),
                  .kind = *kind};
    return true;
  };
  while (!rest.empty()) {
    Words words(next_line());
    const std::string_view mark = words.Next();
    if (mark == "module") {
      std::uint64_t number = 0;
      if (!words.Number(&number)) return damaged;
      for (const ModuleRecord& module : modules) {
        if (words.rest() == module.path) bases[number] = module.base;
      }
    } else if (mark == "seen") {
      std::uint64_t is_lower = 0;
      HapPair pair;
      if (!words.Number(&is_lower)) return damaged;
      // A module that is not loaded this time: its pairs are lost to this file.
      if (!read(words, &pair.statement) || !read(words, &pair.before)) continue;
      pair.statement_is_lower = is_lower != 0;
      sets.Add(pair);
    }
  }
  before_ = sets.size();
  return sets;
}

Status HapsetFile::Write(const HapSets& seen, std::span<const ModuleRecord> modules) {
  Writer writer(modules);
  seen_ = never_ = 0;
  for (const HapPair& pair : seen.pairs()) seen_ += writer.Add("seen", pair) ? 1 : 0;
  for (const HapPair& pair : seen.pairs()) {
    if (!seen.Has(Reversed(pair))) never_ += writer.Add("never", Reversed(pair)) ? 1 : 0;
  }
  std::string text =
      fmt::format("{}\nbuild {}\nctx {:x}\n", kMark, BuildIdText(modules[0]), seen.call_sites);
  for (std::size_t i = 0; i < modules.size(); ++i) {
    text += fmt::format("module {:x} {}\n", i, modules[i].path);
  }
  return WriteFileAtomically(path_, text + writer.text());
}

std::string HapsetFile::Remark() const {
  return fmt::format(
      "HaPSets: {} ordered pairs of statements were exercised so far, {} of them for the first "
      "time; "
      "{} never were (the other order was). {} lists them.",
      seen_, seen_ - before_, never_, path_);
}

}  // namespace heddle
