// The directory of findings (`--out`, default .heddle/).
//
//   .gitignore                  "*": the directory ignores itself
//   last                        the id of the finding saved last
//   findings/<id>/finding.json  the finding
//   findings/<id>/schedule.heddle
//   findings/<id>/output.txt    what the failing run printed
//   findings/<id>/stdin         what it read, when there was any
//
// Every file appears whole or not at all (written beside, synced, renamed), finding.json last, so a
// process killed at any moment leaves a directory that reads.
#ifndef HEDDLE_REPORT_FINDING_STORE_H_
#define HEDDLE_REPORT_FINDING_STORE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/files.h"
#include "report/finding.h"
#include "report/schedule_file.h"

namespace heddle {

struct StoredFinding {
  Finding finding;
  Schedule schedule;
  std::string directory;  // absolute; of a bare schedule file, the directory it lies in
  std::string file = "schedule.heddle";  // there

  std::string schedule_file() const { return directory + "/" + file; }
};

// One row of `heddle list`.
struct FindingSummary {
  std::string id;
  std::string damage;  // a sentence when the finding can't be read; the fields below are then empty
  FindingKind kind = FindingKind::kCrash;
  std::string message;
  std::string program;
  std::uint64_t hits = 0;
  std::uint64_t first_run = 0;
  bool replayed = false;
};

class FindingStore {
 public:
  // Creates the directory when it is missing.
  static Result<FindingStore> Open(std::string directory);
  // Reads only: nothing is created, a missing directory is an empty store.
  static FindingStore At(std::string directory);

  const std::string& directory() const { return directory_; }

  // Stores a finding and its schedule, makes it `last`, and fills in `id` and `schedule`. A known
  // fingerprint of the same program keeps its id: the newer recording takes the place of the older
  // (unless only the older one replays) and the hits are added up.
  Status Save(Finding* finding, const Schedule& schedule);

  // `what` is an id (or a beginning of one that is unique), a path of a finding's directory, of its
  // finding.json or of any schedule file, or "last".
  Result<StoredFinding> Load(const std::string& what) const;

  // By id. Damaged ones are listed too.
  Result<std::vector<FindingSummary>> List() const;

  // Removes one finding, or all of them; says how many there were.
  Status Remove(const std::string& id);
  Result<int> Clean();

 private:
  explicit FindingStore(std::string directory) : directory_(std::move(directory)) {}

  std::string DirectoryOf(const std::string& id) const;
  std::string IdFor(const Finding& finding) const;
  static bool IsSame(const Finding& a, const Finding& b);
  Status WriteFinding(const Finding& finding) const;

  std::string directory_;
};

// Reads a schedule file of any origin.
Result<Schedule> LoadScheduleFile(const std::string& path);

}  // namespace heddle

#endif  // HEDDLE_REPORT_FINDING_STORE_H_
