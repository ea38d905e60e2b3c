#include "runtime/scheduler/memory_faults.h"

#include <algorithm>
#include <cstdio>

#include "runtime/engine.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/sharing.h"
#include "runtime/scheduler/dead_frames.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/stacks.h"

namespace heddle {
namespace {

// As reports call it.
void NameThread(ThreadId thread, char* text, std::size_t size) {
  if (thread == kMainThread) {
    std::snprintf(text, size, "main");
  } else {
    std::snprintf(text, size, "T%u", static_cast<unsigned>(thread));
  }
}

// Of a freed block.
struct Use {
  const char* what;
  std::uint64_t offset;
  std::uint64_t size;
  std::uint64_t block_size;
  ThreadId freed_by;
};

struct UseText {
  explicit UseText(const Use& use) {
    char by[16];
    NameThread(use.freed_by, by, sizeof by);
    std::snprintf(text, sizeof text,
                  "%s of %llu bytes at offset %llu of a block of %llu that %s had freed", use.what,
                  static_cast<unsigned long long>(use.size),
                  static_cast<unsigned long long>(use.offset),
                  static_cast<unsigned long long>(use.block_size), by);
  }
  char text[160];
};

}  // namespace

MemoryFaults::MemoryFaults()
    : quarantine_([]() -> Quarantine& {
        static Quarantine* const quarantine = new Quarantine;
        return *quarantine;
      }()) {}

void MemoryFaults::GiveBack() {
  if (Heap::TakesBackRetired()) return quarantine_.Clear();
  quarantine_.TakeAll(
      [](const FreedBlock& block) { Heap::Free(reinterpret_cast<void*>(block.base)); });
}

// All but the quarantine is new, like the scheduler, and was of no use so far.
void MemoryFaults::Begin(Scheduler* scheduler) {
  scheduler_ = scheduler;
  if (!IsProgram()) quarantine_.Clear();
}

// Its runs have a process each, and begin with what main freed before: in a test, runs follow each
// other.
bool MemoryFaults::IsProgram() { return engine.channel->config.isolation == Isolation::kProgram; }

MemoryFaults::Stack MemoryFaults::CurrentStack(std::uint64_t site) {
  Stack frames(kMostFrames);
  frames.resize(CaptureStack(frames.data(), kMostFrames));
  const auto at = std::find(frames.begin(), frames.end(), site);
  if (at != frames.end()) frames.erase(frames.begin(), at);
  return frames;
}

// Not while the engine itself is at work: the unwinder allocates too.
bool MemoryFaults::IsDetailed() const {
  return is_on() && engine.hot.active != 0 && scheduler_->recorder().detail();
}

bool MemoryFaults::Keep(const HeapRange& range, std::uint64_t site) {
  if (engine.channel->config.reuse == Reuse::kAlways) return false;
  if (!is_on() && !IsProgram()) return false;
  Heap::Retire(range);
  quarantine_.Add(
      {range.base, range.block->size, site, is_on() ? scheduler_->current()->id : kMainThread});
  if (__builtin_expect(IsDetailed(), 0)) NoteFreed(range.base);
  if (__builtin_expect(quarantine_.IsFull(), 0)) LetGoOfOldest();
  return true;
}

void MemoryFaults::NoteAllocated(std::uint64_t base) { stacks_[base] = {CurrentStack(0), {}}; }
void MemoryFaults::NoteFreed(std::uint64_t base) { stacks_[base].freed = CurrentStack(0); }

void MemoryFaults::LetGoOfOldest() {
  while (quarantine_.IsFull()) LetGo(quarantine_.TakeOldest());
}

void MemoryFaults::LetGo(const FreedBlock& block) {
  stacks_.erase(block.base);
  Heap::Free(reinterpret_cast<void*>(block.base));
}

void MemoryFaults::ChooseReuse(std::uint64_t size) {
  if (!is_on() || scheduler_->thread_count() == 1 || engine.hot.active == 0) return;
  const FreedBlock latest = quarantine_.LatestFor(size);
  if (latest.base == 0 || scheduler_->ChooseOutcome() == Outcome::kNormal) return;
  quarantine_.Take(latest);
  LetGo(latest);
}

ThreadId MemoryFaults::ThreadWithPath(std::uint64_t path_hash) const {
  for (std::size_t i = 0; i < scheduler_->thread_count(); ++i) {
    const auto id = static_cast<ThreadId>(i);
    if (scheduler_->ThreadById(id)->path_hash == path_hash) return id;
  }
  return kNoThread;
}

void MemoryFaults::CheckUse(std::uint64_t address, std::uint64_t size, const char* what) {
  if (!is_on() || (!pools_.empty() && CheckPools(address, size, what))) return;
  if (!Heap::Contains(address)) return;
  const HeapRange range = Heap::Find(address);
  if (range.block == nullptr || range.block->is_freed == 0) return;
  const FreedBlock* const freed = quarantine_.Find(range.base);
  if (freed == nullptr) return;
  const UseText use({what, address - range.base, size, range.block->size, freed->by});
  Report(FailureKind::kUseAfterFree, use.text, range.base, *freed, range.block->site,
         ThreadWithPath(range.block->owner_path));
}

void MemoryFaults::CheckStack(std::uint64_t address, std::uint64_t size, const char* what) {
  if (!is_on()) return;
  const Shell* const shell = DeadFrames::OwnerOf(address);
  if (__builtin_expect(shell != nullptr, 0)) ReportDeadStack(*shell, size, what);
}

void MemoryFaults::ReportDeadStack(const Shell& shell, std::uint64_t size, const char* what) {
  const Thread* owner = nullptr;
  for (std::size_t i = 0; i < scheduler_->thread_count(); ++i) {
    const Thread* const thread = scheduler_->ThreadById(static_cast<ThreadId>(i));
    if (thread->shell == &shell) owner = thread;  // the last one that was in it
  }
  if (owner == nullptr) return;
  if (!owner->ended && !StandsOnAllOfItsStack(*owner)) {
    owner->shell->live_from = Shell::kAllLive;  // until it has gone on
    return;
  }
  ReportDeadFrame(*owner, size, what);
}

bool MemoryFaults::StandsOnAllOfItsStack(const Thread& thread) const {
  Shell* const self = scheduler_->current()->shell;
  struct Question {
    const Shell* shell;
    bool answer;
  } question = {thread.shell, false};
  const auto ask = [](void* argument) {
    auto* const question = static_cast<Question*>(argument);
    question->answer = DeadFrames::StandsOnAllOf(*question->shell);
  };
  if (thread.shell == self) {
    ask(&question);
  } else {
    Shells::Visit(self, thread.shell, ask, &question);
  }
  return question.answer;
}

void MemoryFaults::CheckOwnStack(std::uint64_t address, std::uint64_t size, const char* what,
                                 const std::uint64_t* entry, std::uint64_t pc) {
  if (!is_on()) return;
  const Thread& self = *scheduler_->current();
  if (!DeadFrames::IsOwnDead(address, *self.shell, entry, pc)) return;
  if (StandsOnAllOfItsStack(self)) ReportDeadFrame(self, size, what);
}

void MemoryFaults::ReportDeadFrame(const Thread& owner, std::uint64_t size, const char* what) {
  const Thread& self = *scheduler_->current();
  char name[16];
  NameThread(owner.id, name, sizeof name);
  Failure failure;
  failure.kind = FailureKind::kUseAfterReturn;
  failure.thread = self.id;
  failure.stack_threads[0] = owner.id;
  char bytes[32] = "";
  if (size != 0) {
    std::snprintf(bytes, sizeof bytes, " of %llu bytes", static_cast<unsigned long long>(size));
  }
  std::snprintf(failure.message, sizeof failure.message,
                owner.ended ? "%s%s on the stack of %s, which has ended"
                            : "%s%s in a frame that %s has returned from",
                what, bytes, &owner == &self ? "it" : name);
  FailRun(failure);
}

void MemoryFaults::ReportDoubleFree(std::uint64_t base) {
  const HeapRange range = Heap::Find(base);
  const FreedBlock* const freed = quarantine_.Find(base);
  const FreedBlock unknown{.base = base};
  Report(FailureKind::kDoubleFree, "a block is freed that is free already", base,
         freed == nullptr ? unknown : *freed, range.block == nullptr ? 0 : range.block->site,
         range.block == nullptr ? kNoThread : ThreadWithPath(range.block->owner_path));
}

void MemoryFaults::ReportInvalidFree(std::uint64_t address) {
  const HeapRange range = Heap::Find(address);
  char text[160];
  if (range.block == nullptr || range.block->nth == 0) {
    std::snprintf(text, sizeof text, "a pointer is freed that no allocation returned");
  } else {
    std::snprintf(text, sizeof text,
                  "a pointer is freed that points %llu bytes into a block of %llu",
                  static_cast<unsigned long long>(address - range.base),
                  static_cast<unsigned long long>(range.block->size));
  }
  const FreedBlock none{.base = range.base};
  Report(FailureKind::kInvalidFree, text, range.base, none,
         range.block == nullptr ? 0 : range.block->site,
         range.block == nullptr ? kNoThread : ThreadWithPath(range.block->owner_path));
}

void MemoryFaults::Report(FailureKind kind, const char* text, std::uint64_t base,
                          const FreedBlock& freed, std::uint64_t allocated_at,
                          ThreadId allocated_by) {
  Failure failure;
  failure.kind = kind;
  failure.thread = scheduler_->current()->id;
  SetText(failure.message, sizeof failure.message, text);
  // Without detail, the place alone is known.
  const auto keep = [this](const Stack& stack, std::uint64_t site) -> StackRecord {
    Recorder& recorder = scheduler_->recorder();
    if (!stack.empty()) {
      return recorder.StoreStack(stack.data(), static_cast<std::uint32_t>(stack.size()));
    }
    return site == 0 ? StackRecord() : recorder.StoreStack(&site, 1);
  };
  const auto known = stacks_.find(base);
  const Stacks none;
  const Stacks& stacks = known == stacks_.end() ? none : known->second;
  failure.stacks[0] = keep(stacks.freed, freed.site);
  failure.stacks[1] = keep(stacks.allocated, allocated_at);
  failure.stack_threads[0] = freed.by;
  failure.stack_threads[1] = allocated_by;
  FailRun(failure);
}

void MemoryFaults::PoolAllocated(std::uint64_t address, std::uint64_t size, std::uint64_t site) {
  if (!is_on()) return;
  // What it is made of, whole or cut another way, is nobody's now.
  auto at = pools_.lower_bound(address);
  while (at != pools_.end() && at->first < address + size) at = pools_.erase(at);
  pools_[address] = {size, site, 0, scheduler_->current()->id, kNoThread};
  Sharing::Forget(reinterpret_cast<void*>(address), size);
  scheduler_->races().Forget(address, size);
  if (IsDetailed()) stacks_[address] = {CurrentStack(site), {}};
}

std::uint64_t MemoryFaults::SizeInPool(std::uint64_t address) const {
  const auto found = pools_.find(address);
  return found == pools_.end() || found->second.freed_by != kNoThread ? 0 : found->second.size;
}

void MemoryFaults::PoolFreed(std::uint64_t address, std::uint64_t site) {
  if (!is_on()) return;
  const auto found = pools_.find(address);
  if (found == pools_.end()) {
    const FreedBlock none{.base = address};
    Report(FailureKind::kInvalidFree,
           "heddle::Freed was told a pointer that heddle::Allocated was not", address, none, 0,
           kNoThread);
  }
  PoolBlock& block = found->second;
  if (block.freed_by != kNoThread) {
    Report(FailureKind::kDoubleFree, "a block is freed that is free already", address,
           {address, block.size, block.freed_at, block.freed_by}, block.allocated_at,
           block.allocated_by);
  }
  block.freed_by = scheduler_->current()->id;
  block.freed_at = site;
  Sharing::Forget(reinterpret_cast<void*>(address), block.size);
  if (IsDetailed()) stacks_[address].freed = CurrentStack(site);
}

// True: the address is in a block that is in use.
bool MemoryFaults::CheckPools(std::uint64_t address, std::uint64_t size, const char* what) {
  auto at = pools_.upper_bound(address);
  if (at == pools_.begin()) return false;
  --at;
  const PoolBlock& block = at->second;
  if (address - at->first >= block.size) return false;
  if (block.freed_by == kNoThread) return true;
  const UseText use({what, address - at->first, size, block.size, block.freed_by});
  Report(FailureKind::kUseAfterFree, use.text, at->first,
         {at->first, block.size, block.freed_at, block.freed_by}, block.allocated_at,
         block.allocated_by);
}

}  // namespace heddle
