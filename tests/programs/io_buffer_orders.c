// What is sent is the buffer as it is then, and what is received is in the buffer from then on:
// both orders with what another thread does to it are tried, also where the call has to wait first.
// RUN: heddle run --strategy=optimal-dpor --keep-going -- before
// EXPECT: kinds=assertion+race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- behind
// EXPECT: kinds=assertion+race, complete, any-schedule
// RUN: heddle run --strategy=dfs --keep-going -- behind
// EXPECT: kinds=assertion+race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- before received
// EXPECT: kinds=assertion+race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- behind received
// EXPECT: kinds=assertion+race, complete, any-schedule
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static char buffer[4] = "abc";
static char seen;
static int pipes[2];

static void* Send(void* unused) {
  assert(write(pipes[1], buffer, 3) == 3);
  return unused;
}
static void* Change(void* unused) {
  buffer[1] = 'X';
  return unused;
}
static void* Look(void* unused) {
  seen = buffer[1];
  return unused;
}

int main(int count, char** words) {
  const int receives = count > 2;
  const int before = count > 1 && strcmp(words[1], "before") == 0;
  assert(pipe(pipes) == 0);
  pthread_t sender, other;
  if (receives) {
    assert(write(pipes[1], "123", 3) == 3);
    pthread_create(&other, NULL, Look, NULL);
    assert(read(pipes[0], buffer, 3) == 3);
    pthread_join(other, NULL);
    assert(seen != (before ? 'b' : '2'));
    return 0;
  }
  pthread_create(&sender, NULL, Send, NULL);
  pthread_create(&other, NULL, Change, NULL);
  char received[3];
  assert(read(pipes[0], received, 3) == 3);
  pthread_join(sender, NULL);
  pthread_join(other, NULL);
  assert(received[1] != (before ? 'b' : 'X'));
}
