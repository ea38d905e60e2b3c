// Memory that is accessed in bulk, or in different sizes; operations on several channels.
//
// The recorder's objects are granules of 8 bytes, or the variables in one (runtime/scheduler/
// memory_object.h). An access to more than a granule, a copy or a free, touches many objects: its
// event names the first and says how far it reaches. It touches each for itself. Were they one
// object instead, two threads that use different fields of a block which is freed later would look
// dependent, and a search would try orders that make no difference.
//
// The variables of one granule are one to the recorder as soon as accesses to it overlap without
// being equal. From then on whoever names one of them touches all of them.
#include <algorithm>

#include "strategy/run_order.h"
#include "trace/channel_use.h"

namespace heddle {
namespace {

constexpr std::uint64_t kGranule = 8;

// Which memory objects there are, in the order of their addresses, and which of them are over.
class MemoryMap {
 public:
  explicit MemoryMap(std::span<const ObjectRecord> objects)
      : objects_(objects), is_over_(objects.size(), false) {
    for (ObjectId object = 1; object < objects.size(); ++object) {
      if (objects[object].kind == ObjectKind::kMemory) by_address_.push_back(object);
    }
    std::sort(by_address_.begin(), by_address_.end(), [this](ObjectId a, ObjectId b) {
      return objects_[a].address != objects_[b].address ? objects_[a].address < objects_[b].address
                                                        : a < b;
    });
  }

  bool IsMemory(ObjectId object) const {
    return object != kNoObject && objects_[object].kind == ObjectKind::kMemory;
  }

  // Calls `visit` for those in so many granules from that of `first` on that are not over and are
  // among the first `known` of all objects.
  template <typename Visit>
  void ForEach(ObjectId first, std::uint64_t granules, std::uint64_t known, Visit visit) const {
    const std::uint64_t begin = objects_[first].address / kGranule * kGranule;
    auto at = std::lower_bound(
        by_address_.begin(), by_address_.end(), begin,
        [this](ObjectId object, std::uint64_t to) { return objects_[object].address < to; });
    for (; at != by_address_.end() && objects_[*at].address - begin < granules * kGranule; ++at) {
      if (!is_over_[*at] && *at < known) visit(*at);
    }
  }
  void End(ObjectId object) { is_over_[object] = true; }

