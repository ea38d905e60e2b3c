#include "runtime/interpose/watches.h"

#include <poll.h>

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/looks.h"
#include "runtime/interpose/numbers.h"
#include "runtime/interpose/ports.h"
#include "runtime/interpose/real.h"
#include "trace/channel_use.h"

namespace heddle {
namespace {

constexpr std::uint32_t kReads = EPOLLIN | EPOLLRDNORM;
constexpr std::uint32_t kWrites = EPOLLOUT | EPOLLWRNORM;
// What else may be asked for. (What is urgent comes to a channel as bytes do.)
constexpr std::uint32_t kOthers = EPOLLPRI | EPOLLRDHUP | EPOLLERR | EPOLLHUP;
constexpr std::size_t kMostItems = 64;  // of an own set, ever

struct Set {
  int descriptor = -1;
  std::uint64_t key = 0;
  std::uint64_t places = 0;  // given to what became ready
};

// A channel that a set has watched: from then on, for the rest of the run, who uses it uses the
// set. (Were that over when it is not watched any more, what an operation touches would depend on
// whether it comes before that or behind it, and a search would take it for what it is there.)
struct Use {
  Object* channel;
  Object* ready;  // of the set
  Object* item;
  bool by_sends = false, by_receives = false;
  bool was_once = false;  // told by edges, or once
};

struct State {
  std::vector<Set> sets;
  std::vector<Watched> watched;
  std::vector<Use> uses;
};
State* state = nullptr;

State& Kept() {
  if (state == nullptr) state = new State();
  return *state;
}

Set* FindSet(int set) {
  if (state == nullptr) return nullptr;
  const auto at = std::find_if(state->sets.begin(), state->sets.end(),
                               [set](const Set& one) { return one.descriptor == set; });
  return at == state->sets.end() ? nullptr : &*at;
}

Object* ReadyOf(const Set& set) { return Objects::Named(ObjectKind::kChannel, set.key); }
Object* ItemOf(const Set& set, const Object* channel) {
  const std::uint64_t key = Mix(set.key, channel->key);
  const bool is_new =
      Objects::FindAt(reinterpret_cast<const void*>(key), ObjectKind::kChannel) == nullptr;
  Object* const item = Objects::Named(ObjectKind::kChannel, key);
  if (is_new) item->noted = channel_use::kReadKnown;  // nothing
  return item;
}

template <typename Visit>
void ForEachOf(int set, const Visit& visit) {
  for (std::size_t i = 0; state != nullptr && i < state->watched.size(); ++i) {
    if (state->watched[i].set == set) visit(state->watched[i]);
  }
}

// Whether all that is asked of the descriptor is known of channels.
bool FindChannels(int descriptor, std::uint32_t events, Watched* entry) {
  if (IsIdleTimer(descriptor)) return true;
  if (IsLocal(descriptor) && !IsInside(descriptor)) return false;  // others may send there
  if (IsUnconnected(descriptor)) return false;
  const Asked at = ChannelsAskedAt(descriptor);
  entry->read = (events & kReads) != 0 ? at.read : nullptr;
  entry->written = (events & kWrites) != 0 ? at.written : nullptr;
  constexpr std::uint32_t kAll = kReads | kWrites | kOthers | EPOLLET | EPOLLONESHOT;
  const bool reads = (events & (kReads | EPOLLRDHUP | EPOLLPRI)) != 0;
  const bool writes = (events & kWrites) != 0;
  return (events & ~kAll) == 0 && (reads || writes) && (!reads || entry->read != nullptr) &&
         (!writes || entry->written != nullptr);
}

short FoundAt(const Watched& entry) {
  return ReadyAt(entry.descriptor, static_cast<short>(entry.event.events & 0x7fff));
}

void Enlist(Watched* entry) {
  if (entry->is_listed) return;
  entry->is_listed = true;
  entry->place = ++FindSet(entry->set)->places;
}

// From now on who uses the channel uses the set.
void AddUse(const Watched& entry, Object* channel, const Set& set) {
  if (channel == nullptr) return;
  Object* const ready = ReadyOf(set);
  std::vector<Use>& uses = Kept().uses;
  auto at = std::find_if(uses.begin(), uses.end(), [&](const Use& use) {
    return use.channel == channel && use.ready == ready;
  });
  if (at == uses.end())
    at = uses.insert(at, {.channel = channel, .ready = ready, .item = entry.item});
  (channel == entry.read ? at->by_sends : at->by_receives) = true;
  if (channel == entry.read && channel == entry.written) at->by_receives = true;
  at->was_once = at->was_once || entry.is_once();
}

// What a list is made of, in an order that is the same in all runs of a class.
class Members {
 public:
  void Add(Object* channel, std::uint8_t role) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (parts_[i].channel != channel) continue;
      parts_[i].role |= role;
      return;
    }
    if (count_ < parts_.size()) parts_[count_++] = {channel, role};
  }
  std::size_t count() const { return count_; }
  bool is_full() const { return count_ == parts_.size(); }
  Object* ListBehind(Object* list) {
    std::sort(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(count_),
              [](const Part& a, const Part& b) { return a.channel->key < b.channel->key; });
    for (std::size_t i = 0; i < count_; ++i) {
      list = ChannelList(parts_[i].channel, parts_[i].role, list);
    }
    return list;
  }

