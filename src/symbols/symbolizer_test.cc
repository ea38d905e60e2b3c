// Compiles small programs and looks them up; nothing is run.
#include "symbols/symbolizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace heddle {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t kBase = 0x555555554000;

constexpr char kBank[] = R"(#include <atomic>
#include <array>
#include <mutex>
#include <vector>
struct Account { int number; long balance; };
struct Bank { std::mutex lock; Account accounts[3]; };
int counter;
Bank bank;
std::atomic<int> ready;
std::array<long, 4> totals;
int grid[2][3];
namespace { double hidden[2]; }
namespace ns { struct Stats { static int calls; }; int Stats::calls; }
volatile int sink;
inline void Touch(int by) {
  sink = by;
  counter += by;
}
__attribute__((noinline)) int Deposit(int amount) {
  static int deposits;
  deposits += amount;
  Touch(amount);
  Touch(amount);
  hidden[1] += amount;
  return ready.load();
}
__attribute__((noinline)) void Call() {
  Deposit(3);
  sink = 4;
  Deposit(3);
}
int main() {
  auto add = [](int n) __attribute__((noinline)) { sink = n; };
  add(2);
  Call();
  return ns::Stats::calls;
}
)";

void Shell(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

// Programs, each compiled once for all tests, in a directory of its own.
class Programs {
 public:
  Programs() {
    std::string pattern = ::testing::TempDir() + "/heddle-symbols-XXXXXX";
    root_ = std::filesystem::canonical(mkdtemp(pattern.data()));
  }
  ~Programs() { std::filesystem::remove_all(root_); }

  // The directory with bank.cpp and bank.
  std::string Compile(const std::string& source, const std::string& command) {
    const auto [known, is_new] =
        directories_.emplace(source + command, root_ + "/" + std::to_string(directories_.size()));
    if (is_new) {
      std::filesystem::create_directory(known->second);
      std::ofstream(known->second + "/bank.cpp") << source;
      Shell("cd " + known->second + " && " + command + " -std=c++20 -pie -fPIE bank.cpp -o bank");
    }
    return known->second;
  }

 private:
  std::string root_;
  std::map<std::string, std::string> directories_;
};

class SymbolizerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { programs_ = new Programs; }
  static void TearDownTestSuite() { delete programs_; }

  std::string Path(const std::string& name) const { return directory_ + "/" + name; }

  static std::vector<ModuleRecord> ModulesOf(const std::string& path) {
    ModuleRecord record;
    record.base = record.begin = kBase;
    record.end = kBase + 0x100000;
    std::strncpy(record.path, path.c_str(), sizeof record.path - 1);
    return {record};
  }

  std::unique_ptr<Symbolizer> Compile(const std::string& source, const std::string& flags,
                                      const std::string& compiler = "g++") {
    directory_ = programs_->Compile(source, compiler + " " + flags);
    return MakeSymbolizer(ModulesOf(Path("bank")));
  }

  // Addresses by linkage name.
  std::map<std::string, std::uint64_t> Symbols() {
    Shell("nm " + Path("bank") + " > " + Path("symbols.txt"));
    std::map<std::string, std::uint64_t> symbols;
    std::ifstream in(Path("symbols.txt"));
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      std::string address, type, name;
      if (words >> address >> type >> name) {
        symbols[name] = kBase + std::stoull(address, nullptr, 16);
      }
    }
    return symbols;
  }

  static inline Programs* programs_ = nullptr;
  std::string directory_;
};

LineQuery Query(const std::string& function, const std::string& text, int hint) {
  return {
      .module = "program", .function = function, .line_hash = LineHash(text), .line_hint = hint};
}

// The activations at the line's first instruction.
std::vector<Frame> FramesIn(Symbolizer& symbols, const LineMatch& match) {
  const CodeRange& range = match.ranges.front();
  return symbols.FramesAt(kBase + range.begin);
}

TEST_F(SymbolizerTest, AnAddressGivesFunctionFileAndLineWithoutOptimisation) {
  auto symbols = Compile(kBank, "-g -O0");

  const std::vector<LineMatch> found = symbols->FindLine(Query("Touch", "counter += by;", 17));

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].line, 17);
  EXPECT_EQ(found[0].distance, 0);
  const std::vector<Frame> frames = FramesIn(*symbols, found[0]);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].function, "Touch");
  EXPECT_EQ(ShortLocation(frames[0]), "bank.cpp:17");
  EXPECT_EQ(frames[0].file, Path("bank.cpp"));
  EXPECT_FALSE(frames[0].is_system);
}

