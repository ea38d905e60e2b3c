#include "compile/dependencies.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(PrerequisitesTest, ReadsContinuedLinesAndEscapedNames) {
  EXPECT_THAT(PrerequisitesIn("a.o: a.cc dir/b\\ c.h \\\n d$$e.h\n\nd$$e.h:\n"),
              ElementsAre("a.cc", "dir/b c.h", "d$e.h"));
}

TEST(PrerequisitesTest, KeepsColonsInsideNames) {
  EXPECT_THAT(PrerequisitesIn("a.o:\\\n x:y.h\n"), ElementsAre("x:y.h"));
}

TEST(DependenciesTest, ComeBackFromText) {
  const std::vector<Dependency> dependencies = {{"/a b.h", 1, 2, 3}, {"/c.h", 4, 5, 6}};

  EXPECT_THAT(DependenciesFromText(DependenciesAsText(dependencies)), Optional(dependencies));
}

TEST(DependenciesTest, RefuseTextThatWasCutOff) {
  EXPECT_FALSE(DependenciesFromText("1 2 3 /a.h"));
  EXPECT_FALSE(DependenciesFromText("1 2\n"));
}

TEST(DependencyTest, IsUnchangedWhenOnlyTheTimeDiffers) {
  const std::string path = ::testing::TempDir() + "/dependency_time.h";
  std::ofstream(path) << "int a;\n";
  const std::optional<Dependency> before = DescribeFile(path);

  const timespec times[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);

  ASSERT_TRUE(before);
  EXPECT_TRUE(IsUnchanged(*before));
}

TEST(DependencyTest, IsChangedWhenTheContentDiffersInTheSameSize) {
  const std::string path = ::testing::TempDir() + "/dependency_content.h";
  std::ofstream(path) << "int a;\n";
  const std::optional<Dependency> before = DescribeFile(path);

  std::ofstream(path) << "int b;\n";
  const timespec times[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);

  ASSERT_TRUE(before);
  EXPECT_FALSE(IsUnchanged(*before));
  std::filesystem::remove(path);
  EXPECT_FALSE(IsUnchanged(*before));
}

}  // namespace
}  // namespace heddle
