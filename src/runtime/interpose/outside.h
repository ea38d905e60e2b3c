// Peers outside the program: what they say is written down, and fed back in a replay.
//
// A descriptor whose other end is not the program's is *outside*. Whatever a run learns through it
// (that it is ready, the result of a call, the bytes) goes into the run's input log
// (trace/input_log.h). A run that is given a log asks nobody: it gets the log's answers, in order,
// as long as its questions are those of the recording. From the first that is not (another
// schedule, another build) it gets each peer's answers in the order of that peer, and finds ready
// what has an answer left.
#ifndef HEDDLE_RUNTIME_INTERPOSE_OUTSIDE_H_
#define HEDDLE_RUNTIME_INTERPOSE_OUTSIDE_H_

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include "trace/channel.h"
#include "trace/input_log.h"

namespace heddle {

class Scheduler;

namespace outside {

// At the beginning of a run: whether it is fed is in the request.
void Begin(Channel* channel);
bool IsFed();
bool IsOnTheRoad();                 // what it is told is what the recording was told, so far
void ForgetStream(int descriptor);  // it is closed

bool IsOutside(int descriptor);

// Where a call puts what it learns.
struct Into {
  const iovec* parts = nullptr;
  int count = 0;
  void* address = nullptr;  // or the value of an option
  socklen_t* address_length = nullptr;
  socklen_t room = 0;  // for the address: the kernel may say that it is longer
  std::span<const std::uint8_t>* control = nullptr;  // fed: what came besides the bytes
};
// `address` and `length` may be null.
inline Into IntoAddress(void* address, socklen_t* length) {
  return {nullptr, 0, address, length, length == nullptr ? 0 : *length};
}

// A call on a descriptor outside: made and written down, or answered from the log.
struct Call {
  InputKind kind = InputKind::kDescriptor;
  int descriptor = -1;
  std::size_t size = 0;  // asked for, where the log does not say what was sent
  Into into = {};
  std::uint64_t peer = 0;      // who it is, where there is no descriptor yet
  std::uint64_t question = 0;  // which, where a descriptor has several answers of the kind
};
// Fed: true, and `result` and errno are the log's. Otherwise the call is to be made, then Note.
bool Answered(const Call& call, long* result);
void Note(const Call& call, long result);
// Right after Note, if the message carried more than its bytes.
void NoteControl(const Call& call, std::span<const std::uint8_t> control);

// `make()`, or what the log says of it; written down in any case.
template <typename Make>
long Ask(const Call& call, const Make& make) {
  long result = 0;
  if (!Answered(call, &result)) result = make();
  const int error = errno;
  Note(call, result);
  errno = error;
  return result;
}

// Whether a wait of the thread that hears from outside can end. `ask` looks by itself; what is fed
// it finds with EventsOf.
bool IsReady(std::uint64_t thread_path, bool (*ask)(void*), void* argument);
// Fed, off the road of the recording: what poll would say.
short EventsOf(int descriptor, short wanted);
// ... and how many bytes there are to be read at once; -1: on the road, or not fed.
long BytesLeft(int descriptor);
// Fed: whether the peer has an answer of that kind left.
bool HasAnswer(InputKind kind, std::uint64_t peer);
// Fed: whether asking again may give another answer.
bool MayStillAnswer();
// Fed: whether what comes next was told to a wait of that thread.
bool TellsNext(std::uint64_t thread_path);

// What a wait for several descriptors filled in. Fed and on the road: true, with the log's.
bool AnsweredPoll(std::uint64_t thread_path, void* filled, std::size_t size, long* result);
void NotePoll(std::uint64_t thread_path, const void* filled, std::size_t size, long result);

}  // namespace outside
}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_OUTSIDE_H_
