// HEDDLE_CHECK(condition): a fault of ours. On in every build; prints where, and what was being
// run.
//
// It writes with one system call and allocates nothing, so it may be used inside the tested
// program.
#ifndef HEDDLE_BASE_CHECK_H_
#define HEDDLE_BASE_CHECK_H_

namespace heddle {

// A line that a failed check prints last, for instance the seed of the run; must outlive its use.
void SetCheckContext(const char* text);

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace heddle

#define HEDDLE_CHECK(condition)                \
  (__builtin_expect(!!(condition), 1) ? void() \
                                      : ::heddle::CheckFailed(__FILE__, __LINE__, #condition))

#endif  // HEDDLE_BASE_CHECK_H_
