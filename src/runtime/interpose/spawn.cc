// Programs that the tested program starts, or becomes: they run natively, and are named once.
//
// What heddle changed for the tested process and what a new program would inherit is put back
// first.
#include <alloca.h>
#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <unistd.h>

#include <cstdarg>
#include <cstddef>

#include "runtime/engine.h"
#include "runtime/interpose/children.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/worker/timestamp.h"

namespace heddle {
namespace {

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void Named(const char* name, std::uint64_t site) {
  if (Scheduler* const scheduler = Scheduler::OfThisThread()) {
    scheduler->Uncontrolled(name, "the program it starts runs natively, outside heddle's control",
                            site);
  }
}

// Calls with the counter native if heddle trapped it: not in a child that the program forked.
template <typename Call>
auto Natively(const char* name, std::uint64_t site, const Call& call) {
  if (Scheduler::OfThisThread() == nullptr) return call();
  Named(name, site);
  const NativeTimestampCounter native;
  return call();
}

// The same for a program that runs beside this one, and may have its pipes: nobody can tell which,
// because what is done to descriptors in between is libc's secret.
template <typename Call>
auto NativelyBeside(const char* name, std::uint64_t site, const Call& call) {
  if (Scheduler::OfThisThread() != nullptr) ForgetInside();
  return Natively(name, site, call);
}

// posix_spawn in both forms; `start` is given where the child's number goes.
template <typename Start>
int Spawn(const char* name, std::uint64_t site, pid_t* pid, const Start& start) {
  pid_t child = 0;
  const int error = NativelyBeside(name, site, [&] { return start(&child); });
  if (error != 0) return error;
  ChildStarted(child);
  if (pid != nullptr) *pid = child;
  return 0;
}

int ExecuteNatively(const char* name, std::uint64_t site, const char* file, char* const* arguments,
                    char* const* environment) {
  using Call = int (*)(const char*, char* const*, char* const*);
  return Natively(name, site, [&] { return Next<Call>(name)(file, arguments, environment); });
}

}  // namespace
}  // namespace heddle

HEDDLE_EXPORT int execve(const char* file, char* const* arguments, char* const* environment) {
  return heddle::ExecuteNatively("execve", HEDDLE_CALLER, file, arguments, environment);
}

HEDDLE_EXPORT int execvpe(const char* file, char* const* arguments, char* const* environment) {
  return heddle::ExecuteNatively("execvpe", HEDDLE_CALLER, file, arguments, environment);
}

HEDDLE_EXPORT int execv(const char* file, char* const* arguments) {
  return heddle::ExecuteNatively("execve", HEDDLE_CALLER, file, arguments, environ);
}

HEDDLE_EXPORT int execvp(const char* file, char* const* arguments) {
  return heddle::ExecuteNatively("execvpe", HEDDLE_CALLER, file, arguments, environ);
}

HEDDLE_EXPORT int fexecve(int fd, char* const* arguments, char* const* environment) {
  using Call = int (*)(int, char* const*, char* const*);
  return heddle::Natively("fexecve", HEDDLE_CALLER, [&] {
    return heddle::Next<Call>("fexecve")(fd, arguments, environment);
  });
}

// The variadic forms: (file, first, ..., nullptr[, environment]). A macro, because the array must
// live in the frame of the function that has the arguments.
#define HEDDLE_COLLECT(first, list, arguments)                                       \
  std::size_t count = 1;                                                             \
  va_list counting;                                                                  \
  va_start(counting, first);                                                         \
  while (va_arg(counting, char*) != nullptr) ++count;                                \
  va_end(counting);                                                                  \
  auto** const arguments = static_cast<char**>(alloca((count + 1) * sizeof(char*))); \
  arguments[0] = const_cast<char*>(first);                                           \
  va_list list;                                                                      \
  va_start(list, first);                                                             \
  for (std::size_t i = 1; i <= count; ++i) arguments[i] = va_arg(list, char*)

HEDDLE_EXPORT int execl(const char* file, const char* first, ...) {
  HEDDLE_COLLECT(first, list, arguments);
  va_end(list);
  return heddle::ExecuteNatively("execve", HEDDLE_CALLER, file, arguments, environ);
}

HEDDLE_EXPORT int execlp(const char* file, const char* first, ...) {
  HEDDLE_COLLECT(first, list, arguments);
  va_end(list);
  return heddle::ExecuteNatively("execvpe", HEDDLE_CALLER, file, arguments, environ);
}

HEDDLE_EXPORT int execle(const char* file, const char* first, ...) {
  HEDDLE_COLLECT(first, list, arguments);
  char* const* const environment = va_arg(list, char**);
  va_end(list);
  return heddle::ExecuteNatively("execve", HEDDLE_CALLER, file, arguments, environment);
}

HEDDLE_EXPORT int posix_spawn(pid_t* pid, const char* file,
                              const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const* arguments,
                              char* const* environment) {
  return heddle::Spawn("posix_spawn", HEDDLE_CALLER, pid, [&](pid_t* child) {
    return heddle::Next<decltype(&::posix_spawn)>("posix_spawn")(child, file, actions, attributes,
                                                                 arguments, environment);
  });
}

HEDDLE_EXPORT int posix_spawnp(pid_t* pid, const char* file,
                               const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const* arguments,
                               char* const* environment) {
  return heddle::Spawn("posix_spawnp", HEDDLE_CALLER, pid, [&](pid_t* child) {
    return heddle::Next<decltype(&::posix_spawnp)>("posix_spawnp")(child, file, actions, attributes,
                                                                   arguments, environment);
  });
}

HEDDLE_EXPORT int system(const char* command) {
  const int status = heddle::Natively("system", HEDDLE_CALLER, [&] {
    return heddle::Next<int (*)(const char*)>("system")(command);
  });
  return heddle::StatusToTell(heddle::WaitedBy::kSystem, status);
}

HEDDLE_EXPORT FILE* popen(const char* command, const char* mode) {
  return heddle::NativelyBeside("popen", HEDDLE_CALLER, [&] {
    return heddle::Next<FILE* (*)(const char*, const char*)>("popen")(command, mode);
  });
}

HEDDLE_EXPORT int pclose(FILE* stream) {
  const int status = heddle::Next<int (*)(FILE*)>("pclose")(stream);
  return heddle::StatusToTell(heddle::WaitedBy::kPclose, status);
}

// A child that shares this stack can't be told apart from its parent; POSIX allows a copy.
HEDDLE_EXPORT pid_t vfork() { return fork(); }
