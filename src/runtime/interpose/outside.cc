#include "runtime/interpose/outside.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <vector>

#include "base/hash.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/ports.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle::outside {
namespace {

constexpr std::uint64_t kMade = 0x6d61;
constexpr std::uint64_t kSet = 0x7365;

// How far a peer's answers of one kind are used up, off the road.
struct Place {
  std::uint64_t stream;
  InputKind kind;
  std::size_t at;      // in the log
  std::size_t offset;  // in the entry's bytes
};

struct Made {
  std::uint64_t path;
  std::uint64_t count;
};

struct Run {
  std::span<const std::uint8_t> fed;
  bool on_the_road = false;
  std::size_t at = 0;       // in `fed`, on the road
  std::uint32_t times = 0;  // that the entry there was given
  std::vector<Place> places;
  std::vector<std::uint64_t> streams;  // by descriptor; 0 = not named yet
  std::vector<Made> made;              // streams that threads named

  std::uint8_t* log = nullptr;
  InputEntry* last = nullptr;
};
Run run;

std::uint64_t StreamOf(int descriptor) {
  const auto index = static_cast<std::size_t>(std::max(descriptor, 0));
  const EngineScope scope;
  if (run.streams.size() <= index) run.streams.resize(index + 1, 0);
  std::uint64_t& stream = run.streams[index];
  if (stream != 0) return stream;
  const std::uint64_t path = Scheduler::Get()->current()->path_hash;
  auto made = std::find_if(run.made.begin(), run.made.end(),
                           [path](const Made& one) { return one.path == path; });
  if (made == run.made.end()) made = run.made.insert(made, {path, 0});
  return stream = Mix(Mix(path, ++made->count), kMade);
}

std::uint64_t StreamOf(const Call& call) {
  const std::uint64_t stream = call.peer != 0 ? call.peer : StreamOf(call.descriptor);
  return call.question == 0 ? stream : Mix(stream, call.question);
}

// --- writing

void Write(InputEntry entry, std::initializer_list<std::span<const std::uint8_t>> bytes) {
  Channel* const channel = engine.channel;
  if (run.log == nullptr) return;
  if (run.last != nullptr && entry.kind == InputKind::kReady && run.last->kind == entry.kind &&
      run.last->stream == entry.stream && run.last->result == entry.result) {
    ++run.last->count;
    return;
  }
  for (const auto& part : bytes) entry.size += static_cast<std::uint32_t>(part.size());
  const std::size_t size = InputSize(entry);
  if (channel->input_missing != 0 || size > kMaxInput - channel->input_size) {
    // A log with a hole in it would feed a replay the wrong bytes: it ends here.
    if (channel->input_missing == 0) {
      Scheduler::Get()->Uncontrolled(
          "more than 4 MB from outside the program",
          "what came after the first 4 MB is not recorded: a replay may differ", 0);
    }
    channel->input_missing += size;
    return;
  }
  std::uint8_t* at = run.log + channel->input_size;
  run.last = reinterpret_cast<InputEntry*>(at);
  std::memcpy(at, &entry, sizeof entry);
  at += sizeof entry;
  for (const auto& part : bytes) {
    if (!part.empty()) std::memcpy(at, part.data(), part.size());
    at += part.size();
  }
  channel->input_size += static_cast<std::uint32_t>(size);
}

// --- reading

bool IsRefusal(const InputEntry& entry) {
  return entry.result < 0 && (entry.error == EAGAIN || entry.error == EINTR);
}

// The next entry of the recording, if that is what it answers; otherwise the road is left.
const InputEntry* Take(InputKind kind, std::uint64_t stream) {
  if (!run.on_the_road) return nullptr;
  const InputEntry* const entry = EntryAt(run.fed, run.at);
  if (entry == nullptr || entry->kind != kind || entry->stream != stream) {
    run.on_the_road = false;
    return nullptr;
  }
  if (++run.times >= entry->count) {
    run.at += InputSize(*entry);
    run.times = 0;
  }
  return entry;
}

// The peer's next answer of that kind, off the road; nullptr: there is none.
const InputEntry* Find(InputKind kind, std::uint64_t stream, Place** place) {
  auto found = std::find_if(run.places.begin(), run.places.end(), [&](const Place& one) {
    return one.stream == stream && one.kind == kind;
  });
  if (found == run.places.end()) {
    const EngineScope scope;
    found = run.places.insert(found, {stream, kind, run.at, 0});
  }
  *place = &*found;
  for (;;) {
    const InputEntry* const entry = EntryAt(run.fed, found->at);
    if (entry == nullptr) return nullptr;
    if (entry->kind == kind && entry->stream == stream && !IsRefusal(*entry)) return entry;
    found->at += InputSize(*entry);
    found->offset = 0;
  }
}

std::size_t SizeOf(const Into& into) {
  std::size_t size = 0;
  for (int i = 0; i < into.count; ++i) size += into.parts[i].iov_len;
  return size;
}

void Fill(const Into& into, std::span<const std::uint8_t> bytes) {
  for (int i = 0; i < into.count && !bytes.empty(); ++i) {
    const std::size_t size = std::min(into.parts[i].iov_len, bytes.size());
    std::memcpy(into.parts[i].iov_base, bytes.data(), size);
    bytes = bytes.subspan(size);
  }
}

void FillAddress(const Into& into, std::span<const std::uint8_t> bytes) {
  if (into.address == nullptr || into.address_length == nullptr) return;
  const std::size_t room = *into.address_length;
  *into.address_length = static_cast<socklen_t>(bytes.size());
  std::memcpy(into.address, bytes.data(), std::min(room, bytes.size()));
}

std::size_t DataSize(const InputEntry& entry) {
  if (entry.kind != InputKind::kReceive && entry.kind != InputKind::kPeek) return 0;
  return entry.result <= 0 ? 0 : std::min<std::size_t>(entry.size, entry.result);
}

// What the message carried besides its bytes, if the entry at that place says so.
const InputEntry* ControlAt(std::size_t at, std::uint64_t stream) {
  const InputEntry* const entry = EntryAt(run.fed, at);
  const bool is_it =
      entry != nullptr && entry->kind == InputKind::kControl && entry->stream == stream;
  return is_it ? entry : nullptr;
}

long Give(const InputEntry& entry, const Into& into, std::size_t* offset) {
  const std::span<const std::uint8_t> bytes = BytesOf(entry);
  const std::size_t data = DataSize(entry);
  const std::size_t given = std::min(data - *offset, SizeOf(into));
  Fill(into, bytes.subspan(*offset, given));
  FillAddress(into, bytes.subspan(data));
  if (entry.result < 0) errno = entry.error;
  const bool is_part = *offset > 0 || given < data;
  *offset += given;
  return is_part ? static_cast<long>(given) : entry.result;
}

// The kernel can say it of a stand-in, too, and of a child that is there in a replay as well.
bool IsLocal(const Call& call) {
  return call.kind == InputKind::kOption || call.kind == InputKind::kQueued ||
         call.kind == InputKind::kChild || (call.kind == InputKind::kAddress && call.question != 0);
}

// Off the road, and the peer said no more.
long Improvise(const Call& call) {
  switch (call.kind) {
    case InputKind::kSend:
      return static_cast<long>(call.size);
    case InputKind::kConnect:
    case InputKind::kDescriptor:
    case InputKind::kOpen:
      return 0;
    case InputKind::kAddress:
      errno = ENOTCONN;
      return -1;
    default:
      errno = EAGAIN;
      return -1;
  }
}

}  // namespace

