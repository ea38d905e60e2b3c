// Every function of <sanitizer/tsan_interface.h> and of dynamic_annotations.h, called once. The
// declarations are our own: not every compiler brings the headers.
extern "C" {
void __tsan_acquire(void*);
void __tsan_release(void*);
void __tsan_mutex_create(void*, unsigned);
void __tsan_mutex_destroy(void*, unsigned);
void __tsan_mutex_pre_lock(void*, unsigned);
void __tsan_mutex_post_lock(void*, unsigned, int);
int __tsan_mutex_pre_unlock(void*, unsigned);
void __tsan_mutex_post_unlock(void*, unsigned);
void __tsan_mutex_pre_signal(void*, unsigned);
void __tsan_mutex_post_signal(void*, unsigned);
void __tsan_mutex_pre_divert(void*, unsigned);
void __tsan_mutex_post_divert(void*, unsigned);
void* __tsan_external_register_tag(const char*);
void __tsan_external_register_header(void*, const char*);
void __tsan_external_assign_tag(void*, void*);
void __tsan_external_read(void*, void*, void*);
void __tsan_external_write(void*, void*, void*);
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned);
void __tsan_destroy_fiber(void*);
void __tsan_switch_to_fiber(void*, unsigned);
void __tsan_set_fiber_name(void*, const char*);
void __tsan_flush_memory(void);

typedef const volatile void* Address;
void AnnotateHappensBefore(const char*, int, Address);
void AnnotateHappensAfter(const char*, int, Address);
void AnnotateCondVarWait(const char*, int, Address, Address);
void AnnotateCondVarSignal(const char*, int, Address);
void AnnotateCondVarSignalAll(const char*, int, Address);
void AnnotatePublishMemoryRange(const char*, int, Address, long);
void AnnotateUnpublishMemoryRange(const char*, int, Address, long);
void AnnotatePCQCreate(const char*, int, Address);
void AnnotatePCQDestroy(const char*, int, Address);
void AnnotatePCQPut(const char*, int, Address);
void AnnotatePCQGet(const char*, int, Address);
void AnnotateNewMemory(const char*, int, Address, long);
void AnnotateExpectRace(const char*, int, Address, const char*);
void AnnotateFlushExpectedRaces(const char*, int);
void AnnotateBenignRace(const char*, int, Address, const char*);
void AnnotateBenignRaceSized(const char*, int, Address, long, const char*);
void AnnotateMutexIsUsedAsCondVar(const char*, int, Address);
void AnnotateMutexIsNotPHB(const char*, int, Address);
void AnnotateTraceMemory(const char*, int, Address);
void AnnotateThreadName(const char*, int, const char*);
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
void AnnotateIgnoreWritesBegin(const char*, int);
void AnnotateIgnoreWritesEnd(const char*, int);
void AnnotateIgnoreSyncBegin(const char*, int);
void AnnotateIgnoreSyncEnd(const char*, int);
void AnnotateEnableRaceDetection(const char*, int, int);
void AnnotateNoOp(const char*, int, Address);
void AnnotateFlushState(const char*, int);
void AnnotateMemoryIsInitialized(const char*, int, Address, long);
void AnnotateMemoryIsUninitialized(const char*, int, Address, long);
void AnnotateRWLockCreate(const char*, int, Address);
void AnnotateRWLockCreateStatic(const char*, int, Address);
void AnnotateRWLockDestroy(const char*, int, Address);
void AnnotateRWLockAcquired(const char*, int, Address, long);
void AnnotateRWLockReleased(const char*, int, Address, long);
void WTFAnnotateHappensBefore(const char*, int, Address);
void WTFAnnotateHappensAfter(const char*, int, Address);
void WTFAnnotateBenignRaceSized(const char*, int, Address, long, const char*);
int RunningOnValgrind(void);
double ValgrindSlowdown(void);
const char* ThreadSanitizerQuery(const char*);

// What a program defines for libtsan to call.
void __tsan_on_initialize() {}
int __tsan_on_finalize(int failed) { return failed; }
const char* __tsan_default_options() { return "halt_on_error=1"; }
const char* __tsan_default_suppressions() { return ""; }
}

