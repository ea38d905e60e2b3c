#include "figure_store.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace heddle::bench {
namespace {

class FigureStoreTest : public testing::Test {
 protected:
  ~FigureStoreTest() override { std::remove(path_.c_str()); }

  const std::string path_ = testing::TempDir() + "figure_store_test." +
                            testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(FigureStoreTest, AFigureIsMadeOnceAndKnownToTheNextStore) {
  Result<FigureStore> first = FigureStore::Open(path_);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->Get("a", [] { return 1; }), 1);
  EXPECT_EQ(first->Get("a", [] { return 2; }), 1);

  Result<FigureStore> second = FigureStore::Open(path_);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->Get("a", [] { return 3; }), 1);
  EXPECT_EQ(second->Get("b", [] { return 4; }), 4);
}

TEST_F(FigureStoreTest, ALineThatWasCutOffIsMadeAnewAndSpoilsNoOther) {
  std::ofstream(path_) << "{\"of\": \"a\", \"is\": 1}\n{\"of\": \"b\", \"i";

  Result<FigureStore> store = FigureStore::Open(path_);
  ASSERT_TRUE(store);
  EXPECT_EQ(store->Get("a", [] { return 5; }), 1);
  EXPECT_EQ(store->Get("b", [] { return 6; }), 6);

  Result<FigureStore> again = FigureStore::Open(path_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->Get("b", [] { return 7; }), 6);
}

TEST_F(FigureStoreTest, AFileThatCannotBeWrittenIsAnError) {
  EXPECT_FALSE(FigureStore::Open("/nonexistent/figures"));
}

}  // namespace
}  // namespace heddle::bench
