/* Between heddle::Explore (a header in the test) and heddle's engine, which a program built by
 * `heddle c++` is linked to. Plain C, so that neither side depends on the other's C++ library.
 */
#ifndef HEDDLE_EXPLORE_ABI_H_
#define HEDDLE_EXPLORE_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct HeddleFinding {
  const char* kind;
  const char* id;
  const char* message;
  const char* fingerprint;
  const char* file;
  uint64_t line;
  uint64_t hits;
  uint64_t first_run;
  int is_warning;
  int replayed;
  const char* schedule; /* a file */
};

struct HeddleOutcome {
  const char* text;
  uint64_t count;
};

/* Filled by heddle_explore; valid until heddle_explore_release. */
struct HeddleExplored {
  void* memory;
  const char* error;   /* the search could not be made: why; empty otherwise */
  const char* summary; /* how much was searched, and what to keep in mind */
  const char* report;  /* every finding as a table, with its replay command */
  const char* skipped; /* the body asked to be skipped: why; null otherwise */
  uint64_t runs, blocked_runs, events, classes, seed;
  int classes_exact, complete, leaks_state;
  uint32_t finding_count, outcome_count;
  int is_in_doubt; /* the summary has to be read even if nothing was found */
  const struct HeddleFinding* findings;
  const struct HeddleOutcome* outcomes;
};

/* Searches the schedules of body(argument), which must not let an exception out. `words` are
 * options as of `heddle run`, and those that only a library has. Returns when the search is over;
 * the calling process never runs the body. */
#ifdef __cplusplus
#define HEDDLE_WEAK __attribute__((weak))
#else
#define HEDDLE_WEAK
#endif
void heddle_explore(const char* const* words, size_t word_count, void (*body)(void*),
                    void* argument, struct HeddleExplored* result) HEDDLE_WEAK;
void heddle_explore_release(struct HeddleExplored* result) HEDDLE_WEAK;

/* Inside a run: it fails here, as a failed assertion of that place. Returns only when nobody
 * schedules the caller. */
void heddle_fail(const char* file, unsigned line, const char* function,
                 const char* message) HEDDLE_WEAK;
/* Inside a run: the test is to be skipped. Returns only when nobody schedules the caller. */
void heddle_skip(const char* why) HEDDLE_WEAK;
/* Inside a run: one more of that outcome. */
void heddle_outcome(const char* text, size_t size) HEDDLE_WEAK;
/* Runs of the program begin here; nothing otherwise. See heddle::Ready. */
void heddle_ready(void) HEDDLE_WEAK;
/* True while heddle decides the calling thread's schedule. */
int heddle_is_scheduling(void) HEDDLE_WEAK;

#ifdef __cplusplus
}
#endif

#endif /* HEDDLE_EXPLORE_ABI_H_ */
