// Pipes and pairs of sockets as ports: a write is a message, in the order of all writes; the thread
// that reads receives it. That holds as long as every read takes one message; what does not fit is
// named.
#include <algorithm>

#include "strategy/syn_reader.h"

namespace heddle {
namespace {

// Less than any pipe or socket has room for: below it, a write never waits for a read.
constexpr std::uint64_t kSurelyFits = 4096;

}  // namespace

using reach::kNone;
using reach::Operation;

bool SynReader::Pipe(const Event& event) {
  ThreadState& thread = threads_[event.thread];
  const ObjectId pipe = thread.pipe;
  thread.pipe = kNoObject;
  if (pipe == kNoObject || OwnerOf(pipe) == kNone) {
    Uncovered("a descriptor that is no pipe, or does not block");
    return true;
  }
  const auto result = static_cast<std::int64_t>(event.value);
  if (thread.use != PipeUse::kClose && result < 0) {
    Uncovered("a pipe that gives an error");
    return true;
  }
  switch (thread.use) {
    case PipeUse::kWrite:
      return WritePipe(event, pipe, thread.size);
    case PipeUse::kRead:
      return ReadPipe(event, pipe, thread.size);
    default:
      // Who reads the end of the pipe knows what its writers did.
      sequence_->OwnerLearnsThread(OwnerOf(pipe), thread.index);
      if (thread.size != 0) StateOf(pipe).read_end_closed = true;
      return true;
  }
}

bool SynReader::WritePipe(const Event& event, ObjectId pipe, std::uint64_t size) {
  ObjectState& state = StateOf(pipe);
  if (event.value < size || state.bytes + size > kSurelyFits) Uncovered("a pipe that may run full");
  if (!Call(event.thread, pipe, Operation::kPut, event)) return false;
  const Index send =
      sequence_->AddSend(threads_[event.thread].index, pipe, OwnerOfReceiver(state.receiver),
                         Operation::kSend, reach::Order::kPerPort);
  state.messages.push_back({send, event.value});
  state.bytes += event.value;
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
