#include "runtime/scheduler/focus.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "runtime/engine.h"
#include "runtime/memory/modules.h"
#include "runtime/scheduler/stacks.h"

namespace heddle {

bool Focus::is_set_ = false;

namespace {

struct Range {
  std::uint64_t begin, end;
};

struct State {
  std::vector<Range> focus, ignore;  // by address
  std::uint32_t version = 0;
};
State* state = nullptr;

std::vector<Range> Read(const CodeRange* ranges, std::uint32_t count) {
  std::vector<Range> read;
  for (std::uint32_t i = 0; i < count; ++i) {
    read.push_back({Modules::AddressOf({ranges[i].module, ranges[i].begin}),
                    Modules::AddressOf({ranges[i].module, ranges[i].end})});
  }
  std::sort(read.begin(), read.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  // Those of several names may overlap.
  std::vector<Range> joined;
  for (const Range& range : read) {
    if (!joined.empty() && range.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, range.end);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

// A return address belongs to the code in front of it.
bool Has(const std::vector<Range>& ranges, std::uint64_t address) {
  const auto after =
      std::lower_bound(ranges.begin(), ranges.end(), address,
                       [](const Range& range, std::uint64_t value) { return range.begin < value; });
  return after != ranges.begin() && address <= std::prev(after)->end;
}

// The operation itself, or one of the calls that led to it.
bool IsIn(const std::vector<Range>& ranges, const HeddleHot& hot, std::uint64_t site) {
  if (Has(ranges, site)) return true;
  constexpr std::uint64_t kEntries = std::uint64_t{1} << HEDDLE_CALL_BITS;
  const std::uint64_t most = std::min(hot.call_depth, kEntries);
  for (std::uint64_t i = 1; i <= most; ++i) {
    if (Has(ranges, hot.calls[(hot.call_depth - i) & (kEntries - 1)])) return true;
  }
  // Code that is not instrumented has no call sites: the function that called a library is then
  // only on the stack.
  if (Modules::IndexOf(site) == 0) return false;
  std::uint64_t frames[16];
  const EngineScope scope;
  const std::uint32_t count = CaptureStack(frames, 16);
  return std::any_of(frames, frames + count,
                     [&ranges](std::uint64_t frame) { return Has(ranges, frame); });
}

}  // namespace

void Focus::Configure(Channel* channel) {
  if (channel->focus_version == 0) return;
  if (state == nullptr) state = new State();
  if (state->version == channel->focus_version) return;
  state->version = channel->focus_version;
  const auto* const ranges =
      AreaOf<CodeRange>(channel, LayoutFor(channel->config.max_events).focus);
  const std::uint32_t focus = std::min(channel->focus_count, kMaxFocus);
  const std::uint32_t ignore = std::min(channel->ignore_count, kMaxFocus - focus);
  state->focus = Read(ranges, focus);
  state->ignore = Read(ranges + focus, ignore);
  is_set_ = focus + ignore > 0;
}

bool Focus::Covers(const HeddleHot& hot, std::uint64_t site) {
  if (!state->ignore.empty() && IsIn(state->ignore, hot, site)) return false;
  return state->focus.empty() || IsIn(state->focus, hot, site);
}

}  // namespace heddle
