#include "cli/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "cli/common.h"
#include "cli/exit_code.h"
#include "report/palette.h"

namespace heddle {
namespace {

constexpr std::uint64_t kComfortableMemory = std::uint64_t{1} << 30;

std::string Size(std::uint64_t bytes) {
  if (bytes >= std::uint64_t{1} << 30) return fmt::format("{:.1f} GiB", bytes / 1073741824.0);
  return fmt::format("{} MiB", bytes >> 20);
}

std::string VersionOf(const Tool& tool) {
  return tool.version.empty() ? "there, of unknown version" : "version " + tool.version;
}

Capability Platform(const Machine& m) {
  Capability c{
      .name = "x86-64 Linux",
      .found = fmt::format("{} {} {}, glibc {}", m.system, m.kernel, m.architecture, m.libc),
      .follows = "programs of this machine can be run",
      .remedy = {}};
  if (m.system != "Linux" || m.architecture != "x86_64") {
    c.health = Health::kMissing;
    c.follows = "heddle's runtime is written for x86-64 Linux";
    c.remedy = "use such a machine, or a container or virtual machine of that kind";
  }
  return c;
}

Capability Runtime(const Machine& m) {
  if (m.runtime_fault.empty()) {
    return {.name = "runtime",
            .found = m.runtime_directory,
            .follows = "programs can be built for heddle and run",
            .remedy = {}};
  }
  return {.name = "runtime",
          .health = Health::kMissing,
          .found = m.runtime_fault,
          .follows = "nothing can be run",
          .remedy = "install heddle whole (cmake --install), or use ./heddle of a checkout"};
}

Capability Fsgsbase(const Machine& m) {
  if (m.fsgsbase) {
    return {.name = "FSGSBASE",
            .found = "usable",
            .follows = "fiber backend: a thread switch costs some ten nanoseconds",
            .remedy = {}};
  }
  return {
      .name = "FSGSBASE",
      .health = Health::kLimited,
      .found = "not usable",
      .follows = "baton backend: the same schedules, about a microsecond per switch",
      .remedy = "a processor since Ivy Bridge or Zen and Linux 5.9 or newer, without 'nofsgsbase'"};
}

Capability ShadowStack(const Machine& m) {
  if (m.shadow_stack_on) {
    return {.name = "shadow stack",
            .health = Health::kLimited,
            .found = "switched on",
            .follows = "stacks can't be swapped under it: baton backend",
            .remedy = "start heddle with GLIBC_TUNABLES=glibc.cpu.hwcaps=-SHSTK"};
  }
  return {.name = "shadow stack",
          .found = m.shadow_stack_in_cpu ? "in the processor, switched off" : "none",
          .follows = "does not stand in the way of the fiber backend",
          .remedy = {}};
}

Capability Aslr(const Machine& m) {
  if (m.aslr_can_be_off) {
    return {.name = "ASLR",
            .found = "can be switched off",
            .follows = "addresses repeat from one start of a program to the next",
            .remedy = {}};
  }
  return {.name = "ASLR",
          .health = Health::kLimited,
          .found = "can't be switched off",
          .follows =
              "schedules and replays are the same, they do not depend on addresses; a program "
              "that does (hashes of pointers) may behave differently when started again",
          .remedy = "allow personality(2): docker run --security-opt seccomp=unconfined"};
}

Capability MemoryFiles(const Machine& m) {
  if (m.memfd) {
    return {.name = "memory files",
            .found = "memfd_create works",
            .follows = "runs hand over their traces in shared memory",
            .remedy = {}};
  }
  return {.name = "memory files",
          .health = Health::kMissing,
          .found = "memfd_create is refused",
          .follows = "there is no way to hand over traces",
          .remedy = "Linux 3.17 or newer, and a seccomp filter that allows memfd_create"};
}

Capability Reservation(const Machine& m) {
  if (m.huge_reservation) {
    return {.name = "address space",
            .found = "10 TiB can be reserved",
            .follows =
                "the runtime's heap, stacks and shadow have their fixed places; only what "
                "is touched costs memory",
            .remedy = {}};
  }
  return {.name = "address space",
          .health = Health::kMissing,
          .found = "10 TiB can't be reserved",
          .follows =
              "no place for the runtime's heap, stacks and shadow (only what is touched "
              "would cost memory)",
          .remedy = "ulimit -v unlimited; sysctl vm.overcommit_memory=0 (or 1)"};
}

Capability Memory(const Machine& m) {
  Capability c{
      .name = "memory",
      .found = fmt::format("{}, {} available", Size(m.memory_bytes), Size(m.available_bytes)),
      .follows = fmt::format("{} cores: one worker each unless --workers says otherwise", m.cores),
      .remedy = {}};
  if (std::min(m.memory_bytes, m.available_bytes) < kComfortableMemory) {
    c.health = Health::kLimited;
    c.follows = "large programs may be killed while they run";
    c.remedy = "--workers 1, and --memory to bound a run";
  }
  return c;
}

Capability Shm(const Machine& m) {
  return {.name = "/dev/shm",
          .found = Size(m.shm_bytes),
          .follows = "not needed: heddle shares memory through memory files",
          .remedy = {}};
}

Capability Ptrace(const Machine& m) {
  if (m.ptrace) {
    return {.name = "ptrace",
            .found = "allowed",
            .follows = "a replay can be watched in gdb",
            .remedy = {}};
  }
  return {.name = "ptrace",
          .health = Health::kLimited,
          .found = "refused",
          .follows = "no heddle replay --gdb; everything else works",
          .remedy = "docker run --cap-add SYS_PTRACE, or sysctl kernel.yama.ptrace_scope=1"};
}

Capability Gdb(const Machine& m) {
  if (m.gdb.found) {
    return {
        .name = "gdb", .found = VersionOf(m.gdb), .follows = "heddle replay --gdb", .remedy = {}};
  }
  return {.name = "gdb",
          .health = Health::kLimited,
          .found = "none",
          .follows = "no heddle replay --gdb",
          .remedy = "apt-get install gdb"};
}

Capability Compiler(const Tool& tool) {
  if (!tool.found) {
    return {.name = tool.name,
            .health = Health::kLimited,
            .found = "can't be started",
            .follows = "it was chosen in HEDDLE_CC or HEDDLE_CXX, so nothing can be compiled",
            .remedy = "install it, or choose another"};
  }
  const bool is_cxx = tool.name.find("++") != std::string::npos;
  return {.name = tool.name,
          .found = VersionOf(tool),
          .follows = fmt::format("heddle {} can use it", is_cxx ? "c++" : "cc"),
          .remedy = {}};
}

// A compiler that is not there needs no line, unless it was chosen or there is none at all.
std::vector<Capability> Compilers(const Machine& m) {
  std::vector<Capability> rows;
  for (const Tool& tool : m.compilers) {
    if (tool.found || tool.chosen) rows.push_back(Compiler(tool));
  }
  if (rows.empty()) {
    rows.push_back({.name = "compilers",
                    .health = Health::kLimited,
                    .found = "none",
                    .follows = "only programs that are already built can be run",
                    .remedy = "apt-get install g++"});
  }
  return rows;
}

std::string_view MarkOf(Health health) {
  switch (health) {
    case Health::kGood:
      return "ok";
    case Health::kLimited:
      return "less";
    case Health::kMissing:
      return "NO";
  }
  return "";
}

std::string_view ColorOf(Health health, const Palette& palette) {
  switch (health) {
    case Health::kGood:
      return palette.good;
    case Health::kLimited:
      return palette.warning;
    case Health::kMissing:
      return palette.error;
  }
  return "";
}

// Lines of at most `width` columns, broken between words.
std::vector<std::string> Wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > width) {
      lines.push_back(word);
    } else {
      lines.back() += ' ' + word;
    }
  }
  return lines;
}

}  // namespace

