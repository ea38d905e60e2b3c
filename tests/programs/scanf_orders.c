// What scanf fills is there from its event on, each conversion at its own: all orders with another
// thread are tried. A line that does not fit makes its block grow.
// RUN: heddle run --strategy=optimal-dpor --keep-going -- value 1,2
// EXPECT: kinds=assertion+race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- value 1,0
// EXPECT: kinds=assertion+race, complete
// RUN: heddle run --strategy=optimal-dpor --keep-going -- value 0,2
// EXPECT: kinds=race, complete, any-schedule
// RUN: heddle run --strategy=dfs --keep-going -- value 0,2
// EXPECT: kinds=race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- text ab
// EXPECT: kinds=assertion+race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- text __
// EXPECT: kinds=assertion+race, complete
// RUN: heddle run --strategy=optimal-dpor --keep-going -- text a_
// EXPECT: kinds=race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor -- freed
// EXPECT: kinds=use-after-free+race
// RUN: heddle run --runs=30 -- grows
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int first, second;
static char text[8] = "__";
static char seen[8];
static int* block;

static void* Numbers(void* unused) {
  const int two = second, one = first;
  snprintf(seen, sizeof seen, "%d,%d", one, two);
  return unused;
}
static void* Text(void* unused) {
  memcpy(seen, text, 3);
  return unused;
}
static void* Free(void* unused) {
  free(block);
  return unused;
}
static void* Nothing(void* unused) { return unused; }

static void Grow(void) {
  char* line = NULL;
  size_t room = 0;
  FILE* const file = tmpfile();
  for (int i = 0; i < 400; ++i) fputs("ab", file);
  fputs("\nlast", file);
  rewind(file);
  assert(getline(&line, &room, file) == 801 && room > 801 && strlen(line) == 801);
  assert(getline(&line, &room, file) == 4 && strcmp(line, "last") == 0);
  assert(getline(&line, &room, file) == -1 && feof(file));
  free(line);
  fclose(file);
}

int main(int count, char** words) {
  assert(count > 1);
  const char* const never = count > 2 ? words[2] : "";
  pthread_t other;
  if (strcmp(words[1], "grows") == 0) {
    pthread_create(&other, NULL, Nothing, NULL);
    Grow();
    pthread_join(other, NULL);
  } else if (strcmp(words[1], "freed") == 0) {
    block = calloc(1, sizeof *block);
    pthread_create(&other, NULL, Free, NULL);
    sscanf("1", "%d", block);
    pthread_join(other, NULL);
  } else {
    const int is_text = strcmp(words[1], "text") == 0;
    pthread_create(&other, NULL, is_text ? Text : Numbers, NULL);
    if (is_text) {
      assert(sscanf("ab cd", "%s", text) == 1);
    } else {
      assert(sscanf("1 2", "%d %d", &first, &second) == 2);
    }
    pthread_join(other, NULL);
    assert(strcmp(seen, never) != 0);
  }
}
