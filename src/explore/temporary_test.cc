#include "explore/temporary.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace heddle {
namespace {

class TemporaryTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/temporary-XXXXXX";
    root_ = mkdtemp(pattern.data());
    setenv("TMPDIR", root_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TMPDIR");
    std::filesystem::remove_all(root_);
  }

  std::string root_;
};

TEST_F(TemporaryTest, IsRemovedWithWhatIsInIt) {
  std::string path;
  {
    const auto directory = TemporaryDirectory::Make();
    ASSERT_TRUE(directory.ok());
    path = directory->path();
    std::ofstream(path + "/file") << "text";
    EXPECT_TRUE(std::filesystem::exists(path + "/file"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(TemporaryTest, TheNextOneRemovesWhatWasLeftBehindAndNothingElse) {
  const auto alive = TemporaryDirectory::Make();
  ASSERT_TRUE(alive.ok());
  std::filesystem::create_directories(root_ + "/heddle-run-killed/0000");
  std::filesystem::create_directories(root_ + "/somebody-elses");
  std::ofstream(root_ + "/heddle-run-a-file") << "text";

  const auto next = TemporaryDirectory::Make();

  ASSERT_TRUE(next.ok());
  EXPECT_FALSE(std::filesystem::exists(root_ + "/heddle-run-killed"));
  EXPECT_TRUE(std::filesystem::exists(root_ + "/somebody-elses"));
  EXPECT_TRUE(std::filesystem::exists(root_ + "/heddle-run-a-file"));
  EXPECT_TRUE(std::filesystem::exists(alive->path()));
}

}  // namespace
}  // namespace heddle
