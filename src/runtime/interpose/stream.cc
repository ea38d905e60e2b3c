// The locks of stdio streams (flockfile). The real one is not taken: a thread that waited for it
// inside libc would stop the run. While a thread of the program holds one, output to the stream
// waits for it.
#include "runtime/interpose/stream.h"

#include "runtime/engine.h"
#include "runtime/interpose/buffers.h"
#include "runtime/interpose/next.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/rules.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

int held_streams = 0;

Object* ObjectOf(FILE* stream) { return Objects::At(stream, ObjectKind::kStream); }

// Held by who prints. It has no place in memory.
constexpr std::uint64_t kOutputKey = 0x74757074756f;
Object* Output() { return Objects::Named(ObjectKind::kStream, kOutputKey); }

// Whoever is just printing keeps nobody from other streams.
int Count(const Object* stream) { return stream->key == kOutputKey ? 0 : 1; }

void Lock(Scheduler* scheduler, Object* object, std::uint64_t site) {
  scheduler->Reach(
      {.kind = OpKind::kLock, .object = object, .site = site, .mutex_kind = MutexKind::kRecursive});
  if (object->mutex.owner == kNoThread) held_streams += Count(object);
  object->mutex.Lock(scheduler->current()->id, MutexKind::kRecursive);
  scheduler->Record();
  scheduler->Reconsider(object);
}

void Unlock(Scheduler* scheduler, Object* object, std::uint64_t site) {
  scheduler->Reach({.kind = OpKind::kUnlock, .object = object, .site = site});
  if (object->mutex.owner != scheduler->current()->id) {
    ReportMisuse(scheduler, object, "unlock of a stream that the thread does not hold");
  }
  object->mutex.Unlock(scheduler->current()->id, MutexKind::kRecursive);
  if (object->mutex.owner == kNoThread) held_streams -= Count(object);
  scheduler->Record();
  scheduler->Reconsider(object);
}

}  // namespace

OutputScope::OutputScope(bool prints, std::uint64_t site) : site_(site) {
  if (!prints || !Rules::Has(Rule::kOutput)) return;
  scheduler_ = Scheduler::OfThisThread();
  if (scheduler_ != nullptr) Lock(scheduler_, Output(), site_);
}

OutputScope::~OutputScope() {
  if (scheduler_ != nullptr) Unlock(scheduler_, Output(), site_);
}

StreamScope::StreamScope(FILE* stream, std::uint64_t site) : stream_(stream), site_(site) {
  if (held_streams > 0 || IsChannelStream(stream)) {
    scheduler_ = Scheduler::OfThisThread();
    if (scheduler_ != nullptr) Lock(scheduler_, ObjectOf(stream_), site_);
  }
  output_.emplace(stream == stdout || stream == stderr, site);
}

StreamScope::~StreamScope() {
  output_.reset();
  if (scheduler_ != nullptr) Unlock(scheduler_, ObjectOf(stream_), site_);
}

}  // namespace heddle

using heddle::Scheduler;
using heddle::StreamScope;

HEDDLE_EXPORT void flockfile(FILE* stream) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(flockfile)(stream);
  heddle::Lock(scheduler, heddle::ObjectOf(stream), HEDDLE_CALLER);
}

HEDDLE_EXPORT int ftrylockfile(FILE* stream) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(ftrylockfile)(stream);
  heddle::Object* const object = heddle::ObjectOf(stream);
  scheduler->Reach({.kind = heddle::OpKind::kTryLock, .object = object, .site = HEDDLE_CALLER});
  const bool was_free = object->mutex.owner == heddle::kNoThread;
  const int error = object->mutex.TryLock(scheduler->current()->id, heddle::MutexKind::kRecursive);
  if (error != 0) {
    scheduler->RecordFailed();
    return error;
  }
  scheduler->Record();
  if (was_free) ++heddle::held_streams;
  scheduler->Reconsider(object);
  return 0;
}

HEDDLE_EXPORT void funlockfile(FILE* stream) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(funlockfile)(stream);
  heddle::Unlock(scheduler, heddle::ObjectOf(stream), HEDDLE_CALLER);
}

HEDDLE_EXPORT int puts(const char* text) {
  const StreamScope scope(stdout, HEDDLE_CALLER);
  const heddle::OutgoingText outgoing(text, HEDDLE_CALLER);
  return HEDDLE_NEXT(puts)(outgoing.text());
}

HEDDLE_EXPORT int fputs(const char* text, FILE* stream) {
  const StreamScope scope(stream, HEDDLE_CALLER);
  const heddle::OutgoingText outgoing(text, HEDDLE_CALLER);
  return HEDDLE_NEXT(fputs)(outgoing.text(), stream);
}

HEDDLE_EXPORT int fputc(int c, FILE* stream) {
  const StreamScope scope(stream, HEDDLE_CALLER);
  return HEDDLE_NEXT(fputc)(c, stream);
}

HEDDLE_EXPORT int putc(int c, FILE* stream) { return fputc(c, stream); }
HEDDLE_EXPORT int putchar(int c) { return fputc(c, stdout); }

HEDDLE_EXPORT std::size_t fwrite(const void* bytes, std::size_t size, std::size_t count,
                                 FILE* stream) {
  const StreamScope scope(stream, HEDDLE_CALLER);
  const heddle::OutgoingBytes outgoing(bytes, size * count, HEDDLE_CALLER);
  return HEDDLE_NEXT(fwrite)(outgoing.bytes(), size, count, stream);
}
