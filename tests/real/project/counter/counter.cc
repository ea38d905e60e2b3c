#include "counter.h"

void Counter::Add(int amount) {
  const std::lock_guard<std::mutex> lock(mutex_);
  value_ += amount;
}

int Counter::value() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return value_;
}
