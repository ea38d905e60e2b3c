#include "runtime/memory/location.h"

#include <vector>

#include "base/hash.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/layout.h"
#include "runtime/memory/modules.h"
#include "runtime/switch/shell.h"

namespace heddle {
namespace {

enum Space : std::uint64_t { kStatic = 1, kHeap, kStack, kMainStack, kMainTls, kElsewhere };

constexpr std::uint64_t kMainStackReach = std::uint64_t{1} << 30;
constexpr std::uint64_t kTlsReach = std::uint64_t{1} << 20;

std::uint64_t main_stack_top = 0;
std::uint64_t main_thread_pointer = 0;
std::vector<std::uint64_t>* pages_seen = nullptr;
std::size_t pages_kept = 0;  // of them; + 1 once it is known

std::uint64_t OrdinalOfPage(std::uint64_t page) {
  if (pages_seen == nullptr) pages_seen = new std::vector<std::uint64_t>();
  for (std::size_t i = 0; i < pages_seen->size(); ++i) {
    if ((*pages_seen)[i] == page) return i;
  }
  pages_seen->push_back(page);
  return pages_seen->size() - 1;
}

}  // namespace

AddressRange Locations::main_stack_;

void Locations::SetMain(std::uint64_t stack_top, std::uint64_t thread_pointer) {
  main_stack_ = {stack_top - kMainStackReach + 1, kMainStackReach};
  main_stack_top = stack_top;
  main_thread_pointer = thread_pointer;
}

void Locations::ResetForRun() {
  if (pages_seen == nullptr) pages_seen = new std::vector<std::uint64_t>();
  if (pages_kept == 0) pages_kept = pages_seen->size() + 1;
  pages_seen->resize(pages_kept - 1);
}

Location Locations::Of(std::uint64_t address) {
  // What a test's body shares with its threads lies there as a rule.
  if (IsMainStack(address) && !Modules::Has(address)) {
    return {Mix(kMainStack, main_stack_top - address)};
  }
  return OfOther(address);
}

[[gnu::noinline]] Location Locations::OfOther(std::uint64_t address) {
  if (Heap::Contains(address)) {
    const HeapRange range = Heap::Find(address);
    if (range.block != nullptr) {
      range.block->has_objects = 1;
      const std::uint64_t offset = address - range.base;
      const std::uint64_t name = Mix(range.block->owner_path, range.block->nth);
      return {Mix(Mix(kHeap, name), offset), range.block->site, static_cast<std::uint32_t>(offset)};
    }
  }
  if (address - kStacksBase < kStacksSize) {
    Shell* const shell = Shell::At(address);
    if (shell != nullptr) {
      shell->has_objects = true;
      return {Mix(Mix(kStack, shell->path_hash), shell->stack_top - address)};
    }
  }
  const int module = Modules::IndexOf(address);
  if (module >= 0) {
    return {Mix(Mix(kStatic, Modules::NameHashOf(module)), address - Modules::BaseOf(module))};
  }
  if (main_thread_pointer + 4096 - address < kTlsReach) {
    return {Mix(kMainTls, main_thread_pointer + 4096 - address)};
  }
  const std::uint64_t page = OrdinalOfPage(address >> 12);
  return {Mix(Mix(kElsewhere, page), address & 4095)};
}

}  // namespace heddle
