#include "explore/search_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace heddle {
namespace {

using ::testing::HasSubstr;

class SearchStateTest : public ::testing::Test {
 protected:
  SearchStateTest() { std::filesystem::remove(path_); }
  ~SearchStateTest() override { std::filesystem::remove(path_); }

  static SearchState State() {
    return {.identity = "dfs seed=1",
            .build_id = "abc",
            .runs = 12,
            .points = {{"", 1, Lesson::kRule},
                       {"/a program", 0x40, Lesson::kAccess},
                       {"/a program", 0x50, Lesson::kLoop},
                       {"/a program", 0x60, Lesson::kUnseenLoop}},
            .search = "what the search said\nof itself\n"};
  }

  const std::string path_ = ::testing::TempDir() + "/heddle-search-state";
};

TEST_F(SearchStateTest, IsReadAsItWasWritten) {
  const SearchState state = State();

  ASSERT_TRUE(WriteSearchState(path_, state).ok());
  const auto read = ReadSearchState(path_);

  ASSERT_TRUE(read.ok() && read->has_value());
  EXPECT_EQ((*read)->identity, state.identity);
  EXPECT_EQ((*read)->build_id, state.build_id);
  EXPECT_EQ((*read)->runs, state.runs);
  EXPECT_EQ((*read)->points, state.points);
  EXPECT_EQ((*read)->search, state.search);
}

TEST_F(SearchStateTest, WhereThereIsNoFileThereIsNothingToGoOnWith) {
  const auto read = ReadSearchState(path_);

  ASSERT_TRUE(read.ok());
  EXPECT_FALSE(read->has_value());
}

TEST_F(SearchStateTest, ARuleThatDoesNotExistIsDamage) {
  SearchState state = State();
  state.points.push_back({"", kRuleCount, Lesson::kRule});

  ASSERT_TRUE(WriteSearchState(path_, state).ok());
  const auto read = ReadSearchState(path_);

  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().text, HasSubstr(path_));
}

}  // namespace
}  // namespace heddle
