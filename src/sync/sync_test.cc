// <heddle/sync.h> as an ordinary library: real threads, no scheduler. The tests wait for what must
// happen, never for time to pass.
#include <gtest/gtest.h>
#include <heddle/sync.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace heddle {
namespace {

template <typename Action>
std::string ErrorOf(Action action) {
  try {
    action();
  } catch (const SyncError& error) {
    return error.what();
  }
  return "";
}

void InThread(const std::function<void()>& body) { std::thread(body).join(); }

TEST(SemaphoreTest, LetsAtMostItsValueOfThreadsIn) {
  Semaphore semaphore(2);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        semaphore.P();
        const int now = ++inside;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
        --inside;
        semaphore.V();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_LE(most, 2);
  EXPECT_GE(most, 1);
}

TEST(SemaphoreTest, RefusesANegativeValue) {
  EXPECT_NE(ErrorOf([] { Semaphore(-1); }), "");
}

// With V waiting for P the two can only alternate, however they are called.
TEST(BinarySemaphoreTest, CompletionsAlternate) {
  BinarySemaphore semaphore(0);
  BinarySemaphore mutex(1);
  std::vector<char> order;
  const auto note = [&](char what) {
    mutex.P();
    order.push_back(what);
    mutex.V();
  };
  std::thread posts([&] {
    for (int i = 0; i < 100; ++i) {
      semaphore.V();
      note('V');
    }
  });
  std::thread waits([&] {
    for (int i = 0; i < 100; ++i) {
      semaphore.P();
      note('P');
    }
  });
  posts.join();
  waits.join();

  // Of the completed operations V leads P by 0 or 1; each note may be late by one.
  ASSERT_EQ(order.size(), 200u);
  int lead = 0;
  for (const char what : order) {
    lead += what == 'V' ? 1 : -1;
    EXPECT_GE(lead, -1);
    EXPECT_LE(lead, 2);
  }
}

TEST(LockTest, IsRecursiveAndExcludesOthers) {
  Lock lock;
  int count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        const std::lock_guard<Lock> outer(lock);
        const std::lock_guard<Lock> inner(lock);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(count, 2000);
}

TEST(LockTest, RefusesUnlockingWhatOneDoesNotOwn) {
  Lock lock;
  EXPECT_NE(ErrorOf([&] { lock.unlock(); }).find("nobody"), std::string::npos);
  lock.lock();
  InThread(
      [&] { EXPECT_NE(ErrorOf([&] { lock.unlock(); }).find("does not hold"), std::string::npos); });
  lock.unlock();
}

// A bounded buffer of two slots with both disciplines.
template <typename MonitorType>
void PassThroughBuffer() {
  MonitorType monitor;
  Condition not_full(monitor);
  Condition not_empty(monitor);
  int full = 0;
  int most = 0;
  int taken = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        monitor.Enter();
        while (full == 2) not_full.Wait();
        ++full;
        most = std::max(most, full);
        not_empty.Signal();
        monitor.Exit();
      }
    });
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        monitor.Enter();
        while (full == 0) not_empty.Wait();
        --full;
        ++taken;
        not_full.SignalAndExit();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, 600);
  EXPECT_EQ(full, 0);
  EXPECT_LE(most, 2);
}

TEST(MonitorTest, SignalAndContinueCarriesABoundedBuffer) { PassThroughBuffer<MonitorSC>(); }
TEST(MonitorTest, SignalAndUrgentWaitCarriesABoundedBuffer) { PassThroughBuffer<MonitorSU>(); }

// Brings a thread to wait on the condition.
template <typename MonitorType>
void UntilWaiting(MonitorType& monitor, Condition& condition, std::size_t count) {
  for (std::size_t waiting = 0; waiting < count;) {
    monitor.Enter();
    waiting = condition.Length();
    monitor.Exit();
    std::this_thread::yield();
  }
}

TEST(MonitorTest, TheSignallerGoesOnInAnScMonitorAndTheWokenThreadInAnSuMonitor) {
  const auto order_with = [](auto& monitor) {
    Condition condition(monitor);
    std::string order;
    std::thread waiter([&] {
      monitor.Enter();
      condition.Wait();
      order += "woken ";
      monitor.Exit();
    });
    UntilWaiting(monitor, condition, 1);
    monitor.Enter();
    condition.Signal();
    order += "signaller ";
    monitor.Exit();
    waiter.join();
    return order;
  };
  MonitorSC sc;
  MonitorSU su;
  EXPECT_EQ(order_with(sc), "signaller woken ");
  EXPECT_EQ(order_with(su), "woken signaller ");
}

