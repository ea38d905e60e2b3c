#include "cli/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace heddle {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A machine that lacks nothing.
Machine WholeMachine() {
  Machine m;
  m.system = "Linux";
  m.architecture = "x86_64";
  m.kernel = "6.1.0";
  m.libc = "2.36";
  m.cores = 2;
  m.fsgsbase = m.aslr_can_be_off = m.ptrace = m.memfd = m.huge_reservation = true;
  m.memory_bytes = m.available_bytes = std::uint64_t{8} << 30;
  m.shm_bytes = std::uint64_t{64} << 20;
  m.runtime_directory = "/opt/heddle/lib/heddle";
  m.compilers = {{.name = "g++", .version = "12.2.0", .found = true}};
  m.gdb = {.name = "gdb", .version = "13.1", .found = true};
  return m;
}

const Capability& Named(const std::vector<Capability>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Capability& c) { return c.name == name; });
  EXPECT_NE(found, all.end()) << name;
  return found != all.end() ? *found : all.front();
}

TEST(DoctorTest, AWholeMachineNeedsNoRemedy) {
  const std::vector<Capability> all = Examine(WholeMachine());

  EXPECT_TRUE(CanRun(all));
  for (const Capability& c : all) {
    EXPECT_EQ(c.health, Health::kGood) << c.name;
    EXPECT_EQ(c.remedy, "") << c.name;
  }
}

TEST(DoctorTest, ADefaultContainerIsLimitedButRuns) {
  Machine container = WholeMachine();
  container.aslr_can_be_off = container.ptrace = false;
  container.gdb = {};

  const std::vector<Capability> all = Examine(container);

  EXPECT_TRUE(CanRun(all));
  for (const char* name : {"ASLR", "ptrace", "gdb"}) {
    EXPECT_EQ(Named(all, name).health, Health::kLimited) << name;
    EXPECT_NE(Named(all, name).remedy, "") << name;
  }
}

TEST(DoctorTest, WithoutFsgsbaseThereIsTheBatonBackend) {
  Machine old = WholeMachine();
  old.fsgsbase = false;

  const std::vector<Capability> all = Examine(old);

  EXPECT_TRUE(CanRun(all));
  EXPECT_THAT(Named(all, "FSGSBASE").follows, HasSubstr("baton"));
}

TEST(DoctorTest, AnotherArchitectureCannotRun) {
  Machine arm = WholeMachine();
  arm.architecture = "aarch64";

  EXPECT_FALSE(CanRun(Examine(arm)));
}

TEST(DoctorTest, AMissingRuntimeIsNamed) {
  Machine torn = WholeMachine();
  torn.runtime_fault = "lib/heddle/libheddle_hooks.a is missing";

  const std::vector<Capability> all = Examine(torn);

  EXPECT_FALSE(CanRun(all));
  EXPECT_THAT(Named(all, "runtime").found, HasSubstr("libheddle_hooks.a"));
}

TEST(DoctorTest, CompilersThatAreNotThereAreNotListed) {
  Machine bare = WholeMachine();
  bare.compilers = {{.name = "g++", .version = "12.2.0", .found = true}, {.name = "clang++"}};

  const std::vector<Capability> all = Examine(bare);

  EXPECT_TRUE(std::none_of(all.begin(), all.end(),
                           [](const Capability& c) { return c.name == "clang++"; }));
}

TEST(DoctorTest, AChosenCompilerThatIsNotThereIsAFault) {
  Machine misled = WholeMachine();
  misled.compilers.push_back({.name = "clang++-99", .chosen = true});

  EXPECT_EQ(Named(Examine(misled), "clang++-99").health, Health::kLimited);
}

TEST(DoctorTest, WithoutAnyCompilerBuiltProgramsStillRun) {
  Machine bare = WholeMachine();
  bare.compilers.clear();

  const std::vector<Capability> all = Examine(bare);

  EXPECT_TRUE(CanRun(all));
  EXPECT_EQ(Named(all, "compilers").health, Health::kLimited);
}

TEST(DoctorTest, TheTableKeepsToItsWidthAndAlignsItsText) {
  Machine container = WholeMachine();
  container.aslr_can_be_off = false;

  const std::string table = RenderCapabilities(Examine(container), {.width = 72, .color = false});

  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 72u) << line;
  EXPECT_THAT(table, HasSubstr("less  ASLR           can't be switched off"));
  EXPECT_THAT(table, HasSubstr("\n                     remedy: "));
  EXPECT_THAT(table, Not(HasSubstr("\033")));
}

TEST(MachineTest, ReadsTheVersionsOfTheCompilersDebianShips) {
  EXPECT_EQ(VersionIn("g++ (Debian 12.2.0-14+deb12u1) 12.2.0\n"), "12.2.0");
  EXPECT_EQ(VersionIn("Debian clang version 19.1.7 (3~deb12u1)\n"), "19.1.7");
  EXPECT_EQ(VersionIn("GNU gdb (Debian 13.1-3) 13.1\n"), "13.1");
  EXPECT_EQ(VersionIn(""), "");
}

TEST(MachineTest, ProbingFindsTheMachineTheTestRunsOn) {
  const Machine machine = ProbeMachine();

  EXPECT_EQ(machine.system, "Linux");
  EXPECT_GT(machine.memory_bytes, 0u);
  EXPECT_GE(machine.cores, 1);
  EXPECT_TRUE(machine.memfd);
}

}  // namespace
}  // namespace heddle
