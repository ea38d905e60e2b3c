// Uses of memory that is no longer the program's: freed blocks of its heap, what its own allocators
// say they took back (heddle::Allocated, heddle::Freed), and dead stack frames.
//
// No access pays for this: freeing a block empties its sharing cells, so the next touch of each
// granule leaves the hooks' fast path and is looked at here.
#ifndef HEDDLE_RUNTIME_SCHEDULER_MEMORY_FAULTS_H_
#define HEDDLE_RUNTIME_SCHEDULER_MEMORY_FAULTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "runtime/engine.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/quarantine.h"
#include "trace/records.h"

namespace heddle {

class Scheduler;
struct Shell;
struct Thread;

class MemoryFaults {
 public:
  MemoryFaults();
  // A run begins.
  void Begin(Scheduler* scheduler);
  bool is_on() const { return scheduler_ != nullptr; }

  // Ends the run when the memory was freed. `what` is the operation: "read", "lock".
  void CheckUse(std::uint64_t address, std::uint64_t size, const char* what);

  // The same for the stack of another thread, when its function has returned; size 0: not told.
  void CheckStack(std::uint64_t address, std::uint64_t size, const char* what);

  // The same for the running thread's own stack; see DeadFrames::IsOwnDead.
  void CheckOwnStack(std::uint64_t address, std::uint64_t size, const char* what,
                     const std::uint64_t* entry, std::uint64_t pc);

  // A live block is freed, in a run or before it: true when it is kept here, and not the heap's
  // yet.
  bool Keep(const HeapRange& range, std::uint64_t site);
  // Whether the block that was freed last comes back at once is up to the schedule.
  void BeforeAllocation(std::uint64_t size) {
    if (__builtin_expect(engine.channel->config.reuse == Reuse::kExplore, 0)) ChooseReuse(size);
  }
  // Remembers the stack, if that is wanted.
  void Allocated(std::uint64_t base) {
    if (__builtin_expect(IsDetailed(), 0)) NoteAllocated(base);
  }

  // The run is over, another follows in this process: what was kept is the heap's.
  void GiveBack();

  [[noreturn]] void ReportDoubleFree(std::uint64_t base);
  [[noreturn]] void ReportInvalidFree(std::uint64_t address);

  // The program's own allocators.
  void PoolAllocated(std::uint64_t address, std::uint64_t size, std::uint64_t site);
  void PoolFreed(std::uint64_t address, std::uint64_t site);
  // 0: it is no block of theirs that is in use.
  std::uint64_t SizeInPool(std::uint64_t address) const;

 private:
  using Stack = std::vector<std::uint64_t>;
  struct Stacks {
    Stack allocated;
    Stack freed;
  };
  struct PoolBlock {
    std::uint64_t size = 0;
    std::uint64_t allocated_at = 0;
    std::uint64_t freed_at = 0;
    ThreadId allocated_by = kNoThread;
    ThreadId freed_by = kNoThread;  // kNoThread: in use
  };

  bool IsDetailed() const;
  static bool IsProgram();
  [[gnu::noinline]] void ChooseReuse(std::uint64_t size);
  [[gnu::noinline]] void NoteAllocated(std::uint64_t base);
  [[gnu::noinline]] void NoteFreed(std::uint64_t base);
  [[gnu::noinline]] void LetGoOfOldest();
  bool CheckPools(std::uint64_t address, std::uint64_t size, const char* what);
  void LetGo(const FreedBlock& block);
  static Stack CurrentStack(std::uint64_t site);
  [[noreturn]] void Report(FailureKind kind, const char* text, std::uint64_t base,
                           const FreedBlock& freed, std::uint64_t allocated_at,
                           ThreadId allocated_by);
  // Of the last thread that was in that shell, if it is one of this run.
  [[gnu::noinline]] void ReportDeadStack(const Shell& shell, std::uint64_t size, const char* what);
  bool StandsOnAllOfItsStack(const Thread& thread) const;
  [[noreturn]] void ReportDeadFrame(const Thread& owner, std::uint64_t size, const char* what);
  ThreadId ThreadWithPath(std::uint64_t path_hash) const;

  Scheduler* scheduler_ = nullptr;
  Quarantine& quarantine_;                    // of the process; in a test, empty between runs
  std::map<std::uint64_t, Stacks> stacks_;    // by base; detail only
  std::map<std::uint64_t, PoolBlock> pools_;  // by address
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_MEMORY_FAULTS_H_
