// The compiler wrappers alone, in a tree of their own beside the fake engine: bin/heddle-c++,
// lib/heddle/.
#include <string>
#include <vector>

#include "cli/cc.h"

int main(int argc, char** argv) {
  const bool is_c = std::string(argv[0]).ends_with("-cc");
  return heddle::RunCompilerWrapper(is_c ? heddle::Language::kC : heddle::Language::kCxx,
                                    std::vector<std::string>(argv + 1, argv + argc));
}
