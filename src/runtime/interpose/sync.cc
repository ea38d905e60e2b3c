// The objects of <heddle/sync.h>. Their state is in the program; what they announce arrives here,
// and a thread that has to wait goes on when the condition it brought along holds.
#include <cstdint>

#include "base/hash.h"
#include "runtime/engine.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

// In the order of detail::SyncOp and detail::SyncKind in include/heddle/sync/core.h.
constexpr OpKind kOperations[] = {OpKind::kP,           OpKind::kV,           OpKind::kAcquire,
                                  OpKind::kRelease,     OpKind::kEnter,       OpKind::kLeave,
                                  OpKind::kQueue,       OpKind::kNotify,      OpKind::kResume,
                                  OpKind::kPortSend,    OpKind::kPortPut,     OpKind::kPortSent,
                                  OpKind::kPortReceive, OpKind::kPortReceive, OpKind::kDestroy};
constexpr int kSelect = 13;
constexpr ObjectKind kKinds[] = {ObjectKind::kCountingSemaphore, ObjectKind::kBinarySemaphore,
                                 ObjectKind::kOwnedLock,         ObjectKind::kMonitorSC,
                                 ObjectKind::kMonitorSU,         ObjectKind::kAsyncPort,
                                 ObjectKind::kBoundedPort,       ObjectKind::kSyncPort};

constexpr std::uint64_t kPortsKey = 1;

bool IsPortOperation(OpKind kind) {
  return kind == OpKind::kPortSend || kind == OpKind::kPortPut || kind == OpKind::kPortSent ||
         kind == OpKind::kPortReceive;
}

// A receiver may wait at several ports, so all who wait at ports wait at one object.
Object* Ports() { return Objects::Named(ObjectKind::kPorts, kPortsKey); }

// Visible again, whatever comes.
class Visible {
 public:
  Visible() : before_(engine.hot.active) { engine.hot.active = engine.hot.when_active; }
  ~Visible() { engine.hot.active = before_; }
  Visible(const Visible&) = delete;
  Visible& operator=(const Visible&) = delete;

 private:
  std::uint32_t before_;
};

Object* ObjectOf(int kind, const void* address) { return Objects::At(address, kKinds[kind]); }

void TouchLane(Scheduler* scheduler, const Object* port, ThreadId sender) {
  const std::uint64_t key = Mix(port->key, scheduler->ThreadById(sender)->path_hash);
  scheduler->recorder().AlsoTouches(*scheduler->current(), OpKind::kWrite,
                                    Objects::Named(ObjectKind::kLane, key));
}

void Changed(Scheduler* scheduler, Object* object) {
  scheduler->Reconsider(object);
  scheduler->Reconsider(Ports());
}

}  // namespace
}  // namespace heddle

using heddle::Event;
using heddle::Object;
using heddle::OpKind;
using heddle::Scheduler;

HEDDLE_EXPORT std::uint64_t heddle_sync_self() {
  return Scheduler::Get()->current()->id + std::uint64_t{1};
}

HEDDLE_EXPORT void heddle_sync_begin() { heddle::engine.hot.active = 0; }

HEDDLE_EXPORT void heddle_sync_end() { heddle::engine.hot.active = heddle::engine.hot.when_active; }

HEDDLE_EXPORT void heddle_sync_await(int operation, int kind, const void* address,
                                     int (*ready)(const void*), const void* argument) {
  const heddle::Visible visible;
  const OpKind op = heddle::kOperations[operation];
  Object* const ports = heddle::IsPortOperation(op) ? heddle::Ports() : nullptr;
  // A selective receive depends on the sends to all its ports; an operation names only two objects.
  const bool touches_all = op == OpKind::kPortSend || operation == heddle::kSelect;
  Scheduler::Get()->Reach({.kind = op,
                           .object = heddle::ObjectOf(kind, address),
                           .second = touches_all ? ports : nullptr,
                           .site = HEDDLE_CALLER,
                           .ready = ready,
                           .argument = argument,
                           .changes_with = ports});
}

HEDDLE_EXPORT std::uint32_t heddle_sync_done(int kind, const void* address, std::uint64_t value,
                                             std::uint64_t other) {
  const heddle::Visible visible;
  Scheduler* const scheduler = Scheduler::Get();
  Object* const object = heddle::ObjectOf(kind, address);
  scheduler->ReachedInstead(object);
  const auto step = static_cast<std::uint32_t>(scheduler->recorder().events());
  const auto thread = other != 0 ? static_cast<heddle::ThreadId>(other - 1) : heddle::kNoThread;
  Event* const event = scheduler->Record(value, thread);
  event->flags |= Event::kHasValue;
  // Who receives from whom is part of the partial order: as a conflict on what lies between the
  // two.
  if (event->kind == OpKind::kPortSend)
    heddle::TouchLane(scheduler, object, scheduler->current()->id);
  if (event->kind == OpKind::kPortReceive) heddle::TouchLane(scheduler, object, thread);
  heddle::Changed(scheduler, object);
  return step;
}

HEDDLE_EXPORT void heddle_sync_changed(int kind, const void* address) {
  const heddle::Visible visible;
  heddle::Changed(Scheduler::Get(), heddle::ObjectOf(kind, address));
}

HEDDLE_EXPORT void heddle_sync_open(int kind, const void* address) {
  const heddle::Visible visible;
  Scheduler::Get()->RecordDirectly(OpKind::kPortOpen, heddle::ObjectOf(kind, address),
                                   HEDDLE_CALLER);
}

HEDDLE_EXPORT std::uint32_t heddle_sync_choose(const std::uint64_t* senders,
                                               const std::uint32_t* sends, std::uint32_t count) {
  const heddle::Visible visible;
  return Scheduler::Get()->ChooseMessage(senders, sends, count);
}

HEDDLE_EXPORT void heddle_sync_misuse(int kind, const void* address, const char* text) {
  const heddle::Visible visible;
  heddle::ReportMisuse(Scheduler::Get(), heddle::ObjectOf(kind, address), text);
}

HEDDLE_EXPORT void heddle_sync_forget(int kind, const void* address) {
  const heddle::EngineScope scope;
  Object* const object = heddle::Objects::FindAt(address, heddle::kKinds[kind]);
  if (object != nullptr && object->pending == nullptr) heddle::Objects::Forget(object);
}
