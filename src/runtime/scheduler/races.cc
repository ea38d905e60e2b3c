#include "runtime/scheduler/races.h"

#include <signal.h>

#include <algorithm>

#include "base/raw_syscall.h"

namespace heddle {
namespace {

// Keys that no address of the program has.
RaceDetector::Key KeyOf(const Object& object) { return std::uint64_t{1} << 63 | object.id; }
RaceDetector::Key ReadersKey(RaceDetector::Key key) { return std::uint64_t{1} << 61 | key; }
constexpr RaceDetector::Key kNowhere = std::uint64_t{1} << 60;  // operations without an object
RaceDetector::Key AnnotationKey(std::uint64_t address) { return std::uint64_t{1} << 62 | address; }

SightingSide SideOf(const MemoryAccess& access) {
  return {.site = access.site,
          .event = access.event,
          .thread = access.thread,
          .is_write = access.is_write,
          .is_atomic = access.is_atomic};
}

// The same code on all sides, whichever came first.
bool IsSame(const Sighting& a, const Sighting& b) {
  const auto left = a.Sides();
  const auto right = b.Sides();
  return a.kind == b.kind &&
         std::is_permutation(left.begin(), left.end(), right.begin(), right.end(),
                             [](const SightingSide& one, const SightingSide& other) {
                               return one.site == other.site;
                             });
}

SightingSide SideOf(const LockEdge& edge) {
  return {.site = edge.site,
          .event = edge.event,
          .thread = edge.thread,
          .held = edge.held,
          .taken = edge.taken};
}

}  // namespace

Races::Tables& Races::TablesOfProcess() {
  static Tables* const tables = new Tables;
  return *tables;
}

Races::Races() : detector_(TablesOfProcess().detector), locks_(TablesOfProcess().locks) {}

void Races::Begin(Channel* channel) {
  // What a warm-up sees, the runs behind it see too.
  const bool is_on = channel->config.races != 0 && channel->search_report.warming_up == 0;
  channel_ = is_on ? channel : nullptr;
  if (!is_on) return;
  detector_.Reset();
  locks_.Reset();
  unsettled_ = nullptr;
  ignored_.clear();
  benign_.clear();
}

#pragma GCC diagnostic error "-Wswitch"

namespace {

// Atomics, whose order is their own, come by Atomic().
constexpr Ordering OrderingOf(OpKind kind) {
  switch (kind) {
    case OpKind::kLock:
    case OpKind::kTryLock:
      return Ordering::kTakesLock;
    case OpKind::kWriteLock:
    case OpKind::kTryWriteLock:
    case OpKind::kQueueWriter:  // failed: it stands in the queue
      return Ordering::kTakesToWrite;
    case OpKind::kReadLock:
    case OpKind::kTryReadLock:
      return Ordering::kTakesToRead;
    case OpKind::kSemWait:
    case OpKind::kSemTryWait:
    case OpKind::kWake:
    case OpKind::kSigWait:
    case OpKind::kHandler:
    case OpKind::kCancelled:
    case OpKind::kBarrierLeave:
      return Ordering::kAcquires;
    case OpKind::kReceive:
      return Ordering::kReadsBytes;
    case OpKind::kPoll:
      return Ordering::kFindsReady;
    case OpKind::kOnce:
      return Ordering::kFindsDone;
    case OpKind::kSend:
    case OpKind::kDescriptor:
      return Ordering::kWritesBytes;
    case OpKind::kReadUnlock:
      return Ordering::kLeavesToWriters;
    case OpKind::kUnlock:
    case OpKind::kWriteUnlock:
    case OpKind::kOwnerDied:
      return Ordering::kLeavesLock;
    case OpKind::kWait:
      return Ordering::kLeavesToWait;
    case OpKind::kSemPost:
    case OpKind::kFutexWake:
    case OpKind::kKill:
    case OpKind::kCancel:
      return Ordering::kReleases;
    case OpKind::kP:
    case OpKind::kV:
    case OpKind::kAcquire:
    case OpKind::kRelease:
    case OpKind::kEnter:
    case OpKind::kLeave:
    case OpKind::kQueue:
    case OpKind::kNotify:
    case OpKind::kResume:
    case OpKind::kPortSend:
    case OpKind::kPortPut:
    case OpKind::kPortSent:
    case OpKind::kPortReceive:
    case OpKind::kBarrierArrive:
      return Ordering::kPassesBoth;
    case OpKind::kOnceDone:
      return Ordering::kDoesOnce;
    case OpKind::kCreate:
      return Ordering::kCreates;
    case OpKind::kJoin:
    case OpKind::kTimedJoin:
      return Ordering::kJoins;
    case OpKind::kFence:
      return Ordering::kFences;
    case OpKind::kNone:
    case OpKind::kRead:
    case OpKind::kWrite:
    case OpKind::kAtomicLoad:
    case OpKind::kAtomicStore:
    case OpKind::kAtomicRmw:
    case OpKind::kSignal:
    case OpKind::kBroadcast:
    case OpKind::kSemValue:
    case OpKind::kFutexWait:
    case OpKind::kStart:
    case OpKind::kExit:
    case OpKind::kDetach:
    case OpKind::kYield:
    case OpKind::kSleep:
    case OpKind::kClock:
    case OpKind::kProcessExit:
    case OpKind::kAnnotation:
    case OpKind::kInit:
    case OpKind::kDestroy:
    case OpKind::kTryJoin:
    case OpKind::kPortOpen:
    case OpKind::kLook:  // what it finds ready it passes, each for itself
    case OpKind::kEpollWait:
    case OpKind::kFileLock:  // each file and each set orders for itself (interpose/system_wait.h)
    case OpKind::kFileUnlock:
    case OpKind::kSemOp:
    case OpKind::kTime:
    case OpKind::kEnd:
      return Ordering::kNothing;
  }
  return Ordering::kNothing;
}

}  // namespace

constexpr std::array<Ordering, kOpKindCount> Races::kOrderings = [] {
  std::array<Ordering, kOpKindCount> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = OrderingOf(static_cast<OpKind>(i));
  return all;
}();

void Races::Apply() {
  const Event& event = *unsettled_;
  unsettled_ = nullptr;
  switch (ordering_) {
    case Ordering::kCreates:
      if (event.other != kNoThread) Created(event.other, event.thread);
      break;
    case Ordering::kJoins:
      if (event.other != kNoThread && !IsInVain(event)) Joined(event.other, event.thread);
      break;
    default:
      ApplyToObject(event);
  }
}

void Races::Created(ThreadId child, ThreadId parent) {
  detector_.ThreadCreated(child, parent);
  locks_.ThreadCreated(child, parent);
}

void Races::Joined(ThreadId child, ThreadId by) {
  detector_.ThreadJoined(child, by);
  locks_.ThreadJoined(child, by);
}

void Races::ApplyToObject(const Event& event) {
  const ThreadId self = event.thread;
  const bool in_vain = IsInVain(event);
  const auto value = static_cast<std::int64_t>(event.value);
  const RaceDetector::Key key = object_ == nullptr ? kNowhere : KeyOf(*object_);
  switch (ordering_) {
    case Ordering::kNothing:
    case Ordering::kCreates:
    case Ordering::kJoins:
      break;
    case Ordering::kAcquires:
      if (!in_vain) detector_.Acquire(self, key);
      break;
    case Ordering::kTakesLock:
      if (in_vain) break;
      detector_.Acquire(self, key);
      TakeLock(event, event.kind == OpKind::kLock);
      break;
    case Ordering::kTakesToWrite:
      if (in_vain) break;
      detector_.Acquire(self, key);
      detector_.Acquire(self, ReadersKey(key));
      TakeLock(event, event.kind != OpKind::kTryWriteLock);
      break;
    case Ordering::kTakesToRead:
      if (in_vain) break;
      detector_.Acquire(self, key);
      TakeLock(event, event.kind == OpKind::kReadLock);
      break;
    // Bytes order the threads, and the end of them; asking in vain does not.
    case Ordering::kReadsBytes:
      if (!in_vain && value >= 0) detector_.Acquire(self, key);
      break;
    case Ordering::kFindsReady:
      if (!in_vain && value > 0) detector_.Acquire(self, key);
      break;
    case Ordering::kFindsDone:
      detector_.Acquire(self, key);
      break;
    case Ordering::kReleases:
      detector_.Release(self, key);
      break;
    case Ordering::kWritesBytes:
      detector_.Release(self, key);
      if (second_ != nullptr) detector_.Release(self, KeyOf(*second_));
      break;
    case Ordering::kLeavesLock:
      if (in_vain) break;
      detector_.ReleaseOnly(self, key);
      locks_.Release(self, object_->id);
      break;
    case Ordering::kLeavesToWriters:  // readers do not order each other
      if (in_vain) break;
      detector_.Release(self, ReadersKey(key));
      locks_.Release(self, object_->id);
      break;
    case Ordering::kLeavesToWait:
      if (second_ == nullptr) break;
      detector_.ReleaseOnly(self, KeyOf(*second_));
      locks_.Release(self, second_->id);
      break;
    case Ordering::kPassesBoth:
      detector_.Release(self, key);
      detector_.Acquire(self, key);
      break;
    case Ordering::kDoesOnce:
      detector_.ReleaseOnly(self, key);
      // Compiled code looks at the guard of a static local by itself.
      detector_.Store(self, RaceDetector::AtomicKey(object_->address), MemoryOrder::kRelease);
      break;
    case Ordering::kFences:
      detector_.Fence(self, static_cast<MemoryOrder>(event.order));
      break;
  }
}

void Races::Plain(const Event& event, std::uint32_t index, std::uint64_t address,
                  std::uint64_t size) {
  if (!is_on()) return;
  if (__builtin_expect(aside_ != nullptr, 0)) {
    return aside_->Accessed(address, size, false, MemoryOrder::kRelaxed);
  }
  Check(address, size,
        {.thread = event.thread,
         .is_write = event.kind == OpKind::kWrite,
         .event = index,
         .site = event.site});
}

void Races::Atomic(const Event& event, std::uint32_t index, std::uint64_t address,
                   MemoryOrder order) {
  if (!is_on()) return;
  if (__builtin_expect(aside_ != nullptr, 0)) {
    return aside_->Accessed(address, event.size, true, order);
  }
  const bool writes = event.kind != OpKind::kAtomicLoad && (event.flags & Event::kFailed) == 0;
  const RaceDetector::Key key = RaceDetector::AtomicKey(address);
  // What it acquires comes before itself.
  if (event.kind != OpKind::kAtomicStore) detector_.Load(event.thread, key, order);
  Check(address, event.size,
        {.thread = event.thread,
         .is_write = writes,
         .is_atomic = true,
         .event = index,
         .site = event.site});
  if (!writes) return;
  if (event.kind == OpKind::kAtomicStore) {
    detector_.Store(event.thread, key, order);
  } else {
    detector_.Modify(event.thread, key, order);
  }
}

void Races::Acquire(ThreadId thread, std::uint64_t address) {
  if (!is_on()) return;
  Settle();
  detector_.Acquire(thread, AnnotationKey(address));
}

void Races::Release(ThreadId thread, std::uint64_t address) {
  if (!is_on()) return;
  Settle();
  detector_.Release(thread, AnnotationKey(address));
}

void Races::ReleaseUnseen(ThreadId thread) {
  if (!is_on()) return;
  Settle();
  detector_.ReleaseUnseen(thread);
}

void Races::Passed(ThreadId thread, const Object& once) {
  if (!is_on()) return;
  Settle();
  detector_.Acquire(thread, KeyOf(once));
}

void Races::Ended(ThreadId thread, const Object& channel) {
  if (!is_on()) return;
  Settle();
  detector_.Release(thread, KeyOf(channel));
}

void Races::Forget(std::uint64_t address, std::uint64_t size) {
  if (is_on()) detector_.Forget(address, size);
}

Races::Ignored& Races::IgnoredBy(ThreadId thread) {
  if (thread >= ignored_.size()) ignored_.resize(thread + 1u);
  return ignored_[thread];
}

void Races::IgnoreReads(ThreadId thread, int change) {
  if (is_on()) IgnoredBy(thread).reads += change;
}

void Races::IgnoreWrites(ThreadId thread, int change) {
  if (is_on()) IgnoredBy(thread).writes += change;
}

void Races::IgnoreRange(std::uint64_t address, std::uint64_t size) {
  if (is_on()) benign_.push_back({address, size});
}

bool Races::IsIgnored(const MemoryAccess& access) const {
  if (access.thread >= ignored_.size()) return false;
  const Ignored& ignored = ignored_[access.thread];
  return (access.is_write ? ignored.writes : ignored.reads) > 0;
}

void Races::TakeLock(const Event& event, bool may_block) {
  const bool to_read = ordering_ == Ordering::kTakesToRead;
  if (!locks_.TakeFirst(event.thread, object_->id, to_read)) TakeAnother(event, may_block);
}

void Races::TakeAnother(const Event& event, bool may_block) {
  const auto ring = locks_.Take({.thread = event.thread,
                                 .lock = object_->id,
                                 .site = event.site,
                                 .event = index_,
                                 .may_block = may_block,
                                 .to_read = ordering_ == Ordering::kTakesToRead});
  if (ring.empty()) return;
  Sighting sighting;
  sighting.kind = SightingKind::kLockOrder;
  sighting.side_count = static_cast<std::uint8_t>(ring.size());
  std::transform(ring.begin(), ring.end(), sighting.sides,
                 [](const LockEdge& edge) { return SideOf(edge); });
  Report(sighting);
}

void Races::ReportRaces(std::uint64_t address, std::span<const MemoryAccess> racing,
                        const MemoryAccess& access) {
  for (const MemoryAccess& old : racing) ReportRace(address, old, access);
}

void Races::ReportRace(std::uint64_t address, const MemoryAccess& first,
                       const MemoryAccess& second) {
  const bool is_benign = std::any_of(benign_.begin(), benign_.end(), [address](const Range& range) {
    return address - range.begin < range.size;
  });
  if (is_benign) return;
  Sighting sighting;
  sighting.address = address;
  sighting.sides[0] = SideOf(first);
  sighting.sides[1] = SideOf(second);
  Report(sighting);
}

void Races::Report(const Sighting& sighting) {
  RunRecord& record = channel_->records[std::min(channel_->record_count, kMaxBatch - 1)];
  const std::uint32_t known = std::min(channel_->sighting_count, kMaxSightings);
  std::uint32_t index = 0;
  while (index < known && !IsSame(channel_->sightings[index], sighting)) ++index;
  if (index == kMaxSightings) return;
  if (index == known) {
    channel_->sightings[index] = sighting;
    channel_->sighting_count = index + 1;
    ++record.new_sightings;
    if (channel_->config.stop_for_debugger != 0) {
      RawSyscall(SYS_tkill, RawSyscall(SYS_gettid), SIGTRAP);
    }
  }
  record.sightings |= std::uint64_t{1} << index;
}

}  // namespace heddle
