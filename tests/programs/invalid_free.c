// A pointer into the middle of a block is freed, or one to memory that nobody allocated.
// RUN: heddle run --runs=10 -- middle
// EXPECT: kind=invalid-free, any-schedule
// RUN: heddle run --runs=10 -- static
// EXPECT: kind=invalid-free, any-schedule
// RUN: heddle run --runs=10 -- local
// EXPECT: kind=invalid-free, any-schedule
#include <stdlib.h>

static char memory[100];

int main(int count, char** words) {
  (void)count;
  char local[100];
  char* const block = malloc(100);
  const char what = words[1][0];
  char* volatile wrong = what == 'm' ? block + 16 : what == 's' ? memory + 16 : local + 16;
  free(wrong);
}
