// Between a test process that called heddle::Explore and the controller that it started: a socket.
//
// The controller owns the search; the test process only forks workers for it (they must be copies
// of the test, at the point where it called Explore) and reaps them. Each message is one packet: an
// Order down, an Answer up. Descriptors travel beside.
#ifndef HEDDLE_TRACE_SESSION_H_
#define HEDDLE_TRACE_SESSION_H_

#include <cstdint>

namespace heddle {

struct SessionOrder {
  enum class Kind : std::uint32_t {
    kFork,    // a worker; descriptors: channel, standard input, standard output. Answer: its pid
    kWait,    // for `pid` with `flags`. Answer: pid and status as of waitpid
    kBecome,  // the run itself, for a debugger; descriptor: channel. No answer: nobody listens then
    kFinished,  // descriptor: the result, a SessionResult. No answer
  };
  Kind kind = Kind::kFinished;
  std::int32_t pid = 0;
  std::int32_t flags = 0;
};

struct SessionAnswer {
  std::int32_t pid = 0;     // -1: see error
  std::int32_t status = 0;  // as of waitpid
  std::int32_t error = 0;   // errno
};

// Environment variables of a test process that `heddle replay` started: the descriptor of a session
// that is there already, and the key of the one Explore call that is to serve it. All others are
// passed over.
inline constexpr char kSessionVariable[] = "HEDDLE_SESSION";
inline constexpr char kSessionKeyVariable[] = "HEDDLE_SESSION_KEY";

// A schedule file: the Explore call that it is of is replayed in the test process itself, others
// are passed over.
inline constexpr char kReplayVariable[] = "HEDDLE_REPLAY";

inline constexpr int kSessionDescriptors = 3;  // at most, of one packet

// The head of the result file. Behind it lie texts, each ended by a zero: error, summary, report,
// skipped; for each finding kind, id, message, fingerprint, file, schedule; for each outcome its
// text. Before the texts: the findings' and the outcomes' numbers.
struct SessionResult {
  std::uint64_t size = 0;  // of the whole file
  std::uint64_t runs = 0, blocked_runs = 0, events = 0, classes = 0, seed = 0;
  std::uint32_t finding_count = 0;
  std::uint32_t outcome_count = 0;
  std::uint8_t classes_exact = 1, complete = 0, leaks_state = 0, is_skipped = 0;
  std::uint8_t is_in_doubt = 0;  // the summary has to be read even if nothing was found
  std::uint8_t unused[3] = {};
};

struct SessionFinding {
  std::uint64_t line = 0, hits = 0, first_run = 0;
  std::uint8_t is_warning = 0, replayed = 0;
  std::uint8_t unused[6] = {};
};

struct SessionOutcome {
  std::uint64_t count = 0;
};

}  // namespace heddle

#endif  // HEDDLE_TRACE_SESSION_H_
