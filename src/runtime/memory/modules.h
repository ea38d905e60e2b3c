// The loaded objects of the tested program: a code address as (module, offset), the same in every
// process.
#ifndef HEDDLE_RUNTIME_MEMORY_MODULES_H_
#define HEDDLE_RUNTIME_MEMORY_MODULES_H_

#include <cstdint>

#include "runtime/memory/layout.h"
#include "trace/channel.h"

namespace heddle {

class Modules {
 public:
  // Reads the link map into `channel` (also after dlopen). Modules keep their index.
  static void Refresh(Channel* channel);

  // -1: the address belongs to no module.
  static int IndexOf(std::uint64_t address);
  static bool Has(std::uint64_t address) {
    return !IsKnownToBeNobodys(address) && IndexOf(address) >= 0;
  }
  static SiteRef SiteOf(std::uint64_t pc);
  // Whether the module of that code has code that calls the hooks, or has the hooks.
  static bool IsInstrumented(std::uint64_t pc);
  static std::uint64_t AddressOf(SiteRef site);
  static std::uint64_t BaseOf(int module);
  static AddressRange RangeOf(int module);
  // Hash of the file's name, without its folder: stable over processes.
  static std::uint64_t NameHashOf(int module);

 private:
  // At first sight: that was asked last of its page, in vain.
  static bool IsKnownToBeNobodys(std::uint64_t address) { return address >> 12 == nobodys_page_; }

  static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
  static std::uint64_t nobodys_page_;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_MEMORY_MODULES_H_
