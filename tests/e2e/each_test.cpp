// Test cases for `heddle run --each-test`; -DFRAMEWORK_… chooses the framework.
#include <mutex>
#include <thread>

#if defined(FRAMEWORK_CATCH2)
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#define CASE(name) TEST_CASE("Each." #name ", [x]")
#elif defined(FRAMEWORK_CATCH3)
#include <catch2/catch_test_macros.hpp>
#define CASE(name) TEST_CASE("Each." #name ", [x]")
#define NAMED(name) TEST_CASE(name)
#elif defined(FRAMEWORK_LIKE_CATCH3)
#include "like_catch3.h"
#define CASE(name) LIKE_CATCH3_CASE(name, "Each." #name ", [x]")
#define NAMED(name) LIKE_CATCH3_CASE(Named, name)
#elif defined(FRAMEWORK_DOCTEST)
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#define CASE(name) TEST_CASE("Each." #name ", [x]")
#else
#include <gtest/gtest.h>
#define CASE(name) TEST(Each, name)
#define CHECK EXPECT_TRUE
#endif

namespace {

template <typename Function>
void Twice(Function function) {
  std::thread first(function), second(function);
  first.join();
  second.join();
}

}  // namespace

CASE(LosesAnUpdate) {
  int sum = 0;
  Twice([&sum] {
    const int before = sum;
    sum = before + 1;
  });
  CHECK(sum == 2);
}

CASE(KeepsAnUpdate) {
  int sum = 0;
  std::mutex mutex;
  Twice([&] {
    const std::lock_guard lock(mutex);
    ++sum;
  });
  CHECK(sum == 2);
}

CASE(StartsNoThread) { CHECK(1 + 1 == 2); }

#ifdef NAMED
NAMED("#Each.Hash, \\ \"and\" more") {
  Twice([] {});
  CHECK(true);
}
#endif
