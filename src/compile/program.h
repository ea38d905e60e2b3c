// Sources to an instrumented program, for `heddle run prog.cpp`.
#ifndef HEDDLE_COMPILE_PROGRAM_H_
#define HEDDLE_COMPILE_PROGRAM_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace heddle {

struct CompileRequest {
  std::vector<std::string> sources;  // C by .c, otherwise C++
  std::string cxxflags;              // as typed into a shell, for every source and for the link
  std::string ldflags;               // behind the objects
  std::string compiler;              // empty: HEDDLE_CC, HEDDLE_CXX, gcc, g++
  std::string cache_directory;       // where built programs are kept
  bool color = false;                // of the compiler's messages
};

struct CompiledProgram {
  std::string path;                   // the executable
  std::vector<std::string> commands;  // the compiler lines, for the record
  std::string messages;               // what the compilers said (warnings); empty when cached
  double seconds = 0;                 // spent here
  bool was_cached = false;            // nothing had to be compiled
  bool ndebug = false;                // assert() is compiled out
};

// Whether `path` is named like a source that CompileProgram takes: .c .cc .cpp .cxx .c++ .C
bool IsSourceName(std::string_view path);

// Compiles and links unless a program built from the same files with the same commands is at hand.
// An Error's text holds the compiler's messages as they came; nothing else has printed them.
//
// Without flags of the user's the code is compiled with -O1 -g -pthread -std=gnu++20 (C: the
// compiler's own standard).
Result<CompiledProgram> CompileProgram(const CompileRequest& request);

}  // namespace heddle

#endif  // HEDDLE_COMPILE_PROGRAM_H_
