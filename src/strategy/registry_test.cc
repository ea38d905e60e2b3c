#include "strategy/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace heddle {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RegistryTest, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const StrategyInfo& info : Strategies()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(FindStrategy(info.name), &info);
    EXPECT_FALSE(info.summary.empty());
    EXPECT_LT(info.name.size(), 24u) << "does not fit Request::policy";
  }
}

TEST(RegistryTest, InternalStrategiesAreFoundButNeitherListedNorAcceptedFromUsers) {
  EXPECT_NE(FindStrategy("nonpreemptive"), nullptr);
  for (const StrategyInfo& info : Strategies()) EXPECT_NE(info.name, "nonpreemptive");
  EXPECT_FALSE(ParseStrategy("nonpreemptive").ok());
}

TEST(RegistryTest, AnUnknownNameSuggestsTheNearest) {
  const Result<StrategySpec> spec = ParseStrategy("randon");

  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(spec.error().text, HasSubstr("unknown strategy 'randon'"));
  EXPECT_THAT(spec.error().text, HasSubstr("did you mean 'random'?"));
  EXPECT_THAT(spec.error().text, HasSubstr("dfs"));
}

TEST(RegistryTest, AWordUnlikeAnyNameGetsTheListOnly) {
  const Result<StrategySpec> spec = ParseStrategy("zzzzzzzz");

  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(spec.error().text, Not(HasSubstr("did you mean")));
  EXPECT_THAT(spec.error().text, HasSubstr("Known strategies: random"));
}

TEST(RegistryTest, AnUnknownKeyIsRefused) {
  const Result<StrategySpec> spec = ParseStrategy("dfs:depth=3");

  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(spec.error().text, HasSubstr("'dfs' has no parameter 'depth'; it takes none"));
}

TEST(RegistryTest, AParameterWithoutValueSaysHowToWriteIt) {
  for (const char* const text : {"dfs:", "dfs:depth", "random:,"}) {
    const Result<StrategySpec> spec = ParseStrategy(text);
    ASSERT_FALSE(spec.ok()) << text;
    EXPECT_THAT(spec.error().text, HasSubstr("key=value")) << text;
  }
}

}  // namespace
}  // namespace heddle
