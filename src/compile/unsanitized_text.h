// Finds in source text what is marked to be left alone by ThreadSanitizer's instrumentation.
//
// Knows __attribute__((no_sanitize("thread"))), no_sanitize_thread and
// disable_sanitizer_instrumentation in all their spellings, macros that stand for them, and macros
// named after them. It reads text, not C++: what it finds is a suspicion that the machine code has
// to confirm.
#ifndef HEDDLE_COMPILE_UNSANITIZED_TEXT_H_
#define HEDDLE_COMPILE_UNSANITIZED_TEXT_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// Add every file first, because a macro may be defined in one and used in another; then ask.
class UnsanitizedText {
 public:
  void AddFile(std::string_view text);

  // Whether some marked declaration declares a function of that (unqualified) name.
  bool Marks(const std::string& function);

 private:
  void FindMarked();
  void FindMarkMacros();
  void FindMarkedStatements(const std::string& text);
  bool IsMarked(std::string_view statement) const;

  std::vector<std::string> files_;             // without comments
  std::map<std::string, std::string> macros_;  // name -> body, those that could be a mark
  std::set<std::string> mark_macros_;          // names that stand for the attribute
  std::set<std::string> marked_names_;         // identifiers before a parenthesis
  bool is_found_ = false;
};

}  // namespace heddle

#endif  // HEDDLE_COMPILE_UNSANITIZED_TEXT_H_