TEST_F(SymbolizerTest, InlinedFunctionsAreExpandedInnermostFirst) {
  auto symbols = Compile(kBank, "-g -O2");

  const std::vector<LineMatch> found = symbols->FindLine(Query("Touch", "sink = by;", 16));

  ASSERT_THAT(found, SizeIs(1));
  const std::vector<Frame> frames = FramesIn(*symbols, found[0]);
  ASSERT_THAT(frames, SizeIs(2));
  EXPECT_EQ(frames[0].function, "Touch");
  EXPECT_EQ(frames[0].line, 16);
  EXPECT_TRUE(frames[0].is_inlined);
  EXPECT_EQ(frames[1].function, "Deposit");
  EXPECT_EQ(frames[1].line, 22);
  EXPECT_FALSE(frames[1].is_inlined);
}

TEST_F(SymbolizerTest, CodeInlinedFromACalleeBelongsToTheLineOfTheCall) {
  auto symbols = Compile(kBank, "-g -O2");

  const std::vector<LineMatch> calls = symbols->FindLine(Query("Deposit", "Touch(amount);", 22));
  const std::vector<LineMatch> inside = symbols->FindLine(Query("Touch", "sink = by;", 16));

  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0].line, 22);
  EXPECT_EQ(calls[1].line, 23);
  const std::uint32_t code = inside.at(0).ranges.front().begin;
  bool covered = false;
  for (const CodeRange& range : calls[0].ranges) {
    covered |= code >= range.begin && code < range.end;
  }
  EXPECT_TRUE(covered);
}

TEST_F(SymbolizerTest, EqualLinesComeNearestToTheHintFirst) {
  auto symbols = Compile(kBank, "-g -O0");

  const std::vector<LineMatch> found = symbols->FindLine(Query("Call", "  Deposit(3);  ", 31));

  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].line, 30);
  EXPECT_EQ(found[0].distance, 1);
  EXPECT_EQ(found[1].line, 28);
}

// The call is the last instruction of its line, so it returns to the first address after the range.
TEST_F(SymbolizerTest, ACallThatEndsItsLineBelongsToIt) {
  auto symbols = Compile(kBank, "-g -O0");

  const LineMatch call = symbols->FindLine(Query("Call", "Deposit(3);", 28)).at(0);
  const LineMatch after = symbols->FindLine(Query("Call", "sink = 4;", 29)).at(0);

  EXPECT_EQ(call.ranges.back().end, after.ranges.front().begin);
  EXPECT_EQ(symbols->FramesOfReturn(kBase + call.ranges.back().end)[0].line, 28);
  EXPECT_EQ(symbols->FramesOfReturn(kBase + call.ranges.back().end + 1)[0].line, 29);
}

TEST_F(SymbolizerTest, ALineIsFoundAgainAfterAnotherWasInsertedAbove) {
  auto before = Compile(kBank, "-g -O2");
  const LineMatch old = before->FindLine(Query("Deposit", "deposits += amount;", 21)).at(0);
  auto after = Compile("// A new line.\n" + std::string(kBank), "-g -O2");

  const std::vector<LineMatch> found =
      after->FindLine(Query("Deposit", "deposits += amount;", old.line));

  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].line, 22);
  EXPECT_EQ(found[0].distance, 1);
}

