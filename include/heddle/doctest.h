// heddle::Explore in doctest: failed CHECKs and REQUIREs of any thread are findings, and Explore
// fails its test.
#ifndef HEDDLE_DOCTEST_H_
#define HEDDLE_DOCTEST_H_

#include <doctest/doctest.h>

#include <string>

#include "heddle/heddle.h"

namespace heddle {
namespace internal {

// In a run, the first failed assertion ends it: that is the moment to look at.
struct DoctestListener : doctest::IReporter {
  explicit DoctestListener(const doctest::ContextOptions&) {}

  void log_assert(const doctest::AssertData& assertion) override {
    if (!assertion.m_failed || !IsScheduling() || heddle_fail == nullptr) return;
    heddle_fail(assertion.m_file, static_cast<unsigned>(assertion.m_line), "", assertion.m_expr);
  }
  void log_message(const doctest::MessageData& message) override {
    if ((message.m_severity & doctest::assertType::is_warn) != 0 || !IsScheduling() ||
        heddle_fail == nullptr) {
      return;
    }
    heddle_fail(message.m_file, static_cast<unsigned>(message.m_line), "",
                message.m_string.c_str());
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData& test) override { current = test.m_name; }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

  static inline std::string current;
};

inline bool UseDoctest() {
  framework.fail = []([[maybe_unused]] const char* file, [[maybe_unused]] int line,
                      [[maybe_unused]] const std::string& text) {
    DOCTEST_ADD_FAIL_CHECK_AT(file, line, text);
  };
  framework.test_name = [] { return DoctestListener::current; };
  return true;
}
inline const bool uses_doctest = UseDoctest();

DOCTEST_REGISTER_LISTENER("heddle", 1, DoctestListener);

}  // namespace internal
}  // namespace heddle

#endif  // HEDDLE_DOCTEST_H_