 private:
  struct Part {
    Object* channel;
    std::uint8_t role;
  };
  std::array<Part, kMostItems + 4> parts_;
  std::size_t count_ = 0;
};

// Whether a set would tell of it now, as far as that is known from the item alone: what else is
// ready belongs to other events.
std::uint8_t LeftAs(const Object* item) {
  using namespace channel_use;
  for (const Watched& entry : Kept().watched) {
    if (entry.item != item) continue;
    if (entry.is_spent || FoundAt(entry) == 0) return kNotesItem;
    if (!entry.is_once()) return kNotesItem | kLeavesReady;
    if (entry.written != nullptr) return 0;  // whether room is an edge is the kernel's business
    return entry.is_listed ? kNotesItem | kLeavesReady : kNotesItem;
  }
  return kNotesItem;  // it is watched no more
}

}  // namespace

void Watches::NewSet(int set) {
  const EngineScope scope;
  ForgetWatched(set);
  Kept().sets.push_back({.descriptor = set, .key = NewPortKey()});
}

std::vector<Watched>& Watches::All() { return Kept().watched; }

Watched* Watches::Find(int set, int descriptor) {
  if (state == nullptr) return nullptr;
  const auto found = std::find_if(
      state->watched.begin(), state->watched.end(),
      [&](const Watched& entry) { return entry.set == set && entry.descriptor == descriptor; });
  return found == state->watched.end() ? nullptr : &*found;
}

bool Watches::IsOwn(int set) {
  if (FindSet(set) == nullptr) return false;
  const Object* const ready = ReadyOf(*FindSet(set));
  const auto ever = std::count_if(state->uses.begin(), state->uses.end(),
                                  [&](const Use& use) { return use.ready == ready; });
  bool is_own = ever <= static_cast<std::ptrdiff_t>(kMostItems);
  ForEachOf(set, [&](Watched& entry) {
    const bool is_known = entry.item != nullptr || IsIdleTimer(entry.descriptor);
    is_own = is_own && !entry.is_detached && is_known &&
             FindChannels(entry.descriptor, entry.event.events, &entry);
    ForEachOf(set, [&](const Watched& other) {  // the kernel names what it tells by that
      is_own = is_own && (&other == &entry || other.event.data.u64 != entry.event.data.u64);
    });
  });
  return is_own;
}

