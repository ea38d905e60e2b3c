#include "runtime/worker/beginning.h"

#include <algorithm>

#include "base/ids.h"

namespace heddle {
namespace {

PairCoverage coverage;
ThreadRecord threads[kMaxThreads];

Event* EventsOf(const Channel& channel) {
  return AreaOf<Event>(const_cast<Channel*>(&channel), LayoutFor(channel.config.max_events).events);
}
ThreadRecord* ThreadsOf(const Channel& channel) {
  return AreaOf<ThreadRecord>(const_cast<Channel*>(&channel),
                              LayoutFor(channel.config.max_events).threads);
}
PairCoverage* CoverageOf(const Channel& channel) {
  return AreaOf<PairCoverage>(const_cast<Channel*>(&channel),
                              LayoutFor(channel.config.max_events).coverage);
}

}  // namespace

Beginning::Beginning(const Channel& channel)
    : record_(channel.records[0]),
      decisions_(channel.decision_count),
      events_(channel.event_count),
      objects_(channel.object_count),
      threads_(channel.thread_count),
      frames_(channel.frame_count),
      met_sites_(channel.met_site_count),
      heartbeat_(channel.heartbeat.load(std::memory_order_relaxed)) {
  if (events_ > 0) last_ = EventsOf(channel)[events_ - 1];
  std::copy_n(ThreadsOf(channel), threads_, threads);
  if (channel.request.coverage != 0) coverage = *CoverageOf(channel);
}

void Beginning::Restore(Channel* channel) const {
  channel->records[0] = record_;
  channel->records[0].run = channel->request.first_run;
  channel->records[0].new_sightings = 0;  // told by the run that was copied
  channel->record_count = 0;
  channel->new_site_count = 0;
  channel->decision_count = decisions_;
  channel->event_count = events_;
  channel->object_count = objects_;
  channel->thread_count = threads_;
  channel->frame_count = frames_;
  channel->met_site_count = met_sites_;
  channel->has_thread_stacks = 0;
  channel->failure = Failure();
  channel->later_count = 0;
  channel->refusal = CheckpointRefusal::kNone;
  channel->input_size = 0;
  channel->input_missing = 0;
  channel->run_began = channel->run_ended = 0;
  channel->heartbeat.store(heartbeat_, std::memory_order_relaxed);
  channel->run_now.store(channel->request.first_run, std::memory_order_relaxed);
  // An event is complete only when the next one begins.
  if (events_ > 0) EventsOf(*channel)[events_ - 1] = last_;
  // Those that went on have been given a name since, and what they were at in the end.
  std::copy_n(threads, threads_, ThreadsOf(*channel));
  if (channel->request.coverage != 0) *CoverageOf(*channel) = coverage;
}

}  // namespace heddle