TEST_F(SymbolizerTest, DataIsNamedByVariableMemberAndElement) {
  for (const char* flags : {"-g -O0", "-g -O2", "-g -O0 -gdwarf-4"}) {
    auto symbols = Compile(kBank, flags);
    std::map<std::string, std::uint64_t> at = Symbols();

    EXPECT_EQ(symbols->NameOfData(at["counter"]), "counter") << flags;
    EXPECT_EQ(symbols->NameOfData(at["bank"] + 8), "bank.lock") << flags;
    EXPECT_EQ(symbols->NameOfData(at["bank"] + 40 + 2 * 16 + 8), "bank.accounts[2].balance");
    EXPECT_EQ(symbols->NameOfData(at["ready"]), "ready");
    EXPECT_EQ(symbols->NameOfData(at["totals"] + 24), "totals[3]");
    EXPECT_EQ(symbols->NameOfData(at["grid"] + 4 * 5), "grid[1][2]");
    EXPECT_EQ(symbols->NameOfData(at["_ZN12_GLOBAL__N_16hiddenE"] + 8), "hidden[1]");
    EXPECT_EQ(symbols->NameOfData(at["_ZN2ns5Stats5callsE"]), "ns::Stats::calls");
    EXPECT_EQ(symbols->NameOfData(at["_ZZ7DepositiE8deposits"]), "Deposit::deposits");
    EXPECT_EQ(symbols->NameOfData(at["_Z7Depositi"]), "");
    EXPECT_EQ(symbols->NameOfData(kBase + 0xfffff), "");
  }
}

TEST_F(SymbolizerTest, LibraryCodeInlinedOrNotIsSystemCode) {
  auto symbols = Compile(kBank, "-g -O2");

  const LineMatch load = symbols->FindLine(Query("Deposit", "return ready.load();", 25)).at(0);
  bool saw_library = false;
  for (const CodeRange& range : load.ranges) {
    for (std::uint32_t at = range.begin; at < range.end; ++at) {
      const std::vector<Frame>& frames = symbols->FramesAt(kBase + at);
      EXPECT_EQ(UserFrame(frames).function, "Deposit");
      saw_library |= frames.size() > 1 && frames[0].is_system;
    }
  }

  EXPECT_TRUE(saw_library);
}

TEST_F(SymbolizerTest, WithoutDebugInformationTheSymbolTableServes) {
  auto symbols = Compile(kBank, "-O1");
  std::map<std::string, std::uint64_t> at = Symbols();

  const std::vector<Frame>& frames = symbols->FramesAt(at["_Z7Depositi"]);

  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].function, "Deposit");
  EXPECT_EQ(frames[0].file, "");
  EXPECT_EQ(frames[0].offset, at["_Z7Depositi"] - kBase);
  EXPECT_EQ(symbols->NameOfData(at["counter"]), "counter");
}

TEST_F(SymbolizerTest, VariablesOfFloatingPointAreKnown) {
  for (const char* compiler : {"g++", "clang++"}) {
    auto symbols = Compile(R"(
#include <atomic>
struct Point { int id; double x; };
extern "C" { float ratio = 1; Point points[2]; std::atomic<double> total; int count = 1; }
int main() { ratio = 2; points[1].x = 3; total = 4; return count; }
)",
                           "-std=c++20 -g -O1", compiler);
    std::map<std::string, std::uint64_t> at = Symbols();

    EXPECT_TRUE(symbols->IsFloatingPoint(at["ratio"])) << compiler;
    EXPECT_FALSE(symbols->IsFloatingPoint(at["points"] + 16)) << compiler;
    EXPECT_TRUE(symbols->IsFloatingPoint(at["points"] + 24)) << compiler;
    EXPECT_TRUE(symbols->IsFloatingPoint(at["total"])) << compiler;
    EXPECT_FALSE(symbols->IsFloatingPoint(at["count"])) << compiler;
  }
}

TEST_F(SymbolizerTest, TheLinkersMarksAreNoVariables) {
  auto symbols = Compile(kBank, "-g -O1");
  std::map<std::string, std::uint64_t> at = Symbols();

  ASSERT_TRUE(at.contains("_end"));
  EXPECT_EQ(symbols->NameOfData(at["_end"]), "");
  EXPECT_EQ(symbols->NameOfData(at["__bss_start"]).find("__bss_start"), std::string::npos);
}

TEST_F(SymbolizerTest, WithoutAnySymbolsModuleAndOffsetRemain) {
  auto whole = Compile(kBank, "-O1");
  std::map<std::string, std::uint64_t> at = Symbols();
  Shell("strip -o " + Path("bare") + " " + Path("bank"));
  auto symbols = MakeSymbolizer(ModulesOf(Path("bare")));

  const std::vector<Frame>& frames = symbols->FramesAt(at["_Z7Depositi"]);

  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].function, "");
  EXPECT_EQ(frames[0].module, Path("bare"));
  EXPECT_EQ(frames[0].offset, at["_Z7Depositi"] - kBase);
}

