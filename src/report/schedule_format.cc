// Schedules as text: FormatSchedule and ParseSchedule.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/hash.h"
#include "report/schedule_file.h"
#include "report/words.h"
#include "trace/input_log.h"
#include "trace/thread_path.h"

namespace heddle {
namespace {

constexpr std::string_view kTitle = "heddle schedule ";
constexpr std::string_view kChecksum = "checksum ";
constexpr std::size_t kLineWidth = 96;

constexpr std::string_view kPoint = "point";
constexpr std::string_view kLoop = "loop";  // that only waits; its place is written like a point's
constexpr std::string_view kUnseenLoop = "unseen-loop";  // likewise, where nobody sees it
constexpr std::string_view kRule = "rule";               // what else is a point

// The first word of a place's line.
constexpr std::string_view WordOf(Lesson lesson) {
  switch (lesson) {
    case Lesson::kLoop:
      return kLoop;
    case Lesson::kUnseenLoop:
      return kUnseenLoop;
    default:
      return kPoint;
  }
}

// The first word of a switch line says why.
constexpr std::string_view kSwitch = "switch";    // the thread could have gone on
constexpr std::string_view kBlocked = "blocked";  // it could not
constexpr std::string_view kWaiter = "waiter";
constexpr std::string_view kOutcome = "outcome";

std::string_view WordOf(const ScheduleSwitch& change) {
  if (change.decision == DecisionKind::kWaiter) return kWaiter;
  if (change.decision == DecisionKind::kOutcome) return kOutcome;
  return change.forced ? kBlocked : kSwitch;
}

std::string FormatAnchor(const LineAnchor& where) {
  return QuoteWord(where.module) + " " + QuoteWord(where.function) + " " +
         Hexadecimal(where.line_hash);
}

std::string FormatHint(const LineAnchor& where) {
  return QuoteWord(where.file + ":" + std::to_string(where.line));
}

// "2:0x5 3:1": five times the first of two, once the second of three; several lines.
std::string FormatAnswers(const std::vector<Answer>& answers) {
  std::string text, line = "answers";
  for (std::size_t i = 0; i < answers.size();) {
    std::size_t same = 1;
    while (i + same < answers.size() && answers[i + same] == answers[i]) ++same;
    std::string word = std::to_string(answers[i].options) + ":" + std::to_string(answers[i].chosen);
    if (same > 1) word += "x" + std::to_string(same);
    if (line.size() + 1 + word.size() > kLineWidth) {
      text += line + "\n";
      line = "answers";
    }
    line += " " + word;
    i += same;
  }
  return answers.empty() ? "" : text + line + "\n";
}

constexpr std::string_view kInputKinds[] = {"ready",   "receive",    "peek",   "send", "connect",
                                            "accept",  "descriptor", "poll",   "open", "address",
                                            "control", "option",     "queued", "child"};
static_assert(std::size(kInputKinds) == static_cast<std::size_t>(InputKind::kLast) + 1);

// Printable characters as they are.
std::string QuoteBytes(std::span<const std::uint8_t> bytes) {
  std::string quoted = "\"";
  for (const std::uint8_t byte : bytes) {
    char text[8] = {static_cast<char>(byte), '\0'};
    if (byte == '"' || byte == '\\') {
      quoted += '\\';
    } else if (byte < ' ' || byte > '~') {
      std::snprintf(text, sizeof text, "\\x%02x", byte);
    }
    quoted += text;
  }
  return quoted + "\"";
}

std::string FormatInput(std::span<const std::uint8_t> log) {
  std::string text;
  std::size_t at = 0;
  for (const InputEntry* entry; (entry = EntryAt(log, at)) != nullptr; at += InputSize(*entry)) {
    text += "input " + std::string(kInputKinds[static_cast<std::size_t>(entry->kind)]) + " " +
            Hexadecimal(entry->stream) + " " + std::to_string(entry->result) + " " +
            std::to_string(entry->error) + " x" + std::to_string(entry->count);
    if (entry->size > 0) text += " " + QuoteBytes(BytesOf(*entry));
    text += "\n";
  }
  return text;
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view name) : name_(name) {
    for (const char c : text) {
      if (c != '\r') text_ += c;
    }
  }

