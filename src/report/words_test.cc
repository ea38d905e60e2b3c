#include "report/words.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(WordsTest, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(QuoteWord("lost_update.cpp:9"), "lost_update.cpp:9");
  EXPECT_EQ(QuoteWord("main::{lambda#1}"), "main::{lambda#1}");
}

TEST(WordsTest, WhatWouldBreakALineIsQuoted) {
  EXPECT_EQ(QuoteWord(""), "\"\"");
  EXPECT_EQ(QuoteWord("a b"), "\"a b\"");
  EXPECT_EQ(QuoteWord("say \"x\\y\"\n"), "\"say \\\"x\\\\y\\\"\\n\"");
}

TEST(WordsTest, EveryWordComesBackAsItWas) {
  const std::vector<std::string> words = {"plain",   "",          "two words",
                                          "q\"u\\o", "tab\there", "line\nbreak",
                                          "Grüße",   "\x01\x7f",  "-> #1"};
  std::string line;
  for (const std::string& word : words) line += QuoteWord(word) + "  ";

  const auto split = SplitWords(line);

  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(*split, words);
}

TEST(WordsTest, DamagedQuotingIsNoticed) {
  EXPECT_FALSE(SplitWords("a \"b").has_value());
  EXPECT_FALSE(SplitWords("\"b\\").has_value());
  EXPECT_FALSE(SplitWords("\"b\\q\"").has_value());
  EXPECT_FALSE(SplitWords("\"\\xz1\"").has_value());
}

TEST(WordsTest, NumbersAreReadWhollyOrNotAtAll) {
  EXPECT_EQ(ParseNumber("17"), 17u);
  EXPECT_FALSE(ParseNumber("17x").has_value());
  EXPECT_FALSE(ParseNumber("").has_value());
  EXPECT_FALSE(ParseNumber("-1").has_value());
  EXPECT_FALSE(ParseNumber("99999999999999999999").has_value());
  EXPECT_EQ(ParseHexadecimal(Hexadecimal(0x1f)), 0x1fu);
}

}  // namespace
}  // namespace heddle
