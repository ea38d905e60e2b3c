// Names of functions and variables as people say them.
#ifndef HEDDLE_SYMBOLS_NAMES_H_
#define HEDDLE_SYMBOLS_NAMES_H_

#include <string>
#include <string_view>

namespace heddle {

// A linkage name as written in C++; anything else unchanged.
std::string Demangle(const std::string& linkage_name);

// The name of a type as std::type_info gives it.
std::string DemangleType(const std::string& type_name);

// Without return type, parameters and qualifiers, anonymous namespaces dropped:
// "int ns::Queue<int>::Pop(bool) const" becomes "ns::Queue<int>::Pop", and
// "main::{lambda()#1}::operator()() const" becomes "main::{lambda#1}".
std::string ShortName(std::string_view demangled);

// What is not the user's code: the standard library, libc, installed headers, heddle. Judged by the
// file of the source, by the file it was loaded from, and by name (less is trusted to a name when
// the source is known).
bool IsSystemFile(std::string_view file);
bool IsSystemModule(std::string_view path);
bool IsSystemFunction(std::string_view short_name, bool has_source);

}  // namespace heddle

#endif  // HEDDLE_SYMBOLS_NAMES_H_
