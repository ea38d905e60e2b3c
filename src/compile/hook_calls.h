// Which machine code calls heddle's hooks: the proof that it is instrumented.
#ifndef HEDDLE_COMPILE_HOOK_CALLS_H_
#define HEDDLE_COMPILE_HOOK_CALLS_H_

#include <gelf.h>

#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace heddle {

// Of one executable or shared library. Reads the file's sections; the Elf must outlive it.
class HookCalls {
 public:
  explicit HookCalls(Elf* elf);

  // Whether the code in [begin, end) calls a hook. Looks at bytes, not at instructions: a chance
  // hit would need four bytes in a row to be the exact distance to a hook.
  bool IsInstrumented(std::uint64_t begin, std::uint64_t end) const;

  // Whether any code of the file may call one.
  bool AreUsed() const { return !hooks_.empty() || !slots_.empty(); }

  // Whether a hook itself lies there.
  bool IsHook(std::uint64_t begin, std::uint64_t end) const;

 private:
  struct Code {
    std::uint64_t address = 0;
    std::span<const unsigned char> bytes;
  };

  void ReadSymbols(Elf_Scn* section, const GElf_Shdr& header);
  void ReadSlots(Elf_Scn* section, const GElf_Shdr& header);
  void FindStubs(const Code& code);

  Elf* elf_;
  std::vector<Code> code_;
  std::set<std::uint64_t> hooks_;  // where they lie in this file
  std::set<std::uint64_t> stubs_;  // the linker's jumps to hooks elsewhere
  std::set<std::uint64_t> slots_;  // pointers to hooks
};

}  // namespace heddle

#endif  // HEDDLE_COMPILE_HOOK_CALLS_H_
