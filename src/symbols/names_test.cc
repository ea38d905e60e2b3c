#include "symbols/names.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(NamesTest, ParametersReturnTypesAndQualifiersAreDropped) {
  EXPECT_EQ(ShortName("worker()"), "worker");
  EXPECT_EQ(ShortName("main"), "main");
  EXPECT_EQ(ShortName("ns::Account::Deposit(int, char const*) const"), "ns::Account::Deposit");
  EXPECT_EQ(ShortName("int ns::Twice<int>(int)"), "ns::Twice<int>");
  EXPECT_EQ(ShortName("Log[abi:cxx11](int)"), "Log");
  EXPECT_EQ(ShortName("worker() [clone .cold]"), "worker");
}

TEST(NamesTest, TemplateArgumentsStayWhole) {
  EXPECT_EQ(ShortName("Queue<std::function<void (int)>, 4>::Push(std::function<void (int)>)"),
            "Queue<std::function<void (int)>, 4>::Push");
}

TEST(NamesTest, LambdasAreNumberedWithoutTheirCallOperator) {
  EXPECT_EQ(ShortName("main::{lambda()#1}::operator()() const"), "main::{lambda#1}");
  EXPECT_EQ(ShortName("Run(int)::{lambda(auto:1)#2}::operator()(int) const"), "Run::{lambda#2}");
}

TEST(NamesTest, OperatorsKeepTheirSymbol) {
  EXPECT_EQ(ShortName("Functor::operator()(int) const"), "Functor::operator()");
  EXPECT_EQ(ShortName("Stream::operator<<(int)"), "Stream::operator<<");
  EXPECT_EQ(ShortName("bool operator==<int>(Box<int> const&, Box<int> const&)"), "operator==<int>");
  EXPECT_EQ(ShortName("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(ShortName("Flag::operator bool() const"), "Flag::operator bool");
}

TEST(NamesTest, AnonymousNamespacesAndScopesOfStaticLocalsAreReadable) {
  EXPECT_EQ(ShortName("(anonymous namespace)::Worker(int)"), "Worker");
  EXPECT_EQ(ShortName("Next()::calls"), "Next::calls");
}

TEST(NamesTest, LibraryCodeIsToldFromUserCode) {
  EXPECT_TRUE(IsSystemFile("/usr/include/c++/12/bits/std_thread.h"));
  EXPECT_TRUE(IsSystemFile("/opt/heddle/include/heddle/heddle.h"));
  EXPECT_FALSE(IsSystemFile("/home/me/src/bank.cpp"));
  EXPECT_TRUE(IsSystemModule("/lib/x86_64-linux-gnu/libc.so.6"));
  EXPECT_FALSE(IsSystemModule("/home/me/build/bank"));
  EXPECT_TRUE(IsSystemFunction("std::thread::join", /*has_source=*/false));
  EXPECT_TRUE(IsSystemFunction("__tsan_write4", /*has_source=*/true));
  EXPECT_TRUE(IsSystemFunction("__wrap_memcpy", /*has_source=*/false));
  EXPECT_FALSE(IsSystemFunction("__wrap_of_mine", /*has_source=*/true));
  EXPECT_FALSE(IsSystemFunction("Deposit", /*has_source=*/false));
}

}  // namespace
}  // namespace heddle
