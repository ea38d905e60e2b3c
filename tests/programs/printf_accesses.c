// The strings that printf and its relatives read, what %n writes and the text that they make in
// memory are accesses of their caller. Each case has a twin that is right: the other thread is
// joined first, or what it changes lies behind what the call reads.
// RUN: heddle run --runs=30 -- printf
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- printf joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- printf beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- fprintf
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- dprintf
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- vprintf
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- named
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- named joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- named beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- wide
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- wide joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- wide beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- from
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- from joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- from beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- to
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- to joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- to beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- sprintf
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- sprintf beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- cut
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- cut beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- constant
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- constant joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- checked
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- checked joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- asprintf
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- count
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- count joined
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int __snprintf_chk(char* to, size_t size, int flag, size_t room, const char* format, ...);

static char text[16] = "abcdefgh";
static wchar_t wide[16] = L"abcdefgh";
static char made[16];
static int counted;
static int at;
static const char* call;

static int Is(const char* word) { return strcmp(call, word) == 0; }
static int FillsMemory(void) { return Is("to") || Is("sprintf") || Is("cut") || Is("constant"); }

static void* Change(void* unused) {
  if (Is("count")) {
    counted = 7;
  } else if (FillsMemory()) {
    made[at] = 'X';
  } else if (Is("wide")) {
    wide[at] = L'X';
  } else {
    text[at] = 'X';
  }
  return unused;
}

static void List(const char* format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
}

// Four bytes are read; with the zero, seven are made, or in a shorter room three.
static void Use(void) {
  if (Is("printf")) printf("%d: %.4s %f\n", 1, text, 1.5);
  if (Is("fprintf")) fprintf(stdout, "%*.*s\n", 10, 4, text);
  if (Is("dprintf")) dprintf(1, "<%.4s>\n", text);
  if (Is("vprintf")) List("%d%.4s\n", 1, text);
  if (Is("named")) {
    assert(snprintf(made, sizeof made, "%3$s %2$.*1$s %4$g", 4, text, "end", 1.5) == 12);
    assert(strncmp(made, "end abc", 7) == 0 && strcmp(made + 8, " 1.5") == 0);
  }
  if (Is("wide")) assert(snprintf(made, sizeof made, "%.4ls|", wide) == 5);
  if (Is("from")) assert(snprintf(made, sizeof made, "%Lf %.4s", 1.5L, text) == 13);
  if (Is("to")) assert(snprintf(made, sizeof made, "%d", 123456) == 6);
  if (Is("sprintf")) assert(sprintf(made, "%d", 123456) == 6);
  if (Is("cut")) assert(snprintf(made, 3, "%d", 123456) == 6);
  if (Is("constant")) snprintf(made, sizeof made, "abcdef");  // g++ makes a store of it
  if (Is("checked")) __snprintf_chk(made, sizeof made, 1, sizeof made, "%d %.4s", 1, text);
  if (Is("asprintf")) {
    char* fresh = NULL;
    assert(asprintf(&fresh, "%.4s %d", text, 2) == 6);
    free(fresh);
  }
  if (Is("count")) assert(printf("12345%n\n", &counted) == 6);
}

int main(int count, char** words) {
  assert(count > 1);
  call = words[1];
  const char* const how = count > 2 ? words[2] : "";
  at = Is("cut") ? 2 : 3;
  if (strcmp(how, "beside") == 0) at = Is("cut") ? 3 : FillsMemory() ? 7 : 4;
  pthread_t other;
  pthread_create(&other, NULL, Change, NULL);
  if (strcmp(how, "joined") == 0) pthread_join(other, NULL);
  Use();
  if (strcmp(how, "joined") != 0) pthread_join(other, NULL);
}