  Result<Schedule> Parse() {
    const std::string damage = CheckFrame();
    if (!damage.empty()) return Error{damage};
    std::size_t begin = text_.find('\n') + 1;
    for (line_number_ = 2; begin < body_end_; ++line_number_) {
      const std::size_t end = text_.find('\n', begin);
      const std::string line = text_.substr(begin, end - begin);
      begin = end + 1;
      if (line.empty() || line[0] == '#') continue;
      const std::optional<std::vector<std::string>> words = SplitWords(line);
      if (!words || !ParseLine(*words)) return Error{Complaint(line)};
    }
    return schedule_;
  }

 private:
  std::string Complaint(const std::string& line) const {
    return std::string(name_) + ":" + std::to_string(line_number_) + ": `" +
           line.substr(0, line.find(' ')) +
           "` line can't be understood; the file is damaged, record the run again";
  }

  // Title, version and checksum; what is wrong with them.
  std::string CheckFrame() {
    const std::string name(name_);
    if (text_.substr(0, kTitle.size()) != kTitle) {
      return name + ":1: not a heddle schedule (it would begin with `heddle schedule " +
             std::to_string(kScheduleVersion) + "`)";
    }
    const std::string version = text_.substr(kTitle.size(), text_.find('\n') - kTitle.size());
    if (version != std::to_string(kScheduleVersion)) {
      return name + ":1: schedule version " + version + ", this heddle reads " +
             std::to_string(kScheduleVersion) + "; record the run again";
    }
    const std::size_t at = text_.rfind("\n" + std::string(kChecksum));
    if (at == std::string::npos || text_.back() != '\n') {
      return name + ": the file ends before its checksum, it was cut off; record the run again";
    }
    body_end_ = at + 1;
    const std::string checksum =
        text_.substr(body_end_ + kChecksum.size(), text_.size() - 1 - body_end_ - kChecksum.size());
    if (checksum != Hexadecimal(HashText(std::string_view(text_).substr(0, body_end_)))) {
      return name +
             ": the checksum does not fit, the file was changed or damaged; "
             "record the run again";
    }
    return "";
  }

  bool ParseLine(const std::vector<std::string>& words) {
    const std::string& key = words[0];
    if (key == kPoint || key == kLoop || key == kUnseenLoop) return ParsePoint(words);
    if (key == kRule) return ParseRule(words);
    if (key == "answers") return ParseAnswers(words);
    if (key == "input") return ParseInput(words);
    if (key == kSwitch || key == kBlocked || key == kWaiter || key == kOutcome) {
      return ParseSwitch(words);
    }
    if (key == "failure") {
      if (words.size() != 3) return false;
      schedule_.kind = words[1];
      schedule_.message = words[2];
      return true;
    }
    if (words.size() != 2) return false;
    const std::string& value = words[1];
    if (key == "argument")
      schedule_.arguments.push_back(value);
    else if (key == "focus")
      schedule_.scope.focus.push_back(value);
    else if (key == "ignore")
      schedule_.scope.ignore.push_back(value);
    else if (key == "start-at")
      schedule_.scope.start_at = value;
    else if (key == "spurious-wakeups")
      schedule_.scope.spurious_wakeups = value == "on";
    else if (key == "await")
      schedule_.scope.awaits = value != "off";
    else if (key == "program")
      schedule_.program = value;
    else if (key == "build-id")
      schedule_.build_id = value;
    else if (key == "recorded-by")
      schedule_.heddle_version = value;
    else if (key == "explore")
      schedule_.explore = value;
    else if (key == "isolation")
      return Set(IsolationByName(value), &schedule_.isolation);
    else if (key == "strategy")
      schedule_.strategy = value;
    else if (key == "fingerprint")
      schedule_.fingerprint = value;
    else if (key == "seed")
      return Set(ParseNumber(value), &schedule_.seed);
    else if (key == "run")
      return Set(ParseNumber(value), &schedule_.run);
    else if (key == "parked")
      return Set(ParseNumber(value), &schedule_.parked);
    else if (key == "input-missing")
      return Set(ParseNumber(value), &schedule_.input_missing);
    else if (key == "event-hash")
      return Set(ParseHexadecimal(value), &schedule_.event_hash);
    else if (key == "points")
      return Set(PointsByName(value), &schedule_.points);
    else if (key == "timeouts")
      return Set(TimeoutsByName(value), &schedule_.timeouts);
    else
      return false;
    return true;
  }

