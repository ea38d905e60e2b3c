#include "report/failure_text.h"

#include <string.h>

#include <algorithm>
#include <cstdio>

#include "report/waits.h"
#include "symbols/names.h"

namespace heddle {
namespace {

template <std::size_t kSize>
std::string TextOf(const char (&field)[kSize]) {
  return std::string(field, std::find(field, field + kSize, '\0'));
}

std::string Where(const Frame& place) {
  std::string text;
  if (!place.function.empty()) text += " in " + place.function;
  const std::string location = ShortLocation(place);
  if (!location.empty()) text += " at " + location;
  return text;
}

std::string AddressText(std::uint64_t address) {
  if (address < 4096)
    return address == 0 ? "null pointer" : "null pointer + " + std::to_string(address);
  char text[32];
  std::snprintf(text, sizeof text, "address 0x%llx", static_cast<unsigned long long>(address));
  return text;
}

// The first line only: messages are one line.
// That says something: GoogleMock's texts begin with an empty one.
std::string FirstLine(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of('\n'), text.size());
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::string DeadlockMessage(const RunTrace& trace, const RunNames& names,
                            const std::vector<std::string>& states) {
  std::string message;
  for (const ThreadId thread : DeadlockedThreads(trace)) {
    if (!message.empty()) message += "; ";
    message += names.Thread(thread) + " " + states[thread];
  }
  return message.empty() ? FirstLine(TextOf(trace.failure.message)) : message;
}

// Whether the thread goes round in a loop, rather than waits for those that do.
bool IsInLoop(const RunTrace& trace, ThreadId thread) {
  const ThreadRecord& record = trace.threads[thread];
  const OpKind next = record.pending.kind;
  const bool never_blocks = IsPlainAccess(next) || IsAtomic(next) || next == OpKind::kYield;
  return thread == trace.failure.thread ||
         (never_blocks && record.enabled == 0 && record.ended == 0);
}

}  // namespace

FindingKind KindOf(const RunTrace& trace) {
  switch (trace.record.outcome) {
    case RunOutcome::kExited:
      return trace.record.signal != 0 ? FindingKind::kCrash : FindingKind::kExit;
    case RunOutcome::kStepLimit:
      return FindingKind::kLivelock;
    default:
      break;
  }
  switch (trace.failure.kind) {
    case FailureKind::kAssertion:
      return FindingKind::kAssertion;
    case FailureKind::kException:
      return FindingKind::kException;
    case FailureKind::kDeadlock:
      return FindingKind::kDeadlock;
    case FailureKind::kLivelock:
    case FailureKind::kWatchdog:
      return FindingKind::kLivelock;
    case FailureKind::kMisuse:
      return FindingKind::kMisuse;
    case FailureKind::kUseAfterFree:
    case FailureKind::kUseAfterReturn:
      return FindingKind::kUseAfterFree;
    case FailureKind::kDoubleFree:
      return FindingKind::kDoubleFree;
    case FailureKind::kInvalidFree:
      return FindingKind::kInvalidFree;
    case FailureKind::kLiveness:
      return FindingKind::kLiveness;
    case FailureKind::kCrash:
    case FailureKind::kMemoryLimit:
    case FailureKind::kNone:
      return FindingKind::kCrash;
  }
  return FindingKind::kCrash;
}

std::string SignalName(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : "SIG" + std::string(name);
}

Frame FailurePlace(const RunTrace& trace, const RunNames& names) {
  const std::vector<std::uint64_t> stack = names.StackOfThread(trace.failure.thread);
  Frame place = names.Place(stack);
  if (trace.failure.kind == FailureKind::kAssertion) {
    // What the assertion says of itself is exact, also where the stack is not. Between it and what
    // tells of it may lie functions of a test framework.
    const std::string file = TextOf(trace.failure.file);
    const std::string function = ShortName(TextOf(trace.failure.function));
    const std::vector<Frame> frames = names.Expand(stack);
    const auto found = std::find_if(frames.begin(), frames.end(), [&](const Frame& frame) {
      if (file.empty() && frame.line == 0) return false;  // the framework's own
      return !frame.is_system && frame.file.ends_with(file);
    });
    if (found != frames.end()) place = *found;
    if (!place.file.ends_with(file)) place.file = file;
    if (trace.failure.line != 0) place.line = static_cast<int>(trace.failure.line);
    if (place.function.empty() || place.is_system) place.function = function;
    place.is_system = false;
  }
  return place;
}

std::vector<Frame> FailurePlaces(const RunTrace& trace, const RunNames& names) {
  std::vector<Frame> places;
  if (trace.record.outcome == RunOutcome::kExited && trace.record.signal == 0) return places;
  const bool is_about_one = trace.record.outcome == RunOutcome::kFailed &&
                            trace.failure.kind != FailureKind::kDeadlock &&
                            trace.failure.kind != FailureKind::kLivelock;
  if (is_about_one) {
    places.push_back(FailurePlace(trace, names));
  } else if (trace.failure.kind == FailureKind::kDeadlock) {
    for (const ThreadId thread : DeadlockedThreads(trace)) {
      places.push_back(names.Place(names.StackOfThread(thread)));
    }
  } else {
    const bool has_loop = trace.failure.kind == FailureKind::kLivelock;
    for (ThreadId thread = 0; thread < trace.threads.size(); ++thread) {
      if (has_loop && !IsInLoop(trace, thread)) continue;
      const std::vector<std::uint64_t> stack = names.StackOfThread(thread);
      if (!stack.empty()) places.push_back(names.Place(stack));
    }
  }
  places.erase(std::remove_if(
                   places.begin(), places.end(),
                   [](const Frame& frame) { return frame.file.empty() && frame.function.empty(); }),
               places.end());
  return places;
}

std::string FailureHeadline(const RunTrace& trace) {
  if (trace.record.outcome == RunOutcome::kExited) {
    return "exits with status " + std::to_string(trace.record.status);
  }
  switch (trace.failure.kind) {
    case FailureKind::kAssertion:
      return "assertion `" + FirstLine(TextOf(trace.failure.message)) + "` failed";
    case FailureKind::kException:
      return "uncaught exception";
    case FailureKind::kMemoryLimit:
      return "memory limit";
    case FailureKind::kWatchdog:
      return "no scheduling point any more";
    case FailureKind::kMisuse:
      return FirstLine(TextOf(trace.failure.message));
    case FailureKind::kCrash:
      return trace.failure.signal == 0 ? "crash" : SignalName(trace.failure.signal);
    default:
      return std::string(InfoOf(KindOf(trace)).title);
  }
}

ThrownException ParseTerminateMessage(std::string_view output) {
  constexpr std::string_view kThrowing = "terminate called after throwing an instance of '";
  constexpr std::string_view kWhat = "  what():  ";
  ThrownException thrown;
  const std::size_t at = output.rfind(kThrowing);
  if (at == std::string_view::npos) return thrown;
  const std::string_view rest = output.substr(at + kThrowing.size());
  thrown.type = std::string(rest.substr(0, rest.find("'\n")));
  if (!thrown.type.empty() && thrown.type.back() == '\'') thrown.type.pop_back();
  const std::size_t what = rest.find(kWhat);
  if (what != std::string_view::npos) {
    const std::string_view text = rest.substr(what + kWhat.size());
    thrown.what = std::string(text.substr(0, text.find('\n')));
  }
  return thrown;
}

std::string FailureMessage(const RunTrace& trace, const RunNames& names,
                           const std::vector<std::string>& states, const FindingContext& context) {
  const Failure& failure = trace.failure;
  const std::string text = FirstLine(TextOf(failure.message));
  if (trace.record.outcome == RunOutcome::kStepLimit) {
    return "did not end within " + std::to_string(trace.record.events) + " operations";
  }
  if (trace.record.outcome == RunOutcome::kExited && trace.record.signal == 0) {
    return "exit status " + std::to_string(trace.record.status) + " instead of " +
           std::to_string(context.search.expected_exit);
  }
  if (trace.record.outcome != RunOutcome::kFailed) {
    return trace.record.signal == 0 ? "the run ended without a word"
                                    : "killed by " + SignalName(trace.record.signal);
  }
  const std::string where =
      Where(FailurePlace(trace, names)) +
      (trace.threads.size() > 1 ? ", thread " + names.Thread(failure.thread) : "");
  switch (failure.kind) {
    case FailureKind::kAssertion:
      return "assertion `" + text + "` failed" + where;
    case FailureKind::kException: {
      ThrownException thrown = ParseTerminateMessage(context.output);
      if (thrown.type.empty()) thrown.type = DemangleType(text);
      return "uncaught " + (thrown.type.empty() ? "exception" : thrown.type) +
             (thrown.what.empty() ? "" : ": " + thrown.what) + where;
    }
    case FailureKind::kDeadlock:
      return DeadlockMessage(trace, names, states);
    case FailureKind::kMemoryLimit:
      return "used more memory than --memory allows" + where;
    case FailureKind::kWatchdog:
      return "ran without a scheduling point until the watchdog ended it (--hang-time)" + where +
             "; it computes for long, or waits in code that is not seen, as inline assembly";
    case FailureKind::kLivelock:
      return (text.empty() ? "the threads run but none makes progress" : text) + where;
    case FailureKind::kUseAfterFree:
    case FailureKind::kDoubleFree:
    case FailureKind::kInvalidFree:
    case FailureKind::kUseAfterReturn:
      // Who freed it and where it is used must not be taken for one another: the use comes first.
      return names.Thread(failure.thread) + Where(FailurePlace(trace, names)) + ": " + text;
    case FailureKind::kLiveness:
      return "`" + text + "` was to become cold and is hot at the end" + where;
    case FailureKind::kMisuse: {
      const std::string object = names.Phrase(failure.object);
      return text + (object.empty() ? "" : ": " + object) + where;
    }
    case FailureKind::kCrash:
    case FailureKind::kNone: {
      std::string message = failure.signal == 0 ? std::string("crash") : SignalName(failure.signal);
      const bool has_address = message == "SIGSEGV" || message == "SIGBUS";
      if (has_address) message += ", " + AddressText(failure.address);
      if (!text.empty()) message += ": " + text;
      return message + (failure.before_main != 0 ? ", before main" : "") + where;
    }
  }
  return text;
}

std::vector<FindingStack> FailureStacks(const RunTrace& trace, const RunNames& names) {
  const Failure& failure = trace.failure;
  std::vector<FindingStack> stacks;
  const auto add = [&](int which, const std::string& title) {
    const StackRecord& record = failure.stacks[which];
    if (record.frame_count == 0) return;
    const ThreadId by = failure.stack_threads[which];
    stacks.push_back({by == kNoThread ? title : title + " by " + names.Thread(by),
                      names.Expand(trace.frames.subspan(record.first_frame, record.frame_count))});
  };
  const bool is_memory = failure.kind == FailureKind::kUseAfterFree ||
                         failure.kind == FailureKind::kDoubleFree ||
                         failure.kind == FailureKind::kInvalidFree;
  if (trace.record.outcome != RunOutcome::kFailed) return stacks;
  if (is_memory) {
    stacks.push_back({(failure.kind == FailureKind::kUseAfterFree ? "used by " : "freed by ") +
                          names.Thread(failure.thread),
                      names.Expand(names.StackOfThread(failure.thread))});
    add(0, failure.kind == FailureKind::kUseAfterFree ? "freed" : "freed before");
    add(1, "allocated");
  } else if (failure.kind == FailureKind::kUseAfterReturn) {
    stacks.push_back({"used by " + names.Thread(failure.thread),
                      names.Expand(names.StackOfThread(failure.thread))});
    const ThreadId owner = failure.stack_threads[0];
    const auto frames = names.StackOfThread(owner);
    if (owner != failure.thread && !frames.empty()) {
      stacks.push_back(
          {"left by " + names.Thread(owner) + ", which is here now", names.Expand(frames)});
    }
  } else if (failure.kind == FailureKind::kLiveness) {
    add(0, "made hot");
  }
  return stacks;
}

}  // namespace heddle
