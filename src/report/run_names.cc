#include "report/run_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "report/identifier_guess.h"

namespace heddle {
namespace {

// How an object of that kind is called before its name; "" = the name alone is enough.
std::string_view WordFor(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::kMutex:
      return "mutex";
    case ObjectKind::kCondition:
      return "condition";
    case ObjectKind::kSemaphore:
    case ObjectKind::kCountingSemaphore:
    case ObjectKind::kBinarySemaphore:
      return "semaphore";
    case ObjectKind::kOwnedLock:
      return "lock";
    case ObjectKind::kMonitorSC:
    case ObjectKind::kMonitorSU:
      return "monitor";
    case ObjectKind::kAsyncPort:
    case ObjectKind::kBoundedPort:
    case ObjectKind::kSyncPort:
    case ObjectKind::kPorts:
    case ObjectKind::kLane:
      return "port";
    case ObjectKind::kOnce:
      return "once flag";
    case ObjectKind::kThread:
      return "thread";
    case ObjectKind::kRwLock:
      return "rwlock";
    case ObjectKind::kBarrier:
      return "barrier";
    case ObjectKind::kSpinlock:
      return "spinlock";
    case ObjectKind::kStream:
      return "stream";
    case ObjectKind::kSignals:
    case ObjectKind::kIo:
    case ObjectKind::kChannel:
    case ObjectKind::kChannels:
    case ObjectKind::kMemory:
    case ObjectKind::kFutex:
    case ObjectKind::kClock:
    case ObjectKind::kProcess:
    case ObjectKind::kUnknown:
      return "";
  }
  return "";
}

std::string_view WordWithoutName(ObjectKind kind) {
  const std::string_view word = WordFor(kind);
  return word.empty() ? "memory" : word;
}

std::string TextOf(const char* bytes, std::size_t size) {
  return std::string(bytes, std::find(bytes, bytes + size, '\0'));
}

// "x/y"; neighbours of one array as "forks[0..1]".
std::string JoinNames(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const std::string& first = names.front();
  const std::string& last = names.back();
  const std::size_t open = first.rfind('[');
  const bool is_array = names.size() > 1 && open != std::string::npos && first.back() == ']' &&
                        std::all_of(names.begin(), names.end(), [&](const std::string& name) {
                          return name.rfind('[') == open && name.back() == ']' &&
                                 name.compare(0, open, first, 0, open) == 0;
                        });
  if (is_array) {
    return first.substr(0, first.size() - 1) + ".." + last.substr(open + 1);
  }
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : "/") + name;
  return joined;
}

}  // namespace

RunNames::RunNames(const RunTrace& trace, Symbolizer& symbols) : trace_(trace), symbols_(symbols) {
  NameObjects();
}

bool RunNames::IsFloatingPoint(ObjectId object) const {
  return object < trace_.objects.size() && trace_.objects[object].kind == ObjectKind::kMemory &&
         symbols_.IsFloatingPoint(trace_.objects[object].address);
}

std::string RunNames::Thread(ThreadId thread) const {
  if (thread == kMainThread) return "main";
  return thread == kNoThread ? "nobody" : "T" + std::to_string(thread);
}

std::string RunNames::Label(ThreadId thread) const {
  if (thread >= trace_.threads.size()) return "";
  const ThreadRecord& record = trace_.threads[thread];
  const std::string given = TextOf(record.name, sizeof record.name);
  if (!given.empty()) return given;
  if (thread == kMainThread) return "";
  // The start routine is the library's for std::thread; the outermost user frame is what it runs.
  const auto outermost = [this](const std::vector<std::uint64_t>& stack) {
    std::string function;
    for (const Frame& frame : Expand(stack)) {
      if (!frame.is_system && !frame.function.empty()) function = frame.function;
    }
    return function;
  };
  std::string function = outermost(StackOfThread(thread));
  for (std::size_t i = 0; function.empty() && i < trace_.events.size(); ++i) {
    if (trace_.events[i].thread == thread) function = outermost(StackOf(i));
  }
  if (!function.empty()) return function;
  if (record.start_routine == 0) return "";
  // Frames are those of return addresses, which lie behind their call.
  const Frame& routine = symbols_.FramesAt(record.start_routine + 1).back();
  return routine.is_system ? "" : routine.function;
}

void RunNames::NameObjects() {
  object_names_.assign(trace_.objects.size(), "");
  std::map<std::string, ObjectId> unnamed_of_word;
  for (ObjectId id = 1; id < trace_.objects.size(); ++id) {
    const ObjectRecord& object = trace_.objects[id];
    if (object.kind == ObjectKind::kThread) continue;
    if (object.kind == ObjectKind::kClock) object_names_[id] = "the clock";
    if (object.kind == ObjectKind::kProcess) object_names_[id] = "the process";
    if (object.kind == ObjectKind::kSignals) object_names_[id] = "signals";
    const bool is_io = object.kind == ObjectKind::kIo || object.kind == ObjectKind::kChannel ||
                       object.kind == ObjectKind::kChannels;
    if (is_io) object_names_[id] = "descriptors";
    if (!object_names_[id].empty()) continue;
    const std::vector<std::string> variables = VariablesIn(id);
    object_names_[id] = JoinNames(variables);
    if (variables.size() > 1) shared_granules_[id] = variables;
  }
  GuessNamesFromSource(trace_, symbols_, *this, &object_names_);
  for (ObjectId id = 1; id < trace_.objects.size(); ++id) {
    if (object_names_[id].empty()) object_names_[id] = HeapName(id);
    if (!object_names_[id].empty()) continue;
    const std::string word(WordWithoutName(trace_.objects[id].kind));
    object_names_[id] = word + " " + std::to_string(++unnamed_of_word[word]);
  }
}

