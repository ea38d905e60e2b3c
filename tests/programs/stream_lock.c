// A thread that holds a stream is not interrupted in what it prints.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static FILE* out;

static void* Print(void* letter) {
  flockfile(out);
  fputs(letter, out);
  fprintf(out, "%s", (const char*)letter);
  funlockfile(out);
  return NULL;
}

int main(void) {
  char text[32] = "";
  out = fmemopen(text, sizeof text, "w");
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, Print, "a");
  pthread_create(&threads[1], NULL, Print, "b");
  fputc('c', out);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  fclose(out);
  assert(strlen(text) == 5);
  assert(strstr(text, "aa") != NULL && strstr(text, "bb") != NULL);
}
