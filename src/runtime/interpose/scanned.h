// What the calls of the scanf family do to the program's memory: what they fill. All are accesses
// of the caller, as in buffers.h.
#ifndef HEDDLE_RUNTIME_INTERPOSE_SCANNED_H_
#define HEDDLE_RUNTIME_INTERPOSE_SCANNED_H_

#include <cstddef>
#include <cstdint>

#include "runtime/interpose/arguments.h"
#include "runtime/interpose/scan_format.h"

namespace heddle {

// The arguments of one call. Where their accesses are events, the call fills memory of our own, and
// what arrived is put in its place at its event. How long a text is says nobody before it is there:
// the call allocates it then, by a format of our own.
class ScannedArguments {
 public:
  ScannedArguments(const char* format, Arguments given, std::uint64_t site);
  ~ScannedArguments();
  ScannedArguments(const ScannedArguments&) = delete;
  ScannedArguments& operator=(const ScannedArguments&) = delete;

  // For one call.
  const char* format() const { return own_format_ == nullptr ? format_ : own_format_; }
  Arguments list();

  // The call has made that many conversions, or none. Gives `result` back; errno stays.
  int Made(int result);

 private:
  static constexpr int kMost = 32;

  // Room for what a conversion makes, or for the address of the text that it allocates.
  union Own {
    long double widest;
    void* text;
    unsigned char bytes[sizeof(long double)];
  };

  void StandIn();
  void Arrived(int argument);
  bool IsCounted(int argument) const;

  const char* format_;
  Arguments given_;
  std::uint64_t site_;
  int count_ = 0;
  bool are_events_ = false;
  char* own_format_ = nullptr;
  va_list list_;
  void* to_[kMost];
  ScanArgument arguments_[kMost];
  Own own_[kMost];
  ArgumentWords<kMost> words_;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_SCANNED_H_
