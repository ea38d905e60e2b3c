// Sockets and eventfds are ports, too, when both ends are in the program.
// Two who connect, one who accepts them in order and reads a message of each: who is first.
// RUN: heddle run --strategy=reachability:check=on -- tcp
// EXPECT: clean, complete, runs=2, output~2 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability:check=on -- unix
// EXPECT: clean, complete, runs=2, output~2 SYN-sequences; these are all.
// A request and its answer over a connection: there is no choice.
// RUN: heddle run --strategy=reachability:check=on -- answer
// EXPECT: clean, complete, runs=1, output~1 SYN-sequences; these are all.
// One who shuts his side down, one who reads up to the end: no choice, and no data race.
// RUN: heddle run --strategy=reachability:check=on -- shutdown
// EXPECT: clean, complete, runs=1, output~1 SYN-sequences; these are all.
// Three datagrams of two senders: the orders of them with one fixed pair.
// RUN: heddle run --strategy=reachability:check=on -- udp
// EXPECT: clean, complete, runs=3, output~3 SYN-sequences; these are all.
// A datagram's sender is answered.
// RUN: heddle run --strategy=reachability:check=on -- udp-answer
// EXPECT: clean, complete, runs=2, output~2 SYN-sequences; these are all.
// Whole messages through a pair, read with room for more.
// RUN: heddle run --strategy=reachability:check=on -- packets
// EXPECT: clean, complete, runs=3, output~3 SYN-sequences; these are all.
// A counter that two add to and one takes from, all at a time: it may take both at once.
// RUN: heddle run --strategy=reachability:check=on -- counter
// EXPECT: clean, complete, runs=4, output~4 SYN-sequences; these are all.
// One at a time it is a semaphore.
// RUN: heddle run --strategy=reachability:check=on -- semaphore
// EXPECT: clean, complete, runs=4, output~4 SYN-sequences; these are all.
// One adds, two take everything: one of them waits for ever.
// RUN: heddle run --strategy=reachability:check=on --keep-going -- lost
// EXPECT: kind=deadlock, any-schedule, complete, runs=2, output~2 SYN-sequences; these are all.
// Who does not wait is not covered.
// RUN: heddle run --strategy=reachability -- nonblocking
// EXPECT: clean, output~a descriptor that is no pipe, socket or eventfd of the program
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_storage address;
static socklen_t address_length;
static int shared;  // a descriptor
static int told;    // before the other side may know

static int Bound(int family, int type) {
  const int mine = socket(family, type, 0);
  if (family == AF_INET) {
    struct sockaddr_in* const in = (struct sockaddr_in*)&address;
    in->sin_family = AF_INET;
    in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert(bind(mine, (struct sockaddr*)in, sizeof *in) == 0);
  } else {
    const sa_family_t any = AF_UNIX;  // the kernel chooses an abstract name
    assert(bind(mine, (const struct sockaddr*)&any, sizeof any) == 0);
  }
  address_length = sizeof address;
  assert(getsockname(mine, (struct sockaddr*)&address, &address_length) == 0);
  return mine;
}

static int Connected(void) {
  const int mine = socket(address.ss_family, SOCK_STREAM, 0);
  assert(connect(mine, (struct sockaddr*)&address, address_length) == 0);
  return mine;
}

static void* SendName(void* name) {
  const int mine = Connected();
  assert(send(mine, name, 1, 0) == 1);
  char answer = 0;
  assert(recv(mine, &answer, 1, 0) == 0);  // the other side has closed
  close(mine);
  return NULL;
}

static void Accept(int family) {
  const int listener = Bound(family, SOCK_STREAM);
  assert(listen(listener, 16) == 0);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, SendName, i == 0 ? "a" : "b");
  for (int i = 0; i < 2; ++i) {
    const int one = accept(listener, NULL, NULL);
    char name = 0;
    assert(recv(one, &name, 1, 0) == 1 && (name == 'a' || name == 'b'));
    close(one);
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  close(listener);
}

static void* Answer(void* unused) {
  const int one = accept(shared, NULL, NULL);
  int message = 0;
  assert(read(one, &message, sizeof message) == sizeof message);
  ++message;
  assert(write(one, &message, sizeof message) == sizeof message);
  close(one);
  return unused;
}

static void* ReadToEnd(void* unused) {
  const int one = accept(shared, NULL, NULL);
  char bytes[2];
  assert(read(one, bytes, 2) == 2);
  assert(read(one, bytes, 2) == 0);
  assert(told == 1);
  close(one);
  return unused;
}

static void* SendDatagrams(void* count) {
  const int mine = socket(AF_INET, SOCK_DGRAM, 0);
  for (long i = 0; i < (long)count; ++i) {
    assert(sendto(mine, "abc", 3, 0, (struct sockaddr*)&address, address_length) == 3);
  }
  close(mine);
  return NULL;
}

