// What a run learnt from outside the program through descriptors: an answer after the other.
//
// A run writes one as it goes; a replay is given one and asks nobody. Flat: entries of fixed size,
// each followed by its bytes, padded to 8. A reader trusts nothing: EntryAt ends the log where an
// entry does not fit.
#ifndef HEDDLE_TRACE_INPUT_LOG_H_
#define HEDDLE_TRACE_INPUT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle {

enum class InputKind : std::uint8_t {
  kReady,    // whether it would block: `result`, `count` times
  kReceive,  // bytes: what came, then the address of the sender where it was asked for
  kPeek,
  kSend,
  kConnect,
  kAccept,
  kDescriptor,  // shut down
  kPoll,        // bytes: what poll, select or epoll_wait filled in
  kOpen,        // a named pipe
  kAddress,     // bytes: who is at the other end, or at this one
  kControl,     // of the message before it: what came besides the bytes (interpose/passed.h)
  kOption,      // bytes: what getsockopt says
  kQueued,      // bytes: what ioctl says of what waits to be read or sent
  kChild,       // bytes: how a process that the program started ended (interpose/children.h)
  kLast = kChild,
};

struct InputEntry {
  std::uint64_t stream = 0;  // who is at the other end, named without its number
  std::int64_t result = 0;   // of the call
  std::int32_t error = 0;    // errno, if it failed
  std::uint32_t count = 1;   // so many times the same
  std::uint32_t size = 0;    // bytes behind it
  InputKind kind = InputKind::kReady;
  std::uint8_t unused[3] = {};
};
static_assert(sizeof(InputEntry) == 32);

inline constexpr std::size_t InputSize(const InputEntry& entry) {
  return sizeof(InputEntry) + ((std::size_t{entry.size} + 7) & ~std::size_t{7});
}

// The entry at that offset, or nullptr: the log ends there.
inline const InputEntry* EntryAt(std::span<const std::uint8_t> log, std::size_t at) {
  if (at % 8 != 0 || at > log.size() || log.size() - at < sizeof(InputEntry)) return nullptr;
  const auto* const entry = reinterpret_cast<const InputEntry*>(log.data() + at);
  if (entry->kind > InputKind::kLast || entry->count == 0) return nullptr;
  return InputSize(*entry) <= log.size() - at ? entry : nullptr;
}

inline std::span<const std::uint8_t> BytesOf(const InputEntry& entry) {
  return {reinterpret_cast<const std::uint8_t*>(&entry + 1), entry.size};
}

}  // namespace heddle

#endif  // HEDDLE_TRACE_INPUT_LOG_H_
