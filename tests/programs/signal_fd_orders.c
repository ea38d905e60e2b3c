// Whether a signal is there when a signalfd is looked at depends on the schedule: two that are sent
// before the first is read are one. A search sees it; a thread that waits for each is right.
// RUN: heddle run --runs=200 -- twice
// EXPECT: kind=deadlock, any-schedule
// RUN: heddle run --strategy=optimal-dpor --runs=200 -- twice
// EXPECT: kind=deadlock, any-schedule
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- early
// EXPECT: kind=assertion
// RUN: heddle run --strategy=dfs --runs=2000 -- alarm
// EXPECT: kind=assertion
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- late
// EXPECT: kind=assertion
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- once
// EXPECT: clean, complete
// RUN: heddle run --runs=100 -- race
// EXPECT: kind=race
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int signals, data, tells = 1;
static sigset_t set;

static void* Send(void* how) {
  data = 1;
  kill(getpid(), SIGUSR1);
  if (strcmp(how, "twice") == 0) kill(getpid(), SIGUSR1);
  if (strcmp(how, "race") == 0) data = 2;
  return NULL;
}

static int Read(void) {
  struct signalfd_siginfo info;
  return read(signals, &info, sizeof info) == sizeof info;
}

int main(int count, char** words) {
  assert(count == 2);
  const char* const how = words[1];
  const int is_early = strcmp(how, "early") == 0, is_late = strcmp(how, "late") == 0;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  const int flags = is_early || is_late || strcmp(how, "alarm") == 0 ? SFD_NONBLOCK : 0;
  // The signal may be there before the descriptor is.
  if (!is_late) signals = signalfd(-1, &set, flags);
  if (strcmp(how, "alarm") == 0) alarm(1);
  pthread_t thread;
  pthread_create(&thread, NULL, Send, words[1]);
  if (is_late) signals = signalfd(-1, &set, flags);
  if (strcmp(how, "alarm") == 0) {
    tells = Read() + Read();
    pthread_join(thread, NULL);
    assert(tells < 2);
  } else {
    assert(Read() == !(is_early || is_late));
    assert(is_early || is_late || data >= 1);
    if (strcmp(how, "twice") == 0) assert(Read());
  }
  if (strcmp(how, "alarm") != 0) pthread_join(thread, NULL);
}
