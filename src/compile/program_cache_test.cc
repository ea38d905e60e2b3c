#include "compile/program_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

namespace fs = std::filesystem;
using ::testing::Optional;

class ProgramCacheTest : public ::testing::Test {
 protected:
  ProgramCacheTest() {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    std::ofstream(header_) << "one\n";
  }

  // Keeps a script as the program of key 1, built from header_.
  std::string KeepAProgram() {
    const Result<std::string> folder = cache_.NewFolder();
    EXPECT_TRUE(folder.ok());
    std::ofstream(*folder + "/prog") << "#!/bin/sh\n";
    fs::permissions(*folder + "/prog", fs::perms::owner_all);
    const Result<std::string> path = cache_.Keep(1, *folder, "prog", {*DescribeFile(header_)});
    EXPECT_TRUE(path.ok());
    EXPECT_FALSE(fs::exists(*folder));
    return path.ok() ? *path : "";
  }

  const std::string directory_ = ::testing::TempDir() + "/program_cache_test";
  const std::string header_ = directory_ + "/header.h";
  ProgramCache cache_{directory_ + "/cache"};
};

TEST_F(ProgramCacheTest, FindsWhatItKept) {
  const std::string path = KeepAProgram();

  EXPECT_THAT(cache_.Find(1), Optional(path));
  EXPECT_FALSE(cache_.Find(2));
}

TEST_F(ProgramCacheTest, FindsNothingOnceADependencyChanged) {
  KeepAProgram();
  std::ofstream(header_) << "another\n";

  EXPECT_FALSE(cache_.Find(1));
}

TEST_F(ProgramCacheTest, FindsNothingWhenTheProgramIsGone) {
  fs::remove(KeepAProgram());

  EXPECT_FALSE(cache_.Find(1));
  EXPECT_TRUE(fs::exists(KeepAProgram()));
}

TEST_F(ProgramCacheTest, TakesTheSameProgramTwice) {
  const std::string first = KeepAProgram();

  EXPECT_EQ(KeepAProgram(), first);
}

TEST_F(ProgramCacheTest, SurvivesADamagedEntry) {
  KeepAProgram();
  std::ofstream(directory_ + "/cache/0000000000000001") << "heddle program 1\nprog\ngarbage";

  EXPECT_FALSE(cache_.Find(1));
}

TEST_F(ProgramCacheTest, SaysWhichFolderCannotBeWritten) {
  ProgramCache cache("/proc/no-such-place");

  const Result<std::string> folder = cache.NewFolder();

  ASSERT_FALSE(folder.ok());
  EXPECT_THAT(folder.error().text, ::testing::HasSubstr("/proc/no-such-place"));
}

}  // namespace
}  // namespace heddle
