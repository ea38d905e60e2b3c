#include "runtime/interpose/looks.h"

#include <poll.h>

#include "base/hash.h"
#include "runtime/interpose/numbers.h"
#include "runtime/interpose/ports.h"
#include "trace/channel_use.h"

namespace heddle {
namespace {

constexpr short kReads = POLLIN | POLLRDNORM;
constexpr short kWrites = POLLOUT | POLLWRNORM;

}  // namespace

Object* ChannelList(Object* first, std::uint8_t asked, Object* rest) {
  constexpr std::uint64_t kListKey = 0x7473696c;
  const std::uint64_t behind = rest == nullptr ? 0 : rest->key;
  Object* const list =
      Objects::Named(ObjectKind::kChannels, Mix(Mix(first->key, behind + asked), kListKey));
  list->allocation_site = first->id;
  list->offset = rest == nullptr ? kNoObject : rest->id;
  list->noted = asked;
  return list;
}

Object* ChannelsAnd(Object* channels, Object* other, std::uint8_t role) {
  if (channels->kind == ObjectKind::kChannel) {
    return ChannelList(channels, channel_use::kNotesBoth, ChannelList(other, role, nullptr));
  }
  Object* const rest = channels->offset == kNoObject
                           ? ChannelList(other, role, nullptr)
                           : ChannelsAnd(Objects::ById(channels->offset), other, role);
  return ChannelList(Objects::ById(static_cast<ObjectId>(channels->allocation_site)),
                     channels->noted, rest);
}

bool HasChannel(const Object* channels, const Object* channel) {
  bool has = channels == channel;
  ForEachInList(channels, [&](const Object* each, std::uint8_t) { has = has || each == channel; });
  return has;
}

void Look::Ask(Object* channel, std::uint8_t what) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (parts_[i].channel != channel) continue;
    parts_[i].asked |= what;
    return;
  }
  is_own_ = count_ < kMostParts;
  if (is_own_) parts_[count_++] = {channel, what};
}

// Only what can be noted of a channel can be asked: whether it can be read or written. That the
// other end is gone shows there, too.
void Look::Add(int descriptor, short events) {
  if (descriptor < 0 || !is_own_) return;
  if (Object* const last = Numbers::Last(descriptor); last != nullptr) {
    is_own_ = last->kind != ObjectKind::kIo;
    ForEachChannel(last, [&](Object* each) { Ask(each, channel_use::kLooksAt); });
    return;
  }
  const Asked at = ChannelsAskedAt(descriptor);
  const bool reads = (events & kReads) != 0 && at.read != nullptr;
  const bool writes = (events & kWrites) != 0 && at.written != nullptr;
  is_own_ = (events & ~(kReads | kWrites | POLLRDHUP)) == 0 && (reads || writes);
  if (!is_own_) return;
  if (reads) Ask(at.read, channel_use::kReadable);
  if (writes) Ask(at.written, channel_use::kWritable);
}

void Look::Describe(IoWait* wait) const {
  wait->kind = OpKind::kPoll;
  wait->channel = nullptr;
  wait->asked = 0;
  if (!is_own_ || count_ == 0) return;
  wait->kind = OpKind::kLook;
  if (count_ == 1) {
    wait->channel = parts_[0].channel;
    wait->asked = parts_[0].asked;
    return;
  }
  for (std::size_t i = count_; i-- > 0;) {
    wait->channel = ChannelList(parts_[i].channel, parts_[i].asked, wait->channel);
  }
}

// Bytes and the end of them order the threads; that there is room does not.
void Look::Found(Scheduler* scheduler, int descriptor, short events, short found) {
  if (descriptor < 0 || found == 0) return;
  const Asked at = ChannelsAskedAt(descriptor);
  const ThreadId self = scheduler->current()->id;
  if (at.read != nullptr && (events & kReads) != 0 && (found & ~kWrites) != 0) {
    scheduler->races().Passed(self, *at.read);
  }
  if (at.written != nullptr && (found & (POLLERR | POLLHUP)) != 0) {
    scheduler->races().Passed(self, *at.written);
  }
}

}  // namespace heddle
