// Shared accesses and locks beside the bug, so that a program is not trivial: the paper's authors
// put such statements into the extracted bugs at random.
#ifndef HEDDLE_BENCH_HAPSET_STIR_H_
#define HEDDLE_BENCH_HAPSET_STIR_H_

#include <mutex>

inline std::mutex stir_locks[2];
inline int stirred[4];

// Counts under a lock, then looks at what others counted.
inline int Stir(int n) {
  {
    const std::lock_guard guard(stir_locks[n % 2]);
    stirred[n % 2] += n;
  }
  return stirred[2 + n % 2];
}

// Without a lock.
inline void StirFreely(int n) { stirred[2 + n % 2] = n; }

#endif  // HEDDLE_BENCH_HAPSET_STIR_H_