void Watches::Note(int set, int operation, int descriptor, const epoll_event* event) {
  const EngineScope scope;
  Watched* entry = Find(set, descriptor);
  if (operation == EPOLL_CTL_DEL) {
    if (entry != nullptr) Kept().watched.erase(Kept().watched.begin() + (entry - All().data()));
    return;
  }
  if (operation == EPOLL_CTL_ADD && entry == nullptr) {
    entry = &Kept().watched.emplace_back(Watched{set, descriptor, *event});
  }
  if (entry == nullptr) return;
  entry->event = *event;
  entry->held = 0;
  entry->is_spent = false;
  const Set* const own = FindSet(set);
  if (own == nullptr) return;
  FindChannels(descriptor, event->events, entry);
  Object* const named = entry->read != nullptr ? entry->read : entry->written;
  if (named == nullptr) return;
  entry->item = ItemOf(*own, named);
  AddUse(*entry, entry->read, *own);
  AddUse(*entry, entry->written, *own);
  entry->is_listed = entry->is_listed && FoundAt(*entry) != 0;
  if (FoundAt(*entry) != 0) Enlist(entry);
}

Object* Watches::Ready(int set) {
  const Set* const own = FindSet(set);
  return own == nullptr ? nullptr : ChannelList(ReadyOf(*own), 0, nullptr);
}

// Nothing is taken where all is told that is ready, and again. What was watched once counts, too:
// it may be that it is not watched any more only because another thread came first.
void Watches::DescribeWait(int set, int most, IoWait* wait) {
  wait->kind = OpKind::kPoll;
  wait->channel = nullptr;
  if (!IsOwn(set)) return;
  Object* const ready = ReadyOf(*FindSet(set));
  Members members;
  bool takes = false;
  for (const Use& use : state->uses) {
    if (use.ready != ready) continue;
    members.Add(use.item, channel_use::kReadable | channel_use::kNotesItem);
    takes = takes || use.was_once;
  }
  takes = takes || most < static_cast<int>(members.count());
  wait->kind = takes ? OpKind::kEpollWait : OpKind::kLook;
  wait->channel = ChannelList(ready, 0, members.ListBehind(nullptr));
}

void Watches::DescribeControl(int set, int descriptor, const epoll_event* event, IoWait* wait) {
  using namespace channel_use;
  wait->channel = nullptr;
  const Set* const own = FindSet(set);
  if (own == nullptr) return;
  if ((IsLocal(descriptor) && !IsInside(descriptor)) || IsUnconnected(descriptor)) return;
  const Asked at = ChannelsAskedAt(descriptor);
  Object* const last = Numbers::Last(descriptor);
  if (last != nullptr && last->kind == ObjectKind::kIo) return;
  if (at.read == nullptr && at.written == nullptr && last == nullptr) return;
  Members members;
  ForEachChannel(last, [&](Object* each) { members.Add(each, kLooksAt); });
  if (at.read != nullptr) members.Add(at.read, kLooksAt);
  if (at.written != nullptr) members.Add(at.written, kLooksAt);
  const Watched* const entry = Find(set, descriptor);
  if (entry != nullptr && entry->item != nullptr) members.Add(entry->item, kNotesItem);
  const std::uint32_t asked = event == nullptr ? 0 : event->events;
  Object* const named = (asked & kReads) != 0 && at.read != nullptr ? at.read : at.written;
  if (asked != 0 && named != nullptr) members.Add(ItemOf(*own, named), kNotesItem);
  wait->channel = ChannelList(ReadyOf(*own), 0, members.ListBehind(nullptr));
}

Object* Watches::WithSets(Object* channel, OpKind kind) {
  if (state == nullptr || state->uses.empty() || channel == nullptr) return channel;
  Members members;
  for (const Use& use : state->uses) {
    if (!HasChannel(channel, use.channel)) continue;
    const bool readies = kind == OpKind::kSend      ? use.by_sends
                         : kind == OpKind::kReceive ? use.by_receives
                                                    : true;
    if (readies) members.Add(use.ready, 0);
    members.Add(use.item, channel_use::kNotesItem);
  }
  if (members.count() == 0) return channel;
  if (members.is_full()) return nullptr;  // too many to be told apart
  Object* const sets = members.ListBehind(nullptr);
  if (channel->kind == ObjectKind::kChannel) {
    return ChannelList(channel, channel_use::kNotesBoth, sets);
  }
  // The two directions of what is closed.
  return WithRoles(
      channel, [](const Object*, std::uint8_t role) { return role; }, sets);
}

