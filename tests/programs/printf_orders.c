// A string is printed as it is when it is read, and a text is there from its event on: both orders
// with what another thread does are tried, also between two readings in one call. All other
// arguments arrive as they are.
// RUN: heddle run --strategy=optimal-dpor --keep-going -- twice ab|ab
// EXPECT: kinds=assertion+race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- twice ab|aX
// EXPECT: kinds=assertion+race, complete
// RUN: heddle run --strategy=optimal-dpor --keep-going -- twice aX|aX
// EXPECT: kinds=assertion+race, complete
// RUN: heddle run --strategy=optimal-dpor --keep-going -- twice aX|ab
// EXPECT: kinds=race, complete, any-schedule
// RUN: heddle run --strategy=dfs --keep-going -- twice aX|ab
// EXPECT: kinds=race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- made 12
// EXPECT: kinds=assertion+race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- made __
// EXPECT: kinds=assertion+race, complete
// RUN: heddle run --strategy=optimal-dpor --keep-going -- made 1_
// EXPECT: kinds=race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- longer ab
// EXPECT: kinds=assertion+race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- longer abXYZ
// EXPECT: kinds=assertion+race, complete
// RUN: heddle run --strategy=optimal-dpor --keep-going -- longer abX
// EXPECT: kinds=race, complete
// RUN: heddle run --strategy=optimal-dpor -- freed
// EXPECT: kinds=race+use-after-free
// RUN: heddle run --strategy=optimal-dpor -- freed behind
// EXPECT: clean, complete
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[8] = "ab";
static char made[8] = "__";
static char seen[8];
static char* block;

static void* Change(void* unused) {
  text[1] = 'X';
  return unused;
}
static void* Lengthen(void* unused) {
  memcpy(text + 2, "XYZ", 4);
  return unused;
}
static void* Look(void* unused) {
  memcpy(seen, made, 3);
  return unused;
}
static void* Free(void* unused) {
  free(block);
  return unused;
}

int main(int count, char** words) {
  assert(count > 1);
  const char* const never = count > 2 ? words[2] : "";
  pthread_t other;
  if (strcmp(words[1], "twice") == 0) {
    char own[64];
    int counted = 0;
    pthread_create(&other, NULL, Change, NULL);
    // More than there are registers for, of every kind.
    snprintf(own, sizeof own, "%s|%.*s%n %d%ld%c %.1f %.1Lf %d %.1f %s %.1Lf", text, 9, text,
             &counted, 1, 2L, '3', 4.5, 5.5L, 6, 7.5, (const char*)"end", 8.5L);
    pthread_join(other, NULL);
    assert(counted == 5 && strcmp(own + counted, " 123 4.5 5.5 6 7.5 end 8.5") == 0);
    own[counted] = 0;
    assert(strcmp(own, never) != 0);
  } else if (strcmp(words[1], "longer") == 0) {
    char own[64];
    pthread_create(&other, NULL, Lengthen, NULL);
    snprintf(own, sizeof own, "%s", text);
    pthread_join(other, NULL);
    assert(strcmp(own, never) != 0);
  } else if (strcmp(words[1], "made") == 0) {
    pthread_create(&other, NULL, Look, NULL);
    assert(snprintf(made, sizeof made, "%d", 12) == 2);
    pthread_join(other, NULL);
    assert(strcmp(seen, never) != 0);
  } else {
    block = malloc(8);
    memcpy(block, "abc", 4);
    if (count > 2) assert(printf("%s\n", block) == 4);
    pthread_create(&other, NULL, Free, NULL);
    if (count == 2) assert(printf("%s\n", block) == 4);
    pthread_join(other, NULL);
  }
}
