#include "runtime/scheduler/loops.h"

#include <algorithm>
#include <new>

#include "runtime/memory/arena.h"
#include "runtime/memory/modules.h"

namespace heddle {
namespace {

// The known ones by a hash of the site, as of this process; 0: none. Asked at every operation.
constexpr std::uint32_t kSlotBits = 8;
constexpr std::uint32_t kSlots = 1u << kSlotBits;
static_assert(kSlots >= 4 * Loops::kMost);
std::uint64_t known[kSlots];
std::uint64_t reported[Loops::kMost];
std::uint32_t reported_count = 0;
Rounds* rounds_of[kMaxThreads];

// Where the site is, or would be.
std::uint64_t* SlotOf(std::uint64_t site) {
  std::uint64_t at = site * 0x9e3779b97f4a7c15ull >> (64 - kSlotBits);
  while (known[at] != 0 && known[at] != site) at = (at + 1) % kSlots;
  return &known[at];
}

}  // namespace

std::uint32_t Loops::count_ = 0;

void Loops::Configure(std::span<const SiteRef> sites) {
  if (count_ != 0) std::fill(known, known + kSlots, 0);
  count_ = 0;
  reported_count = 0;
  for (const SiteRef& site : sites) {
    if (site.lesson() != Lesson::kLoop || count_ == kMost) continue;
    const std::uint64_t pc = Modules::AddressOf(site.place());
    if (pc == 0 || Knows(pc)) continue;
    *SlotOf(pc) = pc;
    ++count_;
  }
}

bool Loops::Knows(std::uint64_t site) { return site != 0 && *SlotOf(site) == site; }

void Loops::Report(std::uint64_t site, Channel* channel) {
  if (Knows(site) || reported_count == kMost) return;
  if (std::find(reported, reported + reported_count, site) != reported + reported_count) return;
  reported[reported_count++] = site;
  const SiteRef place = Modules::SiteOf(site);
  AddNewSite(channel, SiteRef::Of(Lesson::kLoop, place.module, place.offset));
}

Rounds* Rounds::Of(ThreadId id) {
  Rounds*& rounds = rounds_of[id];
  if (rounds == nullptr) rounds = new (ArenaReserve(sizeof(Rounds))) Rounds;
  rounds->Leave();
  return rounds;
}

bool Rounds::Arrive(std::uint64_t site, std::uint64_t call_depth, std::uint32_t caller,
                    AddressRange stack, Spin* spin) {
  const auto is_here = [&](const Round& round) {
    return round.caller == caller && round.spin.IsAt(site, call_depth);
  };
  Round* round = std::find_if(rounds_, rounds_ + count_, is_here);
  const bool is_back = round != rounds_ + count_;
  static OwnState now;  // too large for a small stack
  const bool is_told = now.Take(site, stack);
  if (is_back && is_told && round->spin.HasDoneNothing() && round->before.IsAs(now)) {
    round->spin.Stand(now.hash());
    *spin = round->spin;
    return true;
  }
  // The newest is last.
  if (!is_back && count_ < kMost) {
    ++count_;
  } else {
    std::rotate(is_back ? round : rounds_, (is_back ? round : rounds_) + 1, rounds_ + count_);
  }
  round = &rounds_[count_ - 1];
  if (!is_told) {
    --count_;
    return false;
  }
  round->caller = caller;
  round->before = now;
  round->spin.Enter(site, call_depth);
  return false;
}

void Rounds::Did(const Event& event, const Object* object, bool changed_nothing) {
  for (Round* round = rounds_; round != rounds_ + count_; ++round) {
    round->spin.Did(event, object, changed_nothing);
  }
  // Whoever changed something, or is too long under way, is in no round any more.
  count_ = static_cast<std::uint32_t>(
      std::remove_if(rounds_, rounds_ + count_,
                     [](const Round& round) { return !round.spin.is_in_round(); }) -
      rounds_);
}

void Rounds::Wrote(const void* address, AddressRange stack) {
  if (!stack.Has(reinterpret_cast<std::uint64_t>(address))) Leave();
}

}  // namespace heddle