TEST(MonitorTest, SignalAllWakesAllInTheOrderOfWaiting) {
  MonitorSU monitor;
  Condition condition(monitor);
  std::vector<int> order;
  std::vector<std::thread> waiters;
  for (int i = 0; i < 3; ++i) {
    waiters.emplace_back([&, i] {
      monitor.Enter();
      condition.Wait();
      order.push_back(i);
      monitor.Exit();
    });
    UntilWaiting(monitor, condition, static_cast<std::size_t>(i) + 1);
  }
  monitor.Enter();
  condition.SignalAll();
  EXPECT_TRUE(condition.Empty());
  order.push_back(-1);
  monitor.Exit();
  for (std::thread& waiter : waiters) waiter.join();

  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, -1}));
}

TEST(MonitorTest, RefusesWhatIsForInsideFromOutside) {
  MonitorSC monitor;
  Condition condition(monitor);
  EXPECT_NE(ErrorOf([&] { condition.Signal(); }), "");
  EXPECT_NE(ErrorOf([&] { condition.SignalAll(); }), "");
  EXPECT_NE(ErrorOf([&] { condition.SignalAndExit(); }), "");
  EXPECT_NE(ErrorOf([&] { condition.Wait(); }), "");
  EXPECT_NE(ErrorOf([&] { (void)condition.Length(); }), "");
  EXPECT_NE(ErrorOf([&] { monitor.Exit(); }), "");
  monitor.Enter();
  EXPECT_NE(ErrorOf([&] { monitor.Enter(); }), "");
  monitor.Exit();
}

template <typename PortType>
void KeepsOrderPerSender(PortType& port) {
  std::vector<std::thread> senders;
  for (int s = 0; s < 3; ++s) {
    senders.emplace_back([&, s] {
      for (int i = 0; i < 100; ++i) port.Send(s * 1000 + i);
    });
  }
  std::vector<int> next(3, 0);
  for (int i = 0; i < 300; ++i) {
    const int message = port.Receive();
    EXPECT_EQ(message % 1000, next[message / 1000]++);
  }
  for (std::thread& sender : senders) sender.join();
}

TEST(PortTest, AnAsynchronousPortKeepsTheOrderOfEachSender) {
  AsyncPort<int> port;
  KeepsOrderPerSender(port);
}

TEST(PortTest, ABoundedPortKeepsTheOrderOfEachSender) {
  AsyncPort<int> port(2);
  KeepsOrderPerSender(port);
}

TEST(PortTest, ASynchronousPortKeepsTheOrderOfEachSender) {
  SyncPort<int> port;
  KeepsOrderPerSender(port);
}

TEST(PortTest, CarriesWhatCanOnlyBeMoved) {
  AsyncPort<std::unique_ptr<int>> port;
  port.Send(std::make_unique<int>(7));
  EXPECT_EQ(*port.Receive(), 7);
  SyncPort<std::unique_ptr<int>> rendezvous;
  std::thread sender([&] { rendezvous.Send(std::make_unique<int>(8)); });
  EXPECT_EQ(*rendezvous.Receive(), 8);
  sender.join();
}

TEST(PortTest, SendingToABoundedPortWaitsForRoom) {
  AsyncPort<int> port(1);
  std::atomic<int> sent{0};
  std::thread sender([&] {
    for (int i = 0; i < 50; ++i) {
      port.Send(i);
      ++sent;
    }
  });
  for (int i = 0; i < 50; ++i) {
    EXPECT_LE(sent.load(), i + 1);
    EXPECT_EQ(port.Receive(), i);
  }
  sender.join();
}

TEST(PortTest, RefusesASecondReceiver) {
  AsyncPort<int> port;
  port.Send(1);
  port.Receive();
  port.Send(2);
  InThread([&] { EXPECT_NE(ErrorOf([&] { port.Receive(); }), ""); });
}