std::vector<std::string> RunNames::VariablesIn(ObjectId id) const {
  const ObjectRecord& object = trace_.objects[id];
  const std::string first = symbols_.NameOfData(object.address);
  std::vector<std::string> variables;
  if (!first.empty()) variables.push_back(first);
  if (object.kind != ObjectKind::kMemory) return variables;
  constexpr unsigned kGranule = 8;
  const unsigned size = object.size != 0 ? object.size : kGranule - object.address % kGranule;
  for (unsigned offset = 1; offset < size; ++offset) {
    const std::string name = symbols_.NameOfData(object.address + offset);
    const bool is_new = std::find(variables.begin(), variables.end(), name) == variables.end();
    // "x+4" is the rest of an x whose type is not known.
    if (!name.empty() && is_new && name.find('+') == std::string::npos) variables.push_back(name);
  }
  return variables;
}

std::string RunNames::HeapName(ObjectId id) const {
  const ObjectRecord& object = trace_.objects[id];
  if (object.allocation_site == 0 || object.kind != ObjectKind::kMemory) return "";
  const Frame& place = UserFrame(symbols_.FramesOfReturn(object.allocation_site));
  const std::string location = ShortLocation(place);
  if (place.is_system || location.empty()) return "";
  return "heap " + location + (object.offset == 0 ? "" : "+" + std::to_string(object.offset));
}

std::string RunNames::ObjectOf(std::size_t event) const {
  const ObjectId object = trace_.events[event].object;
  const auto shared = shared_granules_.find(object);
  if (shared == shared_granules_.end()) return Object(object);
  const Frame place = Place(StackOf(event));
  const std::string line = symbols_.SourceLine(place.file, place.line).value_or("");
  const std::set<std::string> mentioned =
      ReferencesIn(StatementAt(line, place.column), trace_.events[event].kind);
  std::string meant;
  for (const std::string& variable : shared->second) {
    // The last part of "bank.accounts[2].balance" is what its line says.
    std::string last = variable.substr(variable.find_last_of(".:") + 1);
    last = last.substr(0, last.find('['));
    if (mentioned.count(last) == 0) continue;
    if (!meant.empty()) return Object(object);
    meant = variable;
  }
  return meant.empty() ? Object(object) : meant;
}

std::string RunNames::Object(ObjectId object) const {
  return object == kNoObject || object >= object_names_.size() ? "" : object_names_[object];
}

std::string RunNames::Phrase(ObjectId object) const {
  const std::string name = Object(object);
  if (name.empty()) return "";
  const std::string word(WordFor(trace_.objects[object].kind));
  const bool numbered = name.substr(0, word.size() + 1) == word + " ";
  return word.empty() || numbered ? name : word + " " + name;
}

std::vector<std::uint64_t> RunNames::StackOf(std::size_t event) const {
  const std::uint64_t site = trace_.events[event].site;
  std::vector<std::uint64_t> stack;
  if (event < trace_.event_stacks.size()) {
    const StackRecord& record = trace_.event_stacks[event];
    const auto frames = trace_.frames.subspan(record.first_frame, record.frame_count);
    stack.assign(frames.begin(), frames.end());
  }
  if (stack.empty() && site != 0) stack.push_back(site);
  return stack;
}

std::vector<std::uint64_t> RunNames::StackOfThread(ThreadId thread) const {
  std::vector<std::uint64_t> stack;
  if (thread < trace_.thread_stacks.size()) {
    const StackRecord& record = trace_.thread_stacks[thread];
    const auto frames = trace_.frames.subspan(record.first_frame, record.frame_count);
    stack.assign(frames.begin(), frames.end());
  }
  if (stack.empty() && thread < trace_.threads.size() && trace_.threads[thread].ended == 0 &&
      trace_.threads[thread].pending.site != 0) {
    stack.push_back(trace_.threads[thread].pending.site);
  }
  return stack;
}

std::vector<Frame> RunNames::Expand(std::span<const std::uint64_t> stack) const {
  std::vector<Frame> frames;
  for (const std::uint64_t address : stack) {
    const std::vector<Frame>& here = symbols_.FramesOfReturn(address);
    frames.insert(frames.end(), here.begin(), here.end());
  }
  return frames;
}

Frame RunNames::Place(std::span<const std::uint64_t> stack) const {
  for (const std::uint64_t address : stack) {
    const Frame& frame = UserFrame(symbols_.FramesOfReturn(address));
    if (!frame.is_system) return frame;
  }
  return stack.empty() ? Frame() : symbols_.FramesOfReturn(stack.front()).front();
}

}  // namespace heddle
