// heddle::Explore in GoogleTest: failed EXPECTs and ASSERTs of any thread are findings, and Explore
// fails its test.
//
//   TEST(Account, Deposits) {
//     heddle::Explore({.strategy = "pos"}, [] {
//       Account account;
//       heddle::Concurrently([&] { account.Deposit(10); }, [&] { account.Deposit(10); });
//       EXPECT_EQ(account.balance(), 20);
//     });
//   }
//
// or, shorter, with options behind the name:
//
//   HEDDLE_TEST(Account, Deposits, .strategy = "pos") { ... }
//   HEDDLE_TEST_F(Fixture, Name) { ... }    SetUp and TearDown run for every schedule
//   HEDDLE_TEST_P(Fixture, Name) { ... }
#ifndef HEDDLE_GTEST_H_
#define HEDDLE_GTEST_H_

#include <gtest/gtest.h>

#include <string>

#include "heddle/heddle.h"

namespace heddle {
namespace internal {

// In a run, the first failed assertion ends it: that is the moment to look at.
class GoogleTestListener : public testing::EmptyTestEventListener {
 public:
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!IsScheduling() || heddle_fail == nullptr) return;
    if (result.failed()) {
      const char* const file = result.file_name() == nullptr ? "" : result.file_name();
      const unsigned line =
          result.line_number() < 0 ? 0u : static_cast<unsigned>(result.line_number());
      heddle_fail(file, line, "", result.message());
    } else if (result.skipped() && heddle_skip != nullptr) {
      heddle_skip(result.message());
    }
  }
};

inline bool UseGoogleTest() {
  framework.fail = [](const char* file, int line, const std::string& text) {
    ADD_FAILURE_AT(file, line) << text;
  };
  // Skipping is what this is about (issue 3, until 2036-01-01: the lint wants a date).
  framework.skip = [](const std::string& why) { GTEST_SKIP() << why; };
  framework.test_name = [] {
    const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
    return test == nullptr ? std::string()
                           : std::string(test->test_suite_name()) + "." + test->name();
  };
  // What a death test's child does must be seen by its parent, so it happens in the child itself.
  framework.run_natively = [] { return testing::internal::InDeathTestChild(); };
  testing::UnitTest::GetInstance()->listeners().Append(new GoogleTestListener);
  return true;
}
inline const bool uses_google_test = UseGoogleTest();

}  // namespace internal
}  // namespace heddle

// A name and perhaps options behind it, taken apart: before C++20 a macro of a name and `...` may
// not be used with the name alone.
#define HEDDLE_NAME_OF_(name, ...) name
#define HEDDLE_OPTIONS_OF_(name, ...) __VA_ARGS__
#define HEDDLE_APPLY_(macro, ...) macro(__VA_ARGS__)

#define HEDDLE_TEST(suite, ...)                                             \
  HEDDLE_APPLY_(HEDDLE_TEST_NAMED_, suite, HEDDLE_NAME_OF_(__VA_ARGS__, ~), \
                ::heddle::Options{HEDDLE_OPTIONS_OF_(__VA_ARGS__, )})
#define HEDDLE_TEST_NAMED_(suite, name, ...)                               \
  static void suite##_##name##_HeddleBody();                               \
  GTEST_TEST(suite, name) {                                                \
    ::heddle::Explore(__VA_ARGS__, [] { suite##_##name##_HeddleBody(); }); \
  }                                                                        \
  static void suite##_##name##_HeddleBody()

// A fixture of its own for every run.
#define HEDDLE_FIXTURE_RUN_(fixture, name)                                  \
  struct fixture##_##name##_HeddleRun : public fixture {                    \
    void TestBody() override;                                               \
    void Run() {                                                            \
      this->SetUp();                                                        \
      if (!this->HasFatalFailure() && !this->IsSkipped()) this->TestBody(); \
      this->TearDown();                                                     \
    }                                                                       \
  }

#define HEDDLE_TEST_F(fixture, ...)                                             \
  HEDDLE_APPLY_(HEDDLE_TEST_F_NAMED_, fixture, HEDDLE_NAME_OF_(__VA_ARGS__, ~), \
                ::heddle::Options{HEDDLE_OPTIONS_OF_(__VA_ARGS__, )})
#define HEDDLE_TEST_F_NAMED_(fixture, name, ...)               \
  HEDDLE_FIXTURE_RUN_(fixture, name);                          \
  struct fixture##_##name##_HeddleOutside : public fixture {   \
    void SetUp() override {}                                   \
    void TearDown() override {}                                \
  };                                                           \
  GTEST_TEST_(fixture, name, fixture##_##name##_HeddleOutside, \
              ::testing::internal::GetTypeId<fixture>()) {     \
    ::heddle::Explore(__VA_ARGS__, [] {                        \
      fixture##_##name##_HeddleRun run;                        \
      run.Run();                                               \
    });                                                        \
  }                                                            \
  void fixture##_##name##_HeddleRun::TestBody()

#define HEDDLE_TEST_P(fixture, ...)                                             \
  HEDDLE_APPLY_(HEDDLE_TEST_P_NAMED_, fixture, HEDDLE_NAME_OF_(__VA_ARGS__, ~), \
                ::heddle::Options{HEDDLE_OPTIONS_OF_(__VA_ARGS__, )})
#define HEDDLE_TEST_P_NAMED_(fixture, name, ...) \
  HEDDLE_FIXTURE_RUN_(fixture, name);            \
  TEST_P(fixture, name) {                        \
    ::heddle::Explore(__VA_ARGS__, [] {          \
      fixture##_##name##_HeddleRun run;          \
      run.Run();                                 \
    });                                          \
  }                                              \
  void fixture##_##name##_HeddleRun::TestBody()

#endif  // HEDDLE_GTEST_H_
