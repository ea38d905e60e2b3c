#include "compile/unsanitized_text.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

bool Marks(std::string_view text, const std::string& function) {
  UnsanitizedText marked;
  marked.AddFile(text);
  return marked.Marks(function);
}

TEST(UnsanitizedTextTest, KnowsTheAttributesSpellings) {
  EXPECT_TRUE(Marks("__attribute__((no_sanitize(\"thread\"))) int f(int* p) { return *p; }", "f"));
  EXPECT_TRUE(Marks("int f(int*) __attribute__((no_sanitize_thread));", "f"));
  EXPECT_TRUE(Marks("[[gnu::no_sanitize_thread]] void f() {}", "f"));
  EXPECT_TRUE(Marks("[[clang::no_sanitize(\"address\", \"thread\")]]\nvoid A::f() const {}", "f"));
  EXPECT_TRUE(Marks("__attribute__((__no_sanitize__(\"thread\"))) void f() {}", "f"));
  EXPECT_TRUE(Marks("__attribute__((disable_sanitizer_instrumentation)) void f() {}", "f"));
}

TEST(UnsanitizedTextTest, LeavesOtherSanitizersAndOtherFunctionsAlone) {
  EXPECT_FALSE(Marks("__attribute__((no_sanitize(\"address\"))) void f() {}", "f"));
  EXPECT_FALSE(Marks("void f() {}\n__attribute__((no_sanitize_thread)) void g() {}", "f"));
  EXPECT_FALSE(Marks("// no_sanitize_thread\nvoid f() {}", "f"));
  EXPECT_FALSE(Marks("/* no_sanitize_thread */ void f() {}", "f"));
}

TEST(UnsanitizedTextTest, FollowsMacrosAcrossFiles) {
  UnsanitizedText marked;
  marked.AddFile("SILENTLY void f(int a) { g(); }\nvoid h() {}");
  marked.AddFile(
      "#define MARK_SANITIZE __attribute__(( \\\n  no_sanitize_thread))\n#define SILENTLY "
      "MARK_SANITIZE");

  EXPECT_TRUE(marked.Marks("f"));
  EXPECT_FALSE(marked.Marks("g"));
  EXPECT_FALSE(marked.Marks("h"));
}

TEST(UnsanitizedTextTest, LooksAtTheArgumentOfAMacroForAllSanitizers) {
  const std::string define = "#define NO_SANITIZE(x) __attribute__((no_sanitize(x)))\n";

  EXPECT_TRUE(Marks(define + "NO_SANITIZE(\"thread\") void f() {}", "f"));
  EXPECT_FALSE(Marks(define + "NO_SANITIZE(\"address\") void f() {}", "f"));
}

TEST(UnsanitizedTextTest, TrustsTelltaleNamesOfMacrosItCannotSee) {
  EXPECT_TRUE(Marks("ABSL_ATTRIBUTE_NO_SANITIZE_THREAD void f() {}", "f"));
  EXPECT_TRUE(Marks("PROJECT_NO_TSAN\nstatic int f(void) { return 0; }", "f"));
}

TEST(UnsanitizedTextTest, SurvivesUnfinishedText) {
  EXPECT_FALSE(Marks("no_sanitize /* never closed", "f"));
  EXPECT_FALSE(Marks("no_sanitize \"never closed", "f"));
  EXPECT_FALSE(Marks("TSAN '", "f"));
}

}  // namespace
}  // namespace heddle
