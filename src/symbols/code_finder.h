// Names that people write on a command line, as code: files, functions, modules.
#ifndef HEDDLE_SYMBOLS_CODE_FINDER_H_
#define HEDDLE_SYMBOLS_CODE_FINDER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/channel.h"

namespace heddle {

// The code of `name`, sorted and without overlaps; empty when nothing has that name. A name is
//  - the file name of a module (libqueue.so.1; "program" is the executable): all of it;
//  - a source file, or the end of its path (queue.cpp, util/queue.cpp): the functions written
//  there,
//    with what is inlined into them and wherever they are inlined;
//  - a function, with or without its scope (Push, Queue::Push); templates without their arguments.
// A * stands for anything. Files and functions need debug information, and are not looked for in
// the system's libraries.
std::vector<CodeRange> FindCode(std::span<const ModuleRecord> modules, const std::string& name);

// Where a function of that program begins, as an offset in its file's addresses. Its symbol is
// enough.
std::optional<std::uint64_t> FindEntry(const std::string& program, const std::string& function);

}  // namespace heddle

#endif  // HEDDLE_SYMBOLS_CODE_FINDER_H_
