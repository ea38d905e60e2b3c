// What a run leaves behind, as plain records: decisions, events, objects, threads, and how it
// ended.
//
// These are written by the run (a forked child of the program under test) into shared memory and
// read by the controller, so they are flat, fixed in size, and never trusted by the reader
// (trace/run_trace.h).
#ifndef HEDDLE_TRACE_RECORDS_H_
#define HEDDLE_TRACE_RECORDS_H_

#include <cstdint>
#include <span>
#include <type_traits>

#include "base/ids.h"
#include "trace/decision.h"
#include "trace/op.h"

namespace heddle {

// One answered Decision.
struct DecisionRecord {
  std::uint32_t event = 0;       // index of the first event after it
  std::uint16_t options = 0;     // how many there were
  std::uint16_t chosen = 0;      // index of the answer
  ThreadId thread = kNoThread;   // thread of the answer
  ThreadId current = kNoThread;  // who ran last, or who asks
  DecisionKind kind = DecisionKind::kThread;
  Outcome outcome = Outcome::kNormal;
  bool current_enabled = false;  // then choosing another thread is a preemption
  std::uint8_t unused = 0;
  std::uint64_t among = 0;  // the options' threads, a bit set by ThreadId; of the first 64 threads
};
static_assert(sizeof(DecisionRecord) == 24);

// One executed operation.
struct Event {
  std::uint64_t site = 0;  // return address into the program; 0 = none
  // Read or written, result of a try, count of a semaphore behind it (see kHasValue); for a wait
  // the ObjectId of its mutex.
  std::uint64_t value = 0;
  ObjectId object = kNoObject;
  std::uint32_t context = 0;  // hash of the last call sites
  ThreadId thread = kNoThread;
  // Created, joined, woken; of a compare-exchange what it expected (trace/expected_value.h).
  ThreadId other = kNoThread;
  OpKind kind = OpKind::kNone;
  std::uint8_t size = 0;
  std::uint8_t order = 0;  // C++ memory order, for atomics
  std::uint8_t flags = 0;

  static constexpr std::uint8_t kHasValue = 1;
  static constexpr std::uint8_t kTimedOut = 2;
  static constexpr std::uint8_t kFailed =
      4;  // a try that did not get it, a compare-exchange that lost
  // Could have ended by time-out, whether it did or not.
  static constexpr std::uint8_t kMayTimeOut = PendingOp::kMayTimeOut;
  static constexpr std::uint8_t kFrees = 16;    // the write is the end of the memory
  static constexpr std::uint8_t kAwaited = 32;  // its loop could not go on before a value changed
  static constexpr std::uint8_t kSpans = 64;    // an access whose value is its Extent
  static constexpr std::uint8_t kUnseen = 128;  // a round of a loop whose accesses nobody sees
};
static_assert(sizeof(Event) == 32);

// How much memory an access touches that is more than one variable's, or the last of a block's.
struct Extent {
  static constexpr std::uint64_t kMost = 1 << 17;

  std::uint64_t granules = 1;  // of 8 bytes
  std::uint64_t known = ~0u;   // ObjectIds from here on came later, in other lives of the memory

