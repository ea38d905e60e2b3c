// heddle::Explore in doctest: the first two tests fail, the third passes.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <heddle/doctest.h>

namespace {

void Deposit(int* balance) {
  const int before = *balance;
  *balance = before + 10;
}

}  // namespace

TEST_CASE("a check fails") {
  heddle::Explore({.strategy = "dfs"}, [] {
    int balance = 0;
    heddle::Concurrently([&] { Deposit(&balance); }, [&] { Deposit(&balance); });
    CHECK(balance == 20);
  });
}

TEST_CASE("a requirement in a thread fails") {
  heddle::Explore({.strategy = "dfs"}, [] {
    int flag = 0;
    heddle::Concurrently([&] { flag = 1; }, [&] { REQUIRE(flag == 0); });
  });
}

TEST_CASE("nothing fails") {
  const heddle::Result result =
      heddle::Explore({.strategy = "dfs", .on_finding = heddle::kReturn}, [] {
        int balance = 0;
        heddle::Concurrently([&] { Deposit(&balance); }, [&] { Deposit(&balance); });
        CHECK(balance == 20);
      });
  CHECK(!result.ok());
  CHECK(result.Found("assertion"));
}
