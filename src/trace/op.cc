#include "trace/op.h"

namespace heddle {

std::optional<OpKind> OpKindByName(std::string_view name) {
  for (int i = 0; i < kOpKindCount; ++i) {
    if (kOpKindNames[i] == name) return static_cast<OpKind>(i);
  }
  return std::nullopt;
}

}  // namespace heddle
