// What scanf and its relatives fill, and the text that sscanf reads, are accesses of their caller;
// what a call does not come to is none. Likewise lines that getline reads. Each case has a twin
// that is right: the other thread is joined first, or what it changes lies beside what the call
// fills.
// RUN: heddle run --runs=30 -- fscanf
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- fscanf joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- sscanf
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- sscanf joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- failed
// EXPECT: clean
// RUN: heddle run --runs=30 -- from
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- from joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- text
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- text joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- text beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- set
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- set beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- wide
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- wide beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- characters
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- characters beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- count
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- missed
// EXPECT: clean
// RUN: heddle run --runs=30 -- listed
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- getline
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- getline joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- getline beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- getdelim
// EXPECT: kind=race
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static int number;
static int number_beside;
static char input[16] = "12 34";
static char text[16] = "--------------";
static wchar_t wide[16];
static char* line;
static size_t room;
static int at = 3;
static const char* call;

static int Is(const char* word) { return strcmp(call, word) == 0; }

static void* Change(void* unused) {
  if (Is("from")) {
    input[1] = '7';
  } else if (Is("text") || Is("set") || Is("characters")) {
    text[at] = 'X';
  } else if (Is("wide")) {
    wide[at] = L'X';
  } else if (Is("getline") || Is("getdelim")) {
    line[at] = 'X';
  } else {
    number = 5;
  }
  return unused;
}

static int List(const char* from, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int result = vsscanf(from, format, list);
  va_end(list);
  return result;
}

// Three characters and the zero are filled; or four characters.
static void Use(void) {
  if (Is("fscanf")) {
    FILE* const file = fmemopen(input, 6, "r");
    assert(fscanf(file, "%d %d", &number_beside, &number) == 2);
    fclose(file);
  }
  if (Is("sscanf")) assert(sscanf("1 2", "%d%d", &number_beside, &number) == 2);
  if (Is("failed")) assert(sscanf("1 x", "%d%d", &number_beside, &number) == 1);
  if (Is("from")) assert(sscanf(input, "%d", &number) == 1);
  if (Is("text")) {
    double real = 0;
    char one = 0;
    assert(sscanf("abc 2.5 z", "%s %lf %c", text, &real, &one) == 3);
    assert(real == 2.5 && one == 'z' && text[2] == 'c');
  }
  if (Is("set")) assert(sscanf("a]c,", "%5[]a-c]", text) == 1 && text[2] == 'c');
  if (Is("wide")) assert(sscanf("abc d", "%9ls", wide) == 1 && wide[2] == L'c');
  if (Is("characters")) assert(sscanf("abcdef", "%4c", text) == 1 && text[2] == 'c');
  if (Is("count")) assert(sscanf("12 ", "%d%n", &number_beside, &number) == 1);
  if (Is("missed")) assert(sscanf("12 ", "%d,%n", &number_beside, &number) == 1);
  if (Is("listed")) assert(List("7 8", "%d %d", &number_beside, &number) == 2);
  if (Is("getline") || Is("getdelim")) {
    FILE* const file = fmemopen(Is("getline") ? "abc\n" : "abc;", 4, "r");
    const ssize_t size =
        Is("getline") ? getline(&line, &room, file) : getdelim(&line, &room, ';', file);
    assert(size == 4 && strncmp(line, "abc", 3) == 0);
    fclose(file);
  }
}

int main(int count, char** words) {
  assert(count > 1);
  call = words[1];
  const char* const how = count > 2 ? words[2] : "";
  line = malloc(room = 16);
  if (strcmp(how, "beside") == 0) at = Is("getline") || Is("getdelim") ? 5 : 4;
  pthread_t other;
  pthread_create(&other, NULL, Change, NULL);
  if (strcmp(how, "joined") == 0) pthread_join(other, NULL);
  Use();
  if (strcmp(how, "joined") != 0) pthread_join(other, NULL);
  free(line);
}
