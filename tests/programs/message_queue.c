// POSIX message queues: who receives waits for a message, who sends for room; the more urgent
// first.
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- order
// EXPECT: clean, complete
// RUN: heddle run --strategy=dpor --runs=500 -- order
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- full
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- urgent
// EXPECT: kind=assertion, any-schedule
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- calm
// EXPECT: kind=assertion
// RUN: heddle run --runs=50 -- deadlock
// EXPECT: kind=deadlock, any-schedule, output~something to receive
// RUN: heddle run --runs=50 -- crowded
// EXPECT: kind=deadlock, any-schedule, output~room to send
// RUN: heddle run --runs=100 -- timed
// EXPECT: clean
// RUN: heddle run --strategy=dpor --runs=500 -- nonblocking
// EXPECT: kind=assertion, any-schedule
// RUN: heddle run --runs=100 -- race
// EXPECT: kind=race
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static mqd_t queue;
static int data;
static const char* how;

static int Is(const char* what) { return strcmp(how, what) == 0; }

// Nobody else's: other runs are made at the same time.
static mqd_t Make(int room, int flags) {
  const char* const directory = getenv("TMPDIR");
  const char* const last = directory == NULL ? NULL : strrchr(directory, '/');
  char name[200];
  snprintf(name, sizeof name, "/%s-%d", last == NULL ? "queue" : last + 1, (int)getpid());
  struct mq_attr attributes = {.mq_maxmsg = room, .mq_msgsize = 8};
  const mqd_t made = mq_open(name, O_CREAT | O_EXCL | O_RDWR | flags, 0600, &attributes);
  assert(made >= 0);
  assert(mq_unlink(name) == 0);
  return made;
}

static void Send(int number, unsigned priority) {
  assert(mq_send(queue, (const char*)&number, sizeof number, priority) == 0);
}

static int Receive(void) {
  char bytes[8];
  unsigned priority = 0;
  assert(mq_receive(queue, bytes, sizeof bytes, &priority) == sizeof(int));
  int number;
  memcpy(&number, bytes, sizeof number);
  assert(!Is("urgent") || (int)priority == number);
  return number;
}

static void* Work(void* unused) {
  data = 1;
  Send(1, 1);
  if (Is("full") || Is("urgent") || Is("calm")) Send(2, 2);
  if (Is("race")) data = 2;
  return unused;
}

static void* Answer(void* unused) {
  Receive();
  Send(2, 0);
  return unused;
}

// Nothing comes in time: in virtual time, so a second is nothing.
static void ReceiveInVain(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  char bytes[8];
  until.tv_nsec = -1;
  assert(mq_timedreceive(queue, bytes, sizeof bytes, NULL, &until) == -1 && errno == EINVAL);
  until.tv_nsec = 0;
  until.tv_sec += 2;
  assert(mq_timedreceive(queue, bytes, sizeof bytes, NULL, &until) == -1 && errno == ETIMEDOUT);
}

// It may be there in time, or not.
static int ReceiveInTime(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 2;
  char bytes[8];
  if (mq_timedreceive(queue, bytes, sizeof bytes, NULL, &until) == sizeof(int)) return 1;
  assert(errno == ETIMEDOUT);
  return Receive();
}

int main(int count, char** words) {
  assert(count == 2);
  how = words[1];
  queue = Make(Is("full") || Is("crowded") ? 1 : 4, Is("nonblocking") ? O_NONBLOCK : 0);
  pthread_t thread;
  if (Is("crowded")) Send(0, 0);
  if (Is("timed")) ReceiveInVain();
  pthread_create(&thread, NULL, Is("deadlock") ? Answer : Work, NULL);
  if (Is("crowded")) {
    pthread_join(thread, NULL);
  } else if (Is("deadlock")) {
    Receive();
  } else if (Is("nonblocking")) {
    char bytes[8];
    assert(mq_receive(queue, bytes, sizeof bytes, NULL) == sizeof(int) || errno == EAGAIN);
    errno = 0;
    assert(mq_receive(queue, bytes, sizeof bytes, NULL) == sizeof(int) || errno != EAGAIN);
  } else if (Is("timed")) {
    assert(ReceiveInTime() == 1);
  } else {
    struct pollfd one = {queue, POLLIN, 0};
    if (Is("order")) assert(poll(&one, 1, -1) == 1 && one.revents == POLLIN);
    const int first = Receive();
    assert(data >= 1);
    if (Is("full")) assert(first == 1 && Receive() == 2);
    if (Is("urgent")) assert(first == 1);
    if (Is("calm")) assert(first == 2);
  }
  pthread_join(thread, NULL);
  mq_close(queue);
}
