#include "runtime/interpose/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

constexpr FormatArgument kWord = {FormatArgument::kWord};
constexpr FormatArgument kDouble = {FormatArgument::kDouble};
constexpr FormatArgument kLongDouble = {FormatArgument::kLongDouble};
constexpr FormatArgument kPrecision = {FormatArgument::kPrecision};

FormatArgument Text(std::size_t limit = SIZE_MAX) { return {FormatArgument::kText, limit}; }
FormatArgument Wide(std::size_t limit = SIZE_MAX) { return {FormatArgument::kWideText, limit}; }
FormatArgument TextUpToArgument(int argument) {
  return {FormatArgument::kText, SIZE_MAX, argument};
}
FormatArgument Count(std::size_t size) { return {FormatArgument::kCount, size}; }

std::optional<std::vector<FormatArgument>> Read(const char* format) {
  FormatArgument arguments[4];
  const int count = ReadFormat(format, arguments);
  if (count < 0) return std::nullopt;
  return std::vector(arguments, arguments + count);
}

TEST(FormatTest, TextAndPercentSignsTakeNothing) {
  EXPECT_THAT(Read(""), Optional(IsEmpty()));
  EXPECT_THAT(Read("100 %% of it: %m"), Optional(IsEmpty()));
}

TEST(FormatTest, EachConversionTakesItsArgument) {
  EXPECT_THAT(Read("%d %-08.3lx%c"), Optional(ElementsAre(kWord, kWord, kWord)));
  EXPECT_THAT(Read("%p%+'zu%hhi%#jo"), Optional(ElementsAre(kWord, kWord, kWord, kWord)));
  EXPECT_THAT(Read("[%s]"), Optional(ElementsAre(Text())));
  EXPECT_THAT(Read("%f%10.2e% la"), Optional(ElementsAre(kDouble, kDouble, kDouble)));
}

TEST(FormatTest, LongDoublesAreToldFromDoubles) {
  EXPECT_THAT(Read("%Lf %g %llf"), Optional(ElementsAre(kLongDouble, kDouble, kLongDouble)));
}

TEST(FormatTest, AStringIsReadNoFurtherThanItsPrecision) {
  EXPECT_THAT(Read("%.5s"), Optional(ElementsAre(Text(5))));
  EXPECT_THAT(Read("%-20.s"), Optional(ElementsAre(Text(0))));
  EXPECT_THAT(Read("%*.*s"), Optional(ElementsAre(kWord, kPrecision, TextUpToArgument(1))));
}

TEST(FormatTest, WideTextIsToldFromOtherText) {
  EXPECT_THAT(Read("%ls%S%lc%zs"), Optional(ElementsAre(Wide(), Wide(), kWord, Wide())));
  EXPECT_THAT(Read("%.3ls"), Optional(ElementsAre(Wide(3))));
  EXPECT_THAT(Read("%hs"), Optional(ElementsAre(Text())));
}

TEST(FormatTest, ArgumentsThatAreNamedComeInTheirOwnOrder) {
  EXPECT_THAT(Read("%2$s %1$d"), Optional(ElementsAre(kWord, Text())));
  EXPECT_THAT(Read("%1$5.3f %2$n"), Optional(ElementsAre(kDouble, Count(4))));
  EXPECT_THAT(Read("%1$*2$.*3$s"), Optional(ElementsAre(TextUpToArgument(2), kWord, kPrecision)));
}

TEST(FormatTest, ATextThatIsNamedTwiceIsReadAsFarAsAnyOfThemDoes) {
  EXPECT_THAT(Read("%1$.2s %1$.5s"), Optional(ElementsAre(Text(5))));
  EXPECT_THAT(Read("%1$s %1$.5s %%"), Optional(ElementsAre(Text())));
}

TEST(FormatTest, ACountIsAsWideAsItsModifierSays) {
  EXPECT_THAT(Read("%n%hn%hhn%ln"), Optional(ElementsAre(Count(4), Count(2), Count(1), Count(8))));
  EXPECT_THAT(Read("%lln%zn"), Optional(ElementsAre(Count(8), Count(8))));
}

TEST(FormatTest, WhatIsNotKnownSaysNothingOfAny) {
  EXPECT_EQ(Read("%s %2$s"), std::nullopt);
  EXPECT_EQ(Read("%*1$d"), std::nullopt);
  EXPECT_EQ(Read("%.*1$s"), std::nullopt);
  EXPECT_EQ(Read("%2$s"), std::nullopt);        // of what is the first?
  EXPECT_EQ(Read("%1$s %1$d"), std::nullopt);   //
  EXPECT_EQ(Read("%1$n %1$hn"), std::nullopt);  //
  EXPECT_EQ(Read("%0$s %99$s"), std::nullopt);  //
  EXPECT_EQ(Read("%s %y"), std::nullopt);
  EXPECT_EQ(Read("%w32d"), std::nullopt);
  EXPECT_EQ(Read("%s%d%s%d%s"), std::nullopt);  // more than there is room for
}

TEST(FormatTest, AFormatThatEndsWithinAConversionIsNotReadBeyondItsEnd) {
  EXPECT_EQ(Read("%s %"), std::nullopt);
  EXPECT_EQ(Read("%-5"), std::nullopt);
  EXPECT_EQ(Read("%.*"), std::nullopt);
  EXPECT_EQ(Read("%h"), std::nullopt);
  EXPECT_EQ(Read("%ll"), std::nullopt);
}

}  // namespace
}  // namespace heddle
