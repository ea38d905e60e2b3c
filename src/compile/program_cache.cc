#include "compile/program_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/hash.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

// Entries of another format are not found.
constexpr std::string_view kFormat = "heddle program 1";

}  // namespace

std::string ProgramCache::EntryPath(std::uint64_t key) const {
  return fmt::format("{}/{:016x}", directory_, key);
}

std::optional<std::string> ProgramCache::Find(std::uint64_t key) const {
  std::ifstream file(EntryPath(key));
  std::string format;
  std::string program;
  if (!std::getline(file, format) || format != kFormat || !std::getline(file, program)) {
    return std::nullopt;
  }
  std::ostringstream rest;
  rest << file.rdbuf();
  const std::optional<std::vector<Dependency>> dependencies = DependenciesFromText(rest.view());
  const std::string path = directory_ + "/" + program;
  if (!dependencies || access(path.c_str(), X_OK) != 0) return std::nullopt;
  if (!std::ranges::all_of(*dependencies, IsUnchanged)) return std::nullopt;
  return path;
}

Result<std::string> ProgramCache::NewFolder() {
  std::error_code failure;
  fs::create_directories(directory_, failure);
  std::string folder = directory_ + "/building.XXXXXX";
  if (failure || mkdtemp(folder.data()) == nullptr) {
    return Error{
        fmt::format("can't write to {}, where built programs are kept; choose another "
                    "folder with --out",
                    directory_)};
  }
  return folder;
}

Result<std::string> ProgramCache::Keep(std::uint64_t key, const std::string& folder,
                                       const std::string& name,
                                       const std::vector<Dependency>& dependencies) {
  std::uint64_t content = key;
  for (const Dependency& dependency : dependencies) content = Mix(content, dependency.content);
  const std::string final_name = fmt::format("{:016x}-{:016x}", key, content);
  const std::string final_path = directory_ + "/" + final_name;
  std::error_code failure;
  fs::rename(folder, final_path, failure);
  // Somebody else has just built the same, or the program itself was lost.
  if (failure && !fs::exists(final_path + "/" + name)) {
    fs::remove_all(final_path, failure);
    fs::rename(folder, final_path, failure);
  }
  if (!fs::exists(final_path + "/" + name)) {
    return Error{fmt::format("can't keep the built program in {}; is the disk full?", directory_)};
  }
  fs::remove_all(folder, failure);

  const std::string entry = EntryPath(key);
  const std::string draft = fmt::format("{}.{}", entry, getpid());
  std::ofstream file(draft);
  file << kFormat << "\n" << final_name << "/" << name << "\n" << DependenciesAsText(dependencies);
  file.close();
  if (file) fs::rename(draft, entry, failure);
  // Without an entry the next run builds again: slower, not wrong.
  fs::remove(draft, failure);
  return final_path + "/" + name;
}

}  // namespace heddle
