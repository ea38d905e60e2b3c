#include "explore/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LaunchTest, TheEnvironmentKeepsTheUsersOrderAndEndsWithOurs) {
  Invocation invocation;
  invocation.environment = {"B=2", "TMPDIR=/elsewhere", "A=1", "HEDDLE_CHANNEL=7"};

  const auto laid = LayEnvironment(invocation, {.preload = "", .temporary = "/tmp/t"});

  EXPECT_THAT(laid, ElementsAre("B=2", "A=1", "TMPDIR=/tmp/t", "OMP_THREAD_LIMIT=1",
                                "LD_BIND_NOW=1", "HEDDLE_CHANNEL=100"));
}

TEST(LaunchTest, ThePreloadGoesBeforeTheUsersOwn) {
  Invocation invocation;
  invocation.environment = {"LD_PRELOAD=libjemalloc.so"};

  const auto laid = LayEnvironment(invocation, {.preload = "/e.so", .temporary = "/t"});

  EXPECT_THAT(laid,
              ElementsAre("TMPDIR=/t", "OMP_THREAD_LIMIT=1", "LD_PRELOAD=/e.so:libjemalloc.so",
                          "LD_BIND_NOW=1", "HEDDLE_CHANNEL=100"));
}

TEST(LaunchTest, AProgramThatLinksTheEngineKeepsTheUsersPreloadAsItIs) {
  Invocation invocation;
  invocation.environment = {"LD_PRELOAD=libjemalloc.so"};

  const auto laid = LayEnvironment(invocation, {.preload = "", .temporary = "/t"});

  EXPECT_THAT(laid, ElementsAre("LD_PRELOAD=libjemalloc.so", "TMPDIR=/t", "OMP_THREAD_LIMIT=1",
                                "LD_BIND_NOW=1", "HEDDLE_CHANNEL=100"));
}

TEST(LaunchTest, AFileThatIsNotThereIsNamed) {
  Invocation invocation;
  invocation.program = "/no/such/program";
  invocation.working_directory = "/";

  const auto launched = Launch(invocation, {.channel = 0, .input = 0, .output = 1});

  ASSERT_FALSE(launched.ok());
  EXPECT_THAT(launched.error().text, HasSubstr("cannot execute /no/such/program"));
}

TEST(LaunchTest, ADirectoryThatIsGoneIsNamed) {
  Invocation invocation;
  invocation.program = "/bin/true";
  invocation.working_directory = "/no/such/directory";

  const auto launched = Launch(invocation, {.channel = 0, .input = 0, .output = 1});

  ASSERT_FALSE(launched.ok());
  EXPECT_THAT(launched.error().text, HasSubstr("cannot enter /no/such/directory"));
}

}  // namespace
}  // namespace heddle
