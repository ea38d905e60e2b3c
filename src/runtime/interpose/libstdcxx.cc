#include "runtime/interpose/libstdcxx.h"

#include <dlfcn.h>

#include "runtime/engine.h"

namespace heddle {
namespace {

// What an object of exactly that class begins with; the class's table is named. The first one
// counts: a program may have a copy, which the library then uses, too.
const void* TableOf(const char* name) {
  const EngineScope scope;
  const void* table = dlsym(RTLD_DEFAULT, name);
  if (table == nullptr) table = FindInLibstdcxx(name);
  return table == nullptr ? nullptr : static_cast<const char*>(table) + 2 * sizeof(void*);
}

}  // namespace

void* FindInLibstdcxx(const char* name) {
  const EngineScope scope;
  if (void* const next = dlsym(RTLD_NEXT, name)) return next;
  void* const library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : dlsym(library, name);
}

bool HasPlainBuffer(const std::ios& stream) {
  static const void* const string_table =
      TableOf("_ZTVNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE");
  static const void* const file_table = TableOf("_ZTVSt13basic_filebufIcSt11char_traitsIcEE");
  const auto* const buffer = stream.rdbuf();
  if (buffer == nullptr) return false;
  const void* const table = *reinterpret_cast<const void* const*>(buffer);
  return table == string_table || table == file_table;
}

}  // namespace heddle
