// The program's memory that a call into the system reads or fills: read, write and their relatives.
//
// The code that does it is not instrumented, but for its caller it is an access like any other: it
// may race, and the memory may be gone. It is reported for callers that are instrumented
// themselves; who is not may order its accesses by means that are not seen.
//
// A call may wait, and others change the memory meanwhile. So what goes out is copied at the event
// of the access, and what comes in is put in its place at the event: what others do comes before
// it or behind, as the trace says. Where the access is no event, nothing is copied.
#ifndef HEDDLE_RUNTIME_INTERPOSE_BUFFERS_H_
#define HEDDLE_RUNTIME_INTERPOSE_BUFFERS_H_

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

// Whether what a call does to memory is looked at, by where it was called.
bool IsSeenCaller(std::uint64_t site);
// Whether its accesses are events, in this run.
bool IsPointOfCaller(std::uint64_t site);

// Buffers of our own in the place of the program's, if need be.
class StandIns {
 public:
  StandIns(const iovec* parts, int count) : parts_(parts), count_(count) {}
  ~StandIns();
  StandIns(const StandIns&) = delete;
  StandIns& operator=(const StandIns&) = delete;

  const iovec* parts() const { return own_.empty() ? parts_ : own_.data(); }
  int count() const { return count_; }

 protected:
  void Make();

  const iovec* parts_;
  int count_;
  std::vector<iovec> own_;
};

// What a call reads. Lives as long as the call.
class Outgoing : public StandIns {
 public:
  Outgoing(const iovec* parts, int count, std::uint64_t site);
};

// What a call fills. `Arrived` is told how much of it, or what went wrong; errno stays.
class Incoming : public StandIns {
 public:
  Incoming(const iovec* parts, int count, std::uint64_t site);
  long Arrived(long result);

 private:
  std::uint64_t site_;
};

// The same for one buffer.
class OutgoingBytes {
 public:
  OutgoingBytes(const void* bytes, std::size_t size, std::uint64_t site)
      : whole_{const_cast<void*>(bytes), size}, outgoing_(&whole_, 1, site) {}
  const char* bytes() const { return static_cast<const char*>(outgoing_.parts()[0].iov_base); }

 private:
  iovec whole_;
  Outgoing outgoing_;
};

// A string of the caller's, up to its zero or `limit` characters, as it is at the event that reads
// it: a copy with a zero behind, for ArenaFree. If others have made it longer by then, an event of
// its own reads the rest. Where that is no event, nothing is copied: nullptr.
char* ReadText(const char* text, std::size_t limit, std::uint64_t site);
wchar_t* ReadText(const wchar_t* text, std::size_t limit, std::uint64_t site);

// What a call reads up to its zero. Lives as long as the call.
class OutgoingText {
 public:
  OutgoingText(const char* text, std::uint64_t site);
  ~OutgoingText();
  OutgoingText(const OutgoingText&) = delete;
  OutgoingText& operator=(const OutgoingText&) = delete;

  const char* text() const { return own_ == nullptr ? text_ : own_; }

 private:
  const char* text_;
  char* own_ = nullptr;
};

// What it fills.
class IncomingBytes {
 public:
  IncomingBytes(void* bytes, std::size_t size, std::uint64_t site)
      : whole_{bytes, size}, incoming_(&whole_, 1, site) {}
  const iovec& into() const { return incoming_.parts()[0]; }
  void* bytes() const { return into().iov_base; }
  long Arrived(long result) { return incoming_.Arrived(result); }

 private:
  iovec whole_;
  Incoming incoming_;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_BUFFERS_H_
