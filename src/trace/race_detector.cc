#include "trace/race_detector.h"

#include <algorithm>
#include <array>

namespace heddle {
namespace {

constexpr bool Conflicting(const MemoryAccess& a, const MemoryAccess& b) {
  return (a.is_write || b.is_write) && !(a.is_atomic && b.is_atomic);
}

// Whether everything that conflicts with `old` conflicts with `access` too. Then `old`, when it
// happens before `access`, need not be remembered: who races with it races with `access`.
constexpr bool Covers(const MemoryAccess& access, const MemoryAccess& old) {
  if (access.is_write && !access.is_atomic) return true;
  if (old.is_write && !old.is_atomic) return false;
  if (!old.is_write && old.is_atomic) return true;  // conflicts with plain writes only
  return access.is_write == old.is_write && access.is_atomic == old.is_atomic;
}

// The two as sets of kinds of old accesses, by kind of the new one: asked of every epoch that an
// access comes by.
constexpr std::size_t kKinds = 4;
constexpr std::size_t KindOf(const MemoryAccess& access) {
  return (access.is_write ? 1u : 0u) | (access.is_atomic ? 2u : 0u);
}
constexpr std::uint8_t BitOf(std::size_t kind) { return static_cast<std::uint8_t>(1u << kind); }

struct OldKinds {
  std::uint8_t conflicting = 0;
  std::uint8_t covered = 0;
};
constexpr auto kOldKinds = [] {
  const auto of_kind = [](std::size_t kind) {
    return MemoryAccess{.is_write = (kind & 1) != 0, .is_atomic = (kind & 2) != 0};
  };
  std::array<OldKinds, kKinds> sets{};
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (std::size_t old = 0; old < kKinds; ++old) {
      if (Conflicting(of_kind(old), of_kind(kind))) sets[kind].conflicting |= BitOf(old);
      if (Covers(of_kind(kind), of_kind(old))) sets[kind].covered |= BitOf(old);
    }
  }
  return sets;
}();

}  // namespace

void RaceDetector::Reset() {
  known_ = 0;
  sync_.Clear();
  granules_.Clear();
  unseen_.Clear();
  clocks_used_ = 0;
  epochs_.clear();
  free_epochs_ = 0;
  StateOf(kMainThread).clock.Set(kMainThread, 1);
}

void RaceDetector::Meet(ThreadId thread) {
  if (thread >= threads_.size()) threads_.resize(thread + 1u);
  for (; known_ <= thread; ++known_) {
    threads_[known_].clock.Clear();
    threads_[known_].released.Clear();
    threads_[known_].acquired.Clear();
  }
}

void RaceDetector::Tick(ThreadId thread) {
  VectorClock& clock = StateOf(thread).clock;
  clock.Set(thread, clock.Of(thread) + 1);
}

void RaceDetector::ThreadCreated(ThreadId child, ThreadId parent) {
  StateOf(std::max(child, parent));
  threads_[child].clock = threads_[parent].clock;
  threads_[child].clock.Set(child, 1);
  ++threads_[child].learnt;
  Tick(parent);
}

void RaceDetector::ThreadJoined(ThreadId child, ThreadId by) {
  StateOf(std::max(child, by));
  Learn(&threads_[by], threads_[child].clock);
}

RaceDetector::Released* RaceDetector::Find(Key key) {
  const std::uint32_t* const index = sync_.Find(key);
  return index == nullptr ? nullptr : &clocks_[*index - 1];
}

RaceDetector::Released& RaceDetector::ReleasedTo(Key key) {
  std::uint32_t& index = sync_.At(key);
  if (index == StampedTable::kNothing) {
    if (clocks_used_ == clocks_.size()) clocks_.emplace_back();
    clocks_[clocks_used_].Forget();
    index = static_cast<std::uint32_t>(++clocks_used_);
  }
  return clocks_[index - 1];
}

// It becomes the thread's clock.
void RaceDetector::Publish(ThreadId thread, Released* released) {
  const ThreadState& state = StateOf(thread);
  const std::uint32_t now = state.clock.Of(thread);
  if (released->by == thread && released->learnt == state.learnt) {
    released->clock.Set(thread, now);
  } else {
    released->clock = state.clock;
  }
  released->by = thread;
  released->time = now;
  released->learnt = state.learnt;
}

void RaceDetector::Acquire(ThreadId thread, Key key) {
  const Released* const released = Find(key);
  ThreadState& state = StateOf(thread);
  if (released != nullptr && !Knows(state, *released)) Learn(&state, released->clock);
}

void RaceDetector::Release(ThreadId thread, Key key) {
  Released& released = ReleasedTo(key);
  const ThreadState& state = StateOf(thread);
  if (released.clock.empty() || Knows(state, released)) {
    Publish(thread, &released);
  } else {
    released.clock.Join(state.clock);
    released.by = kNoThread;
  }
  Tick(thread);
}

void RaceDetector::ReleaseOnly(ThreadId thread, Key key) {
  Publish(thread, &ReleasedTo(key));
  Tick(thread);
}

void RaceDetector::ReleaseUnseen(ThreadId thread) {
  unseen_.Join(StateOf(thread).clock);
  Tick(thread);
}