  static constexpr Extent Of(std::uint64_t value) { return {value & ~0u, value >> 32}; }
  constexpr std::uint64_t value() const { return granules | known << 32; }
};

enum class ObjectKind : std::uint8_t {
  kUnknown,
  kMemory,
  kMutex,
  kCondition,
  kSemaphore,
  kFutex,
  kOnce,
  kThread,
  kClock,
  kProcess,
  kRwLock,
  kBarrier,
  kSpinlock,
  kStream,   // of stdio, for its lock
  kSignals,  // pending for the process or a thread
  kIo,       // whatever descriptors lead to, all of it
  // <heddle/sync.h>
  kCountingSemaphore,
  kBinarySemaphore,
  kOwnedLock,
  kMonitorSC,
  kMonitorSU,
  kAsyncPort,
  kBoundedPort,
  kSyncPort,
  kPorts,  // all of them
  kLane,   // messages of one sender to one port
  // One direction of a pipe or of a pair of sockets, an eventfd: see trace/channel_use.h. What is
  // done to one is done to kIo, too, but in a way that commutes.
  kChannel,
  kChannels,  // several of them, as a list
  kLast = kChannels,
};

struct ObjectRecord {
  std::uint64_t address = 0;  // in the worker; for symbols only
  std::uint64_t key = 0;      // the same in every run and process: see runtime/memory/location.h
  std::uint64_t allocation_site = 0;  // of the heap block it lies in; 0 = not on the heap
  std::uint32_t offset = 0;           // within that block
  ObjectKind kind = ObjectKind::kUnknown;
  std::uint8_t size = 0;   // kMemory: bytes; 0 = it may be any of its granule
  std::uint8_t noted = 0;  // kChannel, kChannels: trace/channel_use.h
  std::uint8_t unused = 0;

