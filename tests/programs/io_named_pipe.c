// Opening a named pipe waits for the other end; both are in the program, so nobody outside is waited
// for.
// RUN: heddle run --strategy=dfs
// EXPECT: clean, complete
// RUN: heddle run --strategy=dfs -- streams
// EXPECT: clean, complete
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[200];
static int uses_streams;

static void* Write(void* unused) {
  if (uses_streams) {
    FILE* stream = fopen(path, "w");
    assert(stream != NULL && fileno(stream) >= 0);
    assert(fprintf(stream, "%s\n", "hello") == 6);
    assert(fclose(stream) == 0);
    return unused;
  }
  const int end = open(path, O_WRONLY);
  assert(end >= 0 && (fcntl(end, F_GETFL) & O_NONBLOCK) == 0);
  assert(write(end, "hello\n", 6) == 6);
  close(end);
  return unused;
}

int main(int argc, char** argv) {
  uses_streams = argc > 1 && strcmp(argv[1], "streams") == 0;
  const char* folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/named-%d", folder != NULL ? folder : "/tmp", (int)getpid());
  assert(mkfifo(path, 0600) == 0);
  pthread_t writer;
  pthread_create(&writer, NULL, Write, NULL);
  char line[16] = "";
  if (uses_streams) {
    FILE* stream = fopen(path, "r");
    assert(stream != NULL);
    assert(fgets(line, sizeof line, stream) == line && strcmp(line, "hello\n") == 0);
    assert(fgetc(stream) == EOF);
    fclose(stream);
  } else {
    const int end = open(path, O_RDONLY);
    assert(end >= 0);
    assert(read(end, line, sizeof line) == 6 && strcmp(line, "hello\n") == 0);
    assert(read(end, line, sizeof line) == 0);
    close(end);
  }
  pthread_join(writer, NULL);
  unlink(path);
}
