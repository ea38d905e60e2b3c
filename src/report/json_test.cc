#include "report/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/testing/example_runs.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;

Finding Example(TraceBuilder run) {
  Finding finding = BuildFinding(run.Trace(), run.symbols(), ExampleContext("program"));
  finding.id = "assertion-3f2a9c";
  finding.schedule = "findings/assertion-3f2a9c/schedule.heddle";
  return finding;
}

TEST(JsonTest, TheKeysScriptsRelyOnAreThere) {
  const nlohmann::ordered_json json = FindingToJson(Example(LostUpdate()));

  EXPECT_EQ(json["id"], "assertion-3f2a9c");
  EXPECT_EQ(json["kind"], "assertion");
  EXPECT_EQ(json["severity"], "error");
  EXPECT_TRUE(json["fingerprint"].is_string());
  EXPECT_TRUE(json["message"].is_string());
  EXPECT_EQ(json["sites"][0]["file"], "lost_update.cpp");
  EXPECT_EQ(json["sites"][0]["line"], 16);
  EXPECT_EQ(json["sites"][0]["function"], "main");
  EXPECT_EQ(json["hits"], 1);
  EXPECT_EQ(json["first_run"], 17);
  EXPECT_EQ(json["replayed"], true);
  EXPECT_EQ(json["schedule_dependent"], true);
  EXPECT_EQ(json["schedule"], "findings/assertion-3f2a9c/schedule.heddle");
}

TEST(JsonTest, AWholeFindingComesBackAsItWas) {
  for (const TraceBuilder& run : {LostUpdate(), Abba(), LostWakeUp(), Spinning(), LongStretch()}) {
    Finding finding = Example(run);
    finding.invocation.arguments = {"a", ""};
    finding.invocation.environment = {"HOME=/root", "X=ü"};
    finding.needs_early_timeout = true;
    finding.replay_note = "note";

    const Result<Finding> read = FindingFromJson(WholeFindingToJson(finding).dump(), "f.json");

    ASSERT_TRUE(read.ok()) << read.error().text;
    EXPECT_EQ(*read, finding);
  }
}

TEST(JsonTest, DamageIsOneSentence) {
  const std::string text = WholeFindingToJson(Example(Abba())).dump();
  for (std::size_t size = 0; size < text.size(); size += 97) {
    const Result<Finding> read = FindingFromJson(text.substr(0, size), "f.json");
    ASSERT_FALSE(read.ok());
    EXPECT_THAT(read.error().text, HasSubstr("f.json: the finding is damaged"));
    EXPECT_THAT(read.error().text, HasSubstr("search again"));
  }
}

TEST(JsonTest, ANewerFindingSaysWhatToDo) {
  const Result<Finding> read = FindingFromJson("{\"finding_schema\": 7}", "f.json");

  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().text,
            "f.json: finding version 7, this heddle reads 1; search again with this one");
}

TEST(JsonTest, AStepOfAThreadThatIsNotThereIsDamage) {
  nlohmann::ordered_json json = WholeFindingToJson(Example(Abba()));
  json["steps"][0]["thread"] = 77;

  EXPECT_FALSE(FindingFromJson(json.dump(), "f.json").ok());
}

}  // namespace
}  // namespace heddle
