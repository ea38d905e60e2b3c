#include "runtime/interpose/scan_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

ScanArgument Value(std::size_t size) { return {ScanArgument::kValue, size}; }
ScanArgument Characters(std::size_t size) { return {ScanArgument::kCharacters, size}; }
ScanArgument Count(std::size_t size) { return {ScanArgument::kCount, size}; }
ScanArgument Text(std::size_t place) { return {ScanArgument::kText, 1, place}; }
ScanArgument Wide(std::size_t place) { return {ScanArgument::kText, 4, place}; }

std::optional<std::vector<ScanArgument>> Read(const char* format) {
  ScanArgument arguments[4];
  const int count = ReadScanFormat(format, arguments);
  if (count < 0) return std::nullopt;
  return std::vector(arguments, arguments + count);
}

TEST(ScanFormatTest, TextAndPercentSignsTakeNothing) {
  EXPECT_THAT(Read(""), Optional(IsEmpty()));
  EXPECT_THAT(Read("100 %% of it"), Optional(IsEmpty()));
}

TEST(ScanFormatTest, NumbersAreAsWideAsTheirModifiersSay) {
  EXPECT_THAT(Read("%d%hhd%hu%lx"), Optional(ElementsAre(Value(4), Value(1), Value(2), Value(8))));
  EXPECT_THAT(Read("%lli%zu%3jd%p"), Optional(ElementsAre(Value(8), Value(8), Value(8), Value(8))));
  EXPECT_THAT(Read("%f%lf%Lg"), Optional(ElementsAre(Value(4), Value(8), Value(16))));
}

TEST(ScanFormatTest, WhatIsNotKeptTakesNoArgument) {
  EXPECT_THAT(Read("%*d %*[^,],%d"), Optional(ElementsAre(Value(4))));
}

TEST(ScanFormatTest, ATextSaysWhereItsAllocationGoes) {
  EXPECT_THAT(Read("%s"), Optional(ElementsAre(Text(1))));
  EXPECT_THAT(Read("%7s"), Optional(ElementsAre(Text(2))));
  EXPECT_THAT(Read("%ls%S"), Optional(ElementsAre(Wide(1), Wide(4))));
}

TEST(ScanFormatTest, ASetEndsAtABracketThatIsNotItsFirstCharacter) {
  EXPECT_THAT(Read("%[]%s]%d"), Optional(ElementsAre(Text(1), Value(4))));
  EXPECT_THAT(Read("%[^]%s]%d"), Optional(ElementsAre(Text(1), Value(4))));
}

TEST(ScanFormatTest, WhatTheCallAllocatesIsAnAddress) {
  EXPECT_THAT(Read("%ms%m[a-z]%mc"), Optional(ElementsAre(Value(8), Value(8), Value(8))));
}

TEST(ScanFormatTest, CharactersAreAsManyAsTheirWidth) {
  EXPECT_THAT(Read("%c%5c%3lc"), Optional(ElementsAre(Value(1), Characters(5), Characters(12))));
}

TEST(ScanFormatTest, ACountIsNoConversion) {
  EXPECT_THAT(Read("%n%hn%ln"), Optional(ElementsAre(Count(4), Count(2), Count(8))));
}

TEST(ScanFormatTest, WhatIsNotKnownSaysNothingOfAny) {
  EXPECT_EQ(Read("%d %2$d"), std::nullopt);
  EXPECT_EQ(Read("%y"), std::nullopt);
  EXPECT_EQ(Read("%as"), std::nullopt);
  EXPECT_EQ(Read("%[abc"), std::nullopt);
  EXPECT_EQ(Read("%d%d%d%d%d"), std::nullopt);  // more than there is room for
  EXPECT_EQ(Read("%d %"), std::nullopt);
  EXPECT_EQ(Read("%5"), std::nullopt);
}

}  // namespace
}  // namespace heddle