TEST_F(SymbolizerTest, ASeparateDebugFileIsFoundThroughItsLink) {
  auto whole = Compile(kBank, "-g -O0");
  std::map<std::string, std::uint64_t> at = Symbols();
  Shell("cd " + directory_ +
        " && objcopy --only-keep-debug bank bank.debug && strip -o linked bank && "
        "objcopy --add-gnu-debuglink=bank.debug linked");
  auto symbols = MakeSymbolizer(ModulesOf(Path("linked")));

  const Frame& frame = symbols->FramesAt(at["_Z7Depositi"])[0];

  EXPECT_EQ(frame.function, "Deposit");
  EXPECT_EQ(frame.line, 19);
}

TEST_F(SymbolizerTest, AModuleWithAnotherBuildIdLendsNoNames) {
  auto whole = Compile(kBank, "-g -O0 -Wl,--build-id");
  std::map<std::string, std::uint64_t> at = Symbols();
  std::vector<ModuleRecord> modules = ModulesOf(Path("bank"));
  modules[0].build_id_size = 20;
  auto symbols = MakeSymbolizer(modules);

  EXPECT_EQ(symbols->FramesAt(at["_Z7Depositi"])[0].function, "");
}

TEST_F(SymbolizerTest, AMissingModuleIsNoError) {
  auto symbols = MakeSymbolizer(ModulesOf(Path("never-built")));

  EXPECT_THAT(symbols->FramesAt(kBase + 0x10), SizeIs(1));
  EXPECT_THAT(symbols->FramesAt(0), SizeIs(1));
  EXPECT_EQ(symbols->NameOfData(kBase + 0x10), "");
  EXPECT_THAT(symbols->FindLine(Query("Deposit", "x", 1)), IsEmpty());
}

TEST_F(SymbolizerTest, SitesAndAddressesAreEachOthersInverse) {
  auto symbols = MakeSymbolizer(ModulesOf(Path("never-built")));

  const std::optional<SiteRef> site = symbols->SiteOf(kBase + 0x1234);

  ASSERT_TRUE(site.has_value());
  EXPECT_EQ(site->offset, 0x1234u);
  EXPECT_EQ(symbols->AddressOf(*site), kBase + 0x1234);
  EXPECT_FALSE(symbols->SiteOf(12).has_value());
}

TEST(LineHashTest, WhiteSpaceAtTheEndsAndItsAmountInsideDoNotMatter) {
  EXPECT_EQ(LineHash("  counter  =\t1; "), LineHash("counter = 1;"));
  EXPECT_NE(LineHash("counter = 1;"), LineHash("counter = 2;"));
  EXPECT_NE(LineHash("a b"), LineHash("ab"));
}

TEST_F(SymbolizerTest, EveryCompilersDebugInformationReadsTheSameWay) {
  for (const std::string compiler : {"g++", "clang++", "clang++-19"}) {
    if (std::system(("command -v " + compiler + " >/dev/null").c_str()) != 0) continue;
    auto symbols = Compile(kBank, "-g -O1", compiler);
    std::map<std::string, std::uint64_t> at = Symbols();

    const std::vector<LineMatch> found = symbols->FindLine(Query("Touch", "sink = by;", 16));

    ASSERT_THAT(found, SizeIs(1)) << compiler;
    const std::vector<Frame> frames = FramesIn(*symbols, found[0]);
    EXPECT_EQ(frames.front().function, "Touch") << compiler;
    EXPECT_EQ(frames.front().line, 16) << compiler;
    EXPECT_EQ(symbols->NameOfData(at["bank"] + 40 + 16 + 8), "bank.accounts[1].balance");
  }
}

TEST_F(SymbolizerTest, ALambdaIsNamedByItsFunction) {
  auto symbols = Compile(kBank, "-g -O0");

  const std::vector<LineMatch> found = symbols->FindLine(Query(
      "main::{lambda#1}", "auto add = [](int n) __attribute__((noinline)) { sink = n; };", 33));

  ASSERT_THAT(found, SizeIs(1));
}

}  // namespace
}  // namespace heddle
