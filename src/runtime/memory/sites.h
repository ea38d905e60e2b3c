// The places in the code that access memory, and which of them are scheduling points.
//
// Whether a plain access is a point depends on its site alone and is fixed for a whole run, so that
// the tree of decisions is a function of the decisions. Sites seen sharing are reported and become
// points in later runs.
#ifndef HEDDLE_RUNTIME_MEMORY_SITES_H_
#define HEDDLE_RUNTIME_MEMORY_SITES_H_

#include <cstdint>
#include <span>

#include "runtime/hooks/abi.h"
#include "trace/channel.h"

namespace heddle {

struct Site {
  std::uint64_t pc = 0;
  std::uint32_t index = 0;  // from 1
  bool is_point = false;
  bool is_reported = false;
  bool is_new = false;  // to the worker; see Meet
};

class Sites {
 public:
  static constexpr std::uint32_t kMost = (1u << 16) - 1;

  // Before a run: which sites are points.
  static void Configure(std::span<const SiteRef> points, std::span<const CodeRange> point_ranges);

  // nullptr when the table is full: then treat it as a point.
  static Site* Find(std::uint64_t pc) {
    Site* const site = recent_[heddle_site_slot(pc)];
    return site != nullptr && site->pc == pc ? site : FindInTable(pc);
  }
  static Site* ByIndex(std::uint32_t index);

  // Writes the site into the channel's list of new sites, once.
  static void Report(Site* site, Channel* channel);

  // In a run: tells the worker about a site that it did not know.
  static void Meet(Site* site, Channel* channel);
  // In the worker: takes over what its runs met, so that the next ones start with it.
  static void Adopt(Channel* channel);

  // For the hooks' fast path. Remembered are sites that are no points.
  static void Remember(const Site& site);
  static std::uint64_t* FastTable();
  static std::uint16_t* FastNumbers();

 private:
  static Site* FindInTable(std::uint64_t pc);
  static Site* recent_[1u << HEDDLE_SITE_BITS];
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_MEMORY_SITES_H_