Object* Watches::AsLeft(Object* list) {
  if (list == nullptr || list->kind != ObjectKind::kChannels) return list;
  const auto as_left = [](const Object* each, std::uint8_t role) -> std::uint8_t {
    constexpr std::uint8_t kOfItem = channel_use::kNotesItem | channel_use::kLeavesReady;
    const bool is_item = (role & channel_use::kNotesItem) != 0;
    return is_item ? (role & ~kOfItem) | LeftAs(each) : role;
  };
  return WithRoles(list, as_left, nullptr);
}

void Watches::Changed(const Object* list, OpKind kind) {
  if (state == nullptr || list == nullptr) return;
  for (Watched& entry : state->watched) {
    const bool at_read = entry.read != nullptr && HasChannel(list, entry.read);
    const bool at_written = entry.written != nullptr && HasChannel(list, entry.written);
    if ((!at_read && !at_written) || FindSet(entry.set) == nullptr) continue;
    const bool is_edge = (at_read && kind != OpKind::kReceive) ||
                         (at_written && kind != OpKind::kSend) || !entry.is_once();
    if (entry.is_spent || FoundAt(entry) == 0) {
      entry.is_listed = false;
    } else if (is_edge) {
      Enlist(&entry);
    }
  }
}

bool Watches::Holds(int set) {
  bool holds = false;
  ForEachOf(set, [&](const Watched& entry) { holds = holds || entry.held != 0; });
  return holds;
}

bool Watches::IsReady(int set) {
  if (ReadyAt(set, POLLIN) != 0) return true;
  bool is_ready = false;
  ForEachOf(set, [&](const Watched& entry) {
    is_ready = is_ready || (entry.held != 0 && FoundAt(entry) != 0);
  });
  return is_ready;
}

int Watches::Take(int set, epoll_event* events, int most) {
  epoll_event found[kMostItems];
  const int count = real::epoll_wait(set, found, most <= 0 ? most : kMostItems, 0);
  if (count < 0) return count;
  std::array<Watched*, kMostItems> ready;
  std::size_t ready_count = 0;
  ForEachOf(set, [&](Watched& entry) {
    std::uint32_t told = 0;
    for (int i = 0; i < count; ++i) {
      if (found[i].data.u64 == entry.event.data.u64) told = found[i].events;
    }
    if (told == 0 && entry.held != 0) told = static_cast<std::uint16_t>(FoundAt(entry));
    entry.held = told;
    if (told == 0) entry.is_listed = false;
    if (told == 0 || ready_count == ready.size()) return;
    Enlist(&entry);
    ready[ready_count++] = &entry;
  });
  std::sort(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(ready_count),
            [](const Watched* a, const Watched* b) { return a->place < b->place; });
  int told = 0;
  for (std::size_t i = 0; i < ready_count; ++i) {
    Watched& entry = *ready[i];
    if (told < most) {
      events[told] = entry.event;
      events[told++].events = entry.held;
      entry.held = 0;
      // What is told again comes behind the others.
      entry.is_listed = false;
      entry.is_spent = (entry.event.events & EPOLLONESHOT) != 0;
      if (!entry.is_once()) Enlist(&entry);
    }
    if (!entry.is_once()) entry.held = 0;
  }
  return told;
}

void LeaveToCopies(int descriptor) {
  if (state == nullptr || state->watched.empty() || !HasCopies(descriptor)) return;
  for (Watched& entry : state->watched) {
    if (entry.descriptor == descriptor) entry.descriptor = -1;
  }
}

void ForgetWatched(int descriptor) {
  if (state == nullptr) return;
  std::erase_if(state->watched, [descriptor](const Watched& entry) {
    return entry.set == descriptor || entry.descriptor == descriptor;
  });
  std::erase_if(state->sets, [descriptor](const Set& set) { return set.descriptor == descriptor; });
}

void ForgetWatches() {
  if (state == nullptr) return;
  state->sets.clear();
  state->watched.clear();
  state->uses.clear();
}

}  // namespace heddle
