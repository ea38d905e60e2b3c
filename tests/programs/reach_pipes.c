// Pipes and pairs of sockets are ports: what is explored is the order of the messages.
// Two who write, one who reads both: which is first.
// RUN: heddle run --strategy=reachability -- pipe
// EXPECT: clean, complete, runs=2, output~2 SYN-sequences; these are all.
// Two who write two messages each: the orders of four with two fixed pairs.
// RUN: heddle run --strategy=reachability -- four
// EXPECT: clean, complete, runs=6, output~6 SYN-sequences; these are all.
// A request and its answer, between two: there is no choice.
// RUN: heddle run --strategy=reachability -- answer
// EXPECT: clean, complete, runs=1, output~1 SYN-sequences; these are all.
// The reader sees the end when both have closed it.
// RUN: heddle run --strategy=reachability -- end
// EXPECT: clean, complete, output~these are all.
// A reader that takes whatever is there depends on more than the order.
// RUN: heddle run --strategy=reachability -- greedy
// EXPECT: clean, output~takes what happens to be there
// A message that nobody sends.
// RUN: heddle run --strategy=reachability --keep-going -- lost
// EXPECT: kind=deadlock, any-schedule, complete, output~these are all.
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];
static int copy = -1;
static int pieces[8];

static void* Write(void* argument) {
  if (write(ends[1], argument, sizeof(int)) != sizeof(int)) return argument;
  return NULL;
}

static void* WriteTwice(void* argument) {
  return Write(argument) != NULL ? argument : Write(argument);
}

static void* WriteAndClose(void* argument) {
  const int mine = *(int*)argument == 0 ? ends[1] : copy;
  if (write(mine, argument, sizeof(int)) != sizeof(int)) return argument;
  close(mine);
  return NULL;
}

static void* Answer(void* argument) {
  int message = 0;
  if (read(ends[1], &message, sizeof message) != sizeof message) return argument;
  ++message;
  if (write(ends[1], &message, sizeof message) != sizeof message) return argument;
  return NULL;
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  static int names[2] = {0, 1};
  pthread_t threads[2];
  int failures = 0;
  void* result = NULL;
  if (strcmp(what, "answer") == 0) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
    pthread_create(&threads[0], NULL, Answer, &names[0]);
    int message = 41;
    if (write(ends[0], &message, sizeof message) != sizeof message) return 1;
    if (read(ends[0], &message, sizeof message) != sizeof message) return 1;
    pthread_join(threads[0], &result);
    return result != NULL || message != 42;
  }
  if (pipe(ends) != 0) return 1;
  const int closes = strcmp(what, "end") == 0;
  if (closes) copy = dup(ends[1]);
  const int messages = strcmp(what, "four") == 0 ? 2 : 1;
  for (int i = 0; i < 2; ++i) {
    pthread_create(&threads[i], NULL,
                   closes          ? WriteAndClose
                   : messages == 2 ? WriteTwice
                                   : Write,
                   &names[i]);
  }
  int wanted = 2 * messages + (strcmp(what, "lost") == 0 ? 1 : 0);
  if (strcmp(what, "greedy") == 0) {
    for (ssize_t got = 0; got < (ssize_t)(2 * sizeof(int));) {
      got += read(ends[0], (char*)pieces + got, sizeof pieces - (size_t)got);
    }
    wanted = 0;
  }
  for (int i = 0; i < wanted; ++i) {
    if (read(ends[0], &pieces[i], sizeof pieces[i]) != sizeof pieces[i]) ++failures;
  }
  if (closes && read(ends[0], &pieces[0], sizeof pieces[0]) != 0) ++failures;
  for (int i = 0; i < 2; ++i) {
    pthread_join(threads[i], &result);
    failures += result != NULL;
  }
  return failures;
}
