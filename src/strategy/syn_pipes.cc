// Pipes and sockets as ports: a write is a message, in the order of all writes; the thread that
// reads receives it. That holds as long as every read takes one message, which datagrams and the
// connections of a listener always do; what does not fit is named. An eventfd is a semaphore.
#include <algorithm>

#include "strategy/syn_reader.h"

namespace heddle {
namespace {

// Less than any pipe or socket has room for: below it, a write never waits for a read. A message
// that is taken as a whole counts for this much, beside its size: few of them fit.
constexpr std::uint64_t kSurelyFits = 4096;
constexpr std::uint64_t kWholeMessage = 512;

}  // namespace

using reach::kNone;
using reach::Operation;

void SynReader::OpenPipe(const Event& event) {
  ThreadState& thread = threads_[event.thread];
  thread.pipe = event.object;
  thread.use = PipeUseOf(event);
  thread.size = event.value;
  if (thread.use != PipeUse::kClose) return;
  // Both directions of a socket end at once, and so are named before one event.
  if ((event.value & kNoMoreWritten) != 0) thread.no_more_written.push_back(event.object);
  if ((event.value & kNoMoreRead) != 0) StateOf(event.object).read_end_closed = true;
}

bool SynReader::Pipe(const Event& event) {
  ThreadState& thread = threads_[event.thread];
  const ObjectId pipe = thread.pipe;
  thread.pipe = kNoObject;
  if (pipe == kNoObject || OwnerOf(pipe) == kNone) {
    Uncovered("a descriptor that is no pipe, socket or eventfd of the program, or does not block");
    return true;
  }
  const auto result = static_cast<std::int64_t>(event.value);
  if (thread.use != PipeUse::kClose && result < 0) {
    Uncovered("a pipe or socket that gives an error");
    return true;
  }
  switch (thread.use) {
    case PipeUse::kWrite:
      return WritePipe(event, pipe, thread.size);
    case PipeUse::kOffer:
      return WritePipe(event, pipe, kWholeMessage);
    case PipeUse::kRead:
      return ReadPipe(event, pipe, thread.size);
    case PipeUse::kTake:
      return TakeMessage(event, pipe);
    case PipeUse::kAdd:
    case PipeUse::kDrain:
    case PipeUse::kTakeOne:
      return UseCounter(event, pipe, thread.use, thread.size);
    default:
      // Who reads the end of the pipe knows what its writers did.
      for (const ObjectId ended : thread.no_more_written) {
        sequence_->OwnerLearnsThread(OwnerOf(ended), thread.index);
      }
      thread.no_more_written.clear();
      return true;
  }
}

// Writes add to it, reads take all or one: who adds and who takes compete for it.
bool SynReader::UseCounter(const Event& event, ObjectId counter, PipeUse use,
                           std::uint64_t amount) {
  ObjectState& state = StateOf(counter);
  Event counted = event;  // as a semaphore's: with the value behind it
  if (use == PipeUse::kAdd) {
    counted.value = state.count + 1;
    if (!Call(event.thread, counter, Operation::kV, counted)) return false;
    state.count += amount;
    return true;
  }
  if (state.count == 0) {
    Uncovered("an eventfd that counts what the program did not add");
    return true;
  }
  counted.value = state.count - 1;
  if (!Call(event.thread, counter, Operation::kP, counted)) return false;
  state.count = use == PipeUse::kDrain ? 0 : state.count - 1;
  return true;
}

// One message, whatever its size.
bool SynReader::TakeMessage(const Event& event, ObjectId pipe) {
  const ThreadState& thread = threads_[event.thread];
  ObjectState& state = StateOf(pipe);
  if (state.messages.empty()) {
    if (event.value > 0) Uncovered("a message from outside the program");
    sequence_->ThreadLearnsOwner(thread.index, OwnerOf(pipe));
    return true;
  }
  const Message message = state.messages.front();
  const bool is_receiver = state.receiver == event.thread;
  const Index owner = OwnerOfReceiver(event.thread);
  if (is_receiver && !Permits(owner, sequence_->NameOfSend(message.send))) return false;
  state.messages.erase(state.messages.begin());
  state.bytes -= message.bytes;
  if (!is_receiver) return true;  // several readers: said already
  open_.assign(1, {pipe, Operation::kSend});
  sequence_->AddReceive(owner, message.send, open_, thread.index);
  return true;
}

bool SynReader::WritePipe(const Event& event, ObjectId pipe, std::uint64_t size) {
  ObjectState& state = StateOf(pipe);
  const bool is_whole = threads_[event.thread].use == PipeUse::kOffer;
  const std::uint64_t bytes = is_whole ? kWholeMessage + event.value : event.value;
  if (bytes < size || state.bytes + bytes > kSurelyFits) Uncovered("a pipe that may run full");
  if (!Call(event.thread, pipe, Operation::kPut, event)) return false;
  const Index send =
      sequence_->AddSend(threads_[event.thread].index, pipe, OwnerOfReceiver(state.receiver),
                         Operation::kSend, reach::Order::kPerPort);
  state.messages.push_back({send, bytes});
  state.bytes += bytes;
  return true;
}

bool SynReader::ReadPipe(const Event& event, ObjectId pipe, std::uint64_t size) {
  const ThreadState& thread = threads_[event.thread];
  ObjectState& state = StateOf(pipe);
  const Index owner = OwnerOfReceiver(event.thread);
  std::uint64_t rest = event.value;
  if (rest == 0 || state.receiver != event.thread) {
    // The end, or another reader's pipe.
    sequence_->ThreadLearnsOwner(thread.index, OwnerOf(pipe));
    if (rest > 0 && !state.messages.empty()) state.messages.erase(state.messages.begin());
    return true;
  }
  if (state.messages.empty()) Uncovered("a message from outside the program");
  if (rest > 0 && !state.messages.empty() && rest != state.messages.front().bytes) {
    Uncovered("a read of a pipe that takes another amount than was written");
  }
  Index receive = kNone;
  while (rest > 0 && !state.messages.empty()) {
    Message& message = state.messages.front();
    if (message.bytes > rest) {
      message.bytes -= rest;
      state.bytes -= rest;
      sequence_->ThreadLearnsOwner(thread.index, OwnerOf(pipe));
      return true;
    }
    if (!Permits(owner, sequence_->NameOfSend(message.send))) return false;
    open_.assign(1, {pipe, Operation::kSend});
    receive = sequence_->AddReceive(owner, message.send, open_, thread.index);
    rest -= message.bytes;
    state.bytes -= message.bytes;
    state.messages.erase(state.messages.begin());
  }
  if (receive != kNone && event.value < size) greedy_.push_back({receive, pipe});
  return true;
}

// What depends on when it was done, which the order of messages does not show.
void SynReader::CheckPipes() {
  for (const Greedy& read : greedy_) {
    const Index number = sequence_->receives()[read.receive].number;
    for (Index send = 0; send < sequence_->sends().size(); ++send) {
      const reach::Send& it = sequence_->sends()[send];
      if (it.object != read.pipe || it.operation != Operation::kSend) continue;
      const bool is_later =
          it.partner == kNone || sequence_->receives()[it.partner].number > number;
      if (is_later && !sequence_->PrecedesSend(read.receive, send)) {
        Uncovered("a read of a pipe that takes what happens to be there");
      }
    }
  }
  for (std::size_t object = 0; object < trace_->objects.size(); ++object) {
    const ObjectState& state = objects_[object];
    if (state.used && state.read_end_closed && !state.messages.empty()) {
      Uncovered("a pipe that is closed before it is empty");
    }
  }
}

}  // namespace heddle