TEST(PortTest, ForgetsMessagesThatNobodyReceives) {
  const auto shared = std::make_shared<int>(1);
  {
    AsyncPort<std::shared_ptr<int>> port;
    port.Send(shared);
    port.Send(shared);
    EXPECT_EQ(shared.use_count(), 3);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(PortTest, RefusesToCloseWhileInUse) {
  AsyncPort<int> port;
  port.Send(1);
  EXPECT_NE(ErrorOf([&] { port.Close(); }), "");
  port.Receive();
  port.Close();
  EXPECT_NE(ErrorOf([&] { port.Send(2); }), "");
}

TEST(SelectTest, TakesOpenAlternativesOnlyAndTheFirstToArrive) {
  AsyncPort<int> a;
  AsyncPort<std::string> b;
  a.Send(1);
  b.Send("x");
  a.Send(2);
  std::string taken;
  const auto take = [&](bool a_is_open, bool b_is_open) {
    Select()
        .When(a_is_open, a, [&](int value) { taken += std::to_string(value); })
        .When(b_is_open, b, [&](const std::string& value) { taken += value; })
        .Wait();
  };

  take(true, true);   // 1 arrived before x
  take(true, false);  // b is closed
  take(true, true);

  EXPECT_EQ(taken, "12x");
}

TEST(SelectTest, RefusesWhenAllGuardsAreClosedAndTwoAlternativesForOnePort) {
  AsyncPort<int> port;
  EXPECT_NE(ErrorOf([&] { Select().When(false, port, [](int) {}).Wait(); }), "");
  EXPECT_NE(ErrorOf([&] { Select().On(port, [](int) {}).When(false, port, [](int) {}); }), "");
}

// The same sentences are findings of kind misuse under heddle (tests/programs/reach_misuse.cpp).
TEST(MisuseTest, EachHasASentenceOfItsOwn) {
  Lock lock;
  EXPECT_EQ(ErrorOf([&] { lock.unlock(); }), "heddle::Lock: unlock of a lock that nobody holds");
  lock.lock();
  InThread([&] {
    EXPECT_EQ(ErrorOf([&] { lock.unlock(); }),
              "heddle::Lock: unlock by a thread that does not hold the lock");
  });
  lock.unlock();
  MonitorSU monitor;
  Condition condition(monitor);
  EXPECT_EQ(ErrorOf([&] { condition.Signal(); }),
            "heddle::Condition: signal by a thread outside the monitor");
  EXPECT_EQ(ErrorOf([&] { condition.SignalAll(); }),
            "heddle::Condition: signal by a thread outside the monitor");
  EXPECT_EQ(ErrorOf([&] { condition.SignalAndExit(); }),
            "heddle::Condition: signal by a thread outside the monitor");
  EXPECT_EQ(ErrorOf([&] { condition.Wait(); }),
            "heddle::Condition: wait by a thread outside the monitor");
  EXPECT_EQ(ErrorOf([&] { monitor.Exit(); }),
            "heddle::Monitor: exit by a thread that is not inside");
  monitor.Enter();
  EXPECT_EQ(ErrorOf([&] { monitor.Enter(); }),
            "heddle::Monitor: enter by the thread that is inside");
  monitor.Exit();
  AsyncPort<int> port;
  port.Send(1);
  port.Receive();
  InThread([&] {
    EXPECT_EQ(ErrorOf([&] { port.Receive(); }),
              "heddle::Port: a second thread receives from the port; only the first that did may");
  });
  EXPECT_EQ(ErrorOf([&] { Select().On(port, [](int) {}).On(port, [](int) {}); }),
            "heddle::Select: two alternatives for one port; give each port one");
  EXPECT_EQ(ErrorOf([&] { Select().When(false, port, [](int) {}).Wait(); }),
            "heddle::Select: all guards are closed");
  port.Send(2);
  EXPECT_EQ(ErrorOf([&] { port.Close(); }),
            "heddle::Port: closed while in use: a thread waits at it, or a message is in it");
  port.Receive();
  port.Close();
  EXPECT_EQ(ErrorOf([&] { port.Send(3); }), "heddle::Port: used after it was closed");
}

TEST(SelectTest, ServesABoundedBufferBySynchronousPorts) {
  SyncPort<int> deposit;
  SyncPort<int> withdraw;
  SyncPort<int> reply;
  std::thread buffer([&] {
    std::vector<int> items;
    for (int i = 0; i < 200; ++i) {
      bool answer = false;
      Select()
          .When(items.size() < 2, deposit, [&](int item) { items.push_back(item); })
          .When(!items.empty(), withdraw, [&](int) { answer = true; })
          .Wait();
      if (!answer) continue;
      reply.Send(items.front());
      items.erase(items.begin());
    }
  });
  std::thread producer([&] {
    for (int i = 0; i < 100; ++i) deposit.Send(i);
  });
  for (int i = 0; i < 100; ++i) {
    withdraw.Send(0);
    EXPECT_EQ(reply.Receive(), i);
  }
  producer.join();
  buffer.join();
}

}  // namespace
}  // namespace heddle
