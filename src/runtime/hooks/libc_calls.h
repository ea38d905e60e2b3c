/* The functions of libc that touch memory on behalf of the program and are cheap enough to be
 * called everywhere: the one list of them.
 *
 * The compiler wrapper links the program with --wrap for each, so that its own objects call the
 * __wrap_ function of memory.c or string.c. That function reports what is touched and then calls
 * heddle_real_..., which lives in the engine: only there, outside the reach of --wrap, does the
 * name mean libc's function.
 *
 * X(result, name, parameters, arguments)
 */
#ifndef HEDDLE_RUNTIME_HOOKS_LIBC_CALLS_H_
#define HEDDLE_RUNTIME_HOOKS_LIBC_CALLS_H_

#define HEDDLE_LIBC_MEMORY_CALLS(X)                                               \
  X(void*, memcpy, (void* to, const void* from, size_t size), (to, from, size))   \
  X(void*, memmove, (void* to, const void* from, size_t size), (to, from, size))  \
  X(void*, mempcpy, (void* to, const void* from, size_t size), (to, from, size))  \
  X(void*, memset, (void* to, int byte, size_t size), (to, byte, size))           \
  X(void, bzero, (void* to, size_t size), (to, size))                             \
  X(int, memcmp, (const void* a, const void* b, size_t size), (a, b, size))       \
  X(int, bcmp, (const void* a, const void* b, size_t size), (a, b, size))         \
  X(void*, memchr, (const void* from, int byte, size_t size), (from, byte, size)) \
  X(void*, __memcpy_chk, (void* to, const void* from, size_t size, size_t room),  \
    (to, from, size, room))                                                       \
  X(void*, __memmove_chk, (void* to, const void* from, size_t size, size_t room), \
    (to, from, size, room))                                                       \
  X(void*, __mempcpy_chk, (void* to, const void* from, size_t size, size_t room), \
    (to, from, size, room))                                                       \
  X(void*, __memset_chk, (void* to, int byte, size_t size, size_t room), (to, byte, size, room))

#define HEDDLE_LIBC_STRING_CALLS(X)                                                   \
  X(size_t, strlen, (const char* from), (from))                                       \
  X(size_t, strnlen, (const char* from, size_t size), (from, size))                   \
  X(char*, strcpy, (char* to, const char* from), (to, from))                          \
  X(char*, stpcpy, (char* to, const char* from), (to, from))                          \
  X(char*, strncpy, (char* to, const char* from, size_t size), (to, from, size))      \
  X(char*, strcat, (char* to, const char* from), (to, from))                          \
  X(char*, strncat, (char* to, const char* from, size_t size), (to, from, size))      \
  X(int, strcmp, (const char* a, const char* b), (a, b))                              \
  X(int, strncmp, (const char* a, const char* b, size_t size), (a, b, size))          \
  X(char*, strchr, (const char* from, int byte), (from, byte))                        \
  X(char*, strrchr, (const char* from, int byte), (from, byte))                       \
  X(char*, strdup, (const char* from), (from))                                        \
  X(char*, strndup, (const char* from, size_t size), (from, size))                    \
  X(char*, __strcpy_chk, (char* to, const char* from, size_t room), (to, from, room)) \
  X(char*, __stpcpy_chk, (char* to, const char* from, size_t room), (to, from, room)) \
  X(char*, __strncpy_chk, (char* to, const char* from, size_t size, size_t room),     \
    (to, from, size, room))                                                           \
  X(char*, __strcat_chk, (char* to, const char* from, size_t room), (to, from, room)) \
  X(char*, __strncat_chk, (char* to, const char* from, size_t size, size_t room),     \
    (to, from, size, room))

#define HEDDLE_LIBC_CALLS(X)  \
  HEDDLE_LIBC_MEMORY_CALLS(X) \
  HEDDLE_LIBC_STRING_CALLS(X)

#endif /* HEDDLE_RUNTIME_HOOKS_LIBC_CALLS_H_ */
