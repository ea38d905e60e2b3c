// A pointer into the middle of a block is freed.
// RUN: heddle run --runs=10
// EXPECT: kind=invalid-free, any-schedule
#include <stdlib.h>

int main(void) {
  char* block = malloc(100);
  char* volatile middle = block + 16;
  free(middle);
}
