#include "base/check.h"

#include <sys/uio.h>

#include <cstring>

#include "base/raw_syscall.h"

namespace heddle {
namespace {

const char* check_context = "";

iovec Piece(const char* text) { return {const_cast<char*>(text), std::strlen(text)}; }

}  // namespace

void SetCheckContext(const char* text) { check_context = text; }

void CheckFailed(const char* file, int line, const char* condition) {
  char digits[12];
  char* first = digits + sizeof digits - 1;
  *first = '\0';
  for (int rest = line; rest > 0; rest /= 10) *--first = static_cast<char>('0' + rest % 10);

  const iovec pieces[] = {Piece("heddle: this is a bug in heddle: "),
                          Piece(file),
                          Piece(":"),
                          Piece(first),
                          Piece(": "),
                          Piece(condition),
                          Piece(" does not hold "),
                          Piece(check_context),
                          Piece("\n")};
  // Raw: the ordinary calls are interposed inside a tested program.
  RawSyscall(SYS_writev, 2, reinterpret_cast<long>(pieces), sizeof pieces / sizeof pieces[0]);
  RawSyscall(SYS_exit_group, 70);
  __builtin_trap();
}

}  // namespace heddle
