#include "report/finding_store.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/hash.h"
#include "report/json.h"
#include "report/words.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFindingFile = "finding.json";
constexpr std::string_view kScheduleFile = "schedule.heddle";
constexpr std::string_view kOutputFile = "output.txt";
constexpr std::string_view kStdinFile = "stdin";
constexpr std::string_view kFindings = "findings";
constexpr std::string_view kLast = "last";
constexpr std::size_t kShortestId = 6;  // digits

std::string Join(const std::string& directory, std::string_view name) {
  return directory + "/" + std::string(name);
}

bool IsDirectory(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string Absolute(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

Result<Finding> ReadFinding(const std::string& directory) {
  const std::string path = Join(directory, kFindingFile);
  Result<std::string> text = ReadWholeFile(path);
  if (!text.ok()) return text.error();
  Result<Finding> finding = FindingFromJson(*text, path);
  if (!finding.ok()) return finding;
  // Kept beside, so that they can be looked at; a finding is whole without them.
  if (Result<std::string> output = ReadWholeFile(Join(directory, kOutputFile)); output.ok()) {
    finding->output = std::move(*output);
  }
  if (Result<std::string> input = ReadWholeFile(Join(directory, kStdinFile)); input.ok()) {
    finding->invocation.stdin_contents = std::move(*input);
  }
  return finding;
}

Result<StoredFinding> LoadDirectory(const std::string& directory) {
  Result<Finding> finding = ReadFinding(directory);
  if (!finding.ok()) return finding.error();
  Result<Schedule> schedule = LoadScheduleFile(Join(directory, kScheduleFile));
  if (!schedule.ok()) return schedule.error();
  return StoredFinding{std::move(*finding), std::move(*schedule), Absolute(directory),
                       std::string(kScheduleFile)};
}

// A schedule file that somebody committed beside the code: it knows how the program was run.
Result<StoredFinding> LoadBareSchedule(const std::string& path) {
  Result<Schedule> schedule = LoadScheduleFile(path);
  if (!schedule.ok()) return schedule.error();
  StoredFinding stored;
  stored.directory = fs::path(Absolute(path)).parent_path().string();
  Finding& finding = stored.finding;
  finding.id = fs::path(path).filename().string();
  stored.file = finding.id;
  finding.kind = FindingKindByName(schedule->kind).value_or(FindingKind::kCrash);
  finding.message = schedule->message;
  finding.fingerprint = schedule->fingerprint;
  finding.first_run = schedule->run;
  finding.event_hash = schedule->event_hash;
  finding.invocation.program = schedule->program;
  finding.invocation.arguments = schedule->arguments;
  finding.invocation.build_id = schedule->build_id;
  finding.invocation.heddle_version = schedule->heddle_version;
  finding.invocation.explore = schedule->explore;
  finding.search.isolation = schedule->isolation;
  finding.search.strategy = schedule->strategy;
  finding.search.seed = schedule->seed;
  finding.search.points = schedule->points;
  finding.search.timeouts = schedule->timeouts;
  finding.search.scope = schedule->scope;
  stored.schedule = std::move(*schedule);
  return stored;
}

// Directories of findings, by id; also those that a killed writer left without a finding.json.
std::vector<std::string> DirectoriesIn(const std::string& directory) {
  std::vector<std::string> ids;
  std::error_code error;
  for (fs::directory_iterator at(Join(directory, kFindings), error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_directory(error)) ids.push_back(at->path().filename().string());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<std::string> IdsIn(const std::string& directory) {
  std::vector<std::string> ids = DirectoriesIn(directory);
  const auto is_unfinished = [&](const std::string& id) {
    return !Exists(Join(Join(Join(directory, kFindings), id), kFindingFile));
  };
  ids.erase(std::remove_if(ids.begin(), ids.end(), is_unfinished), ids.end());
  return ids;
}

}  // namespace

FindingStore FindingStore::At(std::string directory) { return FindingStore(std::move(directory)); }

Result<FindingStore> FindingStore::Open(std::string directory) {
  const FindingStore store(directory);
  if (Status made = MakeDirectories(Join(directory, kFindings)); !made.ok()) return made.error();
  const std::string ignore = Join(directory, ".gitignore");
  if (!Exists(ignore)) {
    if (Status written = WriteFileAtomically(ignore, "*\n"); !written.ok()) return written.error();
  }
  return store;
}

std::string FindingStore::DirectoryOf(const std::string& id) const {
  return directory_ + "/" + std::string(kFindings) + "/" + id;
}

// Two programs, or two tests of one, may fail the same way.
bool FindingStore::IsSame(const Finding& a, const Finding& b) {
  return a.fingerprint == b.fingerprint && a.invocation.test == b.invocation.test &&
         FileName(a.invocation.program) == FileName(b.invocation.program);
}

// The shortest id that no other finding has; the id of this one when it is known.
std::string FindingStore::IdFor(const Finding& finding) const {
  const std::string kind(InfoOf(finding.kind).name);
  const std::string digits =
      Hexadecimal(HashText(finding.fingerprint + " " + FileName(finding.invocation.program) +
                           (finding.invocation.test.empty() ? "" : " " + finding.invocation.test)));
  for (std::size_t size = kShortestId; size < digits.size(); ++size) {
    const std::string id = kind + "-" + digits.substr(0, size);
    if (!Exists(DirectoryOf(id))) return id;
    const Result<Finding> there = ReadFinding(DirectoryOf(id));
    // A damaged one is overwritten: a crash between two files must not keep the name for ever.
    if (!there.ok() || IsSame(*there, finding)) return id;
  }
  return kind + "-" + digits;
}

Status FindingStore::Save(Finding* finding, const Schedule& schedule) {
  finding->id = IdFor(*finding);
  finding->schedule = std::string(kFindings) + "/" + finding->id + "/" + std::string(kScheduleFile);
  const std::string directory = DirectoryOf(finding->id);

  Finding stored = *finding;
  bool keeps_old = false;
  const Result<StoredFinding> known = LoadDirectory(directory);
  if (known.ok() && IsSame(known->finding, *finding)) {
    // A recording that replays is worth more than a newer one that does not.
    keeps_old = known->finding.replayed && !finding->replayed;
    if (keeps_old) stored = known->finding;
    stored.hits = known->finding.hits + finding->hits;
  }

  if (!keeps_old) {
    if (Status made = MakeDirectories(directory); !made.ok()) return made;
    const auto write = [&](std::string_view name, std::string_view contents) {
      return WriteFileAtomically(Join(directory, name), contents);
    };
    // finding.json last: a directory without it is not a finding yet.
    if (Status s = write(kScheduleFile, FormatSchedule(schedule)); !s.ok()) return s;
    if (Status s = write(kOutputFile, stored.output); !s.ok()) return s;
    if (!stored.invocation.stdin_path.empty()) {
      if (Status s = write(kStdinFile, stored.invocation.stdin_contents); !s.ok()) return s;
    }
  }
  if (Status s = WriteFinding(stored); !s.ok()) return s;
  return WriteFileAtomically(Join(directory_, kLast), finding->id + "\n");
}

Status FindingStore::WriteFinding(const Finding& finding) const {
  // Output and environment may hold anything; what is no UTF-8 is replaced.
  const std::string text = WholeFindingToJson(finding).dump(
      1, ' ', /*ensure_ascii=*/false, nlohmann::ordered_json::error_handler_t::replace);
  return WriteFileAtomically(Join(DirectoryOf(finding.id), kFindingFile), text + "\n");
}

Result<StoredFinding> FindingStore::Load(const std::string& what) const {
  if (what == kLast) {
    const Result<std::string> id = ReadWholeFile(Join(directory_, kLast));
    if (!id.ok()) {
      return Error{"there is no last finding in " + directory_ +
                   "; search first with `heddle run`, or name the directory with --out"};
    }
    return LoadDirectory(DirectoryOf(FirstLine(*id)));
  }
  if (what.find('/') == std::string::npos && !what.empty()) {
    if (IsDirectory(DirectoryOf(what))) return LoadDirectory(DirectoryOf(what));
    std::vector<std::string> matches;
    for (const std::string& id : IdsIn(directory_)) {
      if (id.compare(0, what.size(), what) == 0) matches.push_back(id);
    }
    if (matches.size() == 1) return LoadDirectory(DirectoryOf(matches[0]));
    if (matches.size() > 1) {
      return Error{"`" + what + "` could be " + matches[0] + " or " + matches[1] +
                   "; write more of it"};
    }
  }
  if (IsDirectory(what)) return LoadDirectory(what);
  if (Exists(what)) {
    if (fs::path(what).filename() != kFindingFile) return LoadBareSchedule(what);
    const std::string parent = fs::path(what).parent_path().string();
    return LoadDirectory(parent.empty() ? "." : parent);
  }
  return Error{"there is no finding `" + what + "` in " + directory_ +
               ", and no such file; `heddle list` shows what there is"};
}

Result<std::vector<FindingSummary>> FindingStore::List() const {
  std::vector<FindingSummary> list;
  for (const std::string& id : IdsIn(directory_)) {
    FindingSummary row;
    row.id = id;
    const Result<Finding> finding = ReadFinding(DirectoryOf(id));
    if (finding.ok()) {
      row.kind = finding->kind;
      row.message = finding->message;
      row.program = finding->invocation.program;
      row.hits = finding->hits;
      row.first_run = finding->first_run;
      row.replayed = finding->replayed;
    } else {
      row.damage = finding.error().text;
    }
    list.push_back(std::move(row));
  }
  return list;
}

Status FindingStore::Remove(const std::string& id) {
  const std::string directory = DirectoryOf(id);
  if (id.empty() || id.find('/') != std::string::npos || !IsDirectory(directory)) {
    return Error{"there is no finding `" + id + "` in " + directory_ +
                 "; `heddle list` shows what there is"};
  }
  std::error_code error;
  fs::remove_all(directory, error);
  if (error) return SystemError(directory, "can't be removed", error.value());
  const Result<std::string> last = ReadWholeFile(Join(directory_, kLast));
  if (last.ok() && FirstLine(*last) == id) fs::remove(Join(directory_, kLast), error);
  return {};
}

Result<int> FindingStore::Clean() {
  const int removed = static_cast<int>(IdsIn(directory_).size());
  for (const std::string& id : DirectoriesIn(directory_)) {
    if (Status status = Remove(id); !status.ok()) return status.error();
  }
  return removed;
}

Result<Schedule> LoadScheduleFile(const std::string& path) {
  const Result<std::string> text = ReadWholeFile(path);
  if (!text.ok()) return text.error();
  return ParseSchedule(*text, path);
}

}  // namespace heddle
