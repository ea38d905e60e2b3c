#include "trace/race_detector.h"

#include <algorithm>

namespace heddle {

void RaceDetector::Reset() {
  known_ = 0;
  syncs_.Clear();
  atomics_.Clear();
  granules_.Clear();
  unseen_.Clear();
  clocks_used_ = 0;
  touches_ = 0;
  epochs_used_ = 0;
  free_epochs_ = 0;
  StateOf(kMainThread).now = 1;
}

void RaceDetector::Meet(ThreadId thread) {
  if (thread >= threads_.size()) threads_.resize(thread + 1u);
  room_ = threads_.size();
  for (; known_ <= thread; ++known_) {
    ThreadState& state = threads_[known_];
    state.others.Clear();
    state.ForgetFences();
    state.now = 0;
    state.learnt_at = 0;
    state.creator = kNoThread;
  }
}

RaceDetector::Released& RaceDetector::ReleasedTo(Syncs* syncs, Key key) {
  std::uint32_t& index = syncs->At(key);
  if (index == 0) {
    if (clocks_used_ == clocks_.size()) clocks_.emplace_back();
    clocks_[clocks_used_].Forget();
    index = static_cast<std::uint32_t>(++clocks_used_);
  }
  return clocks_[index - 1];
}

// It becomes the thread's clock.
void RaceDetector::Publish(ThreadId thread, const ThreadState& state, Released* released) {
  if (released->by != thread || released->learnt != state.learnt) released->clock = state.others;
  released->by = thread;
  released->time = state.now;
  released->learnt = state.learnt;
}

// The thread's clock comes to what others released.
void RaceDetector::Add(ThreadId thread, const ThreadState& state, Released* released) {
  if (released->empty() || Knows(state, thread, *released)) {
    return Publish(thread, state, released);
  }
  VectorClock& clock = released->Open();
  clock.Join(state.others);
  clock.Raise(thread, state.now);
}

void RaceDetector::Learn(ThreadId thread, const Released& released) {
  ThreadState& state = StateOf(thread);
  if (released.by == kNoThread) return Learn(&state, released.clock);
  if (Knows(state, thread, released.by, released.time)) return;
  released.AddTo(&state.others);
  Learnt(&state);
}

void RaceDetector::Acquire(ThreadId thread, Key key) {
  if (const Released* const released = Find(&syncs_, key)) Learn(thread, *released);
}

void RaceDetector::Release(ThreadId thread, Key key) {
  ThreadState& state = StateOf(thread);
  Add(thread, state, &ReleasedTo(&syncs_, key));
  ++state.now;
}

void RaceDetector::ReleaseOnly(ThreadId thread, Key key) {
  ThreadState& state = StateOf(thread);
  Publish(thread, state, &ReleasedTo(&syncs_, key));
  ++state.now;
}

void RaceDetector::ReleaseUnseen(ThreadId thread) {
  ThreadState& state = StateOf(thread);
  unseen_.Join(state.others);
  unseen_.Raise(thread, state.now);
  ++state.now;
}

void RaceDetector::LoadReleased(ThreadId thread, Key key, MemoryOrder order) {
  ThreadState& state = StateOf(thread);
  const Released* const released = Find(&atomics_, key);
  if (Acquires(order)) {
    if (!unseen_.empty()) Learn(&state, unseen_);
    if (released != nullptr) Learn(thread, *released);
  } else {
    if (!unseen_.empty()) state.acquired.Join(unseen_);
    if (released != nullptr) released->AddTo(&state.acquired);
  }
}

void RaceDetector::Store(ThreadId thread, Key key, MemoryOrder order) {
  ThreadState& state = StateOf(thread);
  if (Releases(order)) {
    Publish(thread, state, &ReleasedTo(&atomics_, key));
    ++state.now;
    return;
  }
  // It ends the release sequences of others; a release fence before it heads a new one.
  if (!state.released.empty()) {
    Released& released = ReleasedTo(&atomics_, key);
    released.clock = state.released;
    released.by = kNoThread;
  } else if (Released* const released = Find(&atomics_, key)) {
    released->Forget();
  }
}

void RaceDetector::Modify(ThreadId thread, Key key, MemoryOrder order) {
  ThreadState& state = StateOf(thread);
  if (Releases(order)) {
    Add(thread, state, &ReleasedTo(&atomics_, key));
    ++state.now;
  } else if (!state.released.empty()) {
    ReleasedTo(&atomics_, key).Open().Join(state.released);
  }
}

void RaceDetector::Fence(ThreadId thread, MemoryOrder order) {
  ThreadState& state = StateOf(thread);
  if (Acquires(order)) Learn(&state, state.acquired);
  if (Releases(order)) {
    state.released = state.others;
    state.released.Set(thread, state.now);
    ++state.now;
  }
}

void RaceDetector::MakeRoomForEpochs() {
  constexpr std::uint32_t kFirst = 64;
  epochs_room_ = std::max(kFirst, 2 * epochs_room_);
  epochs_.resize(epochs_room_);
}

[[gnu::always_inline]] inline void RaceDetector::LookThroughMore(Granule* memory,
                                                                 std::uint8_t bytes,
                                                                 const MemoryAccess& access) {
  const ThreadState& self = threads_[access.thread];
  const OldKinds sets = kOldKinds[OldKinds::KindOf(access)];
  const ThreadId running = access.thread;
  Epoch* const epochs = epochs_.data();
  Epoch* again = nullptr;  // one that this access takes the place of
  std::uint32_t since = kMostTouches;
  std::uint32_t threads = 0;
  std::uint8_t kinds = 0;
  for (std::uint32_t* link = &memory->first; *link != 0;) {
    Epoch& old = epochs[*link - 1];
    const ThreadId thread = old.access.thread;
    const bool is_ordered = thread == running || old.time <= self.others.Of(thread);
    const std::uint8_t noted = is_ordered ? sets.covered : sets.conflicting;
    if ((old.bytes & bytes) != 0 && (old.kind & noted) != 0) {
      if (!is_ordered) {
        racing_.push_back(old.access);
      } else if ((old.bytes &= static_cast<std::uint8_t>(~bytes)) == 0) {
        if (again == nullptr) {
          again = &old;
          link = &old.next;
        } else {
          const std::uint32_t freed = *link;
          *link = old.next;
          old.next = free_epochs_;
          free_epochs_ = freed;
        }
        continue;
      }
    }
    since = std::min(since, old.touched);
    threads |= BitOfThread(thread);
    kinds |= old.kind;
    link = &old.next;
  }
  if (again != nullptr) {
    Fill(again, self, bytes, access);
    memory->since = std::min(since, touches_);
    memory->threads = threads | BitOfThread(access.thread);
    memory->kinds = kinds | again->kind;
    return;
  }
  memory->since = since;
  memory->threads = threads;
  memory->kinds = kinds;
  Remember(memory, self, bytes, access);
}

std::span<const MemoryAccess> RaceDetector::LookThrough(Granule* memory, std::uint8_t bytes,
                                                        const MemoryAccess& access) {
  racing_.clear();
  LookThroughMore(memory, bytes, access);
  return racing_;
}

std::span<const MemoryAccess> RaceDetector::TouchMany(std::uint64_t address, std::uint64_t size,
                                                      const MemoryAccess& access) {
  racing_.clear();
  const ThreadState& self = StateOf(access.thread);
  const std::uint64_t end = address + size;
  for (std::uint64_t granule = address / 8; granule * 8 < end; ++granule) {
    const std::uint64_t base = granule * 8;
    const std::uint64_t first = std::max(address, base) - base;
    const std::uint8_t bytes = MaskOf(first, std::min<std::uint64_t>(end - base, 8));
    Granule& memory = granules_.At(granule);
    if (CanMatter(memory, self, access)) {
      LookThroughMore(&memory, bytes, access);
    } else {
      Remember(&memory, self, bytes, access);
    }
  }
  return racing_;
}

void RaceDetector::Forget(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t first = address / 8;
  const std::uint64_t last = (address + size + 7) / 8;
  const auto drop = [this](Granule& memory) {
    for (std::uint32_t next = memory.first; next != 0;) {
      const std::uint32_t freed = next;
      next = epochs_[freed - 1].next;
      epochs_[freed - 1].next = free_epochs_;
      free_epochs_ = freed;
    }
    memory = Granule();
  };
  if (last - first > granules_.size() + atomics_.size()) {
    granules_.ForEach([&](std::uint64_t granule, Granule& memory) {
      if (granule >= first && granule < last) drop(memory);
    });
    atomics_.ForEach([&](Key key, const std::uint32_t& index) {
      if (key - address < size && index != 0) clocks_[index - 1].Forget();
    });
    return;
  }
  for (std::uint64_t granule = first; granule < last; ++granule) {
    if (Granule* const memory = granules_.Find(granule)) drop(*memory);
  }
  if (atomics_.size() == 0) return;
  for (std::uint64_t at = address; at < address + size; ++at) {
    if (Released* const released = Find(&atomics_, AtomicKey(at))) released->Forget();
  }
}

}  // namespace heddle
