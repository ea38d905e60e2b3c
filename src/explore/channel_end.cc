#include "explore/channel_end.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <optional>
#include <vector>

#include "base/check.h"
#include "base/raw_syscall.h"
#include "symbols/code_finder.h"
#include "trace/source_hash.h"

namespace heddle {
namespace {

template <typename T>
void Fill(Channel* channel, std::size_t offset, std::span<const T> items, std::size_t limit) {
  HEDDLE_CHECK(items.size() <= limit);
  if (!items.empty()) std::memcpy(AreaOf<char>(channel, offset), items.data(), items.size_bytes());
}

}  // namespace

Result<ChannelEnd> ChannelEnd::Make(const WorkerOptions& options, int output) {
  ChannelEnd end;
  end.facts_ = {.max_events = options.max_events, .size = LayoutFor(options.max_events).size};
  const std::size_t size = end.facts_.size;
  Result<Descriptor> file = MakeMemoryFile("heddle-channel", size, MemoryFileKind::kFixed);
  if (!file) return file.error();
  end.file_ = std::move(*file);
  void* const memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, end.file_.get(), 0);
  if (memory == MAP_FAILED) {
    return Error{
        fmt::format("cannot map {} MB of shared memory: {}; lower --max-steps or raise "
                    "ulimit -v",
                    size >> 20, std::strerror(errno))};
  }
  Channel* const channel = end.channel_ = new (memory) Channel;
  channel->magic = kChannelMagic;
  channel->version = kChannelVersion;
  channel->source_hash = SourceHash();
  channel->size = size;
  channel->config.backend = options.backend;
  channel->config.points = options.points;
  channel->config.timeouts = options.timeouts;
  channel->config.reuse = options.reuse;
  channel->config.races = options.races ? 1 : 0;
  channel->config.stop_for_debugger = options.stop_for_debugger ? 1 : 0;
  channel->config.max_steps = options.max_steps;
  channel->config.memory_bytes = options.memory_bytes;
  channel->config.max_events = options.max_events;
  channel->config.output_fd = output;
  channel->config.controller_pid = getpid();
  channel->config.isolation = options.isolation;
  channel->config.spurious_wakeups = options.scope.spurious_wakeups ? 1 : 0;
  channel->config.awaits = !options.scope.awaits  ? Awaits::kOff
                           : options.learns_loops ? Awaits::kLearn
                                                  : Awaits::kBlock;
  channel->config.serve_late = options.serve_at_ready ? 1 : 0;
  return end;
}

ChannelEnd::~ChannelEnd() {
  if (channel_ != nullptr) munmap(channel_, facts_.size);
}

