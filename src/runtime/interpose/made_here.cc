#include "runtime/interpose/made_here.h"

#include <sys/msg.h>
#include <sys/sem.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"

namespace heddle {
namespace {

constexpr std::size_t kMost = 4096;  // what is more, the program leaves behind as it would

struct Made {
  SystemObject kind;
  int id;
  long by;  // process: a copy of it removes nothing
};
struct Name {
  std::string text;
  long by;
};

std::vector<Made>* made = nullptr;
std::vector<Name>* names = nullptr;
bool are_shared = false;

std::vector<Made>::iterator Find(SystemObject kind, int id) {
  return std::find_if(made->begin(), made->end(),
                      [=](const Made& one) { return one.kind == kind && one.id == id; });
}

}  // namespace

void NoteMade(SystemObject kind, int id) {
  if (!KeepsNotes()) return;
  const EngineScope scope;
  if (made == nullptr) made = new std::vector<Made>();
  if (made->size() < kMost) made->push_back({kind, id, RawSyscall(SYS_getpid)});
}

void NoteRemoved(SystemObject kind, int id) {
  if (made == nullptr || !KeepsNotes()) return;
  const auto found = Find(kind, id);
  if (found != made->end()) made->erase(found);
}

bool IsMadeHere(SystemObject kind, int id) {
  return made != nullptr && !are_shared && Find(kind, id) != made->end();
}

void ForgetMadeHere() { are_shared = true; }

void NoteNameMade(const char* name) {
  if (!KeepsNotes()) return;
  const EngineScope scope;
  if (names == nullptr) names = new std::vector<Name>();
  if (names->size() < kMost) names->push_back({name, RawSyscall(SYS_getpid)});
}

void NoteNameRemoved(const char* name) {
  const EngineScope scope;
  if (names == nullptr || !KeepsNotes()) return;
  std::erase_if(*names, [=](const Name& one) { return one.text == name; });
}

bool IsNameMadeHere(const char* name) {
  return names != nullptr && !are_shared &&
         std::any_of(names->begin(), names->end(),
                     [=](const Name& one) { return one.text == name; });
}

void RemoveWhatWasMade() {
  const long self = RawSyscall(SYS_getpid);
  for (std::size_t i = 0; made != nullptr && i < made->size(); ++i) {
    const auto [kind, id, by] = (*made)[i];
    if (by != self) continue;
    if (kind == SystemObject::kMessages) RawSyscall(SYS_msgctl, id, IPC_RMID, 0);
    if (kind == SystemObject::kSemaphores) RawSyscall(SYS_semctl, id, 0, IPC_RMID, 0);
  }
  for (std::size_t i = 0; names != nullptr && i < names->size(); ++i) {
    const auto& [text, by] = (*names)[i];
    if (by != self) continue;
    // The system takes it without its slash.
    RawSyscall(SYS_mq_unlink, reinterpret_cast<long>(text.c_str() + (text[0] == '/' ? 1 : 0)));
  }
}

}  // namespace heddle
