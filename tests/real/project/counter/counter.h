#ifndef COUNTER_H_
#define COUNTER_H_

#include <mutex>

class Counter {
 public:
  void Add(int amount);
  int value() const;

 private:
  mutable std::mutex mutex_;
  int value_ = 0;
};

#endif  // COUNTER_H_
