// heddle::Explore in Catch2, version 2 or 3: failed CHECKs and REQUIREs of any thread are findings,
// and Explore fails its test. Include it instead of (or before) Catch2's own header.
#ifndef HEDDLE_CATCH2_H_
#define HEDDLE_CATCH2_H_

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#include <catch2/interfaces/catch_interfaces_capture.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#define HEDDLE_CATCH_BASE_ Catch::EventListenerBase
#define HEDDLE_CATCH_ENDED_ void
#else
#ifndef CATCH_CONFIG_EXTERNAL_INTERFACES
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#endif
#include <catch2/catch.hpp>
#define HEDDLE_CATCH_BASE_ Catch::TestEventListenerBase
#define HEDDLE_CATCH_ENDED_ bool
#endif

#include <string>

#include "heddle/heddle.h"

namespace heddle {
namespace internal {

// In a run, the first failed assertion ends it: that is the moment to look at.
struct CatchListener : HEDDLE_CATCH_BASE_ {
  using Base = HEDDLE_CATCH_BASE_;
  using Base::Base;

  HEDDLE_CATCH_ENDED_ assertionEnded(const Catch::AssertionStats& stats) override {
    const Catch::AssertionResult& result = stats.assertionResult;
    if (!result.isOk() && IsScheduling() && heddle_fail != nullptr) {
      const Catch::SourceLineInfo where = result.getSourceInfo();
      const std::string text = result.getExpressionInMacro();
      heddle_fail(where.file, static_cast<unsigned>(where.line), "", text.c_str());
    }
    return HEDDLE_CATCH_ENDED_();
  }
};

inline bool UseCatch() {
  framework.fail = [](const char* file, int line, const std::string& text) {
    Catch::AssertionHandler handler(Catch::StringRef("heddle::Explore"),
                                    Catch::SourceLineInfo(file, static_cast<std::size_t>(line)),
                                    Catch::StringRef(),
                                    Catch::ResultDisposition::ContinueOnFailure);
    handler.handleMessage(Catch::ResultWas::ExplicitFailure, std::string(text));
    handler.complete();
  };
  framework.test_name = [] { return std::string(Catch::getResultCapture().getCurrentTestName()); };
  return true;
}
inline const bool uses_catch = UseCatch();

CATCH_REGISTER_LISTENER(CatchListener)

}  // namespace internal
}  // namespace heddle

#undef HEDDLE_CATCH_BASE_
#undef HEDDLE_CATCH_ENDED_

#endif  // HEDDLE_CATCH2_H_
