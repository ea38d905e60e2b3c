#include "report/identifier_guess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/run_names.h"
#include "report/testing/trace_builder.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ReferencesTest, KeywordsTypesCallsAndDeclarationsAreNoReferences) {
  EXPECT_THAT(ReferencesIn("  counter = counter + 1;  // total"), ElementsAre("counter"));
  EXPECT_THAT(ReferencesIn("int value = counter;"), ElementsAre("counter"));
  EXPECT_THAT(ReferencesIn("assert(counter == 2);"), ElementsAre("counter"));
  EXPECT_THAT(ReferencesIn("return balance_;"), ElementsAre("balance_"));
  EXPECT_THAT(ReferencesIn("printf(\"total %d\", sum);"), ElementsAre("sum"));
  EXPECT_THAT(ReferencesIn("}"), IsEmpty());
}

TEST(ReferencesTest, AnAssignmentWritesItsLeftAndReadsItsRight) {
  EXPECT_THAT(ReferencesIn("value_ = value;", OpKind::kWrite), ElementsAre("value_"));
  EXPECT_THAT(ReferencesIn("value_ = value;", OpKind::kRead), ElementsAre("value"));
  EXPECT_THAT(ReferencesIn("int old = counter;", OpKind::kWrite), ElementsAre("old"));
  EXPECT_THAT(ReferencesIn("slots[i + 1] = item;", OpKind::kWrite), ElementsAre("slots"));
  EXPECT_THAT(ReferencesIn("*pointer = 1;", OpKind::kWrite), IsEmpty());
  EXPECT_THAT(ReferencesIn("at(i) = 1;", OpKind::kWrite), IsEmpty());
  EXPECT_THAT(ReferencesIn("sum += part;", OpKind::kRead), ElementsAre("part", "sum"));
  EXPECT_THAT(ReferencesIn("if (a == b) f(c);", OpKind::kWrite), ElementsAre("a", "b", "c"));
}

TEST(ReferencesTest, AStatementIsFoundByItsColumn) {
  const std::string_view line = "worker = std::thread([this] { length = name->size(); });";
  const auto column = [&](std::string_view what) { return static_cast<int>(line.find(what)) + 1; };

  EXPECT_EQ(StatementAt(line, column("= name")), " length = name->size()");
  EXPECT_EQ(StatementAt(line, column("std::")), "worker = std::thread([this] ");
  EXPECT_EQ(StatementAt(line, 0), line);
  EXPECT_EQ(StatementAt(line, 1000), line);
  EXPECT_THAT(ReferencesIn(StatementAt(line, column("size")), OpKind::kRead), ElementsAre("name"));
}

TEST(ReferencesTest, TemplateArgumentsAreNoObjects) {
  EXPECT_THAT(ReferencesIn("auto queue = std::make_unique<Queue>();"), IsEmpty());
  EXPECT_THAT(ReferencesIn("std::thread t([&] { queue->Pop(); });"), ElementsAre("queue"));
}

TEST(ReferencesTest, AMemberIsMeantByItsOwnName) {
  EXPECT_THAT(ReferencesIn("account.balance += amount;"), ElementsAre("amount", "balance"));
  EXPECT_THAT(ReferencesIn("node->next = nullptr;"), ElementsAre("next"));
}

TEST(ReferencesTest, ACalledObjectIsMeantItself) {
  EXPECT_THAT(ReferencesIn("while (!ready.load()) {}"), ElementsAre("ready"));
  EXPECT_THAT(ReferencesIn("std::lock_guard<std::mutex> guard(m);"), ElementsAre("m"));
  EXPECT_THAT(ReferencesIn("if (i < limit) go(&flag);"), ElementsAre("flag", "i", "limit"));
}

TEST(IdentifierGuessTest, WhatAllLinesOfAnObjectShareIsItsName) {
  TraceBuilder run;
  const ObjectId local = run.Memory("");
  run.Do(0, OpKind::kRead, local, {"a.cpp", 3, "main", "int old = counter;"});
  run.Do(0, OpKind::kWrite, local, {"a.cpp", 4, "main", "counter = old + 1;"});

  const RunTrace trace = run.Trace();
  const RunNames names(trace, run.symbols());

  EXPECT_EQ(names.Object(local), "counter");
}

TEST(IdentifierGuessTest, WhatAThreadWasAboutToDoCountsToo) {
  TraceBuilder run;
  const ObjectId local = run.Memory("");
  run.Pending(0, OpKind::kWrite, local, true, {"a.cpp", 4, "main", "name = other;"});

  const RunTrace trace = run.Trace();
  const RunNames names(trace, run.symbols());

  EXPECT_EQ(names.Object(local), "name");
}

TEST(IdentifierGuessTest, TwoPossibleNamesAreNone) {
  TraceBuilder run;
  const ObjectId local = run.Memory("");
  run.Do(0, OpKind::kRead, local, {"a.cpp", 3, "main", "sum = left + right;"});

  const RunTrace trace = run.Trace();
  const RunNames names(trace, run.symbols());

  EXPECT_EQ(names.Object(local), "memory 1");
}