  // kChannels: one of them, and the others.
  ObjectId FirstOfList() const { return static_cast<ObjectId>(allocation_site); }
  ObjectId RestOfList() const { return offset; }
};
static_assert(sizeof(ObjectRecord) == 32);

struct ThreadRecord {
  std::uint64_t path_hash = 0;  // of the chain of (nth child) from the main thread
  std::uint64_t start_routine = 0;
  std::uint64_t create_site = 0;
  ThreadId parent = kNoThread;
  std::uint16_t nth_child = 0;  // from 1
  std::uint8_t ended = 0;
  std::uint8_t enabled = 0;  // at the end of the run
  char name[16] = {};
  std::uint8_t stands = 0;  // in a loop, and does not go on in this run: see kOvertaken
  std::uint8_t unused = 0;
  std::uint16_t expected = kNoThread;  // by a compare-exchange that is pending, as Event::other
  PendingOp pending;                   // at the end of the run, for threads that never went on
};

// A stack taken during the run; frames lie in the run's frame area.
struct StackRecord {
  std::uint32_t first_frame = 0;
  std::uint32_t frame_count = 0;
};

enum class RunOutcome : std::uint8_t {
  kNone,    // the run never said anything
  kExited,  // exit status in `status`
  kFailed,  // see Failure
  kStepLimit,
  kDiverged,  // the prefix to replay did not fit; see diverged_at
  kBlocked,   // abandoned as redundant by its policy
  // At its end a thread stood in a loop that it could have left by then: another run shows what it
  // does (scheduler/loops.h). All its events are real.
  kOvertaken,
  kLast = kOvertaken,
};

enum class FailureKind : std::uint8_t {
  kNone,
  kAssertion,
  kCrash,
  kException,
  kDeadlock,
  kLivelock,
  kMemoryLimit,
  kWatchdog,
  kMisuse,        // of a primitive: `message` says what was done to it, `object` to which
  kUseAfterFree,  // these three: `stacks` are of the call that freed it, and that allocated it
  kDoubleFree,
  kInvalidFree,
  kUseAfterReturn,  // `stack_threads[0]` is whose stack it was
  kLiveness,
  kLast = kLiveness,
};

// Why a run failed; the stacks of all live threads are stored beside it.
struct Failure {
  FailureKind kind = FailureKind::kNone;
  std::uint8_t before_main = 0;
  ThreadId thread = kNoThread;
  std::int32_t signal = 0;
  std::uint64_t address = 0;    // that a crash accessed
  ObjectId object = kNoObject;  // that was misused
  std::uint32_t line = 0;       // assertion
  std::uint32_t cycle_length =
      0;  // deadlock: threads of the cycle, in `cycle`; 0 = all of them wait
  ThreadId cycle[16] = {};
  StackRecord stacks[2] = {};  // that belong to it, beside those of the threads
  ThreadId stack_threads[2] = {kNoThread, kNoThread};
  char file[256] = {};
  char function[256] = {};
  char message[1024] = {};
};

// A failure behind the first one of a run that ran on: see RunRecord::ran_on.
struct LaterFailure {
  Failure failure;
  std::uint64_t events = 0;  // before it
};
inline constexpr std::uint32_t kMaxLaterFailures = 4;  // of a run; more are not kept

inline constexpr std::uint8_t kRanToTheEnd = 1;  // of RunRecord::ran_on
inline constexpr std::uint8_t kRanOnAWhile = 2;

struct RunRecord {
  std::uint64_t run = 0;  // counts from 1 over the whole search
  std::uint64_t events = 0;
  std::uint64_t decisions = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t class_hash = 0;  // equal for runs with the same partial order of conflicting events
  std::uint64_t event_hash = 0;  // equal for runs with the same events in the same order
  std::uint32_t threads = 0;     // created, main included
  std::uint32_t most_live = 0;   // at one time
  std::int32_t status = 0;       // exit status
  std::int32_t signal = 0;       // that ended the process; 0 = none
  std::uint32_t new_sites = 0;   // sites seen sharing that were not scheduling points
  std::uint32_t diverged_at = 0;  // decision
  RunOutcome outcome = RunOutcome::kNone;
  FailureKind failure = FailureKind::kNone;
  std::uint8_t truncated = 0;      // some records did not fit
  std::uint8_t early_timeout = 0;  // a time-out fired while others could run or were due
  std::uint32_t output_bytes = 0;
  // Filled in by the controller when the run is entered: what it showed that none before it did.
  std::uint32_t new_pairs = 0;  // of conflicting events, see trace/pair_coverage.h
  std::uint32_t new_class = 0;  // 1: its class
  // The run failed, its failing thread was left behind and the others went on, to their end or not:
  // there are more events and decisions than `events` and `decisions`, which are the failure's.
  std::uint8_t ran_on = 0;
  std::uint8_t unused[3] = {};
  std::uint64_t sightings = 0;      // a bit for each of the worker's sightings that it saw
  std::uint32_t new_sightings = 0;  // that the worker had not seen before
  std::uint32_t unused_too = 0;
};

inline constexpr std::size_t kMaxLockRing = 4;  // longer ones are not looked for

// A fault that a run saw and survived.
enum class SightingKind : std::uint8_t {
  kRace,
  kLockOrder,  // each side takes a lock while it holds the one that the side before it takes
  kLast = kLockOrder,
};

struct SightingSide {
  std::uint64_t site = 0;   // return address into the program
  std::uint32_t event = 0;  // index; what it accessed, its stack and its value are there
  ThreadId thread = kNoThread;
  std::uint8_t is_write = 0;   // kRace
  std::uint8_t is_atomic = 0;  // kRace
  ObjectId held = kNoObject;   // kLockOrder
  ObjectId taken = kNoObject;  // kLockOrder
};

// What was seen is told once by every worker, by its kind and the sites of its sides; a run's
// record says which of the worker's sightings it has seen (again).
struct Sighting {
  std::uint64_t address = 0;         // kRace: of the bytes that both sides touch
  SightingSide sides[kMaxLockRing];  // kRace: in the order in which they happened
  SightingKind kind = SightingKind::kRace;
  std::uint8_t side_count = 2;  // that there are
  std::uint8_t unused[6] = {};

  std::span<const SightingSide> Sides() const { return {sides, side_count}; }
};
inline constexpr std::uint32_t kMaxSightings = 64;  // of a worker: a bit each

static_assert(std::is_trivially_copyable_v<Sighting>);
static_assert(std::is_trivially_copyable_v<RunRecord>);
static_assert(std::is_trivially_copyable_v<ThreadRecord>);
static_assert(std::is_trivially_copyable_v<Failure>);
static_assert(std::is_trivially_copyable_v<LaterFailure>);

}  // namespace heddle

#endif  // HEDDLE_TRACE_RECORDS_H_
