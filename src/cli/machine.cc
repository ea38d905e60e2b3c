#include "cli/machine.h"

#include <gnu/libc-version.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <thread>

#include "compile/process.h"
#include "compile/toolchain.h"
#include "runtime/memory/layout.h"

namespace heddle {
namespace {

// Not in every libc's headers.
constexpr unsigned long kHwcap2Fsgsbase = 1ul << 1;  // AT_HWCAP2
constexpr int kArchShstkStatus = 0x5005;             // arch_prctl
constexpr std::uint64_t kShstkEnabled = 1;

constexpr const char* kCompilerNames[] = {"g++",        "gcc",      "clang++",    "clang",
                                          "clang++-14", "clang-14", "clang++-19", "clang-19"};

bool CanSwitchOffAslr() {
  constexpr unsigned long kAsk = 0xffffffff;
  const int present = personality(kAsk);
  if (present < 0) return false;
  if (personality(static_cast<unsigned long>(present) | ADDR_NO_RANDOMIZE) < 0) return false;
  personality(static_cast<unsigned long>(present));
  return true;
}

bool CanTraceAChild() {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool CanMakeMemoryFile() {
  const int fd = memfd_create("heddle-doctor", MFD_CLOEXEC);
  if (fd < 0) return false;
  close(fd);
  return true;
}

// What the engine reserves in every program, at the same addresses.
bool CanReserveAreas() {
  struct Area {
    std::uint64_t base, size;
  };
  bool all = true;
  std::vector<Area> reserved;
  for (const Area& area : {Area{kArenaBase, kArenaSize}, Area{kShadowBase, kShadowSize},
                           Area{kHeapBase, kHeapSize}, Area{kStacksBase, kStacksSize}}) {
    void* const at = mmap(reinterpret_cast<void*>(area.base), area.size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == MAP_FAILED) {
      all = false;
    } else {
      reserved.push_back(area);
    }
  }
  for (const Area& area : reserved) munmap(reinterpret_cast<void*>(area.base), area.size);
  return all;
}

bool HasShadowStack() {
#ifdef __x86_64__
  std::uint64_t features = 0;
  return syscall(SYS_arch_prctl, kArchShstkStatus, &features) == 0 &&
         (features & kShstkEnabled) != 0;
#else
  return false;
#endif
}

// "flags : fpu vme …" of the first processor.
bool CpuSays(std::string_view flag) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    using Words = std::istream_iterator<std::string>;
    return std::find(Words(words), Words(), flag) != Words();
  }
  return false;
}

// "MemTotal:  24633896 kB"
std::uint64_t MeminfoBytes(std::string_view key) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kilobytes = 0;
  for (std::string unit; file >> name >> kilobytes && std::getline(file, unit);) {
    if (name == key) return kilobytes << 10;
  }
  return 0;
}

// Of the container, where it has one of its own; "max" reads as none.
std::uint64_t ContainerLimitBytes() {
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::uint64_t bytes = 0;
    if (std::ifstream(path) >> bytes) return bytes;
  }
  return UINT64_MAX;
}

std::uint64_t ShmBytes() {
  struct statvfs shm;
  if (statvfs("/dev/shm", &shm) != 0) return 0;
  return static_cast<std::uint64_t>(shm.f_blocks) * shm.f_frsize;
}

// `command` may be several words, as HEDDLE_CXX may.
Tool FindTool(const std::string& command) {
  Tool tool{.name = command};
  std::vector<std::string> words = SplitWords(command);
  words.emplace_back("--version");
  const Result<CommandOutput> answer = RunCommand(words);
  tool.found = answer.ok() && answer->exit_code == 0;
  if (tool.found) tool.version = VersionIn(answer->text);
  return tool;
}

std::vector<Tool> FindCompilers() {
  std::vector<Tool> compilers;
  for (const char* variable : {"HEDDLE_CXX", "HEDDLE_CC"}) {
    const char* const chosen = std::getenv(variable);
    if (chosen == nullptr || *chosen == '\0') continue;
    compilers.push_back(FindTool(chosen));
    compilers.back().chosen = true;
  }
  for (const char* name : kCompilerNames) compilers.push_back(FindTool(name));
  return compilers;
}

}  // namespace

std::string VersionIn(const std::string& output) {
  std::istringstream words(output.substr(0, output.find('\n')));
  std::string version;
  for (std::string word; words >> word;) {
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) version = word;
  }
  return version;
}

Machine ProbeMachine() {
  Machine machine;
  utsname name = {};
  uname(&name);
  machine.system = name.sysname;
  machine.architecture = name.machine;
  machine.kernel = name.release;
  machine.libc = gnu_get_libc_version();
  machine.cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));

#ifdef __x86_64__
  machine.fsgsbase = (getauxval(AT_HWCAP2) & kHwcap2Fsgsbase) != 0;
#endif
  machine.aslr_can_be_off = CanSwitchOffAslr();
  machine.shadow_stack_on = HasShadowStack();
  machine.shadow_stack_in_cpu = CpuSays("user_shstk");
  machine.ptrace = CanTraceAChild();
  machine.memfd = CanMakeMemoryFile();
  machine.huge_reservation = CanReserveAreas();

  machine.memory_bytes = std::min(MeminfoBytes("MemTotal:"), ContainerLimitBytes());
  machine.available_bytes = MeminfoBytes("MemAvailable:");
  machine.shm_bytes = ShmBytes();

  if (Result<std::string> runtime = FindRuntimeDirectory()) {
    machine.runtime_directory = *std::move(runtime);
  } else {
    machine.runtime_fault = runtime.error().text;
  }

  machine.compilers = FindCompilers();
  machine.gdb = FindTool("gdb");
  return machine;
}

}  // namespace heddle
