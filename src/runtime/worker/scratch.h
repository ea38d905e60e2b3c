// Every run has a TMPDIR of its own: the worker's, emptied between runs.
#ifndef HEDDLE_RUNTIME_WORKER_SCRATCH_H_
#define HEDDLE_RUNTIME_WORKER_SCRATCH_H_

namespace heddle {

// Notes the directory that the controller put into TMPDIR (its name marks it as ours).
void FindScratch();

bool IsInScratch(const char* path);

// Since it was emptied last.
bool IsScratchChanged();

// Empties it if the run changed it. One system call otherwise.
void CleanScratch();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_WORKER_SCRATCH_H_
