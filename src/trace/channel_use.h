// What an operation on a channel (one direction of a pipe or of a pair of sockets, an eventfd)
// found there and left there: who explores all orders must know who would have had to wait.
//
// In Event::order: how it is used, and what could be done just before it. In Event::size: what can
// be done just behind it. In PendingOp::order: how it is to be used. Of all operations on
// descriptors, whether it waits. In ObjectRecord::noted: what could be done there at first.
//
// A look at one channel says in Event::order what it asks for. One at several is on an object that
// stands for them (ObjectKind::kChannels), as the closing of what is an end of two: a list, whose
// rest is another such object. What an epoll set has in the order in which it became ready is such
// a channel, too, and what it would tell of one descriptor.
#ifndef HEDDLE_TRACE_CHANNEL_USE_H_
#define HEDDLE_TRACE_CHANNEL_USE_H_

#include <cstdint>
#include <span>

#include "trace/op.h"
#include "trace/records.h"

namespace heddle {

namespace channel_use {
inline constexpr std::uint8_t kWaits = 1;  // until it can be done
inline constexpr std::uint8_t kReadable = 2, kReadKnown = 4;
inline constexpr std::uint8_t kWritable = 8, kWriteKnown = 16;
inline constexpr int kAsksShift = 4;             // what a look asks for: kReadable, kWritable
inline constexpr std::uint8_t kItemsKnown = 64;  // of Event::size: what sets would tell
// Of what is in a list, beside kReadable and kWritable: the operation only looks at it, whatever it
// does to the others; which of its notes are about it.
inline constexpr std::uint8_t kLooksAt = 1;
inline constexpr std::uint8_t kNotesReading = 16, kNotesWriting = 32, kNotesItem = 64;
inline constexpr std::uint8_t kNotesBoth = kNotesReading | kNotesWriting;
inline constexpr std::uint8_t kLeavesReady = 128;  // what a set would tell of it
inline constexpr std::uint8_t kLeavesNew = 4;      // nothing to be read, and room
}  // namespace channel_use

enum class Readiness : std::uint8_t { kUnknown, kWaits, kReady };

// What an operation on one channel waits for: that it can be read, written, or either.
constexpr std::uint8_t AskedBy(OpKind kind, std::uint8_t order) {
  constexpr std::uint8_t kBoth = channel_use::kReadable | channel_use::kWritable;
  if (kind == OpKind::kLook) return order >> channel_use::kAsksShift & kBoth;
  return kind == OpKind::kReceive ? channel_use::kReadable : channel_use::kWritable;
}

// Whether that is so, by what was noted.
constexpr Readiness ReadinessFor(std::uint8_t asked, std::uint8_t noted) {
  const auto at = [&](std::uint8_t ready, std::uint8_t known) {
    if ((asked & ready) == 0) return Readiness::kWaits;
    if ((noted & known) == 0) return Readiness::kUnknown;
    return (noted & ready) != 0 ? Readiness::kReady : Readiness::kWaits;
  };
  const Readiness reads = at(channel_use::kReadable, channel_use::kReadKnown);
  const Readiness writes = at(channel_use::kWritable, channel_use::kWriteKnown);
  if (reads == Readiness::kReady || writes == Readiness::kReady) return Readiness::kReady;
  return reads == Readiness::kUnknown ? reads : writes;
}

// What of an operation's notes is about one in its list.
constexpr std::uint8_t NotesFor(std::uint8_t role, std::uint8_t noted) {
  unsigned about = 0;
  if ((role & channel_use::kNotesReading) != 0) {
    about |= noted & (channel_use::kReadable | channel_use::kReadKnown);
  }
  if ((role & channel_use::kNotesWriting) != 0) {
    about |= noted & (channel_use::kWritable | channel_use::kWriteKnown);
  }
  const bool tells_item = (role & channel_use::kNotesItem) != 0;
  if (tells_item && (noted & channel_use::kItemsKnown) != 0) {
    about |= channel_use::kReadKnown;
    if ((role & channel_use::kLeavesReady) != 0) about |= channel_use::kReadable;
  }
  const bool is_new = (role & channel_use::kLeavesNew) != 0;
  if (is_new && (noted & channel_use::kItemsKnown) != 0) {
    about |= channel_use::kReadKnown | channel_use::kWriteKnown | channel_use::kWritable;
  }
  return static_cast<std::uint8_t>(about);
}

// Whether a receive or a send can be done.
constexpr Readiness ReadinessOf(OpKind kind, std::uint8_t noted) {
  return ReadinessFor(AskedBy(kind, 0), noted);
}

// The channels that an operation on `object` touches, with what it asks of each and what it is to
// it: `asked` where it is one itself. Of a record that was checked the rest has a smaller number
// than the list.
template <typename Visit>
void ForEachChannel(std::span<const ObjectRecord> objects, ObjectId object, std::uint8_t asked,
                    const Visit& visit) {
  if (objects[object].kind == ObjectKind::kChannel) visit(object, asked);
  while (object != kNoObject && objects[object].kind == ObjectKind::kChannels) {
    const ObjectRecord& list = objects[object];
    visit(list.FirstOfList(), list.noted);
    object = list.RestOfList();
  }
}

// Operations on descriptors, and on what else the system keeps and lets threads wait for.
constexpr bool IsIo(OpKind kind) {
  return kind == OpKind::kSend || kind == OpKind::kReceive || kind == OpKind::kPoll ||
         kind == OpKind::kLook || kind == OpKind::kEpollWait || kind == OpKind::kDescriptor ||
         kind == OpKind::kFileLock || kind == OpKind::kSemOp;
}

// Waits until one of several channels is ready.
constexpr bool IsLook(OpKind kind) { return kind == OpKind::kLook || kind == OpKind::kEpollWait; }

}  // namespace heddle

#endif  // HEDDLE_TRACE_CHANNEL_USE_H_
