#include "runtime/interpose/numbers.h"

#include <fcntl.h>

#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"

namespace heddle {
namespace {

std::vector<Object*>* closed = nullptr;  // by descriptor: what it led to

Object** Noted(int descriptor) {
  const auto index = static_cast<std::size_t>(descriptor);
  if (descriptor < 0 || closed == nullptr || index >= closed->size()) return nullptr;
  return &(*closed)[index];
}

bool IsOpen(int descriptor) { return RawSyscall(SYS_fcntl, descriptor, F_GETFD, 0) >= 0; }

}  // namespace

void Numbers::NoteClosed(int descriptor, Object* channels) {
  const Scheduler* const scheduler = Scheduler::Get();
  if (descriptor < 0 || scheduler == nullptr || scheduler->IsLastThread()) return;
  const EngineScope scope;
  if (closed == nullptr) closed = new std::vector<Object*>();
  const auto index = static_cast<std::size_t>(descriptor);
  if (closed->size() <= index) closed->resize(index + 1, nullptr);
  (*closed)[index] = channels;
}

void Numbers::NoteOpened(int descriptor) {
  Object** const noted = Noted(descriptor);
  if (noted == nullptr || *noted == nullptr) return;
  *noted = nullptr;
  if (Scheduler* const scheduler = IoScheduler(); scheduler != nullptr) DescribeAgain(scheduler);
}

Object* Numbers::Last(int descriptor) {
  Object* const* const noted = Noted(descriptor);
  return noted == nullptr || *noted == nullptr || IsOpen(descriptor) ? nullptr : *noted;
}

bool Numbers::LeadsToChannel(Scheduler* scheduler, int descriptor, OpKind kind,
                             std::uint64_t site) {
  if (IsChannel(descriptor)) return true;
  Object* const last = Last(descriptor);
  if (last == nullptr) return false;
  Object* const touched = last->kind == ObjectKind::kIo ? nullptr : last;
  AwaitIo(scheduler, {.kind = kind, .channel = touched, .cancels = false, .site = site});
  FinishIo(scheduler, 0);
  return IsChannel(descriptor);
}

void ForgetNumbers() {
  if (closed != nullptr) closed->clear();
}

}  // namespace heddle
