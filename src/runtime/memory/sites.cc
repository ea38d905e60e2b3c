#include "runtime/memory/sites.h"

#include <cstring>

#include "base/hash.h"
#include "runtime/memory/arena.h"
#include "runtime/memory/modules.h"

namespace heddle {
namespace {

constexpr std::uint32_t kFirstSlots =
    1u << 11;  // open addressing, at most half full, doubled as needed

struct State {
  std::uint64_t* fast = nullptr;
  std::uint16_t* fast_numbers = nullptr;
  std::uint32_t* slots = nullptr;  // index into sites; 0 = empty
  std::uint32_t slot_count = 0;
  Site* sites = nullptr;  // [0] unused
  std::uint32_t count = 0;
  std::span<const CodeRange> ranges;
};
State table;

bool InRanges(std::uint64_t pc) {
  if (table.ranges.empty()) return false;
  const SiteRef site = Modules::SiteOf(pc);
  for (const CodeRange& range : table.ranges) {
    if (range.module == site.module && site.offset > range.begin && site.offset <= range.end) {
      return true;
    }
  }
  return false;
}

void Insert(std::uint32_t index) {
  std::uint32_t slot =
      static_cast<std::uint32_t>(Mix(table.sites[index].pc)) & (table.slot_count - 1);
  while (table.slots[slot] != 0) slot = (slot + 1) & (table.slot_count - 1);
  table.slots[slot] = index;
}

void ResizeSlots(std::uint32_t count) {
  table.slots = static_cast<std::uint32_t*>(ArenaReserve(sizeof(std::uint32_t) * count));
  table.slot_count = count;
  for (std::uint32_t i = 1; i <= table.count; ++i) Insert(i);
}

void Prepare() {
  if (table.slots != nullptr) return;
  table.fast = static_cast<std::uint64_t*>(ArenaReserve(sizeof(std::uint64_t) << HEDDLE_SITE_BITS));
  table.fast_numbers =
      static_cast<std::uint16_t*>(ArenaReserve(sizeof(std::uint16_t) << HEDDLE_SITE_BITS));
  table.sites = static_cast<Site*>(ArenaReserve(sizeof(Site) * (Sites::kMost + 1)));
  ResizeSlots(kFirstSlots);
}

}  // namespace

void Sites::Configure(std::span<const SiteRef> points, std::span<const CodeRange> point_ranges) {
  Prepare();
  table.ranges = point_ranges;
  for (std::uint32_t i = 1; i <= table.count; ++i) {
    table.sites[i].is_point = InRanges(table.sites[i].pc);
    table.sites[i].is_reported = false;
  }
  for (const SiteRef& point : points) {
    if (point.lesson() != Lesson::kAccess) continue;
    const std::uint64_t pc = Modules::AddressOf(point);
    if (pc == 0) continue;
    Site* const site = Find(pc);
    if (site != nullptr) site->is_point = true;
  }
  for (std::uint64_t i = 0; i < std::uint64_t{1} << HEDDLE_SITE_BITS; ++i) {
    if (table.fast[i] == 0) continue;
    const Site* const site = Find(table.fast[i]);
    if (site == nullptr || site->is_point) table.fast[i] = 0;
  }
}

Site* Sites::recent_[1u << HEDDLE_SITE_BITS];

Site* Sites::FindInTable(std::uint64_t pc) {
  Prepare();
  std::uint32_t slot = static_cast<std::uint32_t>(Mix(pc)) & (table.slot_count - 1);
  while (table.slots[slot] != 0) {
    Site* const site = &table.sites[table.slots[slot]];
    if (site->pc == pc) {
      recent_[heddle_site_slot(pc)] = site;
      return site;
    }
    slot = (slot + 1) & (table.slot_count - 1);
  }
  if (table.count == kMost) return nullptr;
  Site* const site = &table.sites[++table.count];
  *site = {pc, table.count, InRanges(pc), false, true};
  if (table.count * 2 > table.slot_count) {
    ResizeSlots(table.slot_count * 2);
  } else {
    table.slots[slot] = table.count;
  }
  return site;
}

Site* Sites::ByIndex(std::uint32_t index) { return &table.sites[index]; }

void Sites::Report(Site* site, Channel* channel) {
  if (site == nullptr || site->is_reported || site->is_point) return;
  site->is_reported = true;
  AddNewSite(channel, Modules::SiteOf(site->pc));
}

void Sites::Meet(Site* site, Channel* channel) {
  site->is_new = false;
  if (channel->met_site_count >= kMaxSites) return;
  const Layout layout = LayoutFor(channel->config.max_events);
  AreaOf<std::uint64_t>(channel, layout.met_sites)[channel->met_site_count++] = site->pc;
}

void Sites::Adopt(Channel* channel) {
  const Layout layout = LayoutFor(channel->config.max_events);
  const auto* const met = AreaOf<std::uint64_t>(channel, layout.met_sites);
  for (std::uint32_t i = 0; i < channel->met_site_count && i < kMaxSites; ++i) {
    Site* const site = Find(met[i]);
    if (site == nullptr) break;
    // Not into the fast table: what a run notes of a cell's first reader depends on which sites are
    // in there, so every run has to begin with the same ones, whatever its worker did before.
    site->is_new = false;
  }
  channel->met_site_count = 0;
}

void Sites::Remember(const Site& site) {
  const std::uint64_t slot = heddle_site_slot(site.pc);
  table.fast[slot] = site.pc;
  table.fast_numbers[slot] = static_cast<std::uint16_t>(site.index);
}

std::uint64_t* Sites::FastTable() {
  Prepare();
  return table.fast;
}

std::uint16_t* Sites::FastNumbers() {
  Prepare();
  return table.fast_numbers;
}

}  // namespace heddle
