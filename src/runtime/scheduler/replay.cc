#include "runtime/scheduler/replay.h"

#include "runtime/memory/modules.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/stacks.h"

namespace heddle {
namespace {

int IndexOfThread(const Decision& decision, std::uint64_t path, Outcome outcome,
                  const Scheduler& scheduler) {
  for (std::size_t i = 0; i < decision.options.size(); ++i) {
    const Option& option = decision.options[i];
    if (option.outcome == outcome && scheduler.ThreadById(option.thread)->path_hash == path) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace

void Replay::Begin(Channel* channel) {
  *this = Replay();
  const Request& request = channel->request;
  const Layout layout = LayoutFor(channel->config.max_events);
  answers_ = {AreaOf<heddle::Answer>(channel, layout.prefix), request.prefix_size};
  tolerant_ = request.tolerant != 0;
  anchors_ = {AreaOf<AnchorRecord>(channel, layout.anchors), request.anchor_count};
  ranges_ = {AreaOf<CodeRange>(channel, layout.ranges), request.range_count};
  seen_.assign(anchors_.size(), 0);
  due_.assign(anchors_.size(), false);
}

// Like the scheduler, it is new when a run begins.
void Replay::Begin(std::span<const heddle::Answer> answers) { answers_ = answers; }

void Replay::Announced(const Thread& thread, const PendingOp& op) {
  std::uint64_t frames[kMostFrames];
  std::uint32_t count = 0;
  for (std::size_t i = next_anchor_; i < anchors_.size(); ++i) {
    const AnchorRecord& anchor = anchors_[i];
    if (anchor.from_path != thread.path_hash || anchor.kind != op.kind || anchor.range_count == 0) {
      continue;
    }
    if (count == 0) {
      frames[0] = op.site;
      count = 1 + CaptureStack(frames + 1, kMostFrames - 1);
    }
    bool inside = false;
    for (std::uint32_t f = 0; f < count && !inside; ++f) {
      const SiteRef site = Modules::SiteOf(frames[f]);
      for (std::uint32_t r = 0; r < anchor.range_count && !inside; ++r) {
        const CodeRange& range = ranges_[anchor.first_range + r];
        inside =
            range.module == site.module && site.offset > range.begin && site.offset <= range.end;
      }
    }
    if (inside && ++seen_[i] == anchor.occurrence) due_[i] = true;
  }
}

int Replay::AnswerByAnchors(const Decision& decision, const Scheduler& scheduler) {
  if (next_anchor_ < anchors_.size()) {
    const AnchorRecord& anchor = anchors_[next_anchor_];
    const bool from_current = decision.current != kNoThread &&
                              scheduler.ThreadById(decision.current)->path_hash == anchor.from_path;
    const bool reached =
        anchor.range_count == 0 ? IndexOfCurrent(decision) < 0 : due_[next_anchor_];
    if (anchor.decision == decision.kind && from_current && reached) {
      const int index = IndexOfThread(decision, anchor.to_path, anchor.outcome, scheduler);
      if (index >= 0) {
        ++next_anchor_;
        return index;
      }
    }
  }
  return -1;
}

int Replay::Answer(const Decision& decision, const Scheduler& scheduler) {
  if (anchored()) return AnswerByAnchors(decision, scheduler);
  if (next_ >= answers_.size()) return -1;
  const heddle::Answer answer = answers_[next_++];
  if (answer.options == decision.options.size() && answer.chosen < answer.options) {
    return answer.chosen;
  }
  if (!tolerant_) diverged_ = true;
  return -1;
}

}  // namespace heddle
