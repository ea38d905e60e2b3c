// GoogleTest around heddle::Explore. Several of these tests are meant to fail;
// library_gtest_test.py knows which.
#include <gmock/gmock.h>
#include <heddle/gtest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

struct Account {
  int balance = 0;
  void Deposit(int amount) {
    const int before = balance;
    balance = before + amount;
  }
};

void DepositTwice(Account* account) {
  heddle::Concurrently([=] { account->Deposit(10); }, [=] { account->Deposit(10); });
}

TEST(Explore, ExpectFails) {
  heddle::Explore({.strategy = "dfs"}, [] {
    Account account;
    DepositTwice(&account);
    EXPECT_EQ(account.balance, 20) << "lost";
  });
}

TEST(Explore, AssertInAThreadFails) {
  heddle::Explore({.strategy = "dfs"}, [] {
    int flag = 0;
    heddle::Concurrently([&] { flag = 1; },
                         [&] {
                           SCOPED_TRACE("in the second thread");
                           ASSERT_EQ(flag, 0);
                         });
  });
}

TEST(Explore, Passes) {
  const heddle::Result result = heddle::Explore({.strategy = "dfs", .require_complete = true}, [] {
    std::mutex mutex;
    int sum = 0;
    const auto add = [&] {
      const std::lock_guard lock(mutex);
      ++sum;
    };
    heddle::Concurrently(add, add);
    EXPECT_EQ(sum, 2);
  });
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.runs, 2u);
}

TEST(Explore, CanBeTested) {
  const heddle::Result result =
      heddle::Explore({.strategy = "dfs", .on_finding = heddle::kReturn}, [] {
        Account account;
        DepositTwice(&account);
        EXPECT_EQ(account.balance, 20);
      });
  EXPECT_FALSE(result.ok());
  EXPECT_TRUE(result.Found("assertion"));
}

TEST(Explore, Skips) {
  // Skipping is what this is about (issue 3, until 2036-01-01: the lint wants a date).
  heddle::Explore({.runs = 10}, [] { GTEST_SKIP() << "not on this machine"; });
}

HEDDLE_TEST(Macro, Fails, .strategy = "dfs", .keep_going = true) {
  Account account;
  DepositTwice(&account);
  EXPECT_EQ(account.balance, 20);
}

class Fixture : public testing::Test {
 protected:
  void SetUp() override {
    account_ = new Account;
    ++set_up_;
  }
  void TearDown() override { delete account_; }

  Account* account_ = nullptr;
  int set_up_ = 0;
};

HEDDLE_TEST_F(Fixture, IsFreshForEverySchedule, .strategy = "dfs", .races = "off") {
  ASSERT_EQ(set_up_, 1);
  ASSERT_EQ(account_->balance, 0);
  DepositTwice(account_);
}

TEST_F(Fixture, StillWorksNatively) { EXPECT_EQ(account_->balance, 0); }

class Amounts : public testing::TestWithParam<int> {};

HEDDLE_TEST_P(Amounts, AreKnown, .strategy = "dfs") {
  Account account;
  heddle::Concurrently([&] { account.Deposit(GetParam()); });
  EXPECT_EQ(account.balance, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Some, Amounts, testing::Values(1, 2));

class Reader {
 public:
  MOCK_METHOD(void, Read, (int));
};

// GoogleMock does not know where such a call comes from.
TEST(Explore, UnexpectedCallOfAMockFails) {
  const heddle::Result result = heddle::Explore({.on_finding = heddle::kReturn}, [] {
    Reader reader;
    EXPECT_CALL(reader, Read(1));
    heddle::Concurrently([&] { reader.Read(1); }, [&] { reader.Read(2); });
  });
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_THAT(result.findings[0].message, testing::HasSubstr("Unexpected mock function call"));
  EXPECT_THAT(result.findings[0].file, testing::HasSubstr("library_gtest.cpp"));
}

HEDDLE_TEST(Macro, NeedsNoOptions) {
  std::thread([] {}).join();
}

void DieInABody(const char* style) {
  GTEST_FLAG_SET(death_test_style, style);
  heddle::Explore({.runs = 20}, [] {
    std::atomic<int> count{0};
    heddle::Concurrently([&] { ++count; }, [&] { ++count; });
    EXPECT_DEATH(std::abort(), "");
  });
}

TEST(ExploreDeathTest, FastOnesWorkInABody) { DieInABody("fast"); }

// The child begins at main, and comes to the body natively. GoogleTest counts a process's death
// tests, and the child counts from one.
TEST(ExploreDeathTest, ThreadsafeOnesWorkInABody) { DieInABody("threadsafe"); }

TEST(ExploreDeathTest, RunsNativelyInTheChild) {
  EXPECT_EXIT(
      {
        heddle::Explore([] { std::thread([] {}).join(); });
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
