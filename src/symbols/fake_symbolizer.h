// A Symbolizer that knows what it was told: for tests of whatever shows or stores runs.
#ifndef HEDDLE_SYMBOLS_FAKE_SYMBOLIZER_H_
#define HEDDLE_SYMBOLS_FAKE_SYMBOLIZER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "symbols/symbolizer.h"

namespace heddle {

class FakeSymbolizer final : public Symbolizer {
 public:
  // One module, "/work/program", loaded at 0x1000; return addresses are below 0x100000.
  FakeSymbolizer();

  // What the call that returns to `return_address` shows.
  void AddFrames(std::uint64_t return_address, std::vector<Frame> frames);
  // One frame of a user's function.
  void AddFrame(std::uint64_t return_address, std::string function, std::string file, int line);
  void AddData(std::uint64_t address, std::string name);
  void AddFloatingPoint(std::uint64_t address) { floating_.insert(address); }
  void SetBuildId(const std::vector<std::uint8_t>& bytes);
  void AddSource(std::string file, int line, std::string text);

  std::span<const ModuleRecord> modules() const override { return modules_; }
  const std::vector<Frame>& FramesAt(std::uint64_t pc) override;
  std::string NameOfData(std::uint64_t address) override;
  bool IsFloatingPoint(std::uint64_t address) override { return floating_.contains(address); }
  std::optional<std::string> SourceLine(const std::string& file, int line) override;
  // Every return address added with that function and a line of that text.
  std::vector<LineMatch> FindLine(const LineQuery& query) override;

 private:
  std::vector<ModuleRecord> modules_;
  std::map<std::uint64_t, std::vector<Frame>> frames_;  // by pc
  std::map<std::uint64_t, std::string> data_;
  std::set<std::uint64_t> floating_;
  std::map<std::pair<std::string, int>, std::string> sources_;
  std::vector<Frame> unknown_ = {Frame()};
};

}  // namespace heddle

#endif  // HEDDLE_SYMBOLS_FAKE_SYMBOLIZER_H_
