// The functions behind the ones heddle interposes, as libc has them.
#ifndef HEDDLE_RUNTIME_INTERPOSE_REAL_H_
#define HEDDLE_RUNTIME_INTERPOSE_REAL_H_

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

// X(function, symbol version or nullptr)
#define HEDDLE_REAL_FUNCTIONS(X)           \
  X(pthread_create, nullptr)               \
  X(pthread_join, nullptr)                 \
  X(pthread_tryjoin_np, nullptr)           \
  X(pthread_timedjoin_np, nullptr)         \
  X(pthread_clockjoin_np, nullptr)         \
  X(pthread_detach, nullptr)               \
  X(pthread_getattr_np, nullptr)           \
  X(pthread_exit, nullptr)                 \
  X(pthread_setname_np, nullptr)           \
  X(pthread_getname_np, nullptr)           \
  X(pthread_kill, nullptr)                 \
  X(pthread_cancel, nullptr)               \
  X(pthread_sigmask, nullptr)              \
  X(pthread_key_create, nullptr)           \
  X(pthread_key_delete, nullptr)           \
  X(pthread_setspecific, nullptr)          \
  X(pthread_getspecific, nullptr)          \
  X(pthread_once, nullptr)                 \
  X(pthread_mutex_init, nullptr)           \
  X(pthread_mutex_destroy, nullptr)        \
  X(pthread_mutex_lock, nullptr)           \
  X(pthread_mutex_trylock, nullptr)        \
  X(pthread_mutex_timedlock, nullptr)      \
  X(pthread_mutex_clocklock, nullptr)      \
  X(pthread_mutex_unlock, nullptr)         \
  X(pthread_cond_init, "GLIBC_2.3.2")      \
  X(pthread_cond_destroy, "GLIBC_2.3.2")   \
  X(pthread_cond_wait, "GLIBC_2.3.2")      \
  X(pthread_cond_timedwait, "GLIBC_2.3.2") \
  X(pthread_cond_clockwait, nullptr)       \
  X(pthread_cond_signal, "GLIBC_2.3.2")    \
  X(pthread_cond_broadcast, "GLIBC_2.3.2") \
  X(sem_init, nullptr)                     \
  X(sem_destroy, nullptr)                  \
  X(sem_wait, nullptr)                     \
  X(sem_trywait, nullptr)                  \
  X(sem_timedwait, nullptr)                \
  X(sem_clockwait, nullptr)                \
  X(sem_post, nullptr)                     \
  X(sem_getvalue, nullptr)                 \
  X(pthread_mutex_consistent, nullptr)     \
  X(pthread_rwlock_init, nullptr)          \
  X(pthread_rwlock_destroy, nullptr)       \
  X(pthread_rwlock_rdlock, nullptr)        \
  X(pthread_rwlock_wrlock, nullptr)        \
  X(pthread_rwlock_tryrdlock, nullptr)     \
  X(pthread_rwlock_trywrlock, nullptr)     \
  X(pthread_rwlock_timedrdlock, nullptr)   \
  X(pthread_rwlock_timedwrlock, nullptr)   \
  X(pthread_rwlock_clockrdlock, nullptr)   \
  X(pthread_rwlock_clockwrlock, nullptr)   \
  X(pthread_rwlock_unlock, nullptr)        \
  X(pthread_barrier_init, nullptr)         \
  X(pthread_barrier_destroy, nullptr)      \
  X(pthread_barrier_wait, nullptr)         \
  X(pthread_spin_init, nullptr)            \
  X(pthread_spin_destroy, nullptr)         \
  X(pthread_spin_lock, nullptr)            \
  X(pthread_spin_trylock, nullptr)         \
  X(pthread_spin_unlock, nullptr)          \
  X(sem_open, nullptr)                     \
  X(sem_close, nullptr)                    \
  X(sem_unlink, nullptr)                   \
  X(thrd_create, nullptr)                  \
  X(thrd_join, nullptr)                    \
  X(thrd_detach, nullptr)                  \
  X(thrd_exit, nullptr)                    \
  X(mtx_init, nullptr)                     \
  X(mtx_destroy, nullptr)                  \
  X(mtx_lock, nullptr)                     \
  X(mtx_timedlock, nullptr)                \
  X(mtx_trylock, nullptr)                  \
  X(mtx_unlock, nullptr)                   \
  X(cnd_destroy, nullptr)                  \
  X(cnd_wait, nullptr)                     \
  X(cnd_timedwait, nullptr)                \
  X(cnd_signal, nullptr)                   \
  X(cnd_broadcast, nullptr)                \
  X(call_once, nullptr)                    \
  X(pthread_setcancelstate, nullptr)       \
  X(pthread_setcanceltype, nullptr)        \
  X(pthread_testcancel, nullptr)           \
  X(pthread_sigqueue, nullptr)             \
  X(raise, nullptr)                        \
  X(kill, nullptr)                         \
  X(sigprocmask, nullptr)                  \
  X(sigpending, nullptr)                   \
  X(sigwait, nullptr)                      \
  X(sigwaitinfo, nullptr)                  \
  X(sigtimedwait, nullptr)                 \
  X(sigsuspend, nullptr)                   \
  X(pause, nullptr)                        \
  X(read, nullptr)                         \
  X(readv, nullptr)                        \
  X(write, nullptr)                        \
  X(writev, nullptr)                       \
  X(recv, nullptr)                         \
  X(recvfrom, nullptr)                     \
  X(recvmsg, nullptr)                      \
  X(send, nullptr)                         \
  X(sendto, nullptr)                       \
  X(sendmsg, nullptr)                      \
  X(accept, nullptr)                       \
  X(accept4, nullptr)                      \
  X(connect, nullptr)                      \
  X(close, nullptr)                        \
  X(shutdown, nullptr)                     \
  X(pipe, nullptr)                         \
  X(pipe2, nullptr)                        \
  X(socketpair, nullptr)                   \
  X(eventfd, nullptr)                      \
  X(poll, nullptr)                         \
  X(ppoll, nullptr)                        \
  X(select, nullptr)                       \
  X(pselect, nullptr)                      \
  X(epoll_wait, nullptr)                   \
  X(epoll_pwait, nullptr)                  \
  X(epoll_ctl, nullptr)                    \
  X(timerfd_create, nullptr)               \
  X(timerfd_settime, nullptr)              \
  X(timerfd_gettime, nullptr)              \
  X(sched_yield, nullptr)                  \
  X(nanosleep, nullptr)                    \
  X(clock_nanosleep, nullptr)              \
  X(usleep, nullptr)                       \
  X(sleep, nullptr)                        \
  X(clock_gettime, nullptr)                \
  X(gettimeofday, nullptr)                 \
  X(time, nullptr)                         \
  X(timespec_get, nullptr)                 \
  X(syscall, nullptr)                      \
  X(exit, nullptr)                         \
  X(_exit, nullptr)                        \
  X(quick_exit, nullptr)                   \
  X(_Fork, nullptr)                        \
  X(fork, nullptr)                         \
  X(sigaction, nullptr)                    \
  X(signal, nullptr)

namespace heddle::real {

#define HEDDLE_X(name, version) extern decltype(&::name) name;
HEDDLE_REAL_FUNCTIONS(HEDDLE_X)
#undef HEDDLE_X

// Once, before any of them is called.
void Resolve();

}  // namespace heddle::real

#endif  // HEDDLE_RUNTIME_INTERPOSE_REAL_H_
