// Streams of stdio on sockets: a thread that waits in one lets the others go on, also in the same
// stream; what is left in a buffer is written at the end.
// RUN: heddle run --strategy=dfs
// EXPECT: clean, complete
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static int ends[2];

static void* Answer(void* unused) {
  FILE* stream = fdopen(ends[1], "r+");
  char line[32];
  int number = 0;
  assert(fscanf(stream, "%d", &number) == 1 && number == 42);
  assert(fgets(line, sizeof line, stream) == line && strcmp(line, "\n") == 0);
  fputs("yes\n", stream);
  fclose(stream);
  return unused;
}

int main(void) {
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, Answer, NULL);
  FILE* out = fdopen(ends[0], "r+");
  fprintf(out, "%d\n", 42);
  assert(fflush(out) == 0);
  char line[32];
  assert(fgets(line, sizeof line, out) == line && strcmp(line, "yes\n") == 0);
  assert(fgets(line, sizeof line, out) == NULL && feof(out));
  pthread_join(thread, NULL);
  int more[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, more) == 0);
  fputs("never flushed\n", fdopen(more[0], "w"));
}
