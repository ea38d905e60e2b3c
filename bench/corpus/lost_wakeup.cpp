// A worker looks whether there is work before it locks, and sleeps though the work came in between.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable work;
std::atomic<bool> ready = false;

void Work() {
#ifdef FIXED
  std::unique_lock guard(lock);
  if (!ready) work.wait(guard);
#else
  if (!ready) {
    std::unique_lock guard(lock);
    work.wait(guard);
  }
#endif
}

void Submit() {
  {
    const std::lock_guard guard(lock);
    ready = true;
  }
  work.notify_one();
}

int main() {
  std::thread worker(Work), submitter(Submit);
  worker.join();
  submitter.join();
}