static void* AskByDatagram(void* unused) {
  const int mine = socket(AF_INET, SOCK_DGRAM, 0);
  assert(connect(mine, (struct sockaddr*)&address, address_length) == 0);
  char byte = 0;
  assert(send(mine, "?", 1, 0) == 1);
  assert(recv(mine, &byte, 1, 0) == 1 && byte == '!');
  close(mine);
  return unused;
}

static void* SendPackets(void* count) {
  for (long i = 0; i < (long)count; ++i) assert(write(shared, "abc", 3) == 3);
  return NULL;
}

static void* AddOne(void* unused) {
  assert(eventfd_write(shared, 1) == 0);
  return unused;
}

static void* TakeAll(void* unused) {
  eventfd_t got = 0;
  assert(eventfd_read(shared, &got) == 0);
  return unused;
}

static void Both(void* (*first)(void*), long one, void* (*second)(void*), long other,
                 void (*meanwhile)(void)) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, (void*)one);
  pthread_create(&threads[1], NULL, second, (void*)other);
  meanwhile();
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}

static void ReceiveThree(void) {
  char bytes[16];
  for (int i = 0; i < 3; ++i) assert(recv(shared, bytes, sizeof bytes, 0) == 3);
}

static int pair[2];
static void ReadThree(void) {
  char bytes[16];
  for (int i = 0; i < 3; ++i) assert(read(pair[0], bytes, sizeof bytes) == 3);
}

static void AnswerTwo(void) {
  for (int i = 0; i < 2; ++i) {
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    char byte = 0;
    assert(recvfrom(shared, &byte, 1, 0, (struct sockaddr*)&from, &length) == 1 && byte == '?');
    assert(sendto(shared, "!", 1, 0, (struct sockaddr*)&from, length) == 1);
  }
}

static void TakeTwo(void) {
  for (eventfd_t taken = 0; taken < 2;) {
    eventfd_t got = 0;
    assert(eventfd_read(shared, &got) == 0);
    taken += got;
  }
}

static void AddTwo(void) { assert(eventfd_write(shared, 2) == 0); }

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "tcp") == 0) Accept(AF_INET);
  if (strcmp(what, "unix") == 0) Accept(AF_UNIX);
  if (strcmp(what, "answer") == 0) {
    shared = Bound(AF_INET, SOCK_STREAM);
    assert(listen(shared, 16) == 0);
    pthread_t thread;
    pthread_create(&thread, NULL, Answer, NULL);
    const int mine = Connected();
    int message = 41;
    assert(write(mine, &message, sizeof message) == sizeof message);
    assert(read(mine, &message, sizeof message) == sizeof message && message == 42);
    pthread_join(thread, NULL);
    close(mine);
  }
  if (strcmp(what, "shutdown") == 0) {
    shared = Bound(AF_INET, SOCK_STREAM);
    assert(listen(shared, 16) == 0);
    pthread_t thread;
    pthread_create(&thread, NULL, ReadToEnd, NULL);
    const int mine = Connected();
    assert(write(mine, "ab", 2) == 2);
    told = 1;
    shutdown(mine, SHUT_WR);
    pthread_join(thread, NULL);
    close(mine);
  }
  if (strcmp(what, "udp") == 0) {
    shared = Bound(AF_INET, SOCK_DGRAM);
    Both(SendDatagrams, 2, SendDatagrams, 1, ReceiveThree);
    close(shared);
  }
  if (strcmp(what, "udp-answer") == 0) {
    shared = Bound(AF_INET, SOCK_DGRAM);
    Both(AskByDatagram, 0, AskByDatagram, 0, AnswerTwo);
    close(shared);
  }
  if (strcmp(what, "packets") == 0) {
    assert(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
    shared = pair[1];
    Both(SendPackets, 2, SendPackets, 1, ReadThree);
  }
  if (strcmp(what, "counter") == 0) {
    shared = eventfd(0, 0);
    Both(AddOne, 0, AddOne, 0, TakeTwo);
  }
  if (strcmp(what, "semaphore") == 0) {
    shared = eventfd(0, EFD_SEMAPHORE);
    Both(AddOne, 0, AddOne, 0, TakeTwo);
  }
  if (strcmp(what, "lost") == 0) {
    shared = eventfd(0, 0);
    Both(TakeAll, 0, TakeAll, 0, AddTwo);
  }
  if (strcmp(what, "nonblocking") == 0) {
    shared = eventfd(0, EFD_NONBLOCK);
    pthread_t thread;
    pthread_create(&thread, NULL, AddOne, NULL);
    eventfd_t got = 0;
    eventfd_read(shared, &got);
    pthread_join(thread, NULL);
  }
}
