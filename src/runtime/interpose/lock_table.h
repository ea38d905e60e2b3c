// What the system's own tables say of the locks of files (/proc/self/fdinfo).
#ifndef HEDDLE_RUNTIME_INTERPOSE_LOCK_TABLE_H_
#define HEDDLE_RUNTIME_INTERPOSE_LOCK_TABLE_H_

namespace heddle {

enum class LockFamily : unsigned char { kFlock, kOpenFile, kProcess };

// What the description behind the descriptor holds: LOCK_SH, LOCK_EX, or 0. Of the others only
// whether: LOCK_EX.
int HeldBy(int descriptor, LockFamily family);

// Whether a description that this process has holds a lock of the file, beside that descriptor's
// own.
bool IsHeldByAnother(int descriptor, LockFamily family);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_LOCK_TABLE_H_
