#include "cli/self_test.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

#include "cli/exit_code.h"

namespace heddle {
namespace {

// Far above what any test needs on two busy cores; it only ends one that hangs.
constexpr int kTimeoutSeconds = 900;

}  // namespace

int RunSelfTest(const std::vector<std::string>& ctest_arguments) {
  std::error_code ignored;
  const std::filesystem::path build =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
  if (!std::filesystem::exists(build / "CTestTestfile.cmake", ignored)) {
    fmt::print(stderr,
               "heddle: the tests are in a source checkout only: run ./heddle self-test there\n");
    return kExitEnvironment;
  }

  std::vector<std::string> words = {
      "ctest",
      "--test-dir",
      build.string(),
      "--output-on-failure",
      "--no-tests=error",
      "--timeout",
      std::to_string(kTimeoutSeconds),
      "--parallel",
      std::to_string(std::max(1u, std::thread::hardware_concurrency()))};
  words.insert(words.end(), ctest_arguments.begin(), ctest_arguments.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t ctest = 0;
  if (const int error =
          posix_spawnp(&ctest, "ctest", nullptr, nullptr, arguments.data(), environ)) {
    fmt::print(stderr, "heddle: can't start ctest ({}): install the package cmake\n",
               std::strerror(error));
    return kExitEnvironment;
  }
  int status = 0;
  while (waitpid(ctest, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? kExitFine : kExitFinding;
}

}  // namespace heddle
