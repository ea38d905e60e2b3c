#include "runtime/interpose/transfer.h"

#include "runtime/interpose/looks.h"
#include "trace/channel_use.h"

namespace heddle {
namespace {

// Who finds closed what it was about to connect: what a search moves before the close must have
// touched behind it what it touches there. Where that is not known, all.
Object* WithListener(Object* last, const sockaddr* to, socklen_t length) {
  const auto [listener, count] = ListenersAt(to, length);
  Object* const taken = count == 1 ? ChannelOf(listener, OpKind::kReceive) : nullptr;
  return taken == nullptr ? nullptr : ChannelsAnd(last, taken, 0);
}

Object* ChannelsFor(const Transfer& transfer) {
  if (transfer.input == InputKind::kConnect || transfer.offered.channel != nullptr) {
    return Watches::WithSets(transfer.offered.channel, transfer.kind);
  }
  Object* const channel = ChannelOf(transfer.descriptor, transfer.kind);
  if (channel != nullptr) return Watches::WithSets(channel, transfer.kind);
  return transfer.kind == OpKind::kDescriptor ? Watches::Ready(transfer.descriptor) : nullptr;
}

}  // namespace

Object* ChannelFor(Transfer* transfer) {
  if (transfer->is_offered && transfer->input == InputKind::kConnect) {
    transfer->offered = ChannelOffered(transfer->descriptor, transfer->to, transfer->to_length);
  } else if (transfer->is_offered) {
    transfer->offered = ChannelOfDatagram(transfer->descriptor, transfer->to, transfer->to_length);
  }
  Object* const channels = ChannelsFor(*transfer);
  if (channels != nullptr) return channels;
  Object* const last = Numbers::Last(transfer->descriptor);
  if (last == nullptr || last->kind == ObjectKind::kIo) return nullptr;
  const bool connects = transfer->input == InputKind::kConnect;
  return connects ? WithListener(last, transfer->to, transfer->to_length) : last;
}

bool IsTransferReady(void* argument) {
  const auto& transfer = *static_cast<const Transfer*>(argument);
  if (transfer.input == InputKind::kConnect && transfer.is_offered) {
    return HasRoomFor(transfer.offered.listener);
  }
  if (outside::IsFed() && outside::IsOutside(transfer.descriptor)) {
    return outside::EventsOf(transfer.descriptor, transfer.events) != 0;
  }
  return ReadyAt(transfer.descriptor, transfer.events) != 0;
}

void DescribeTransfer(void* argument, IoWait* wait) {
  auto* const transfer = static_cast<Transfer*>(argument);
  wait->channel = ChannelFor(transfer);
  // Who connects waits for a listener's room only.
  const bool connects = transfer->is_offered && transfer->input == InputKind::kConnect;
  if (connects && transfer->offered.listener < 0) wait->is_ready = nullptr;
}

int StandInFor(int listener) {
  const auto option = [listener](int which) {
    int value = 0;
    socklen_t size = sizeof value;
    RawSyscall(SYS_getsockopt, listener, SOL_SOCKET, which, reinterpret_cast<long>(&value),
               reinterpret_cast<long>(&size));
    return value;
  };
  return static_cast<int>(RawSyscall(SYS_socket, option(SO_DOMAIN), option(SO_TYPE), 0));
}

Notes::Notes(const Object* channel, const Transfer& transfer) : channel_(channel) {
  if (channel->kind == ObjectKind::kIo) return;
  const int other = transfer.offered.listener;
  ends_ = transfer.offered.channel == nullptr
              ? EndsOf(transfer.descriptor, transfer.kind)
              : EndsOf(other >= 0 ? other : transfer.descriptor, OpKind::kReceive);
  before_ = NotedAt(ends_);
}

void Notes::Add(Scheduler* scheduler, Event* event) const {
  if (channel_->kind == ObjectKind::kIo) return;
  event->order |= before_;
  event->size |= NotedAt(ends_);
  const ThreadId self = scheduler->current()->id;
  const bool receives = event->kind == OpKind::kReceive;
  const bool got = static_cast<std::int64_t>(event->value) >= 0;
  ForEachInList(channel_, [&](const Object* each, std::uint8_t role) {
    if ((role & channel_use::kLooksAt) != 0) return;
    if (!receives) {
      scheduler->races().Ended(self, *each);
    } else if (got) {
      scheduler->races().Passed(self, *each);
    }
  });
}

}  // namespace heddle
