// What an operation on a channel (one direction of a pipe or of a pair of sockets, an eventfd)
// found there and left there: who explores all orders must know who would have had to wait.
//
// In Event::order: how it is used, and what could be done just before it. In Event::size: what can
// be done just behind it. In PendingOp::order: how it is to be used. Of all operations on
// descriptors, whether it waits.
#ifndef HEDDLE_TRACE_CHANNEL_USE_H_
#define HEDDLE_TRACE_CHANNEL_USE_H_

#include <cstdint>

#include "trace/op.h"

namespace heddle {

namespace channel_use {
inline constexpr std::uint8_t kWaits = 1;  // until it can be done
inline constexpr std::uint8_t kReadable = 2, kReadKnown = 4;
inline constexpr std::uint8_t kWritable = 8, kWriteKnown = 16;
}  // namespace channel_use

enum class Readiness : std::uint8_t { kUnknown, kWaits, kReady };

// Whether a receive or a send can be done, by what was noted.
constexpr Readiness ReadinessOf(OpKind kind, std::uint8_t noted) {
  const bool reads = kind == OpKind::kReceive;
  const std::uint8_t known = reads ? channel_use::kReadKnown : channel_use::kWriteKnown;
  const std::uint8_t ready = reads ? channel_use::kReadable : channel_use::kWritable;
  if ((noted & known) == 0) return Readiness::kUnknown;
  return (noted & ready) != 0 ? Readiness::kReady : Readiness::kWaits;
}

// Operations on descriptors.
constexpr bool IsIo(OpKind kind) {
  return kind == OpKind::kSend || kind == OpKind::kReceive || kind == OpKind::kPoll ||
         kind == OpKind::kDescriptor;
}

}  // namespace heddle

#endif  // HEDDLE_TRACE_CHANNEL_USE_H_
