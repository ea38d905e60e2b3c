// What a function returns when the input or the machine may be at fault.
//
// Three kinds of wrong, three ways to say so: a fault of the tested program is a Finding, a fault
// of the input or the machine is an Error whose text says what to do, a fault of ours is a
// HEDDLE_CHECK.
#ifndef HEDDLE_BASE_RESULT_H_
#define HEDDLE_BASE_RESULT_H_

#include <string>
#include <utility>
#include <variant>

namespace heddle {

struct Error {
  std::string text;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: meant to convert
  Result(Error error) : state_(std::move(error)) {}  // NOLINT: meant to convert

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }
  T& operator*() { return std::get<T>(state_); }
  const T& operator*() const { return std::get<T>(state_); }
  T* operator->() { return &std::get<T>(state_); }
  const T* operator->() const { return &std::get<T>(state_); }
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Success without a value, or an Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT: meant to convert

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const { return error_; }

 private:
  Error error_;
  bool ok_ = true;
};

}  // namespace heddle

#endif  // HEDDLE_BASE_RESULT_H_
