// One operation on a descriptor that may have to wait: what it touches, announced, and carried out
// when it is its turn.
#ifndef HEDDLE_RUNTIME_INTERPOSE_TRANSFER_H_
#define HEDDLE_RUNTIME_INTERPOSE_TRANSFER_H_

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <span>
#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/numbers.h"
#include "runtime/interpose/outside.h"
#include "runtime/interpose/passed.h"
#include "runtime/interpose/ports.h"
#include "runtime/interpose/signal_fd.h"
#include "runtime/interpose/socket_timeouts.h"
#include "runtime/interpose/sockets.h"
#include "runtime/interpose/watches.h"

namespace heddle {

struct Transfer {
  OpKind kind;
  int descriptor;
  short events;
  bool waits;
  std::uint64_t site;
  bool is_ours = false;  // done here in any case: what a peer says has nothing to do with it
  InputKind input = InputKind::kDescriptor;  // what it is to a peer outside
  std::size_t size = 0;
  outside::Into into = {};
  msghdr* message = nullptr;  // that is received
  passed::Room room = {};     // in it
  bool cancels = true;
  bool closes = false;
  bool sends_datagrams = false;  // what is closed
  // Who connects, or sends a datagram: to whom (nullptr: as it is connected), and what that is by
  // now.
  bool is_offered = false;
  const sockaddr* to = nullptr;
  socklen_t to_length = 0;
  OfferedAt offered = {};
  Deadline deadline = {};   // not set: as the socket says (SO_RCVTIMEO, SO_SNDTIMEO)
  bool* is_late = nullptr;  // whether it came to that
};

// Sets what it touches, once more if it was announced: what is at an address may be something else
// now.
Object* ChannelFor(Transfer* transfer);
// Asked of what is announced (IoWait).
bool IsTransferReady(void* transfer);
void DescribeTransfer(void* transfer, IoWait* wait);

// For a connection that only a recording knows: a socket of the listener's kind.
int StandInFor(int listener);

// The call, or what a recording says of it.
template <typename Call>
long CallOutside(const Transfer& transfer, const Call& call) {
  outside::Call asked = {transfer.input, transfer.descriptor, transfer.size, transfer.into};
  std::span<const std::uint8_t> control;
  if (transfer.message != nullptr) asked.into.control = &control;
  long result = 0;
  const bool is_fed = outside::Answered(asked, &result);
  if (!is_fed) {
    result = call();
  } else if (transfer.input == InputKind::kAccept && result >= 0) {
    result = StandInFor(transfer.descriptor);
  }
  const int error = errno;
  outside::Note(asked, result);
  if (transfer.message != nullptr && result >= 0) {
    const EngineScope scope;
    std::vector<std::uint8_t> described;
    if (is_fed) {
      passed::Restore(control, transfer.room, transfer.message);
    } else {
      described = passed::Describe(Scheduler::Get(), *transfer.message, transfer.site);
      control = described;
    }
    if (!control.empty()) outside::NoteControl(asked, control);
  }
  errno = error;
  return result;
}

// What the operation finds at its channel, and leaves there: of an end of two, what the other end
// finds. Who finds the end there knows what was done before.
class Notes {
 public:
  Notes(const Object* channel, const Transfer& transfer);
  void Add(Scheduler* scheduler, Event* event) const;

 private:
  ChannelEnds ends_;
  std::uint8_t before_ = 0;
  const Object* channel_;
};

// What a call gives that has waited for as long as its socket lets it.
inline long ComesLate(const Transfer& transfer) {
  errno = transfer.input == InputKind::kConnect ? EINPROGRESS : EAGAIN;
  return -1;
}

// `call` once, when it would not block.
template <typename Call>
long Do(Scheduler* scheduler, Transfer transfer, const Call& call) {
  bool is_outside = outside::IsOutside(transfer.descriptor);
  if (transfer.waits && !transfer.deadline.is_set) {
    transfer.deadline =
        SocketDeadline(scheduler, transfer.descriptor, transfer.kind, transfer.site);
  }
  const Outcome outcome =
      AwaitIo(scheduler, {.kind = transfer.kind,
                          .channel = ChannelFor(&transfer),
                          .is_ready = transfer.waits ? IsTransferReady : nullptr,
                          .argument = &transfer,
                          .describe = DescribeTransfer,
                          .deadline = transfer.deadline,
                          .is_outside = is_outside,
                          .cancels = transfer.cancels,
                          .site = transfer.site});
  if (outcome == kInterrupted) return -1;
  if (scheduler->current()->hears_outside && !is_outside) {  // since when it waited
    is_outside = outside::IsOutside(transfer.descriptor);
  }
  Object* const changed = scheduler->reached();
  const Notes notes(changed, transfer);
  const bool is_late = outcome == Outcome::kTimeout;
  if (is_outside && transfer.kind == OpKind::kReceive && !outside::IsFed() && !is_late) {
    LookAtSender(scheduler, transfer.descriptor, transfer.site);
  }
  if (transfer.is_late != nullptr) *transfer.is_late = is_late;
  const bool is_ours = transfer.is_ours || HasSignals(transfer.descriptor);
  const long result = is_late                  ? ComesLate(transfer)
                      : is_outside && !is_ours ? CallOutside(transfer, call)
                                               : call();
  if (transfer.kind == OpKind::kSend && result > 0) SettleSend(transfer.descriptor);
  Watches::Changed(changed, transfer.kind);
  Event* const event = FinishIo(scheduler, result);
  if (is_late) event->flags |= Event::kTimedOut;
  notes.Add(scheduler, event);
  // Where a datagram would have gone is not known behind that.
  Object* const closed = transfer.sends_datagrams ? IoObject() : changed;
  if (transfer.closes) Numbers::NoteClosed(transfer.descriptor, closed);
  const bool is_unheard = transfer.is_offered && transfer.offered.channel == nullptr &&
                          transfer.input == InputKind::kSend && NoteUnheard(transfer.descriptor);
  const bool changes_others = is_unheard || transfer.kind == OpKind::kDescriptor ||
                              transfer.input == InputKind::kConnect ||
                              transfer.input == InputKind::kAccept;
  if (changes_others) DescribeAgain(scheduler);
  // SIGPIPE has come before the call returns.
  if (result < 0 && errno == EPIPE && scheduler->current()->needs_attention) {
    scheduler->Attend();
    errno = EPIPE;
  }
  return result;
}

// While it lives, calls on the descriptor fail with EAGAIN instead of blocking.
class NonBlocking {
 public:
  explicit NonBlocking(int descriptor)
      : descriptor_(descriptor), flags_(RawSyscall(SYS_fcntl, descriptor, F_GETFL, 0)) {
    RawSyscall(SYS_fcntl, descriptor_, F_SETFL, flags_ | O_NONBLOCK);
  }
  ~NonBlocking() { RawSyscall(SYS_fcntl, descriptor_, F_SETFL, flags_); }
  NonBlocking(const NonBlocking&) = delete;
  NonBlocking& operator=(const NonBlocking&) = delete;

 private:
  int descriptor_;
  long flags_;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_TRANSFER_H_
