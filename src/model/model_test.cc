#include <gtest/gtest.h>

#include "model/barrier.h"
#include "model/mutex.h"
#include "model/once.h"
#include "model/pending_signals.h"
#include "model/rwlock.h"
#include "model/semaphore.h"
#include "model/wait_queue.h"

namespace heddle {
namespace {

TEST(MutexTest, ANormalMutexBlocksItsOwner) {
  Mutex mutex;
  ASSERT_EQ(mutex.Lock(1, MutexKind::kNormal), 0);

  EXPECT_FALSE(mutex.CanLock(1, MutexKind::kNormal));
  EXPECT_FALSE(mutex.CanLock(2, MutexKind::kNormal));
  EXPECT_EQ(mutex.TryLock(1, MutexKind::kNormal), EBUSY);
}

TEST(MutexTest, ARecursiveMutexIsFreeAfterAsManyUnlocksAsLocks) {
  Mutex mutex;
  mutex.Lock(1, MutexKind::kRecursive);
  ASSERT_TRUE(mutex.CanLock(1, MutexKind::kRecursive));
  mutex.Lock(1, MutexKind::kRecursive);
  ASSERT_EQ(mutex.TryLock(1, MutexKind::kRecursive), 0);

  mutex.Unlock(1, MutexKind::kRecursive);
  mutex.Unlock(1, MutexKind::kRecursive);
  EXPECT_FALSE(mutex.CanLock(2, MutexKind::kRecursive));
  mutex.Unlock(1, MutexKind::kRecursive);
  EXPECT_TRUE(mutex.CanLock(2, MutexKind::kRecursive));
}

TEST(MutexTest, AnErrorCheckingMutexReportsRelockingAndForeignUnlocking) {
  Mutex mutex;
  mutex.Lock(1, MutexKind::kErrorCheck);

  EXPECT_EQ(mutex.Lock(1, MutexKind::kErrorCheck), EDEADLK);
  EXPECT_EQ(mutex.Unlock(2, MutexKind::kErrorCheck), EPERM);
  EXPECT_EQ(mutex.Unlock(1, MutexKind::kErrorCheck), 0);
  EXPECT_EQ(mutex.Unlock(1, MutexKind::kErrorCheck), EPERM);
}

TEST(MutexTest, WhoTakesAMutexAfterItsOwnerDiedIsToldAndCanMendIt) {
  Mutex mutex;
  mutex.Lock(1, MutexKind::kNormal);
  mutex.OwnerDied();

  ASSERT_TRUE(mutex.CanLock(2, MutexKind::kNormal));
  EXPECT_EQ(mutex.Lock(2, MutexKind::kNormal), EOWNERDEAD);
  EXPECT_EQ(mutex.owner, 2);
  EXPECT_EQ(mutex.MakeConsistent(3), EINVAL);
  EXPECT_EQ(mutex.MakeConsistent(2), 0);
  EXPECT_EQ(mutex.MakeConsistent(2), EINVAL);
  EXPECT_EQ(mutex.Unlock(2, MutexKind::kNormal), 0);
  EXPECT_EQ(mutex.Lock(3, MutexKind::kNormal), 0);
}

TEST(MutexTest, AMutexUnlockedBeforeItWasMendedIsLost) {
  Mutex mutex;
  mutex.Lock(1, MutexKind::kNormal);
  mutex.OwnerDied();
  ASSERT_EQ(mutex.TryLock(2, MutexKind::kNormal), EOWNERDEAD);
  mutex.Unlock(2, MutexKind::kNormal);

  EXPECT_TRUE(mutex.CanLock(3, MutexKind::kNormal));
  EXPECT_EQ(mutex.Lock(3, MutexKind::kNormal), ENOTRECOVERABLE);
  EXPECT_EQ(mutex.TryLock(3, MutexKind::kNormal), ENOTRECOVERABLE);
  EXPECT_EQ(mutex.owner, kNoThread);
}

TEST(RwLockTest, ReadersShareAndAWriterIsAlone) {
  RwLock lock;
  lock.Read(1);
  lock.Read(2);
  lock.Read(1);
  EXPECT_TRUE(lock.CanRead());
  EXPECT_FALSE(lock.CanWrite());

  EXPECT_TRUE(lock.Unlock(1));
  EXPECT_TRUE(lock.Unlock(2));
  EXPECT_FALSE(lock.CanWrite());
  EXPECT_FALSE(lock.Unlock(2));
  EXPECT_TRUE(lock.Unlock(1));

  ASSERT_TRUE(lock.CanWrite());
  lock.Write(3);
  EXPECT_FALSE(lock.CanRead());
  EXPECT_FALSE(lock.CanWrite());
  EXPECT_TRUE(lock.IsHeldBy(3));
  EXPECT_TRUE(lock.Unlock(3));
  EXPECT_TRUE(lock.IsFree());
}

TEST(RwLockTest, AQueuedWriterStopsNewReaders) {
  RwLock lock;
  lock.Read(1);
  ++lock.queued_writers;
  EXPECT_FALSE(lock.CanRead());
  lock.Unlock(1);
  EXPECT_TRUE(lock.CanWrite());
}

TEST(BarrierTest, TheLastOfARoundIsToldAndTheNextRoundIsLikeTheFirst) {
  Barrier barrier{.count = 2};
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(barrier.Arrive());
    EXPECT_TRUE(barrier.Arrive());
  }
}

siginfo_t SignalWith(int signal, int value) {
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_value.sival_int = value;
  return info;
}

TEST(PendingSignalsTest, AnOrdinarySignalIsRememberedOnceARealtimeSignalAsOftenAsItIsSent) {
  PendingSignals pending;
  for (int i = 0; i < 2; ++i) {
    pending.Add(SignalWith(SIGUSR1, i));
    pending.Add(SignalWith(SIGRTMIN, i));
  }
  const auto any = [](int) { return true; };

  EXPECT_EQ(pending.Take(any)->si_signo, SIGUSR1);
  EXPECT_EQ(pending.Take(any)->si_value.sival_int, 0);
  EXPECT_EQ(pending.Take(any)->si_value.sival_int, 1);
  EXPECT_FALSE(pending.Take(any).has_value());
}

TEST(PendingSignalsTest, OnlyWhatIsWantedIsTakenLowestFirst) {
  PendingSignals pending;
  pending.Add(SignalWith(SIGUSR2, 0));
  pending.Add(SignalWith(SIGUSR1, 0));
  pending.Add(SignalWith(SIGHUP, 0));
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);

