// The decoder against an independent one: what objdump prints of real code.
#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/code/instruction.h"

namespace heddle {
namespace {

// One line of objdump's.
struct Listed {
  std::uint64_t address = 0;  // as linked
  std::vector<std::uint8_t> bytes;
  std::string text;
};

std::vector<Listed> Disassembled(const std::string& path) {
  const std::string command = "objdump -d -w -j .text '" + path + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::vector<Listed> all;
  char line[1024];
  while (pipe != nullptr && std::fgets(line, sizeof line, pipe.get()) != nullptr) {
    Listed listed;
    int used = 0;
    if (std::sscanf(line, " %lx:%n", &listed.address, &used) != 1 || used == 0) continue;
    const char* at = line + used;
    unsigned byte = 0;
    for (int length = 0; std::sscanf(at, " %2x%n", &byte, &length) == 1 &&
                         (at[length] == ' ' || at[length] == '\t');
         at += length) {
      listed.bytes.push_back(static_cast<std::uint8_t>(byte));
      if (at[length] == '\t' || std::strncmp(at + length, "  ", 2) == 0) {
        at += length;
        break;
      }
    }
    listed.text = at;
    if (!listed.bytes.empty()) all.push_back(std::move(listed));
  }
  return all;
}

// The registers that a call preserves, under all their names.
const std::map<std::string, unsigned, std::less<>>& Preserved() {
  static const auto* const names = [] {
    auto* const map = new std::map<std::string, unsigned, std::less<>>{
        {"rbx", 3}, {"ebx", 3}, {"bx", 3}, {"bl", 3}, {"bh", 3},
        {"rbp", 5}, {"ebp", 5}, {"bp", 5}, {"bpl", 5}};
    for (unsigned number = 12; number < 16; ++number) {
      for (const char* suffix : {"", "d", "w", "b"}) {
        (*map)["r" + std::to_string(number) + suffix] = number;
      }
    }
    return map;
  }();
  return *names;
}

struct Named {
  unsigned registers = 0;  // anywhere in the operands
  unsigned in_address = 0;
  unsigned sources = 0;  // in another operand than the last
  std::string mnemonic;
  std::string last;  // operand
};

Named NamesIn(const std::string& text) {
  Named named;
  std::istringstream words(text.substr(0, text.find('#')));
  words >> named.mnemonic;
  static const std::set<std::string> prefixes = {"lock",    "rep",      "repz",    "repnz",
                                                 "notrack", "bnd",      "data16",  "cs",
                                                 "ds",      "xacquire", "xrelease"};
  while (prefixes.contains(named.mnemonic) && words >> named.mnemonic) {
  }
  std::string operands;
  std::getline(words, operands);
  if (const std::size_t end = operands.find('<'); end != std::string::npos) operands.resize(end);
  int depth = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == '(') ++depth;
    if (operands[i] == ')') --depth;
    if (operands[i] == ',' && depth == 0) {
      last = i + 1;
      named.sources = named.registers;
    }
    if (operands[i] != '%') continue;
    std::size_t end = i + 1;
    while (end < operands.size() && std::isalnum(static_cast<unsigned char>(operands[end])) != 0)
      ++end;
    const auto found = Preserved().find(operands.substr(i + 1, end - i - 1));
    if (found == Preserved().end()) continue;
    named.registers |= 1u << found->second;
    if (depth > 0) named.in_address |= 1u << found->second;
  }
  named.last = operands.substr(last);
  named.last.erase(
      std::remove_if(named.last.begin(), named.last.end(),
                     [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }),
      named.last.end());
  return named;
}

constexpr unsigned kPreservedBits = 1u << 3 | 1u << 5 | 0xf000u;

// Every instruction that is decoded: its length, and no register that it reads is left out.
void CheckAll(const std::string& path) {
  const std::vector<Listed> all = Disassembled(path);
  ASSERT_GT(all.size(), 10'000u) << path;
  std::size_t known = 0;
  for (const Listed& listed : all) {
    if (listed.text.find("(bad)") != std::string::npos) continue;
    Instruction done;
    const std::uint8_t* const code = listed.bytes.data();
    if (!Decode(code, code + listed.bytes.size(), &done)) continue;
    ++known;
    const std::string what = path + ": " + listed.text;
    ASSERT_EQ(done.length, listed.bytes.size()) << what;
    const Named named = NamesIn(listed.text);
    const unsigned told = done.reads | done.writes | done.address_reads;
    const bool clears = (named.mnemonic.starts_with("xor") || named.mnemonic.starts_with("sub") ||
                         named.mnemonic.starts_with("pxor")) &&
                        done.writes != 0;
    // Whoever overwrites a part of a register neither reads it nor overwrites all of it.
    const auto last =
        Preserved().find(named.last.substr(std::min<std::size_t>(1, named.last.size())));
    const bool is_part = named.mnemonic.starts_with("mov") && last != Preserved().end();
    EXPECT_EQ(named.registers & ~told & ~(is_part ? 1u << last->second : 0u) & kPreservedBits, 0u)
        << what;
    EXPECT_EQ(named.in_address &
                  ~(done.address_reads | (done.base == kNoRegister ? 0u : 1u << done.base)) &
                  kPreservedBits,
              0u)
        << what;
    EXPECT_EQ(named.sources & ~(done.reads | done.address_reads) & kPreservedBits,
              clears ? done.writes & kPreservedBits : 0u)
        << what;
    if ((done.writes & kPreservedBits) != 0) {
      // Overwritten as a whole: the last operand, by something that does not read it.
      const auto target =
          named.last.starts_with("%") ? Preserved().find(named.last.substr(1)) : Preserved().end();
      ASSERT_TRUE(target != Preserved().end()) << what;
      EXPECT_EQ(done.writes & kPreservedBits, 1u << target->second) << what;
      EXPECT_TRUE(clears || named.mnemonic.starts_with("mov") ||
                  named.mnemonic.starts_with("lea") || named.mnemonic.starts_with("pop") ||
                  named.mnemonic.starts_with("vmov") || named.mnemonic.starts_with("cvt") ||
                  named.mnemonic.starts_with("imul"))
          << what;
      const char end = named.last.back();
      EXPECT_TRUE(named.last.starts_with("%r") ? (end != 'w' && end != 'b')
                                               : named.last.starts_with("%e"))
          << what;
    }
    if (done.only_writes) {
      EXPECT_TRUE(named.mnemonic.starts_with("mov") || named.mnemonic.starts_with("set") ||
                  named.mnemonic.starts_with("vmov"))
          << what;
      EXPECT_TRUE(!named.last.starts_with("%") || named.last.starts_with("%fs:")) << what;
    }
  }
  EXPECT_GT(known, all.size() * 9 / 10) << path;
  std::printf("%s: %zu of %zu instructions\n", path.c_str(), known, all.size());
}

TEST(InstructionListingTest, AgreesWithObjdumpOnThisProgram) { CheckAll("/proc/self/exe"); }

TEST(InstructionListingTest, AgreesWithObjdumpOnTheLibraries) {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* argument) {
        const std::string_view name = info->dlpi_name;
        if (name.find("libstdc++") != name.npos || name.find("/libc.so") != name.npos)
          static_cast<std::vector<std::string>*>(argument)->emplace_back(name);
        return 0;
      },
      &paths);
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) CheckAll(path);
}

}  // namespace
}  // namespace heddle