std::vector<Capability> Examine(const Machine& machine) {
  std::vector<Capability> all;
  for (const auto examine : {Platform, Runtime, Fsgsbase, ShadowStack, Aslr, MemoryFiles,
                             Reservation, Memory, Shm, Ptrace, Gdb}) {
    all.push_back(examine(machine));
  }
  for (Capability& compiler : Compilers(machine)) all.push_back(std::move(compiler));
  return all;
}

bool CanRun(const std::vector<Capability>& capabilities) {
  return std::none_of(capabilities.begin(), capabilities.end(),
                      [](const Capability& c) { return c.health == Health::kMissing; });
}

std::string RenderCapabilities(const std::vector<Capability>& capabilities,
                               const DoctorLayout& layout) {
  constexpr std::size_t kMarkColumn = 6;
  constexpr std::size_t kNarrowest = 30;
  std::size_t name_column = 0;
  for (const Capability& c : capabilities) name_column = std::max(name_column, c.name.size() + 2);
  const std::size_t indent = kMarkColumn + name_column;
  const std::size_t room = std::max(kNarrowest, static_cast<std::size_t>(layout.width) -
                                                    std::min<std::size_t>(indent, layout.width));
  const Palette& palette = PaletteFor(layout.color);

  std::string text;
  for (const Capability& c : capabilities) {
    text += fmt::format("{}{:<{}}{}{}{:<{}}{}", ColorOf(c.health, palette), MarkOf(c.health),
                        kMarkColumn, palette.reset, palette.emphasis, c.name, name_column,
                        palette.reset);
    std::vector<std::string> lines = Wrap(c.found + " => " + c.follows, room);
    if (!c.remedy.empty()) {
      for (std::string& line : Wrap("remedy: " + c.remedy, room)) lines.push_back(std::move(line));
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      text += fmt::format("{:{}}{}\n", "", i == 0 ? 0 : indent, lines[i]);
    }
  }
  return text;
}

int RunDoctor(bool color) {
  const std::vector<Capability> capabilities = Examine(ProbeMachine());
  const bool can_run = CanRun(capabilities);
  std::fputs(RenderCapabilities(capabilities, {.width = WidthOf(stdout), .color = color}).c_str(),
             stdout);
  std::puts(can_run ? "\nheddle can run here."
                    : "\nheddle can't run here: see the lines marked NO.");
  return can_run ? kExitFine : kExitEnvironment;
}

}  // namespace heddle
