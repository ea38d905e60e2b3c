#include "explore/program_file.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>

#include "explore/descriptor.h"

namespace heddle {
namespace {

constexpr std::string_view kEngine = "libheddle_engine.so";

// Where a shell would find it.
std::optional<std::string> OnPath(const std::string& name) {
  const char* const variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string directory(rest.substr(0, colon));
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
    const std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
    if (std::filesystem::is_regular_file(candidate) && access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return std::nullopt;
}

Result<std::string> Locate(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored)) {
    return std::filesystem::absolute(name, ignored).lexically_normal().string();
  }
  if (name.find('/') != std::string::npos) {
    return Error{fmt::format("{}: no such file", name)};
  }
  if (auto found = OnPath(name)) return std::filesystem::absolute(*found, ignored).string();
  return Error{fmt::format("{}: no such file here, and no such program on the PATH", name)};
}

std::string MachineName(unsigned machine) {
  switch (machine) {
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "64-bit ARM";
    case EM_ARM:
      return "32-bit ARM";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "64-bit POWER";
    case EM_S390:
      return "S/390";
    default:
      return fmt::format("another machine (ELF machine {})", machine);
  }
}

// The checks on the file's first bytes.
Status CheckHeader(const std::string& name, int fd) {
  std::array<unsigned char, sizeof(Elf64_Ehdr)> bytes = {};
  const ssize_t size = pread(fd, bytes.data(), bytes.size(), 0);
  if (size >= 2 && bytes[0] == '#' && bytes[1] == '!') {
    return Error{fmt::format("{} is a script; name the program that it starts", name)};
  }
  if (size < EI_NIDENT || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) {
    return Error{fmt::format("{} is not a program (no ELF header)", name)};
  }
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.e_machine == EM_386 ||
      (header.e_machine == EM_X86_64 && header.e_ident[EI_CLASS] != ELFCLASS64)) {
    return Error{fmt::format("{} is a 32-bit program; build it for 64 bits (-m64)", name)};
  }
  if (header.e_machine != EM_X86_64) {
    return Error{fmt::format("{} is a program for {}; build it for this machine (x86-64)", name,
                             MachineName(header.e_machine))};
  }
  if (size < static_cast<ssize_t>(sizeof header)) {
    return Error{fmt::format("{} is cut off; build it again", name)};
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
    return Error{fmt::format("{} is an object file; link it first", name)};
  }
  return {};
}

struct ElfCloser {
  void operator()(Elf* elf) const { elf_end(elf); }
};

bool HasInterpreter(Elf* elf) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return false;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) != nullptr && header.p_type == PT_INTERP) {
      return true;
    }
  }
  return false;
}

void ReadDynamic(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ProgramFile* program) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    if (header.sh_type == SHT_DYNAMIC) {
      GElf_Dyn entry;
      if (gelf_getdyn(data, i, &entry) == nullptr || entry.d_tag != DT_NEEDED) continue;
      const char* const library = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
      if (library != nullptr && std::string_view(library).starts_with(kEngine)) {
        program->links_engine = true;
      }
    } else {
      GElf_Sym symbol;
      if (gelf_getsym(data, i, &symbol) == nullptr || symbol.st_shndx != SHN_UNDEF) continue;
      const char* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (name != nullptr && std::strcmp(name, "__assert_fail") == 0) {
        program->imports_assert = true;
      }
      if (name != nullptr && std::strcmp(name, "heddle_ready") == 0) program->imports_ready = true;
    }
  }
}

Status ReadElf(const std::string& name, int fd, ProgramFile* program) {
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, ElfCloser> elf(elf_begin(fd, ELF_C_READ, nullptr));
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF) {
    return Error{fmt::format("{} is damaged: {}", name, elf_errmsg(-1))};
  }
  if (!HasInterpreter(elf.get())) {
    return Error{
        fmt::format("{} is not linked dynamically, so heddle's runtime can't be loaded into it; "
                    "link it without -static",
                    name)};
  }
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf.get(), section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type == SHT_DYNAMIC || header.sh_type == SHT_DYNSYM) {
      ReadDynamic(elf.get(), section, header, program);
    }
  }
  return {};
}

}  // namespace

Result<ProgramFile> InspectProgram(const std::string& name) {
  const Result<std::string> path = Locate(name);
  if (!path) return path.error();
  struct stat status = {};
  if (stat(path->c_str(), &status) != 0) {
    return Error{fmt::format("{}: {}", name, std::strerror(errno))};
  }
  if (S_ISDIR(status.st_mode)) return Error{fmt::format("{} is a directory", name)};
  if (!S_ISREG(status.st_mode)) return Error{fmt::format("{} is not a file", name)};
  const Descriptor file(open(path->c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return Error{fmt::format("cannot read {}: {}", name, std::strerror(errno))};

  ProgramFile program{.path = *path};
  // What it is comes first: "not executable" would be a poor thing to say of a library or a text.
  if (Status header = CheckHeader(name, file.get()); !header) {
    const bool is_text = access(path->c_str(), X_OK) != 0;
    if (is_text && header.error().text.find("no ELF header") != std::string::npos) {
      return Error{
          fmt::format("{} is not executable, and not a C or C++ source by its name", name)};
    }
    return header.error();
  }
  if (access(path->c_str(), X_OK) != 0) {
    return Error{fmt::format("{} is not executable; allow it with: chmod +x {}", name, name)};
  }
  if ((status.st_mode & (S_ISUID | S_ISGID)) != 0) {
    return Error{
        fmt::format("{} is set-user-ID or set-group-ID, so the system loads nothing into "
                    "it; run a copy without that bit",
                    name)};
  }
  if (Status read = ReadElf(name, file.get(), &program); !read) return read.error();
  return program;
}

}  // namespace heddle
