#include "runtime/interpose/keys.h"

#include <limits.h>

#include <cerrno>
#include <vector>

#include "runtime/engine.h"
#include "runtime/interpose/real.h"
#include "runtime/memory/modules.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

// libc hands out its own keys before heddle is there; ours must not meet them.
constexpr pthread_key_t kFirstKey = 1u << 16;

struct Key {
  bool in_use = false;
  void (*destructor)(void*) = nullptr;
};
std::vector<Key>* keys = nullptr;
std::vector<Key>* keys_kept = nullptr;  // see KeepKeys

// Keys that libc handed out while nobody was scheduled. Threads that heddle makes keep their values
// for these too: a shell's next thread must not see them, and their destructors must run.
void (*native_destructors[PTHREAD_KEYS_MAX])(void*);

Key* Find(pthread_key_t key) {
  if (keys == nullptr || key < kFirstKey || key - kFirstKey >= keys->size()) return nullptr;
  Key* const found = &(*keys)[key - kFirstKey];
  return found->in_use ? found : nullptr;
}

// A key from before heddle took over, in a thread that heddle made.
bool KeepsNatively(const Scheduler* scheduler, pthread_key_t key) {
  return scheduler != nullptr && key < PTHREAD_KEYS_MAX && scheduler->current()->id != kMainThread;
}

void* ValueAt(const Thread* thread, std::vector<void*> AtThreadEnd::*table, std::size_t index) {
  if (thread->at_end == nullptr) return nullptr;
  const std::vector<void*>& values = *thread->at_end.*table;
  return index < values.size() ? values[index] : nullptr;
}

}  // namespace

void KeepKeys() {
  delete keys_kept;
  keys_kept = new std::vector<Key>(keys == nullptr ? std::vector<Key>() : *keys);
}

void ResetKeysForRun() {
  if (keys != nullptr && keys_kept != nullptr) *keys = *keys_kept;
}

namespace {

// In a library (promise::set_value_at_thread_exit makes its future ready in libstdc++'s) it may let
// others go on by means that nobody sees.
void Destroy(void (*destructor)(void*), void* value) {
  constexpr int kProgram = 0;
  if (Modules::IndexOf(reinterpret_cast<std::uint64_t>(destructor)) != kProgram) {
    Scheduler* const scheduler = Scheduler::Get();
    scheduler->races().ReleaseUnseen(scheduler->current()->id);
  }
  destructor(value);
}

}  // namespace

void RunKeyDestructors(Thread* thread) {
  std::vector<void*>& native = thread->AtEnd().native_specific;
  std::vector<void*>& specific = thread->AtEnd().specific;
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    bool any = false;
    for (std::size_t i = 0; i < native.size(); ++i) {
      void* const value = native[i];
      if (value == nullptr || native_destructors[i] == nullptr) continue;
      native[i] = nullptr;
      Destroy(native_destructors[i], value);
      any = true;
    }
    if (!any) break;
  }
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    bool any = false;
    for (std::size_t i = 0; i < specific.size(); ++i) {
      void* const value = specific[i];
      const Key* const key = Find(kFirstKey + static_cast<pthread_key_t>(i));
      if (value == nullptr || key == nullptr || key->destructor == nullptr) continue;
      specific[i] = nullptr;
      Destroy(key->destructor, value);
      any = true;
    }
    if (!any) return;
  }
}

}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) {
    if (real::pthread_key_create == nullptr) heddle::Boot();
    const int error = real::pthread_key_create(key, destructor);
    if (error == 0 && *key < PTHREAD_KEYS_MAX) heddle::native_destructors[*key] = destructor;
    return error;
  }
  if (heddle::keys == nullptr) heddle::keys = new std::vector<heddle::Key>();
  std::size_t index = 0;
  while (index < heddle::keys->size() && (*heddle::keys)[index].in_use) ++index;
  if (index == PTHREAD_KEYS_MAX) return EAGAIN;
  if (index == heddle::keys->size()) heddle::keys->emplace_back();
  (*heddle::keys)[index] = {true, destructor};
  *key = heddle::kFirstKey + static_cast<pthread_key_t>(index);
  return 0;
}

HEDDLE_EXPORT int pthread_key_delete(pthread_key_t key) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr || key < heddle::kFirstKey) return real::pthread_key_delete(key);
  heddle::Key* const found = heddle::Find(key);
  if (found == nullptr) return EINVAL;
  found->in_use = false;
  // A later key of the same number starts with null in every thread.
  for (std::size_t i = 0; i < scheduler->thread_count(); ++i) {
    const heddle::Thread* const thread = scheduler->ThreadById(static_cast<heddle::ThreadId>(i));
    if (thread->at_end == nullptr) continue;
    auto& specific = thread->at_end->specific;
    if (key - heddle::kFirstKey < specific.size()) specific[key - heddle::kFirstKey] = nullptr;
  }
  return 0;
}

HEDDLE_EXPORT int pthread_setspecific(pthread_key_t key, const void* value) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (heddle::KeepsNatively(scheduler, key)) {
    auto& specific = scheduler->current()->AtEnd().native_specific;
    if (specific.size() <= key) specific.resize(key + 1, nullptr);
    specific[key] = const_cast<void*>(value);
    return 0;
  }
  if (scheduler == nullptr || key < heddle::kFirstKey) return real::pthread_setspecific(key, value);
  if (heddle::Find(key) == nullptr) return EINVAL;
  auto& specific = scheduler->current()->AtEnd().specific;
  const std::size_t index = key - heddle::kFirstKey;
  if (specific.size() <= index) specific.resize(index + 1, nullptr);
  specific[index] = const_cast<void*>(value);
  return 0;
}

HEDDLE_EXPORT void* pthread_getspecific(pthread_key_t key) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (heddle::KeepsNatively(scheduler, key)) {
    return heddle::ValueAt(scheduler->current(), &heddle::AtThreadEnd::native_specific, key);
  }
  if (scheduler == nullptr || key < heddle::kFirstKey) return real::pthread_getspecific(key);
  return heddle::ValueAt(scheduler->current(), &heddle::AtThreadEnd::specific,
                         key - heddle::kFirstKey);
}
