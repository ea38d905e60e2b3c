// What the running program does wrong without failing: data races and locks taken in opposite
// orders. Feeds trace/race_detector.h and trace/lock_graph.h with the run's events, and writes what
// they find into the channel.
//
// Only accesses that are events are looked at. That loses nothing: an access that could race is
// made at a site that is a scheduling point, or becomes one in the next run (memory/sharing.h).
//
// What an event orders is known when it is complete, which is after Record() has returned it: it is
// settled when the next one begins.
#ifndef HEDDLE_RUNTIME_SCHEDULER_RACES_H_
#define HEDDLE_RUNTIME_SCHEDULER_RACES_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/scheduler/object.h"
#include "runtime/scheduler/rehearsal.h"
#include "trace/channel.h"
#include "trace/lock_graph.h"
#include "trace/race_detector.h"

namespace heddle {

// What a kind of operation means for the order of threads; see Races::Apply.
enum class Ordering : std::uint8_t {
  kNothing,
  kAcquires,
  kTakesLock,
  kTakesToWrite,
  kTakesToRead,
  kReadsBytes,  // orders if there were any, or the end of them
  kFindsReady,  // likewise
  kFindsDone,   // also in vain: then somebody else has done it
  kReleases,
  kWritesBytes,  // ends a channel, too, perhaps
  kLeavesLock,
  kLeavesToWriters,
  kLeavesToWait,  // its second object
  kPassesBoth,    // releases and acquires: the last to arrive goes on at once
  kDoesOnce,
  kCreates,
  kJoins,
  kFences,
};

class Races {
 public:
  Races();
  // A run begins; from here on there may be several threads.
  void Begin(Channel* channel);
  bool is_on() const { return channel_ != nullptr; }
  // What happens from now on belongs to no run.
  void Stop() {
    channel_ = nullptr;
    unsettled_ = nullptr;
  }

  // An event was recorded and is being completed.
  void Expect(const Event* event, OpKind kind, std::uint64_t index, const Object* object,
              const Object* second) {
    unsettled_ = nullptr;
    const Ordering ordering = kOrderings[static_cast<std::size_t>(kind)];
    if (ordering == Ordering::kNothing || !is_on()) return;
    unsettled_ = event;
    ordering_ = ordering;
    index_ = static_cast<std::uint32_t>(index);
    object_ = object;
    second_ = second;
  }
  // The last event of the thread ended this one, too.
  void Ended(ThreadId thread, const Object& channel);
  bool is_unsettled() const { return unsettled_ != nullptr; }
  void Settle() {
    if (unsettled_ != nullptr) Apply();
  }

  // The accesses that the event with this index is. An atomic one comes with what it orders.
  void Plain(const Event& event, std::uint32_t index, std::uint64_t address, std::uint64_t size);
  void Atomic(const Event& event, std::uint32_t index, std::uint64_t address, MemoryOrder order);

  // From now on accesses belong to events that are kept aside there; nullptr: no longer.
  void KeepAside(Rehearsal* rehearsal) { aside_ = rehearsal; }

  // Ordering that is no event: annotations, and calls into libraries that synchronise unseen.
  void Acquire(ThreadId thread, std::uint64_t address);
  void Release(ThreadId thread, std::uint64_t address);
  // What the thread did so far may be ordered, by code that is not seen, before whatever others do
  // once they have read an atomic.
  void ReleaseUnseen(ThreadId thread);
  // Something that is done for good was found done, or a channel ready.
  void Passed(ThreadId thread, const Object& once);

  void Forget(std::uint64_t address, std::uint64_t size);

  // Annotations. Ranges stay benign for the rest of the run.
  void IgnoreReads(ThreadId thread, int change);
  void IgnoreWrites(ThreadId thread, int change);
  void IgnoreRange(std::uint64_t address, std::uint64_t size);

 private:
  struct Ignored {
    int reads = 0;
    int writes = 0;
  };
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };
  // Of the process: runs that follow each other in it allocate nothing again.
  struct Tables {
    RaceDetector detector;
    LockGraph locks;
  };
  static Tables& TablesOfProcess();
  // By kind: asked at every event, most of which order nobody.
  static const std::array<Ordering, kOpKindCount> kOrderings;

  void Apply();
  [[gnu::noinline]] void ApplyToObject(const Event& event);
  static bool IsInVain(const Event& event) {
    return (event.flags & (Event::kFailed | Event::kTimedOut)) != 0;
  }
  void Created(ThreadId child, ThreadId parent);
  void Joined(ThreadId child, ThreadId by);
  void Check(std::uint64_t address, std::uint64_t size, const MemoryAccess& access) {
    if (__builtin_expect(!ignored_.empty(), 0) && IsIgnored(access)) return;
    const auto racing = detector_.Touch(address, size, access);
    if (__builtin_expect(!racing.empty(), 0)) ReportRaces(address, racing, access);
  }
  [[gnu::noinline]] void ReportRaces(std::uint64_t address, std::span<const MemoryAccess> racing,
                                     const MemoryAccess& access);
  void ReportRace(std::uint64_t address, const MemoryAccess& first, const MemoryAccess& second);
  void Report(const Sighting& sighting);
  void TakeLock(const Event& event, bool may_block);
  [[gnu::noinline]] void TakeAnother(const Event& event, bool may_block);
  bool IsIgnored(const MemoryAccess& access) const;
  Ignored& IgnoredBy(ThreadId thread);

  Channel* channel_ = nullptr;
  RaceDetector& detector_;
  LockGraph& locks_;
  const Event* unsettled_ = nullptr;
  Ordering ordering_ = Ordering::kNothing;  // of its kind
  std::uint32_t index_ = 0;
  const Object* object_ = nullptr;
  const Object* second_ = nullptr;
  Rehearsal* aside_ = nullptr;
  std::vector<Ignored> ignored_;  // by thread
  std::vector<Range> benign_;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_RACES_H_
