// Message queues and sets of semaphores that the program itself made: nobody outside is expected to
// use them, and they end with the process.
//
// The system keeps them until somebody removes them, and a run that is cut short comes to no line
// of the program that would. So that every run begins with what the program asks for, and thousands
// of runs leave nothing, what a process made and did not remove is removed when it ends.
#ifndef HEDDLE_RUNTIME_INTERPOSE_MADE_HERE_H_
#define HEDDLE_RUNTIME_INTERPOSE_MADE_HERE_H_

namespace heddle {

enum class SystemObject : unsigned char { kMessages, kSemaphores };

void NoteMade(SystemObject kind, int id);
void NoteRemoved(SystemObject kind, int id);
bool IsMadeHere(SystemObject kind, int id);
// The program started another process, which may use them all.
void ForgetMadeHere();

// The name of a message queue that was not there before.
void NoteNameMade(const char* name);
void NoteNameRemoved(const char* name);
bool IsNameMadeHere(const char* name);

// At the end of the process.
void RemoveWhatWasMade();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_MADE_HERE_H_