  template <typename From, typename To>
  static bool Set(const std::optional<From>& from, To* to) {
    if (from) *to = static_cast<To>(*from);
    return from.has_value();
  }

  // "lost_update.cpp:9"
  static bool ParseHint(const std::string& word, LineAnchor* where) {
    const std::size_t colon = word.rfind(':');
    if (colon == std::string::npos) return false;
    where->file = word.substr(0, colon);
    return Set(ParseNumber(word.substr(colon + 1)), &where->line);
  }

  bool ParsePoint(const std::vector<std::string>& words) {
    if (words.size() != 7 || words[6].substr(0, 3) != "+0x") return false;
    SchedulePoint point;
    for (const Lesson lesson : {Lesson::kLoop, Lesson::kUnseenLoop}) {
      if (words[0] == WordOf(lesson)) point.lesson = lesson;
    }
    point.where.module = words[1];
    point.where.function = words[2];
    const bool ok = Set(ParseHexadecimal(words[3]), &point.where.line_hash) &&
                    Set(OpKindByName(words[4]), &point.kind) && ParseHint(words[5], &point.where) &&
                    Set(ParseHexadecimal(words[6].substr(3)), &point.offset);
    schedule_.point_set.push_back(point);
    return ok;
  }

  bool ParseRule(const std::vector<std::string>& words) {
    const std::optional<Rule> rule = words.size() == 2 ? RuleByName(words[1]) : std::nullopt;
    if (!rule) return false;
    schedule_.point_set.push_back(
        {.offset = static_cast<std::uint32_t>(*rule), .lesson = Lesson::kRule});
    return true;
  }

  bool ParseSwitch(const std::vector<std::string>& words) {
    if (words.size() < 10 || words.size() > 11 || words[8] != "->") return false;
    if (words.size() == 11 && words[10] != "timeout") return false;
    ScheduleSwitch change;
    if (words[0] == kWaiter) change.decision = DecisionKind::kWaiter;
    if (words[0] == kOutcome) change.decision = DecisionKind::kOutcome;
    change.forced = words[0] == kBlocked;
    if (words.size() == 11) change.outcome = Outcome::kTimeout;
    change.from = words[1];
    change.where.module = words[3];
    change.where.function = words[4];
    change.to = words[9];
    if (!PathHash(change.from) || !PathHash(change.to) || words[6].substr(0, 1) != "#")
      return false;
    const bool ok = Set(OpKindByName(words[2]), &change.kind) &&
                    Set(ParseHexadecimal(words[5]), &change.where.line_hash) &&
                    Set(ParseNumber(words[6].substr(1)), &change.occurrence) &&
                    ParseHint(words[7], &change.where);
    schedule_.switches.push_back(change);
    return ok;
  }

  bool ParseAnswers(const std::vector<std::string>& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      const std::size_t colon = word.find(':');
      const std::size_t times = word.find('x');
      if (colon == std::string::npos) return false;
      const auto options = ParseNumber(word.substr(0, colon));
      const auto chosen = ParseNumber(word.substr(colon + 1, times - colon - 1));
      const auto count = times == std::string::npos ? std::optional<std::uint64_t>(1)
                                                    : ParseNumber(word.substr(times + 1));
      if (!options || !chosen || !count || *chosen >= *options || *options > 0xffff) return false;
      if (*count > kMaxPrefix - schedule_.answers.size()) return false;
      schedule_.answers.insert(
          schedule_.answers.end(), *count,
          Answer{static_cast<std::uint16_t>(*chosen), static_cast<std::uint16_t>(*options)});
    }
    return true;
  }

