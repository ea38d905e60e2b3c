#include "report/finding_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "report/json.h"
#include "report/testing/example_runs.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class FindingStoreTest : public ::testing::Test {
 protected:
  FindingStoreTest() {
    std::string pattern = ::testing::TempDir() + "/heddle-store-XXXXXX";
    root_ = mkdtemp(pattern.data());
    out_ = root_ + "/out";
    TraceBuilder run = LostUpdate();
    const RunTrace trace = run.Trace();
    finding_ = BuildFinding(trace, run.symbols(), ExampleContext("lost_update"));
    finding_.output = "counter is 1\n";
    schedule_ = MakeSchedule(trace, run.symbols(), {}, finding_);
  }
  ~FindingStoreTest() override { fs::remove_all(root_); }

  FindingStore Open() {
    Result<FindingStore> store = FindingStore::Open(out_);
    EXPECT_TRUE(store.ok());
    return *store;
  }

  // A finding that differs in its fingerprint only.
  Finding WithFingerprint(const std::string& fingerprint) const {
    Finding other = finding_;
    other.fingerprint = fingerprint;
    return other;
  }

  std::string root_, out_;
  Finding finding_;
  Schedule schedule_;
};

TEST_F(FindingStoreTest, TheDirectoryIgnoresItselfInGit) {
  Open();

  std::string text;
  std::getline(std::ifstream(out_ + "/.gitignore"), text);
  EXPECT_EQ(text, "*");
}

TEST_F(FindingStoreTest, AFindingIsStoredAndLoadedByIdPathAndLast) {
  FindingStore store = Open();
  ASSERT_TRUE(store.Save(&finding_, schedule_).ok());
  EXPECT_THAT(finding_.id, StartsWith("assertion-"));
  EXPECT_EQ(finding_.id.size(), std::string("assertion-").size() + 6);

  const std::string directory = out_ + "/findings/" + finding_.id;
  for (const std::string& what : {finding_.id, finding_.id.substr(0, 11), std::string("last"),
                                  directory, directory + "/finding.json"}) {
    const Result<StoredFinding> loaded = store.Load(what);
    ASSERT_TRUE(loaded.ok()) << what << ": " << loaded.error().text;
    EXPECT_EQ(loaded->finding, finding_) << what;
    EXPECT_EQ(loaded->schedule, schedule_) << what;
  }
  EXPECT_EQ(finding_.schedule, "findings/" + finding_.id + "/schedule.heddle");
  EXPECT_TRUE(fs::exists(out_ + "/" + finding_.schedule));
}

TEST_F(FindingStoreTest, ABareScheduleFileIsEnoughToReplay) {
  const std::string path = root_ + "/bug.heddle";
  ASSERT_TRUE(WriteFileAtomically(path, FormatSchedule(schedule_)).ok());

  const Result<StoredFinding> loaded = FindingStore::At(out_).Load(path);

  ASSERT_TRUE(loaded.ok()) << loaded.error().text;
  EXPECT_EQ(loaded->schedule, schedule_);
  EXPECT_EQ(loaded->finding.kind, FindingKind::kAssertion);
  EXPECT_EQ(loaded->finding.invocation.program, "/work/lost_update");
}

TEST_F(FindingStoreTest, AKnownFindingIsUpdatedNotDoubled) {
  FindingStore store = Open();
  Finding first = finding_, second = finding_;
  first.hits = 3;
  second.hits = 4;
  second.first_run = 99;
  ASSERT_TRUE(store.Save(&first, schedule_).ok());
  ASSERT_TRUE(store.Save(&second, schedule_).ok());

  const Result<std::vector<FindingSummary>> list = store.List();

  ASSERT_TRUE(list.ok());
  ASSERT_THAT(*list, SizeIs(1));
  EXPECT_EQ((*list)[0].hits, 7u);
  EXPECT_EQ((*list)[0].first_run, 99u);
  EXPECT_EQ(second.hits, 4u);
}

TEST_F(FindingStoreTest, ARecordingThatReplaysIsNotReplacedByOneThatDoesNot) {
  FindingStore store = Open();
  Finding worse = finding_;
  worse.replayed = false;
  worse.first_run = 2;
  ASSERT_TRUE(store.Save(&finding_, schedule_).ok());
  ASSERT_TRUE(store.Save(&worse, Schedule()).ok());

  const Result<StoredFinding> loaded = store.Load("last");

  ASSERT_TRUE(loaded.ok());
  EXPECT_TRUE(loaded->finding.replayed);
  EXPECT_EQ(loaded->finding.first_run, 17u);
  EXPECT_EQ(loaded->finding.hits, 2u);
  EXPECT_EQ(loaded->schedule, schedule_);
}

// A finding made by hand sits where the id would be.
TEST_F(FindingStoreTest, FindingsWhoseIdsWouldBeEqualGetDifferentOnes) {
  FindingStore store = Open();
  ASSERT_TRUE(store.Save(&finding_, schedule_).ok());
  Finding squatter = WithFingerprint("1111111111111111");
  squatter.id = finding_.id;
  ASSERT_TRUE(WriteFileAtomically(out_ + "/findings/" + finding_.id + "/finding.json",
                                  WholeFindingToJson(squatter).dump())
                  .ok());
  const std::string taken = finding_.id;

  ASSERT_TRUE(store.Save(&finding_, schedule_).ok());

  EXPECT_EQ(finding_.id.size(), taken.size() + 1);
  EXPECT_EQ(finding_.id.substr(0, taken.size()), taken);
  const Result<StoredFinding> ambiguous = store.Load(taken.substr(0, taken.size() - 1));
  ASSERT_FALSE(ambiguous.ok());
  EXPECT_THAT(ambiguous.error().text, HasSubstr("write more of it"));
}

