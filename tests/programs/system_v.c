// System V message queues and semaphores: waits for a message of a type, for room, for several
// semaphores at a time, for zero.
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- types
// EXPECT: clean, complete
// RUN: heddle run --strategy=dfs --runs=5000 -- types
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- full
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- mutex
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- both
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- zero
// EXPECT: clean, complete
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- removed
// EXPECT: clean, complete
// RUN: heddle run --runs=100 -- timed
// EXPECT: clean
// RUN: heddle run --runs=100 -- deadlock
// EXPECT: kind=deadlock, output~System V semaphores
// RUN: heddle run --strategy=optimal-dpor --runs=500 -- deadlock
// EXPECT: kind=deadlock
// RUN: heddle run --runs=50 -- silence
// EXPECT: kind=deadlock, any-schedule, output~something to receive
// RUN: heddle run --strategy=dpor --runs=500 -- busy
// EXPECT: kind=assertion
// RUN: heddle run --runs=100 -- race
// EXPECT: kind=race
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <time.h>

struct Message {
  long type;
  int number;
};

static int queue, set, data, unprotected;
static const char* how;

static int Is(const char* what) { return strcmp(how, what) == 0; }

static void Send(long type) {
  const struct Message message = {type, (int)type};
  assert(msgsnd(queue, &message, sizeof message.number, 0) == 0);
}

static int Receive(long type, int flags) {
  struct Message message;
  const ssize_t got = msgrcv(queue, &message, sizeof message.number, type, flags);
  assert(got == sizeof message.number && message.type == message.number);
  return message.number;
}

static int Change(int which, int by, int flags) {
  struct sembuf operation = {(unsigned short)which, (short)by, (short)flags};
  return semop(set, &operation, 1);
}

static int ChangeBoth(int by) {
  struct sembuf operations[] = {{0, (short)by, 0}, {1, (short)by, 0}};
  return semop(set, operations, 2);
}

static void* Work(void* unused) {
  if (Is("types")) {
    Send(2);
    data = 1;
    Send(1);
  } else if (Is("full")) {
    Send(1);
    Send(2);
  } else if (Is("mutex") || Is("race") || Is("busy")) {
    assert(Change(0, -1, 0) == 0);
    ++data;
    assert(Change(0, 1, 0) == 0);
    if (Is("race")) ++unprotected;
  } else if (Is("both")) {
    assert(ChangeBoth(-1) == 0);
    ++data;
    assert(ChangeBoth(1) == 0);
  } else if (Is("zero")) {
    data = 1;
    assert(Change(0, -1, 0) == 0);
  } else if (Is("removed")) {
    assert(semctl(set, 0, IPC_RMID) == 0);
  } else if (Is("deadlock")) {
    assert(Change(1, -1, 0) == 0 && Change(0, -1, 0) == 0);
    assert(ChangeBoth(1) == 0);
  } else if (Is("silence")) {
    Receive(1, 0);
  }
  return unused;
}

static void WorkToo(void) {
  if (Is("types")) {
    assert(Receive(1, 0) == 1 && data == 1);
    assert(Receive(1, MSG_EXCEPT) == 2);
  } else if (Is("full")) {
    assert(Receive(0, 0) == 1 && Receive(-2, 0) == 2);
  } else if (Is("zero")) {
    assert(Change(0, 0, 0) == 0 && data == 1);
  } else if (Is("removed")) {
    assert(Change(0, -2, 0) == -1 && (errno == EIDRM || errno == EINVAL));
  } else if (Is("deadlock")) {
    assert(Change(0, -1, 0) == 0 && Change(1, -1, 0) == 0);
    assert(ChangeBoth(1) == 0);
  } else if (Is("silence")) {
    Receive(2, 0);
  } else if (Is("busy")) {
    const int got = Change(0, -1, IPC_NOWAIT);
    assert(got == 0);
    Change(0, 1, 0);
  } else if (Is("timed")) {
    struct sembuf operation = {0, -2, 0};
    const struct timespec second = {1, 0};
    assert(semtimedop(set, &operation, 1, &second) == -1 && errno == EAGAIN);
  } else {
    Work(NULL);
  }
}

int main(int count, char** words) {
  assert(count == 2);
  how = words[1];
  queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
  set = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600);
  assert(queue >= 0 && set >= 0);
  assert(ChangeBoth(1) == 0 && semctl(set, 0, GETVAL) == 1);
  if (Is("full")) {
    struct msqid_ds state;
    assert(msgctl(queue, IPC_STAT, &state) == 0);
    state.msg_qbytes = sizeof(int);
    assert(msgctl(queue, IPC_SET, &state) == 0);
  }
  pthread_t thread;
  pthread_create(&thread, NULL, Work, NULL);
  WorkToo();
  pthread_join(thread, NULL);
  if (Is("mutex") || Is("both")) assert(data == 2);
  assert(msgctl(queue, IPC_RMID, NULL) == 0);
  if (!Is("removed")) assert(semctl(set, 0, IPC_RMID) == 0);
}
