#include "explore/program_file.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

using ::testing::HasSubstr;

class ProgramFileTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& bytes, mode_t mode = 0755) {
    const std::string path = ::testing::TempDir() + "/heddle-program-" + name;
    std::filesystem::remove(path);
    std::ofstream(path) << bytes;
    chmod(path.c_str(), mode);
    return path;
  }

  static std::string Header(unsigned char bits, Elf64_Half machine, Elf64_Half type = ET_DYN) {
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = bits;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_machine = machine;
    header.e_type = type;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof header;
    return {reinterpret_cast<const char*>(&header), sizeof header};
  }

  static std::string ErrorOf(const std::string& name) {
    const auto program = InspectProgram(name);
    return program.ok() ? "" : program.error().text;
  }
};

TEST_F(ProgramFileTest, AnOrdinaryProgramIsFoundOnThePath) {
  const auto program = InspectProgram("true");

  ASSERT_TRUE(program.ok()) << program.error().text;
  EXPECT_TRUE(std::filesystem::path(program->path).is_absolute());
  EXPECT_FALSE(program->links_engine);
}

TEST_F(ProgramFileTest, EveryFileThatIsNoProgramForUsIsToldByItsOwnSentence) {
  EXPECT_THAT(ErrorOf("./no/such/file"), HasSubstr("no such file"));
  EXPECT_THAT(ErrorOf("no-such-program"), HasSubstr("no such program on the PATH"));
  EXPECT_THAT(ErrorOf("/"), HasSubstr("is a directory"));
  EXPECT_THAT(ErrorOf(Write("script", "#!/bin/sh\n")), HasSubstr("is a script"));
  EXPECT_THAT(ErrorOf(Write("text", "hello", 0644)), HasSubstr("is not executable"));
  EXPECT_THAT(ErrorOf(Write("data", "hello")), HasSubstr("no ELF header"));
  EXPECT_THAT(ErrorOf(Write("empty", "")), HasSubstr("no ELF header"));
  EXPECT_THAT(ErrorOf(Write("x86", Header(ELFCLASS32, EM_386))), HasSubstr("32-bit"));
  EXPECT_THAT(ErrorOf(Write("x32", Header(ELFCLASS32, EM_X86_64))), HasSubstr("32-bit"));
  EXPECT_THAT(ErrorOf(Write("arm", Header(ELFCLASS64, EM_AARCH64))), HasSubstr("64-bit ARM"));
  EXPECT_THAT(ErrorOf(Write("mips", Header(ELFCLASS64, EM_MIPS))), HasSubstr("another machine"));
  EXPECT_THAT(ErrorOf(Write("static", Header(ELFCLASS64, EM_X86_64))),
              HasSubstr("not linked dynamically"));
  EXPECT_THAT(ErrorOf(Write("object", Header(ELFCLASS64, EM_X86_64, ET_REL))),
              HasSubstr("object file"));
}

TEST_F(ProgramFileTest, AProgramThatMayNotBeExecutedSaysHowToAllowIt) {
  const std::string path = ::testing::TempDir() + "/heddle-program-true";
  std::filesystem::copy_file("/bin/true", path, std::filesystem::copy_options::overwrite_existing);
  chmod(path.c_str(), 0644);

  EXPECT_THAT(ErrorOf(path), HasSubstr("chmod +x"));
}

}  // namespace
}  // namespace heddle