  EXPECT_TRUE(pending.HasOneOf(set));
  const auto in_set = [&set](int signal) { return sigismember(&set, signal) == 1; };
  EXPECT_EQ(pending.Take(in_set)->si_signo, SIGUSR1);
  EXPECT_EQ(pending.Take(in_set)->si_signo, SIGUSR2);
  EXPECT_FALSE(pending.HasOneOf(set));
  EXPECT_TRUE(pending.Has(SIGHUP));
}

TEST(SemaphoreTest, CountsAndRefusesToOverflow) {
  Semaphore semaphore{1};
  ASSERT_TRUE(semaphore.CanWait());
  semaphore.Wait();
  EXPECT_FALSE(semaphore.CanWait());
  EXPECT_EQ(semaphore.Post(), 0);
  EXPECT_TRUE(semaphore.CanWait());

  semaphore.value = INT_MAX;
  EXPECT_EQ(semaphore.Post(), EOVERFLOW);
}

TEST(OnceTest, OthersWaitForTheRunnerAndRetryWhenItGivesUp) {
  Once once;
  once.Begin(1);
  EXPECT_FALSE(once.CanPass());
  once.Abandon();
  EXPECT_TRUE(once.CanPass());
  EXPECT_FALSE(once.done);
  once.Begin(2);
  once.Finish();
  EXPECT_TRUE(once.CanPass());
  EXPECT_TRUE(once.done);
}

TEST(WaitQueueTest, KeepsArrivalOrderWhenOneLeavesFromTheMiddle) {
  WaitQueue queue;
  queue.Add(3);
  queue.Add(1);
  queue.Add(2);

  EXPECT_TRUE(queue.Remove(1));
  EXPECT_FALSE(queue.Remove(1));

  ASSERT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.threads()[0], 3);
  EXPECT_EQ(queue.threads()[1], 2);
}

}  // namespace
}  // namespace heddle
