#include "explore/hapset_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "explore/descriptor.h"
#include "explore/search_state.h"
#include "report/files.h"
#include "report/words.h"
#include "symbols/symbolizer.h"

namespace heddle {
namespace {

constexpr std::string_view kMark = "heddle hapset 3";
constexpr std::string_view kEnd = "end";  // the last line: without it part of the file is lost

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
  // A pair of modules that are not loaded this time.
  void Add(const HapsetFile::Elsewhere& pair) {
    text_ += fmt::format("seen {} {:x} {} {:x} {} #{}\n", pair.is_lower,
                         NumberOf(pair.statement.module), pair.statement.rest,
                         NumberOf(pair.before.module), pair.before.rest, pair.names);
  }
  std::string ModuleLines() const {
    std::string lines;
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      lines += fmt::format("module {:x} {}\n", i, modules_[i].path);
    }
    for (std::size_t i = 0; i < others_.size(); ++i) {
      lines += fmt::format("module {:x} {}\n", modules_.size() + i, others_[i]);
    }
    return lines;
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

  std::size_t NumberOf(const std::string& path) {
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      if (path == modules_[i].path) return i;
    }
    const auto known = std::find(others_.begin(), others_.end(), path);
    const auto index = static_cast<std::size_t>(known - others_.begin());
    if (known == others_.end()) others_.push_back(path);
    return modules_.size() + index;
  }

  const std::span<const ModuleRecord> modules_;
  std::vector<std::string> others_;  // paths of modules that are not loaded this time
  const std::unique_ptr<Symbolizer> symbolizer_;
  std::string text_;
};

std::string DirectoryOf(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

// Searches that end at the same time add to the file one behind the other.
class WritersTurn {
 public:
  explicit WritersTurn(const std::string& path)
      : directory_(open(DirectoryOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (directory_.get() >= 0 && flock(directory_.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
  }

 private:
  const Descriptor directory_;  // its end is the end of the lock
};

}  // namespace

Result<HapSets> HapsetFile::Read(std::span<const ModuleRecord> modules, std::uint64_t call_sites) {
  if (access(DirectoryOf(path_).c_str(), W_OK) != 0) {
    return SystemError(path_, "can't be written", errno);
  }
  Result<HapSets> sets = ReadAll(modules, call_sites);
  if (sets) at_first_ = *sets;
  return sets;
}

Result<HapSets> HapsetFile::ReadAll(std::span<const ModuleRecord> modules,
                                    std::uint64_t call_sites) {
  HapSets sets;
  sets.call_sites = call_sites;
  elsewhere_.clear();
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored)) return sets;
  if (!std::filesystem::is_regular_file(path_, ignored)) {
    return Error{path_ + " is no regular file; name another"};
  }
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
  std::map<std::uint64_t, std::string_view> paths;  // by the file's number of the module
  const auto read = [&paths](Words& words, Elsewhere::Statement* as_text, std::uint64_t* offset,
                             HapStatement* statement) {
    std::uint64_t module = 0, context = 0;
    if (!words.Number(&module) || !words.Number(offset) || !words.Number(&context)) return false;
    const std::optional<OpKind> kind = OpKindByName(words.Next());
    const auto path = paths.find(module);
    if (!kind || path == paths.end()) return false;
    statement->context = static_cast<std::uint32_t>(context);
    statement->kind = *kind;
    *as_text = {std::string(path->second),
                fmt::format("{:x} {:x} {}", *offset, context, NameOf(*kind))};
    return true;
  };
  const auto place = [modules](const std::string& path, std::uint64_t offset,
                               HapStatement* statement) {
    for (const ModuleRecord& module : modules) {
      if (path != module.path) continue;
      statement->site = module.base + offset;
      return true;
    }
    return false;
  };
  bool has_end = false;
  while (!rest.empty() && !has_end) {
    Words words(next_line());
    const std::string_view mark = words.Next();
    has_end = mark == kEnd && rest.empty() && text->back() == '\n';
    if (mark == "module") {
      std::uint64_t number = 0;
      if (!words.Number(&number)) return damaged;
      paths[number] = words.rest();
    } else if (mark == "seen") {
      std::uint64_t is_lower = 0, offset = 0, offset_before = 0;
      HapPair pair;
      Elsewhere as_text;
      if (!words.Number(&is_lower) || !read(words, &as_text.statement, &offset, &pair.statement) ||
          !read(words, &as_text.before, &offset_before, &pair.before) || words.Next() != "#") {
        return damaged;
      }
      pair.statement_is_lower = is_lower != 0;
      if (place(as_text.statement.module, offset, &pair.statement) &&
          place(as_text.before.module, offset_before, &pair.before)) {
        sets.Add(pair);
        continue;
      }
      as_text.is_lower = is_lower != 0 ? 1 : 0;
      as_text.names = fmt::format(" {}", words.rest());
      elsewhere_.push_back(std::move(as_text));
    }
  }
  if (!has_end) {
    return Error{path_ +
                 " was cut off, so part of what was seen is missing; remove it, or name "
                 "another"};
  }
  return sets;
}

Status HapsetFile::Write(const HapSets& seen, std::span<const ModuleRecord> modules) {
  const WritersTurn turn(path_);
  // Another search may have added to it since.
  Result<HapSets> all = ReadAll(modules, seen.call_sites);
  if (!all) return all.error();
  seen_ = elsewhere_.size();
  never_ = new_ = 0;
  Writer writer(modules);
  for (const HapPair& pair : seen.pairs()) all->Add(pair);
  for (const HapPair& pair : all->pairs()) {
    if (!writer.Add("seen", pair)) continue;
    ++seen_;
    if (seen.Has(pair) && !at_first_.Has(pair)) ++new_;
  }
  for (const Elsewhere& pair : elsewhere_) writer.Add(pair);
  for (const HapPair& pair : all->pairs()) {
    if (!all->Has(Reversed(pair))) never_ += writer.Add("never", Reversed(pair)) ? 1 : 0;
  }
  return WriteFileAtomically(
      path_, fmt::format("{}\nbuild {}\nctx {:x}\n{}{}{}\n", kMark, BuildIdText(modules[0]),
                         seen.call_sites, writer.ModuleLines(), writer.text(), kEnd));
}

std::string HapsetFile::Remark() const {
  return fmt::format(
      "HaPSets: {} ordered pairs of statements were exercised so far, {} of them for the first "
      "time; "
      "{} never were (the other order was). {} lists them.",
      seen_, new_, never_, path_);
}

}  // namespace heddle
