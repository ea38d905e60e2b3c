#include "explore/endless_loop.h"

#include <gtest/gtest.h>

#include "report/testing/trace_builder.h"

namespace heddle {
namespace {

constexpr int kRounds = 200;

// main reads `object` again and again.
std::string DescribeReadsOf(ObjectId object, TraceBuilder* run) {
  for (int i = 0; i < kRounds; ++i) {
    run->Access(kMainThread, OpKind::kRead, object, 0, {"a.cpp", 12, "main"});
  }
  return DescribeLoop(run->Trace(), run->symbols());
}

TEST(EndlessLoopTest, SaysWhereItGoesRoundAndWhatItReads) {
  TraceBuilder run;

  const std::string text = DescribeReadsOf(run.Memory("flag"), &run);

  EXPECT_EQ(text, "main goes round at a.cpp:12: it reads flag (always 0)");
}

TEST(EndlessLoopTest, MemoryWithoutANameIsMemory) {
  TraceBuilder run;

  const std::string text = DescribeReadsOf(kNoObject, &run);

  EXPECT_EQ(text, "main goes round at a.cpp:12: it reads memory (always 0)");
}

TEST(EndlessLoopTest, WhoDoesNotRepeatItselfIsInNoLoop) {
  TraceBuilder run;
  const ObjectId flag = run.Memory("flag");

  run.Access(kMainThread, OpKind::kRead, flag, 0, {"a.cpp", 12, "main"});

  EXPECT_EQ(DescribeLoop(run.Trace(), run.symbols()), "");
}

}  // namespace
}  // namespace heddle