void Begin(Channel* channel) {
  const EngineScope scope;
  const Layout layout = LayoutFor(channel->config.max_events);
  run.fed = {AreaOf<std::uint8_t>(channel, layout.fed_input), channel->request.input_size};
  run.on_the_road = !run.fed.empty();
  run.at = 0;
  run.times = 0;
  run.places.clear();
  run.made.clear();
  run.streams.clear();
  run.log = AreaOf<std::uint8_t>(channel, layout.input);
  run.last = nullptr;
  channel->input_size = 0;
  channel->input_missing = 0;
}

bool IsFed() { return !run.fed.empty(); }

bool IsOnTheRoad() { return run.on_the_road; }

void ForgetStream(int descriptor) {
  const auto index = static_cast<std::size_t>(descriptor);
  if (descriptor >= 0 && index < run.streams.size()) run.streams[index] = 0;
}

bool IsOutside(int descriptor) { return !IsInside(descriptor) && !IsOwnPort(descriptor); }

bool Answered(const Call& call, long* result) {
  if (!IsFed()) return false;
  const std::uint64_t stream = StreamOf(call);
  std::size_t offset = 0;
  if (const InputEntry* const entry = Take(call.kind, stream); entry != nullptr) {
    *result = Give(*entry, call.into, &offset);
    const InputEntry* const control = ControlAt(run.at, stream);
    if (control != nullptr) run.at += InputSize(*control);
    if (control != nullptr && call.into.control != nullptr) {
      *call.into.control = BytesOf(*control);
    }
    return true;
  }
  Place* place = nullptr;
  const InputEntry* const entry = Find(call.kind, stream, &place);
  if (entry == nullptr) {
    if (IsLocal(call)) return false;
    *result = Improvise(call);
    return true;
  }
  const InputEntry* const control =
      place->offset == 0 ? ControlAt(place->at + InputSize(*entry), stream) : nullptr;
  if (control != nullptr && call.into.control != nullptr) *call.into.control = BytesOf(*control);
  *result = Give(*entry, call.into, &place->offset);
  // The end of what a peer sends stays the end, and he does not change his address.
  const bool stays =
      (call.kind == InputKind::kReceive && entry->result <= 0) || call.kind == InputKind::kAddress;
  if (!stays && place->offset >= DataSize(*entry)) {
    const std::size_t before = place->at;
    place->at += InputSize(*entry);
    place->offset = 0;
    // The last that was said of an option holds from then on.
    if (call.kind == InputKind::kOption && Find(call.kind, stream, &place) == nullptr) {
      place->at = before;
    }
  }
  return true;
}