void ChannelEnd::SleepWhile(Turn seen, double seconds) const {
  const auto whole = static_cast<time_t>(seconds);
  const timespec limit{whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  RawSyscall(SYS_futex, reinterpret_cast<long>(&channel_->turn), FUTEX_WAIT,
             static_cast<long>(seen), reinterpret_cast<long>(&limit));
}

void ChannelEnd::GiveTurn() {
  channel_->turn = Turn::kWorker;
  RawSyscall(SYS_futex, reinterpret_cast<long>(&channel_->turn), FUTEX_WAKE, INT_MAX);
}

Status ChannelEnd::SetStart(const Scope& scope, const std::string& program) {
  if (scope.start_at.empty()) return {};
  const std::optional<std::uint64_t> entry = FindEntry(program, scope.start_at);
  if (!entry) {
    return Error{
        fmt::format("--start-at {}: {} has no function of that name (or its symbols were "
                    "stripped)",
                    scope.start_at, program)};
  }
  channel_->config.start_offset = *entry;
  channel_->config.serve_late = 1;
  return {};
}

Status ChannelEnd::SetScope(const Scope& scope, std::span<const ModuleRecord> modules) {
  if (scope.focus.empty() && scope.ignore.empty()) return {};
  std::vector<CodeRange> ranges;
  const auto add = [&](const std::vector<std::string>& names, const char* option) -> Status {
    for (const std::string& name : names) {
      const std::vector<CodeRange> code = FindCode(modules, name);
      if (code.empty()) {
        return Error{fmt::format(
            "{} {}: the program has no file, function or library of that name (files and functions "
            "need debug information, -g)",
            option, name)};
      }
      ranges.insert(ranges.end(), code.begin(), code.end());
    }
    return {};
  };
  if (Status added = add(scope.focus, "--focus"); !added) return added;
  const std::size_t focus = ranges.size();
  if (Status added = add(scope.ignore, "--ignore"); !added) return added;
  if (ranges.size() > kMaxFocus) {
    return Error{
        fmt::format("--focus and --ignore name {} pieces of code, at most {} are possible; "
                    "name larger ones (a file, a library)",
                    ranges.size(), kMaxFocus)};
  }
  Fill(channel_, LayoutFor(facts_.max_events).focus, std::span<const CodeRange>(ranges), kMaxFocus);
  channel_->focus_count = static_cast<std::uint32_t>(focus);
  channel_->ignore_count = static_cast<std::uint32_t>(ranges.size() - focus);
  ++channel_->focus_version;
  return {};
}

void ChannelEnd::PostQuit(bool failed) {
  channel_->request.quit = failed ? kQuitFailed : kQuit;
  GiveTurn();
}

void ChannelEnd::Post(const Order& order) {
  const Plan& plan = *order.plan;
  const Layout layout = LayoutFor(facts_.max_events);
  HEDDLE_CHECK(order.runs >= 1 && order.runs <= kMaxBatch);
  HEDDLE_CHECK(plan.policy.size() < sizeof(Request::policy));
  Fill(channel_, layout.prefix, std::span<const Answer>(plan.prefix), kMaxPrefix);
  Fill(channel_, layout.data, std::span<const std::uint8_t>(plan.data), kMaxPlanData);
  Fill(channel_, layout.sites, order.sites, kMaxSites);
  Fill(channel_, layout.anchors, order.anchors, kMaxAnchors);
  Fill(channel_, layout.ranges, order.ranges, kMaxRanges);
  Fill(channel_, layout.fed_input, order.input, kMaxInput);

  Request request;
  request.first_run = plan.run;
  request.seed = plan.seed;
  std::copy(plan.params.begin(), plan.params.end(), request.params);
  request.runs = order.runs;
  request.prefix_size = static_cast<std::uint32_t>(plan.prefix.size());
  request.data_size = static_cast<std::uint32_t>(plan.data.size());
  request.site_count = static_cast<std::uint32_t>(order.sites.size());
  request.range_count = static_cast<std::uint32_t>(order.ranges.size());
  request.point_ranges = order.point_ranges;
  request.anchor_count = static_cast<std::uint32_t>(order.anchors.size());
  request.input_size = static_cast<std::uint32_t>(order.input.size());
  request.detail = order.detail ? 1 : 0;
  request.keep_events = order.want_events || order.detail ? 1 : 0;
  request.coverage = order.want_coverage ? 1 : 0;
  request.run_on = order.run_on ? 1 : 0;
  request.parked = static_cast<std::uint8_t>(order.parked);
  request.tolerant = order.tolerant ? 1 : 0;
  const CheckpointOrder& checkpoints = order.checkpoints;
  HEDDLE_CHECK(checkpoints.at.size() <= kMaxCheckpoints);
  request.keep_checkpoints = checkpoints.keep;
  request.checkpoint_count = static_cast<std::uint32_t>(checkpoints.at.size());
  std::copy(checkpoints.at.begin(), checkpoints.at.end(), request.checkpoint_at);
  request.measure = checkpoints.measure ? 1 : 0;
  std::copy(plan.policy.begin(), plan.policy.end(), request.policy);
  channel_->request = request;
  channel_->search = SearchRequest();
  if (order.search != nullptr) {
    channel_->search = *order.search;
    channel_->search.wanted = 1;
    channel_->search.state_size = static_cast<std::uint32_t>(order.search_state.size());
    Fill(channel_, layout.state, std::span<const char>(order.search_state), kMaxSearchState);
    channel_->search_report = SearchReport();
  }
  channel_->record_count = 0;
  channel_->new_site_count = 0;
  if (order.forget_sightings) channel_->sighting_count = 0;
  channel_->killed_by_watchdog = 0;
  GiveTurn();
}

}  // namespace heddle
