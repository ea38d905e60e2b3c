// Where a function's code lies, and where it goes on when what it calls throws: from the tables
// that exceptions are unwound with.
#ifndef HEDDLE_RUNTIME_CODE_FUNCTION_CODE_H_
#define HEDDLE_RUNTIME_CODE_FUNCTION_CODE_H_

#include <cstdint>

#include "runtime/memory/layout.h"

namespace heddle {

struct FunctionCode {
  AddressRange range;
  const std::uint8_t* handlers = nullptr;  // the language-specific table; nullptr: none
};

// The function, or the part of one that was moved elsewhere, that `address` lies in. False: no
// table tells.
bool FindFunction(std::uint64_t address, FunctionCode* code);

// Where a call goes on whose return address is `back` when it throws; 0: nowhere in this function.
// False: the table is of a kind that is not known.
bool FindLandingPad(const FunctionCode& code, std::uint64_t back, std::uint64_t* pad);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_CODE_FUNCTION_CODE_H_