  bool ParseInput(const std::vector<std::string>& words) {
    if (words.size() < 6 || words.size() > 7 || words[5].substr(0, 1) != "x") return false;
    const auto kind = std::find(std::begin(kInputKinds), std::end(kInputKinds), words[1]);
    if (kind == std::end(kInputKinds)) return false;
    InputEntry entry;
    entry.kind = static_cast<InputKind>(kind - std::begin(kInputKinds));
    const bool failed = words[3].substr(0, 1) == "-";
    const bool ok = Set(ParseHexadecimal(words[2]), &entry.stream) &&
                    Set(ParseNumber(words[3].substr(failed ? 1 : 0)), &entry.result) &&
                    Set(ParseNumber(words[4]), &entry.error) &&
                    Set(ParseNumber(words[5].substr(1)), &entry.count);
    if (!ok || entry.count == 0) return false;
    if (failed) entry.result = -entry.result;
    const std::string bytes = words.size() == 7 ? words[6] : "";
    entry.size = static_cast<std::uint32_t>(bytes.size());
    std::vector<std::uint8_t>& log = schedule_.input;
    const std::size_t at = log.size();
    if (InputSize(entry) > kMaxInput - at) return false;
    log.resize(at + InputSize(entry), 0);
    std::memcpy(log.data() + at, &entry, sizeof entry);
    std::memcpy(log.data() + at + sizeof entry, bytes.data(), bytes.size());
    return true;
  }

  std::string_view name_;
  std::string text_;
  std::size_t body_end_ = 0;
  int line_number_ = 0;
  Schedule schedule_;
};

}  // namespace

std::string FormatSchedule(const Schedule& schedule) {
  std::string text = std::string(kTitle) + std::to_string(kScheduleVersion) + "\n";
  const auto line = [&text](std::string_view key, std::string_view value) {
    if (!value.empty()) text += std::string(key) + " " + QuoteWord(value) + "\n";
  };
  line("program", schedule.program);
  for (const std::string& argument : schedule.arguments) {
    text += "argument " + QuoteWord(argument) + "\n";
  }
  line("build-id", schedule.build_id);
  line("recorded-by", schedule.heddle_version);
  line("explore", schedule.explore);
  if (!schedule.explore.empty()) line("isolation", NameOf(schedule.isolation));
  line("strategy", schedule.strategy);
  line("seed", std::to_string(schedule.seed));
  line("run", std::to_string(schedule.run));
  line("points", NameOf(schedule.points));
  line("timeouts", NameOf(schedule.timeouts));
  for (const std::string& name : schedule.scope.focus) line("focus", name);
  for (const std::string& name : schedule.scope.ignore) line("ignore", name);
  line("start-at", schedule.scope.start_at);
  if (schedule.scope.spurious_wakeups) line("spurious-wakeups", "on");
  if (!schedule.scope.awaits) line("await", "off");
  if (!schedule.kind.empty()) {
    text += "failure " + QuoteWord(schedule.kind) + " " + QuoteWord(schedule.message) + "\n";
  }
  line("fingerprint", schedule.fingerprint);
  line("event-hash", Hexadecimal(schedule.event_hash));
  if (schedule.parked > 0) line("parked", std::to_string(schedule.parked));

  text += "\n# accesses that are scheduling points: module, function, hash of the line, ...\n";
  for (const SchedulePoint& point : schedule.point_set) {
    if (point.lesson == Lesson::kRule) {
      line(kRule, std::string(NameOf(static_cast<Rule>(point.offset))));
      continue;
    }
    char offset[16];
    std::snprintf(offset, sizeof offset, "+0x%x", point.offset);
    text += std::string(WordOf(point.lesson)) + " " + FormatAnchor(point.where) + " " +
            std::string(NameOf(point.kind)) + " " + FormatHint(point.where) + " " + offset + "\n";
  }
  text +=
      "\n# thread, its operation, where (module, function, hash of the line, occurrence) -> "
      "who goes on\n";
  for (const ScheduleSwitch& change : schedule.switches) {
    text += std::string(WordOf(change)) + " " + change.from + " " +
            std::string(NameOf(change.kind)) + " " + FormatAnchor(change.where) + " #" +
            std::to_string(change.occurrence) + " " + FormatHint(change.where) + " -> " +
            change.to + (change.outcome == Outcome::kTimeout ? " timeout" : "") + "\n";
  }
  text += "\n# every answer, for this very build: options:chosen, xN = N times\n";
  text += FormatAnswers(schedule.answers);
  if (!schedule.input.empty()) {
    text += "\n# what came from outside: call, peer, result, error, how often, bytes\n";
    text += FormatInput(schedule.input);
    if (schedule.input_missing > 0) {
      line("input-missing", std::to_string(schedule.input_missing));
    }
  }
  return text + std::string(kChecksum) + Hexadecimal(HashText(text)) + "\n";
}

Result<Schedule> ParseSchedule(std::string_view text, std::string_view name) {
  return Parser(text, name).Parse();
}

}  // namespace heddle
