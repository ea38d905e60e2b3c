#include "explore/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace heddle {
namespace {

// The file has holes where nothing was written: only a limit for a run that never stops. It can't
// grow or shrink, whatever the program does to its standard output.
constexpr std::size_t kSize = std::size_t{1} << 40;
constexpr std::size_t kHalf = kOutputKept / 2;
// Fewer bytes than this are not worth a system call.
constexpr std::uint64_t kWorthIt = 8u << 20;

std::string Joined(std::string_view first, std::uint64_t left_out, std::string_view last) {
  return fmt::format("{}\n[heddle: {} bytes left out]\n{}", first, left_out, last);
}

}  // namespace

std::string ShortOutput(std::string_view text) {
  if (text.size() <= kOutputKept) return std::string(text);
  return Joined(text.substr(0, kHalf), text.size() - 2 * kHalf, text.substr(text.size() - kHalf));
}

Result<OutputFile> OutputFile::Make() {
  Result<Descriptor> file = MakeMemoryFile("heddle-output", kSize, MemoryFileKind::kFixed);
  if (!file) return file.error();
  return OutputFile(std::move(*file));
}

void OutputFile::KeepEnds() const {
  const off_t end = lseek(file_.get(), 0, SEEK_CUR);
  if (end < static_cast<off_t>(kOutputKept + kWorthIt)) return;
  fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(kHalf),
            end - static_cast<off_t>(2 * kHalf));
}

std::string OutputFile::Text(std::uint64_t bytes) const {
  bytes = std::min<std::uint64_t>(bytes, kSize);
  if (bytes <= kOutputKept) return ReadAt(file_.get(), 0, bytes);
  return Joined(ReadAt(file_.get(), 0, kHalf), bytes - 2 * kHalf,
                ReadAt(file_.get(), bytes - kHalf, kHalf));
}

std::string OutputFile::Text() const {
  const off_t end = lseek(file_.get(), 0, SEEK_CUR);
  return Text(end > 0 ? static_cast<std::uint64_t>(end) : 0);
}

}  // namespace heddle