void Note(const Call& call, long result) {
  InputEntry entry;
  entry.kind = call.kind;
  entry.stream = StreamOf(call);
  entry.result = result;
  entry.error = result < 0 ? errno : 0;
  std::size_t rest = 0;
  if (call.kind == InputKind::kReceive || call.kind == InputKind::kPeek) {
    rest = result <= 0 ? 0 : std::min<std::size_t>(result, SizeOf(call.into));
  }
  std::vector<std::uint8_t> joined, address;
  const EngineScope scope;
  joined.reserve(rest);
  for (int i = 0; i < call.into.count && rest > 0; ++i) {
    const auto* const from = static_cast<const std::uint8_t*>(call.into.parts[i].iov_base);
    const std::size_t size = std::min(call.into.parts[i].iov_len, rest);
    joined.insert(joined.end(), from, from + size);
    rest -= size;
  }
  if (result >= 0 && call.into.address != nullptr && call.into.address_length != nullptr) {
    // Longer than the room for it: the rest was not told.
    const auto* const from = static_cast<const std::uint8_t*>(call.into.address);
    address.assign(from, from + std::min(*call.into.address_length, call.into.room));
    address.resize(*call.into.address_length, 0);
  }
  Write(entry, {joined, address});
}

void NoteControl(const Call& call, std::span<const std::uint8_t> control) {
  InputEntry entry;
  entry.kind = InputKind::kControl;
  entry.stream = StreamOf(call);
  Write(entry, {control});
}

bool IsReady(std::uint64_t thread_path, bool (*ask)(void*), void* argument) {
  const std::uint64_t stream = Mix(thread_path, kSet);
  const InputEntry* const entry = Take(InputKind::kReady, stream);
  const bool is_ready = entry != nullptr ? entry->result != 0 : ask(argument);
  InputEntry note;
  note.stream = stream;
  note.result = is_ready ? 1 : 0;
  Write(note, {});
  return is_ready;
}

short EventsOf(int descriptor, short wanted) {
  const std::uint64_t stream = StreamOf(descriptor);
  short events = static_cast<short>(wanted & (POLLOUT | POLLWRNORM));
  Place* place = nullptr;
  const bool has_input = Find(InputKind::kReceive, stream, &place) != nullptr ||
                         Find(InputKind::kAccept, stream, &place) != nullptr;
  if (has_input) events = static_cast<short>(events | (wanted & (POLLIN | POLLRDNORM)));
  return events;
}

long BytesLeft(int descriptor) {
  if (!IsFed() || run.on_the_road) return -1;
  Place* place = nullptr;
  const InputEntry* const entry = Find(InputKind::kReceive, StreamOf(descriptor), &place);
  return entry == nullptr ? 0 : static_cast<long>(DataSize(*entry) - place->offset);
}

bool HasAnswer(InputKind kind, std::uint64_t peer) {
  Place* place = nullptr;
  return Find(kind, peer, &place) != nullptr;
}

bool MayStillAnswer() {
  if (!run.on_the_road) return false;
  const InputEntry* const entry = EntryAt(run.fed, run.at);
  return entry != nullptr && entry->kind == InputKind::kReady;
}

bool TellsNext(std::uint64_t thread_path) {
  if (!run.on_the_road) return false;
  const InputEntry* const entry = EntryAt(run.fed, run.at);
  return entry != nullptr && entry->kind == InputKind::kReady &&
         entry->stream == Mix(thread_path, kSet);
}

bool AnsweredPoll(std::uint64_t thread_path, void* filled, std::size_t size, long* result) {
  const InputEntry* const entry = Take(InputKind::kPoll, Mix(thread_path, kSet));
  if (entry == nullptr || entry->size > size) return false;
  std::memcpy(filled, BytesOf(*entry).data(), entry->size);
  if (entry->result < 0) errno = entry->error;
  *result = entry->result;
  return true;
}

void NotePoll(std::uint64_t thread_path, const void* filled, std::size_t size, long result) {
  InputEntry entry;
  entry.kind = InputKind::kPoll;
  entry.stream = Mix(thread_path, kSet);
  entry.result = result;
  entry.error = result < 0 ? errno : 0;
  Write(entry, {{static_cast<const std::uint8_t*>(filled), size}});
}

}  // namespace heddle::outside