namespace {

int object;

void Interface() {
  __tsan_acquire(&object);
  __tsan_release(&object);
  __tsan_mutex_create(&object, 0);
  __tsan_mutex_pre_lock(&object, 0);
  __tsan_mutex_pre_divert(&object, 0);
  __tsan_mutex_post_divert(&object, 0);
  __tsan_mutex_post_lock(&object, 0, 0);
  __tsan_mutex_pre_signal(&object, 0);
  __tsan_mutex_post_signal(&object, 0);
  __tsan_mutex_pre_unlock(&object, 0);
  __tsan_mutex_post_unlock(&object, 0);
  __tsan_mutex_destroy(&object, 0);
  void* const tag = __tsan_external_register_tag("type");
  __tsan_external_register_header(tag, "header");
  __tsan_external_assign_tag(&object, tag);
  __tsan_external_read(&object, __builtin_return_address(0), tag);
  __tsan_external_write(&object, __builtin_return_address(0), tag);
  void* const here = __tsan_get_current_fiber();
  void* const there = __tsan_create_fiber(0);
  __tsan_set_fiber_name(there, "there");
  __tsan_switch_to_fiber(there, 0);
  __tsan_switch_to_fiber(here, 0);
  __tsan_destroy_fiber(there);
  __tsan_flush_memory();
}

void Annotations() {
  AnnotateHappensBefore("", 0, &object);
  AnnotateHappensAfter("", 0, &object);
  AnnotateCondVarWait("", 0, &object, &object);
  AnnotateCondVarSignal("", 0, &object);
  AnnotateCondVarSignalAll("", 0, &object);
  AnnotatePublishMemoryRange("", 0, &object, 4);
  AnnotateUnpublishMemoryRange("", 0, &object, 4);
  AnnotatePCQCreate("", 0, &object);
  AnnotatePCQPut("", 0, &object);
  AnnotatePCQGet("", 0, &object);
  AnnotatePCQDestroy("", 0, &object);
  AnnotateNewMemory("", 0, &object, 4);
  AnnotateExpectRace("", 0, &object, "");
  AnnotateFlushExpectedRaces("", 0);
  AnnotateBenignRace("", 0, &object, "");
  AnnotateBenignRaceSized("", 0, &object, 4, "");
  AnnotateMutexIsUsedAsCondVar("", 0, &object);
  AnnotateMutexIsNotPHB("", 0, &object);
  AnnotateTraceMemory("", 0, &object);
  AnnotateThreadName("", 0, "worker");
  AnnotateIgnoreReadsBegin("", 0);
  AnnotateIgnoreReadsEnd("", 0);
  AnnotateIgnoreWritesBegin("", 0);
  AnnotateIgnoreWritesEnd("", 0);
  AnnotateIgnoreSyncBegin("", 0);
  AnnotateIgnoreSyncEnd("", 0);
  AnnotateEnableRaceDetection("", 0, 1);
  AnnotateNoOp("", 0, &object);
  AnnotateFlushState("", 0);
  AnnotateMemoryIsInitialized("", 0, &object, 4);
  AnnotateMemoryIsUninitialized("", 0, &object, 4);
  AnnotateRWLockCreate("", 0, &object);
  AnnotateRWLockCreateStatic("", 0, &object);
  AnnotateRWLockAcquired("", 0, &object, 1);
  AnnotateRWLockReleased("", 0, &object, 1);
  AnnotateRWLockDestroy("", 0, &object);
  WTFAnnotateHappensBefore("", 0, &object);
  WTFAnnotateHappensAfter("", 0, &object);
  WTFAnnotateBenignRaceSized("", 0, &object, 4, "");
}

}  // namespace

int main() {
  Interface();
  Annotations();
  return RunningOnValgrind() + (ValgrindSlowdown() == 1.0 ? 0 : 1) +
         (ThreadSanitizerQuery("pure_happens_before")[0] == '1' ? 0 : 1);
}