TEST_F(FindingStoreTest, ProgramsThatFailTheSameWayHaveFindingsOfTheirOwn) {
  FindingStore store = Open();
  Finding other = finding_;
  other.invocation.program = "/work/other";
  ASSERT_TRUE(store.Save(&finding_, schedule_).ok());
  ASSERT_TRUE(store.Save(&other, schedule_).ok());

  EXPECT_NE(other.id, finding_.id);
}

TEST_F(FindingStoreTest, InputIsKeptBesideTheFinding) {
  FindingStore store = Open();
  finding_.invocation.stdin_path = "/work/input";
  finding_.invocation.stdin_contents = std::string("a\0b", 3);
  ASSERT_TRUE(store.Save(&finding_, schedule_).ok());

  EXPECT_EQ(store.Load("last")->finding.invocation.stdin_contents, std::string("a\0b", 3));
}

TEST_F(FindingStoreTest, OutputThatIsNoTextDoesNoHarm) {
  FindingStore store = Open();
  finding_.output = "\xff\xfe\0 binary";
  finding_.message = "\xff broken";
  ASSERT_TRUE(store.Save(&finding_, schedule_).ok());

  const Result<StoredFinding> loaded = store.Load("last");
  ASSERT_TRUE(loaded.ok()) << loaded.error().text;
  EXPECT_EQ(loaded->finding.output, finding_.output);
}

TEST_F(FindingStoreTest, WhatIsMissingIsSaidInASentence) {
  const FindingStore store = FindingStore::At(out_);

  EXPECT_THAT(store.Load("last").error().text, HasSubstr("search first with `heddle run`"));
  EXPECT_THAT(store.Load("race-123456").error().text, HasSubstr("`heddle list`"));
  EXPECT_THAT(store.Load("").error().text, HasSubstr("there is no finding"));
  EXPECT_THAT(*store.List(), IsEmpty());
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(FindingStoreTest, ADamagedFindingIsListedAsSuchAndReplacedByTheNext) {
  FindingStore store = Open();
  ASSERT_TRUE(store.Save(&finding_, schedule_).ok());
  const std::string path = out_ + "/findings/" + finding_.id + "/finding.json";
  fs::resize_file(path, fs::file_size(path) / 2);

  const Result<StoredFinding> loaded = store.Load(finding_.id);
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().text, HasSubstr("the finding is damaged"));
  EXPECT_THAT((*store.List())[0].damage, HasSubstr("damaged"));

  Finding again = finding_;
  ASSERT_TRUE(store.Save(&again, schedule_).ok());
  EXPECT_EQ(again.id, finding_.id);
  EXPECT_TRUE(store.Load(again.id).ok());
}

TEST_F(FindingStoreTest, RemovingTheLastLeavesNoLast) {
  FindingStore store = Open();
  Finding other = WithFingerprint("1234567812345678");
  ASSERT_TRUE(store.Save(&finding_, schedule_).ok());
  ASSERT_TRUE(store.Save(&other, schedule_).ok());

  EXPECT_TRUE(store.Remove(other.id).ok());
  EXPECT_FALSE(store.Load("last").ok());
  EXPECT_FALSE(store.Remove("../out").ok());
  EXPECT_EQ(*store.Clean(), 1);
  EXPECT_THAT(*store.List(), IsEmpty());
}

TEST_F(FindingStoreTest, APlaceThatCannotBeADirectoryIsAnError) {
  std::ofstream(out_) << "a file";

  const Result<FindingStore> store = FindingStore::Open(out_);

  ASSERT_FALSE(store.ok());
  EXPECT_THAT(store.error().text, HasSubstr(out_));
  EXPECT_THAT(store.error().text, HasSubstr("--out"));
}

// A limit on file sizes stands in for a full disk: the same short write, another error number.
TEST_F(FindingStoreTest, AFullDiskIsAnErrorThatSaysWhatToDo) {
  FindingStore store = Open();
  ASSERT_TRUE(store.Save(&finding_, schedule_).ok());
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {64, 64};
    setrlimit(RLIMIT_FSIZE, &limit);
    Finding other = WithFingerprint("1234567812345678");
    const Status status = store.Save(&other, schedule_);
    const bool is_clear =
        !status.ok() && status.error().text.find("can't be written") != std::string::npos;
    _exit(is_clear ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(store.Load("last").ok());
  EXPECT_THAT(SystemError("x", "can't be written", ENOSPC).text, HasSubstr("free some space"));
}

// Killed at any moment, a writer leaves what was there before or what it was writing, whole.
TEST_F(FindingStoreTest, AKilledWriterLeavesOnlyWholeFindings) {
  FindingStore store = Open();
  ASSERT_TRUE(store.Save(&finding_, schedule_).ok());
  for (int round = 0; round < 8; ++round) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0;; ++i) {
        Finding other = WithFingerprint(i % 2 == 0 ? finding_.fingerprint : "1234567812345678");
        (void)store.Save(&other, schedule_);
        if (i == round && write(ready[1], "x", 1) != 1) _exit(1);
      }
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
    EXPECT_TRUE(store.Load("last").ok());
    EXPECT_TRUE(store.Load(finding_.id).ok());
    const Result<std::vector<FindingSummary>> list = store.List();
    for (const FindingSummary& row : *list) EXPECT_EQ(row.damage, "") << row.id;
  }
}

}  // namespace
}  // namespace heddle