TEST(IdentifierGuessTest, ObjectsThatWouldShareANameAreNumbered) {
  TraceBuilder run;
  const ObjectId first = run.Mutex(""), second = run.Mutex("");
  run.Do(0, OpKind::kLock, first, {"a.cpp", 3, "main", "m.lock();"});
  run.Do(0, OpKind::kLock, second, {"a.cpp", 4, "main", "  m.lock();"});

  const RunTrace trace = run.Trace();
  const RunNames names(trace, run.symbols());

  EXPECT_EQ(names.Object(first), "m#1");
  EXPECT_EQ(names.Phrase(second), "mutex m#2");
}

TEST(IdentifierGuessTest, WhatLiesBesideALockIsNotCalledLikeIt) {
  TraceBuilder run;
  const ObjectId lock = run.Mutex(""), guard = run.Memory("");
  const Line line = {"a.cpp", 3, "main", "std::unique_lock<std::mutex> guard(m);"};
  run.Do(0, OpKind::kWrite, guard, line);
  run.Do(0, OpKind::kLock, lock, line);

  const RunTrace trace = run.Trace();
  const RunNames names(trace, run.symbols());

  EXPECT_EQ(names.Object(lock), "m");
  EXPECT_EQ(names.Object(guard), "memory 1");
}

TEST(IdentifierGuessTest, TheLineThatMakesAGuardNamesTheLock) {
  TraceBuilder run;
  const ObjectId lock = run.Mutex("");
  run.Do(0, OpKind::kLock, lock, {"a.cpp", 3, "main", "std::unique_lock<std::mutex> guard(m);"});
  run.Do(0, OpKind::kUnlock, lock, {"a.cpp", 4, "main", "guard.unlock();"});
  run.Do(0, OpKind::kLock, lock, {"a.cpp", 5, "main", "ready.wait(guard, done);"});

  const RunTrace trace = run.Trace();
  const RunNames names(trace, run.symbols());

  EXPECT_EQ(names.Object(lock), "m");
}

TEST(RunNamesTest, TheLineTellsWhichVariableOfAGranuleIsMeant) {
  TraceBuilder run;
  const ObjectId granule = run.Memory("x");
  const RunTrace empty = run.Trace();
  run.symbols().AddData(empty.objects[granule].address + 4, "point.y");
  run.Do(0, OpKind::kWrite, granule, {"a.cpp", 3, "main", "x = 1;"});
  run.Do(0, OpKind::kWrite, granule, {"a.cpp", 4, "main", "point.y = 1;"});
  run.Do(0, OpKind::kWrite, granule, {"a.cpp", 5, "main", "*pointer = 1;"});

  const RunTrace trace = run.Trace();
  const RunNames names(trace, run.symbols());

  EXPECT_EQ(names.ObjectOf(0), "x");
  EXPECT_EQ(names.ObjectOf(1), "point.y");
  EXPECT_EQ(names.ObjectOf(2), "x/point.y");
}

TEST(RunNamesTest, HeapMemoryIsNamedByThePlaceThatAllocatedIt) {
  TraceBuilder run;
  const ObjectId block = run.Memory("");
  run.Do(0, OpKind::kWrite, block, {"a.cpp", 3, "main", "*(p + q) = 1;"});
  RunTrace trace = run.Trace();
  std::vector<ObjectRecord> objects(trace.objects.begin(), trace.objects.end());
  objects[block].allocation_site = run.AddressOf({"b.cpp", 12, "Make"});
  objects[block].offset = 8;
  trace.objects = objects;

  const RunNames names(trace, run.symbols());

  EXPECT_EQ(names.Object(block), "heap b.cpp:12+8");
}

TEST(RunNamesTest, NeighboursInOneArrayAreNamedTogether) {
  TraceBuilder run;
  const ObjectId granule = run.Memory("table.forks[0]");
  const RunTrace empty = run.Trace();
  run.symbols().AddData(empty.objects[granule].address + 4, "table.forks[1]");
  run.Do(0, OpKind::kWrite, granule, {"a.cpp", 3, "main", "forks[i] = 1;"});

  const RunTrace trace = run.Trace();
  const RunNames names(trace, run.symbols());

  EXPECT_EQ(names.ObjectOf(0), "table.forks[0..1]");
}

TEST(RunNamesTest, AnElementThatIsAccessedAloneIsNamedAlone) {
  TraceBuilder run;
  const ObjectId element = run.Memory("table.forks[0]");
  const RunTrace empty = run.Trace();
  run.symbols().AddData(empty.objects[element].address + 4, "table.forks[1]");
  run.Do(0, OpKind::kWrite, element, {"a.cpp", 3, "main", "forks[i] = 1;"});
  RunTrace trace = run.Trace();
  std::vector<ObjectRecord> objects(trace.objects.begin(), trace.objects.end());
  objects[element].size = 4;
  trace.objects = objects;

  const RunNames names(trace, run.symbols());

  EXPECT_EQ(names.ObjectOf(0), "table.forks[0]");
}

}  // namespace
}  // namespace heddle
