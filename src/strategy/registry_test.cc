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
  EXPECT_THAT(spec.error().text, HasSubstr("'zzzzzzzz'. Known strategies: auto, random"));
}

TEST(RegistryTest, AnUnknownKeyIsRefused) {
  const Result<StrategySpec> spec = ParseStrategy("random:depth=3");

  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(spec.error().text, HasSubstr("'random' has no parameter 'depth'; it takes none"));
}

TEST(RegistryTest, AnUnknownKeyListsTheKnownOnes) {
  const Result<StrategySpec> spec = ParseStrategy("pct:dept=3");

  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(spec.error().text,
              HasSubstr("it takes depth=1..100, k=1..1000000000, classic=on|off"));
}

TEST(RegistryTest, ParametersAreReadAndTheirValuesChecked) {
  const Result<StrategySpec> spec = ParseStrategy("pct:depth=5,classic=on");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->info->name, "pct");
  EXPECT_EQ(spec->params, (StrategyParams{{"depth", "5"}, {"classic", "on"}}));

  for (const char* const text : {"pct:depth=0", "pct:depth=101", "pct:depth=-1", "pct:depth=three",
                                 "pct:depth=3x", "pct:depth=", "pct:k=1.5"}) {
    const Result<StrategySpec> wrong = ParseStrategy(text);
    ASSERT_FALSE(wrong.ok()) << text;
    EXPECT_THAT(wrong.error().text, HasSubstr("it is 1..")) << text;
  }
  const Result<StrategySpec> wrong_word = ParseStrategy("pos:read-relaxed=yes");
  ASSERT_FALSE(wrong_word.ok());
  EXPECT_THAT(wrong_word.error().text, HasSubstr("can't be 'yes'; it is on|off"));
  const Result<StrategySpec> twice = ParseStrategy("pct:depth=3,depth=4");
  ASSERT_FALSE(twice.ok());
  EXPECT_THAT(twice.error().text, HasSubstr("given twice"));
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