 private:
  std::span<const ObjectRecord> objects_;
  std::vector<ObjectId> by_address_;
  std::vector<bool> is_over_;
};

}  // namespace

void RunOrder::FindLinks() {
  links_.clear();
  links_from_.assign(steps() + std::size_t{1}, 0);
  MemoryMap memory(trace_.objects);
  std::vector<std::uint8_t> sizes(trace_.objects.size(), 0);  // of first accesses
  std::vector<bool> is_merged(trace_.objects.size(), false);  // with the others in its granule
  for (Step i = 0; i < steps(); ++i) {
    const auto first_link = static_cast<std::uint32_t>(links_.size());
    links_from_[i] = first_link;
    const bool is_pending = IsPending(i);
    if (is_pending && !HasPending(static_cast<ThreadId>(i - events_))) continue;
    const PendingOp* const op = is_pending ? &trace_.threads[i - events_].pending : nullptr;
    const Event* const event = is_pending ? nullptr : &trace_.events[i];
    const ObjectId object = is_pending ? op->object : event->object;
    if (trace_.objects[object].kind == ObjectKind::kChannels) {
      const ObjectId others = trace_.objects[object].RestOfList();
      ForEachChannel(trace_.objects, others, 0, [&](ObjectId each, std::uint8_t role) {
        const bool only_looks = (role & channel_use::kLooksAt) != 0;
        links_.push_back({.object = each, .only_looks = only_looks});
      });
      continue;
    }
    if (!memory.IsMemory(object)) continue;
    const std::uint8_t size = is_pending ? op->size : event->size;
    if (sizes[object] == 0) sizes[object] = size;
    Extent extent;
    // Where in its first granule a pending one begins is not known.
    if (is_pending && size > kGranule) {
      extent.granules = size == 255 ? Extent::kMost : size / kGranule + 2;
    }
    const bool spans = !is_pending && (event->flags & Event::kSpans) != 0;
    if (spans) extent = Extent::Of(event->value);
    if (spans || extent.granules > 1 || sizes[object] != size || is_merged[object]) {
      memory.ForEach(object, extent.granules, extent.known, [&](ObjectId each) {
        is_merged[each] = true;
        if (each != object) links_.push_back({.object = each});
      });
    }
    if (!spans || (event->flags & Event::kFrees) == 0) continue;
    memory.End(object);
    for (auto link = links_.begin() + first_link; link != links_.end(); ++link) {
      memory.End(link->object);
    }
  }
  links_from_[steps()] = static_cast<std::uint32_t>(links_.size());
}

ObjectId RunOrder::ListOf(Step step) const {
  return IsPending(step) ? trace_.threads[steps_[step].thread].pending.object
                         : trace_.events[step].object;
}

std::uint8_t RunOrder::NotedInList(Step step, ObjectId channel, std::uint8_t noted) const {
  std::uint8_t about = 0;
  ForEachChannel(trace_.objects, ListOf(step), 0, [&](ObjectId each, std::uint8_t role) {
    if (each == channel) about |= NotesFor(role, noted);
  });
  return about;
}

bool RunOrder::OnlyLooksAt(Step step, ObjectId channel) const {
  const auto links = LinksOf(step);
  return std::any_of(links.begin(), links.end(), [channel](const Link& link) {
    return link.object == channel && link.only_looks;
  });
}

void RunOrder::ChannelsOf(Step step, std::vector<Channel>* channels) const {
  channels->clear();
  const StepInfo& info = steps_[step];
  ForEachChannel(trace_.objects, ListOf(step), AskedBy(info.kind, info.found),
                 [channels](ObjectId each, std::uint8_t asked) {
                   channels->push_back({each, asked});
                 });
}

bool RunOrder::HasPendingOnSeveral() const {
  for (ThreadId t = 0; t < trace_.threads.size(); ++t) {
    const ObjectId object = trace_.threads[t].pending.object;
    if (HasPending(t) && object != kNoObject &&
        trace_.objects[object].kind == ObjectKind::kChannels) {
      return true;
    }
  }
  return false;
}

RunOrder::Link RunOrder::OtherLinkOn(Step step, ObjectId object) const {
  const StepInfo& info = steps_[step];
  if (info.second == object) return {object, info.before[1], info.group_before[1]};
  for (const Link& link : LinksOf(step)) {
    if (link.object == object) return link;
  }
  return {.object = object};
}

void RunOrder::TouchLinks(Step i) {
  const StepInfo& step = steps_[i];
  for (std::uint32_t at = links_from_[i]; at < links_from_[i + 1]; ++at) {
    Link& link = links_[at];
    ObjectState& state = objects_[link.object];
    const AccessMode access = link.only_looks ? AccessMode::kReading : step.access();
    link.before = state.last;
    link.group_before = Commute(access, state.access) ? state.group_before : state.last;
    if (IsPending(i)) continue;  // it never happened
    object_log_.push_back({i, link.object, state});
    state.last = i;
    state.group_before = link.group_before;
    state.access = access;
  }
}

// As its first object, or by a link.
bool RunOrder::Touches(Step step, ObjectId object) const {
  if (steps_[step].object == object) return true;
  const auto links = LinksOf(step);
  return std::any_of(links.begin(), links.end(),
                     [object](const Link& link) { return link.object == object; });
}

bool RunOrder::DependOnLinks(Step a, AccessMode a_access, Step b, AccessMode b_access) const {
  const auto depend = [&](Step one, AccessMode one_access, Step other, AccessMode other_access) {
    const auto links = LinksOf(one);
    return std::any_of(links.begin(), links.end(), [&](const Link& link) {
      if (!Touches(other, link.object)) return false;
      const bool looks = steps_[other].object != link.object && OnlyLooksAt(other, link.object);
      return !Commute(link.only_looks ? AccessMode::kReading : one_access,
                      looks ? AccessMode::kReading : other_access);
    });
  };
  return depend(a, a_access, b, b_access) || depend(b, b_access, a, a_access);
}

}  // namespace heddle
