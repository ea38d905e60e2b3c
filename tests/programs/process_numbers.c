// What getpid and gettid say can be handed back to the system, and to who signals: they mean this
// process and its threads.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t handled, value, sender;

static void Handle(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  ++handled;
  value = info->si_value.sival_int;
  sender = info->si_pid;
}

static void* Run(void* unused) {
  assert(tgkill(getpid(), gettid(), SIGUSR1) == 0 && handled == 1 && sender == getpid());
  assert(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1) == 0 && handled == 2);
  assert(syscall(SYS_tkill, gettid(), SIGUSR1) == 0 && handled == 3);
  assert(kill(getpid(), 0) == 0 && syscall(SYS_kill, getpid(), 0) == 0);

  assert(getpgid(getpid()) == getpgrp() && getsid(getpid()) == getsid(0));
  cpu_set_t processors;
  assert(sched_getaffinity(getpid(), sizeof processors, &processors) == 0);
  assert(sched_getaffinity(gettid(), sizeof processors, &processors) == 0);
  assert(sched_getscheduler(getpid()) == sched_getscheduler(0));
  assert(getpriority(PRIO_PROCESS, getpid()) == getpriority(PRIO_PROCESS, 0));
  struct rlimit limit;
  assert(prlimit(getpid(), RLIMIT_NOFILE, NULL, &limit) == 0);

  int ends[2];
  struct ucred peer;
  socklen_t size = sizeof peer;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  assert(getsockopt(ends[0], SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == getpid());
  close(ends[0]);
  close(ends[1]);
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = Handle, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, Run, NULL);
  pthread_join(thread, NULL);
  const union sigval sent = {.sival_int = 42};
  assert(sigqueue(getpid(), SIGUSR1, sent) == 0 && handled == 4 && value == 42);
}
