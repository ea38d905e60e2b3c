// `heddle bench NAME`: prints a table of measured figures beside a paper's, a peer's or a limit.
#ifndef HEDDLE_CLI_BENCH_H_
#define HEDDLE_CLI_BENCH_H_

#include <string>
#include <vector>

namespace heddle {

// Exit code 1 when something that must hold does not.
int BenchCommandMain(const std::vector<std::string>& words);

}  // namespace heddle

#endif  // HEDDLE_CLI_BENCH_H_
