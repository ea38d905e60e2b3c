// The processes we started, and those that runs left behind.
//
// A run may start processes that outlive it, even in sessions of their own. They become children of
// the controller, which ends them: a search makes thousands of runs.
#ifndef HEDDLE_EXPLORE_CHILDREN_H_
#define HEDDLE_EXPLORE_CHILDREN_H_

#include <sys/types.h>

namespace heddle {

// Processes left behind come to us from now on. Once per process, before the first worker.
void AdoptOrphans();

// Forks; the parent knows the child as its own before anybody could take it for an orphan.
pid_t ForkOwnChild();
// It has been reaped.
void ForgetOwnChild(pid_t pid);

// Ends and reaps every child that ForkOwnChild did not make. Does nothing before AdoptOrphans.
void EndOrphans();

// The parent of a process as the kernel knows it; 0 when it is gone.
pid_t ParentOf(pid_t pid);
// How much of the processor it has used; 0 when it is gone.
double ProcessorSecondsOf(pid_t pid);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_CHILDREN_H_
