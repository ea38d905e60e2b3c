/* The Annotate… functions of dynamic_annotations.h, older than ThreadSanitizer and still in use.
 *
 * Weak: many projects carry definitions of their own that do nothing, and those win.
 */
#include "hot.h"

#define ANNOTATE(annotation, address, argument)                                     \
  do {                                                                              \
    if (heddle_is_active()) {                                                       \
      heddle_annotate(HEDDLE_CALLER, annotation, (const void*)(address), argument); \
    }                                                                               \
  } while (0)

/* As __tsan_mutex_read_lock and __tsan_mutex_linker_init of tsan_interface.h. */
enum { kReadLock = 1 << 3, kStaticLock = 1 << 0 };

typedef const volatile void* Address;

/* X(name, further parameters, annotation, address, argument) */
#define ANNOTATIONS(X)                                                                           \
  X(HappensBefore, (const char* file, int line, Address address), RELEASE, address, 0)           \
  X(HappensAfter, (const char* file, int line, Address address), ACQUIRE, address, 0)            \
  X(CondVarSignal, (const char* file, int line, Address cv), RELEASE, cv, 0)                     \
  X(CondVarSignalAll, (const char* file, int line, Address cv), RELEASE, cv, 0)                  \
  X(CondVarWait, (const char* file, int line, Address cv, Address lock), ACQUIRE, cv, 0)         \
  X(PCQPut, (const char* file, int line, Address queue), RELEASE, queue, 0)                      \
  X(PCQGet, (const char* file, int line, Address queue), ACQUIRE, queue, 0)                      \
  X(PublishMemoryRange, (const char* file, int line, Address address, long size), RELEASE,       \
    address, (uint64_t)size)                                                                     \
  X(UnpublishMemoryRange, (const char* file, int line, Address address, long size), NEW_MEMORY,  \
    address, (uint64_t)size)                                                                     \
  X(NewMemory, (const char* file, int line, Address address, long size), NEW_MEMORY, address,    \
    (uint64_t)size)                                                                              \
  X(RWLockCreate, (const char* file, int line, Address lock), LOCK_CREATE, lock, 0)              \
  X(RWLockCreateStatic, (const char* file, int line, Address lock), LOCK_CREATE, lock,           \
    kStaticLock)                                                                                 \
  X(RWLockDestroy, (const char* file, int line, Address lock), LOCK_DESTROY, lock, 0)            \
  X(RWLockAcquired, (const char* file, int line, Address lock, long is_write), LOCK_POST, lock,  \
    is_write ? 0 : kReadLock)                                                                    \
  X(RWLockReleased, (const char* file, int line, Address lock, long is_write), UNLOCK_PRE, lock, \
    is_write ? 0 : kReadLock)                                                                    \
  X(BenignRace, (const char* file, int line, Address address, const char* why), BENIGN_RACE,     \
    address, 1)                                                                                  \
  X(BenignRaceSized, (const char* file, int line, Address address, long size, const char* why),  \
    BENIGN_RACE, address, (uint64_t)size)                                                        \
  X(IgnoreReadsBegin, (const char* file, int line), IGNORE_READS_BEGIN, 0, 0)                    \
  X(IgnoreReadsEnd, (const char* file, int line), IGNORE_READS_END, 0, 0)                        \
  X(IgnoreWritesBegin, (const char* file, int line), IGNORE_WRITES_BEGIN, 0, 0)                  \
  X(IgnoreWritesEnd, (const char* file, int line), IGNORE_WRITES_END, 0, 0)                      \
  X(IgnoreSyncBegin, (const char* file, int line), IGNORE_SYNC_BEGIN, 0, 0)                      \
  X(IgnoreSyncEnd, (const char* file, int line), IGNORE_SYNC_END, 0, 0)                          \
  X(ThreadName, (const char* file, int line, const char* name), THREAD_NAME, name, 0)

#define DEFINE_ANNOTATION(name, parameters, annotation, address, argument) \
  HEDDLE_WEAK_HOOK void Annotate##name parameters {                        \
    ANNOTATE(HEDDLE_ANNOTATE_##annotation, address, argument);             \
  }
ANNOTATIONS(DEFINE_ANNOTATION)

/* Advice to a race detector's own book-keeping; nothing happens in the program. */
#define SILENT(X)                                                                  \
  X(PCQCreate, (const char* file, int line, Address queue))                        \
  X(PCQDestroy, (const char* file, int line, Address queue))                       \
  X(ExpectRace, (const char* file, int line, Address address, const char* why))    \
  X(FlushExpectedRaces, (const char* file, int line))                              \
  X(MutexIsUsedAsCondVar, (const char* file, int line, Address mutex))             \
  X(MutexIsNotPHB, (const char* file, int line, Address mutex))                    \
  X(TraceMemory, (const char* file, int line, Address address))                    \
  X(EnableRaceDetection, (const char* file, int line, int enable))                 \
  X(NoOp, (const char* file, int line, Address argument))                          \
  X(FlushState, (const char* file, int line))                                      \
  X(MemoryIsInitialized, (const char* file, int line, Address address, long size)) \
  X(MemoryIsUninitialized, (const char* file, int line, Address address, long size))

#define DEFINE_SILENT(name, parameters) \
  HEDDLE_WEAK_HOOK void Annotate##name parameters {}
SILENT(DEFINE_SILENT)

/* WebKit's copies. */
HEDDLE_WEAK_HOOK void WTFAnnotateHappensBefore(const char* file, int line, Address address) {
  ANNOTATE(HEDDLE_ANNOTATE_RELEASE, address, 0);
}

HEDDLE_WEAK_HOOK void WTFAnnotateHappensAfter(const char* file, int line, Address address) {
  ANNOTATE(HEDDLE_ANNOTATE_ACQUIRE, address, 0);
}

HEDDLE_WEAK_HOOK void WTFAnnotateBenignRaceSized(const char* file, int line, Address address,
                                                 long size, const char* why) {
  ANNOTATE(HEDDLE_ANNOTATE_BENIGN_RACE, address, (uint64_t)size);
}

HEDDLE_WEAK_HOOK int RunningOnValgrind(void) { return 0; }
HEDDLE_WEAK_HOOK double ValgrindSlowdown(void) { return 1.0; }

/* Asked by code that adapts to the detector: heddle knows happens-before, as its "pure" mode does.
 */
HEDDLE_WEAK_HOOK const char* ThreadSanitizerQuery(const char* query) { return "1"; }