void RaceDetector::Load(ThreadId thread, Key key, MemoryOrder order) {
  ThreadState& state = StateOf(thread);
  if (Acquires(order)) {
    if (__builtin_expect(!unseen_.empty(), 0)) Learn(&state, unseen_);
    return Acquire(thread, key);
  }
  if (__builtin_expect(!unseen_.empty(), 0)) state.acquired.Join(unseen_);
  if (const Released* const released = Find(key)) state.acquired.Join(released->clock);
}

void RaceDetector::Store(ThreadId thread, Key key, MemoryOrder order) {
  if (Releases(order)) {
    ReleaseOnly(thread, key);
    return;
  }
  // It ends the release sequences of others; a release fence before it heads a new one.
  const ThreadState& state = StateOf(thread);
  if (!state.released.empty()) {
    Released& released = ReleasedTo(key);
    released.clock = state.released;
    released.by = kNoThread;
  } else if (Released* const released = Find(key)) {
    released->Forget();
  }
}

void RaceDetector::Modify(ThreadId thread, Key key, MemoryOrder order) {
  if (Releases(order)) {
    Release(thread, key);
  } else if (!StateOf(thread).released.empty()) {
    Released& released = ReleasedTo(key);
    released.clock.Join(StateOf(thread).released);
    released.by = kNoThread;
  }
}

void RaceDetector::Fence(ThreadId thread, MemoryOrder order) {
  ThreadState& state = StateOf(thread);
  if (Acquires(order)) Learn(&state, state.acquired);
  if (Releases(order)) {
    state.released = state.clock;
    Tick(thread);
  }
}

void RaceDetector::TouchGranule(std::uint64_t granule, std::uint8_t bytes,
                                const MemoryAccess& access) {
  const VectorClock& clock = StateOf(access.thread).clock;
  const std::size_t kind = KindOf(access);
  const OldKinds sets = kOldKinds[kind];
  std::uint32_t& head = granules_.At(granule);
  Epoch* const epochs = epochs_.data();
  Epoch* again = nullptr;  // one that this access takes the place of
  for (std::uint32_t* link = &head; *link != 0;) {
    Epoch& old = epochs[*link - 1];
    const bool is_ordered = old.time <= clock.Of(old.access.thread);
    const std::uint8_t noted = is_ordered ? sets.covered : sets.conflicting;
    if ((old.bytes & bytes) == 0 || (old.kind & noted) == 0) {
      link = &old.next;
      continue;
    }
    if (!is_ordered) {
      racing_.push_back(old.access);
      link = &old.next;
      continue;
    }
    old.bytes &= static_cast<std::uint8_t>(~bytes);
    if (old.bytes == 0 && again == nullptr) {
      again = &old;
    } else if (old.bytes == 0) {
      const std::uint32_t freed = *link;
      *link = old.next;
      old.next = free_epochs_;
      free_epochs_ = freed;
      continue;
    }
    link = &old.next;
  }
  const std::uint32_t now = clock.Of(access.thread);
  if (again != nullptr) {
    again->access = access;
    again->time = now;
    again->bytes = bytes;
    again->kind = BitOf(kind);
    return;
  }
  std::uint32_t fresh = free_epochs_;
  if (fresh != 0) {
    free_epochs_ = epochs[fresh - 1].next;
    epochs[fresh - 1] = {access, now, head, bytes, BitOf(kind)};
  } else {
    epochs_.push_back({access, now, head, bytes, BitOf(kind)});
    fresh = static_cast<std::uint32_t>(epochs_.size());
  }
  head = fresh;
}

void RaceDetector::TouchMany(std::uint64_t address, std::uint64_t size,
                             const MemoryAccess& access) {
  const std::uint64_t end = address + size;
  for (std::uint64_t granule = address / 8; granule * 8 < end; ++granule) {
    const std::uint64_t base = granule * 8;
    const std::uint64_t first = std::max(address, base) - base;
    TouchGranule(granule, MaskOf(first, std::min<std::uint64_t>(end - base, 8)), access);
  }
}

void RaceDetector::Forget(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t first = address / 8;
  const std::uint64_t last = (address + size + 7) / 8;
  const auto drop = [this](std::uint32_t& head) {
    while (head != 0) {
      const std::uint32_t freed = head;
      head = epochs_[freed - 1].next;
      epochs_[freed - 1].next = free_epochs_;
      free_epochs_ = freed;
    }
  };
  if (last - first > granules_.size() + sync_.size()) {
    granules_.ForEach([&](std::uint64_t granule, std::uint32_t& head) {
      if (granule >= first && granule < last) drop(head);
    });
    sync_.ForEach([&](Key key, const std::uint32_t& index) {
      if (key - address < size && index != 0) clocks_[index - 1].Forget();
    });
    return;
  }
  for (std::uint64_t granule = first; granule < last; ++granule) {
    if (std::uint32_t* const head = granules_.Find(granule)) drop(*head);
  }
  if (sync_.size() == 0) return;
  for (std::uint64_t at = address; at < address + size; ++at) {
    if (Released* const released = Find(AtomicKey(at))) released->Forget();
  }
}

}  // namespace heddle
