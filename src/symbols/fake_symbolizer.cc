#include "symbols/fake_symbolizer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace heddle {

FakeSymbolizer::FakeSymbolizer() {
  ModuleRecord program;
  program.base = program.begin = 0x1000;
  program.end = 0x100000;
  std::strcpy(program.path, "/work/program");
  modules_.push_back(program);
}

void FakeSymbolizer::AddFrames(std::uint64_t return_address, std::vector<Frame> frames) {
  for (Frame& frame : frames) {
    if (frame.module.empty()) frame.module = modules_[0].path;
    frame.offset = return_address - 1 - modules_[0].base;
  }
  frames_[return_address - 1] = std::move(frames);
}

void FakeSymbolizer::AddFrame(std::uint64_t return_address, std::string function, std::string file,
                              int line) {
  Frame frame;
  frame.function = std::move(function);
  frame.file = std::move(file);
  frame.line = line;
  AddFrames(return_address, {frame});
}

void FakeSymbolizer::AddData(std::uint64_t address, std::string name) {
  data_[address] = std::move(name);
}

void FakeSymbolizer::SetBuildId(const std::vector<std::uint8_t>& bytes) {
  modules_[0].build_id_size = static_cast<std::uint32_t>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), modules_[0].build_id);
}

void FakeSymbolizer::AddSource(std::string file, int line, std::string text) {
  sources_[{std::move(file), line}] = std::move(text);
}

const std::vector<Frame>& FakeSymbolizer::FramesAt(std::uint64_t pc) {
  const auto found = frames_.find(pc);
  return found == frames_.end() ? unknown_ : found->second;
}

std::string FakeSymbolizer::NameOfData(std::uint64_t address) {
  const auto found = data_.find(address);
  return found == data_.end() ? "" : found->second;
}

std::optional<std::string> FakeSymbolizer::SourceLine(const std::string& file, int line) {
  const auto found = sources_.find({file, line});
  if (found == sources_.end()) return std::nullopt;
  return found->second;
}

std::vector<LineMatch> FakeSymbolizer::FindLine(const LineQuery& query) {
  std::map<int, LineMatch> matches;
  for (const auto& [pc, frames] : frames_) {
    for (const Frame& frame : frames) {
      if (frame.function != query.function || LineHashOf(frame) != query.line_hash) continue;
      LineMatch& match = matches[frame.line];
      match.file = frame.file;
      match.line = frame.line;
      match.distance = std::abs(frame.line - query.line_hint);
      const auto at = static_cast<std::uint32_t>(pc - modules_[0].base);
      match.ranges.push_back({0, at, at + 1});
      break;
    }
  }
  std::vector<LineMatch> nearest_first;
  for (auto& [line, match] : matches) nearest_first.push_back(std::move(match));
  std::stable_sort(nearest_first.begin(), nearest_first.end(),
                   [](const LineMatch& a, const LineMatch& b) { return a.distance < b.distance; });
  return nearest_first;
}

}  // namespace heddle
