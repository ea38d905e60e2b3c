// A thread manager after the one of the Thrift C++ library: workers take tasks from a queue, the
// manager waits until all workers have reported, and for their end. The last worker to report
// notifies the manager without holding the monitor on which the manager is about to wait.
#include <cassert>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#ifndef WORKERS
#define WORKERS 2
#endif
constexpr int kTasksPerWorker = 5;

class Monitor {
 public:
  std::mutex& mutex() { return mutex_; }
  void Wait(std::unique_lock<std::mutex>& held) { condition_.wait(held); }
  void Notify() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
};

class Task {
 public:
  enum State { kWaiting, kExecuting, kComplete };

  Task(Monitor* monitor, int* left) : monitor_(monitor), left_(left) {}

  void Run() {
    state_ = kExecuting;
    const std::unique_lock held(monitor_->mutex());
    --*left_;
    state_ = kComplete;
    if (*left_ == 0) monitor_->Notify();
  }

 private:
  Monitor* monitor_;
  int* left_;
  State state_ = kWaiting;
};

class ThreadManager {
 public:
  void Start(int workers) {
    {
      const std::unique_lock held(monitor_.mutex());
      most_workers_ += workers;
    }
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { Work(); });
    std::unique_lock held(worker_monitor_.mutex());
    while (worker_count_ != most_workers_) worker_monitor_.Wait(held);
  }

  void Add(std::unique_ptr<Task> task) {
    const std::unique_lock held(monitor_.mutex());
    tasks_.push(std::move(task));
    if (idle_ > 0) monitor_.Notify();
  }

  void Stop() {
    {
      const std::unique_lock held(monitor_.mutex());
      stopping_ = true;
      monitor_.NotifyAll();
    }
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void Work() {
    bool is_last = false;
    {
      const std::unique_lock held(monitor_.mutex());
      ++worker_count_;
      is_last = worker_count_ == most_workers_;
    }
    if (is_last) worker_monitor_.Notify();
    while (true) {
      std::unique_ptr<Task> task;
      {
        std::unique_lock held(monitor_.mutex());
        ++idle_;
        while (tasks_.empty() && !stopping_) monitor_.Wait(held);
        --idle_;
        if (tasks_.empty()) break;
        task = std::move(tasks_.front());
        tasks_.pop();
      }
      task->Run();
    }
  }

  Monitor monitor_;
  Monitor worker_monitor_;
  std::queue<std::unique_ptr<Task>> tasks_;
  std::vector<std::thread> threads_;
  int worker_count_ = 0;
  int most_workers_ = 0;
  int idle_ = 0;
  bool stopping_ = false;
};

int main() {
  ThreadManager manager;
  Monitor done;
  int left = WORKERS * kTasksPerWorker;
  manager.Start(WORKERS);
  for (int i = 0; i < WORKERS * kTasksPerWorker; ++i) {
    manager.Add(std::make_unique<Task>(&done, &left));
  }
  {
    std::unique_lock held(done.mutex());
    while (left > 0) done.Wait(held);
  }
  manager.Stop();
  assert(left == 0);
}
