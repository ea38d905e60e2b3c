// What the engine's own use of printf needs.
#ifndef HEDDLE_RUNTIME_INTERPOSE_PRINTF_H_
#define HEDDLE_RUNTIME_INTERPOSE_PRINTF_H_

namespace heddle {

// The engine's own messages about failures are made by snprintf, where nothing may be looked up
// any more: once, before.
void PrepareSnprintf();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_PRINTF_H_
