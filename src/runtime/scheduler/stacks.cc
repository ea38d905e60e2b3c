#include "runtime/scheduler/stacks.h"

#include <unwind.h>

#include "runtime/engine.h"
#include "runtime/memory/modules.h"
#include "runtime/scheduler/recorder.h"

namespace heddle {
namespace {

struct Walk {
  std::uint64_t* frames;
  std::uint32_t most;
  std::uint32_t count = 0;
  int engine = -1;
};

_Unwind_Reason_Code Visit(_Unwind_Context* context, void* argument) {
  auto* const walk = static_cast<Walk*>(argument);
  int before_call = 0;
  std::uint64_t pc = _Unwind_GetIPInfo(context, &before_call);
  if (pc == 0 || walk->count == walk->most) return _URC_END_OF_STACK;
  // A frame that a signal interrupted has its own address, not a return address: make it look like
  // one.
  if (before_call != 0) ++pc;
  if (Modules::IndexOf(pc) != walk->engine) walk->frames[walk->count++] = pc;
  return _URC_NO_REASON;
}

}  // namespace

std::uint32_t CaptureStack(std::uint64_t* frames, std::uint32_t most) {
  // The unwinder takes locks and calls dl_iterate_phdr, which are interposed.
  const EngineScope scope;
  Walk walk{frames, most};
  walk.engine = Modules::IndexOf(reinterpret_cast<std::uint64_t>(&CaptureStack));
  _Unwind_Backtrace(Visit, &walk);
  return walk.count;
}

StackRecord CaptureInto(Recorder* recorder, std::uint64_t site) {
  std::uint64_t frames[kMostFrames + 1];
  const std::uint32_t count = CaptureStack(frames + 1, kMostFrames);
  // Hooks sit between the site and the engine in the same module as the site: start at the site.
  for (std::uint32_t i = 1; i <= count; ++i) {
    if (frames[i] == site) return recorder->StoreStack(frames + i, count + 1 - i);
  }
  if (site == 0) return recorder->StoreStack(frames + 1, count);
  frames[0] = site;
  return recorder->StoreStack(frames, count + 1);
}

}  // namespace heddle
