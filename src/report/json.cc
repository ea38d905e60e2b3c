#include "report/json.h"

#include <string>
#include <utility>

#include "report/words.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFindingSchema = 1;
constexpr std::string_view kReasons[] = {"", "preempted", "blocked", "exited", "timeout"};

SwitchReason ReasonByName(const std::string& name) {
  for (std::size_t i = 0; i < std::size(kReasons); ++i) {
    if (kReasons[i] == name) return static_cast<SwitchReason>(i);
  }
  throw std::runtime_error("unknown switch reason " + name);
}

Json FrameToJson(const Frame& frame) {
  return {{"function", frame.function},  {"file", frame.file},       {"line", frame.line},
          {"column", frame.column},      {"module", frame.module},   {"offset", frame.offset},
          {"inlined", frame.is_inlined}, {"system", frame.is_system}};
}

Frame FrameFromJson(const Json& json) {
  Frame frame;
  json.at("function").get_to(frame.function);
  json.at("file").get_to(frame.file);
  json.at("line").get_to(frame.line);
  json.at("column").get_to(frame.column);
  json.at("module").get_to(frame.module);
  json.at("offset").get_to(frame.offset);
  json.at("inlined").get_to(frame.is_inlined);
  json.at("system").get_to(frame.is_system);
  return frame;
}

Json StackToJson(const FindingStack& stack) {
  Json json = {{"title", stack.title}};
  json["frames"] = Json::array();
  for (const Frame& frame : stack.frames) json["frames"].push_back(FrameToJson(frame));
  return json;
}

FindingStack StackFromJson(const Json& json) {
  FindingStack stack;
  json.at("title").get_to(stack.title);
  for (const Json& frame : json.at("frames")) stack.frames.push_back(FrameFromJson(frame));
  return stack;
}

Json ThreadToJson(const FindingThread& thread) {
  Json json = {{"id", thread.id},       {"path", thread.path},   {"name", thread.name},
               {"label", thread.label}, {"state", thread.state}, {"ended", thread.ended}};
  json["stack"] = Json::array();
  for (const Frame& frame : thread.stack) json["stack"].push_back(FrameToJson(frame));
  return json;
}

FindingThread ThreadFromJson(const Json& json) {
  FindingThread thread;
  json.at("id").get_to(thread.id);
  json.at("path").get_to(thread.path);
  json.at("name").get_to(thread.name);
  json.at("label").get_to(thread.label);
  json.at("state").get_to(thread.state);
  json.at("ended").get_to(thread.ended);
  for (const Json& frame : json.at("stack")) thread.stack.push_back(FrameFromJson(frame));
  return thread;
}

// Steps are many: what is empty is left out.
Json StepToJson(const Step& step) {
  Json json = {{"step", step.number}, {"thread", step.thread}, {"op", NameOf(step.kind)}};
  const auto text = [&json](const char* key, const std::string& value) {
    if (!value.empty()) json[key] = value;
  };
  text("object", step.object);
  text("value", step.value);
  text("note", step.note);
  text("function", step.function);
  text("file", step.file);
  if (step.line != 0) json["line"] = step.line;
  if (step.reason != SwitchReason::kNone) {
    json["switch"] = kReasons[static_cast<std::size_t>(step.reason)];
  }
  if (step.from != kNoThread) json["from"] = step.from;
  text("detail", step.reason_detail);
  if (step.is_failure) json["failure"] = true;
  if (step.never_done) json["never_done"] = true;
  return json;
}

Step StepFromJson(const Json& json) {
  Step step;
  json.at("step").get_to(step.number);
  json.at("thread").get_to(step.thread);
  const std::optional<OpKind> kind = OpKindByName(json.at("op").get<std::string>());
  if (!kind) throw std::runtime_error("unknown operation " + json.at("op").get<std::string>());
  step.kind = *kind;
  step.object = json.value("object", "");
  step.value = json.value("value", "");
  step.note = json.value("note", "");
  step.function = json.value("function", "");
  step.file = json.value("file", "");
  step.line = json.value("line", 0);
  step.reason = ReasonByName(json.value("switch", ""));
  step.from = json.value("from", kNoThread);
  step.reason_detail = json.value("detail", "");
  step.is_failure = json.value("failure", false);
  step.never_done = json.value("never_done", false);
  return step;
}

Json InvocationToJson(const Invocation& invocation) {
  return {{"program", invocation.program},
          {"arguments", invocation.arguments},
          {"sources", invocation.sources},
          {"working_directory", invocation.working_directory},
          {"environment", invocation.environment},
          {"stdin", invocation.stdin_path},
          {"build_id", invocation.build_id},
          {"compiler_line", invocation.compiler_line},
          {"cxxflags", invocation.cxxflags},
          {"ldflags", invocation.ldflags},
          {"heddle_version", invocation.heddle_version},
          {"explore", invocation.explore},
          {"test", invocation.test}};
}

Invocation InvocationFromJson(const Json& json) {
  Invocation invocation;
  json.at("program").get_to(invocation.program);
  json.at("arguments").get_to(invocation.arguments);
  json.at("sources").get_to(invocation.sources);
  json.at("working_directory").get_to(invocation.working_directory);
  json.at("environment").get_to(invocation.environment);
  json.at("stdin").get_to(invocation.stdin_path);
  json.at("build_id").get_to(invocation.build_id);
  json.at("compiler_line").get_to(invocation.compiler_line);
  invocation.cxxflags = json.value("cxxflags", "");
  invocation.ldflags = json.value("ldflags", "");
  json.at("heddle_version").get_to(invocation.heddle_version);
  invocation.explore = json.value("explore", "");
  invocation.test = json.value("test", "");
  return invocation;
}

Json ScopeToJson(const Scope& scope) {
  return {{"focus", scope.focus},
          {"ignore", scope.ignore},
          {"start_at", scope.start_at},
          {"spurious_wakeups", scope.spurious_wakeups},
          {"awaits", scope.awaits}};
}

Scope ScopeFromJson(const Json& json) {
  Scope scope;
  json.at("focus").get_to(scope.focus);
  json.at("ignore").get_to(scope.ignore);
  json.at("start_at").get_to(scope.start_at);
  json.at("spurious_wakeups").get_to(scope.spurious_wakeups);
  scope.awaits = json.value("awaits", true);
  return scope;
}

Json SearchToJson(const SearchSettings& search) {
  Json json = {{"strategy", search.strategy},           {"seed", search.seed},
               {"backend", NameOf(search.backend)},     {"points", NameOf(search.points)},
               {"timeouts", NameOf(search.timeouts)},   {"reuse", NameOf(search.reuse)},
               {"max_steps", search.max_steps},         {"memory_bytes", search.memory_bytes},
               {"expected_exit", search.expected_exit}, {"isolation", NameOf(search.isolation)},
               {"scope", ScopeToJson(search.scope)}};
  if (search.expected_output) json["expected_output"] = Hexadecimal(*search.expected_output);
  return json;
}

template <typename Enum>
Enum Required(const std::optional<Enum>& value, const char* what) {
  if (!value) throw std::runtime_error(std::string("unknown ") + what);
  return *value;
}

SearchSettings SearchFromJson(const Json& json) {
  SearchSettings search;
  json.at("strategy").get_to(search.strategy);
  json.at("seed").get_to(search.seed);
  search.backend = Required(BackendByName(json.at("backend").get<std::string>()), "backend");
  search.points = Required(PointsByName(json.at("points").get<std::string>()), "points");
  search.timeouts = Required(TimeoutsByName(json.at("timeouts").get<std::string>()), "timeouts");
  search.reuse = Required(ReuseByName(json.value("reuse", "never")), "reuse");
  json.at("max_steps").get_to(search.max_steps);
  json.at("memory_bytes").get_to(search.memory_bytes);
  json.at("expected_exit").get_to(search.expected_exit);
  if (json.contains("expected_output")) {
    search.expected_output = Required(
        ParseHexadecimal(json.at("expected_output").get<std::string>()), "hash of an output");
  }
  search.isolation =
      Required(IsolationByName(json.value("isolation", std::string("program"))), "isolation");
  if (json.contains("scope")) search.scope = ScopeFromJson(json.at("scope"));
  return search;
}

void ReadInto(const Json& json, Finding* finding) {
  json.at("id").get_to(finding->id);
  finding->kind = Required(FindingKindByName(json.at("kind").get<std::string>()), "kind");
  finding->severity =
      json.at("severity").get<std::string>() == "error" ? Severity::kError : Severity::kWarning;
  json.at("fingerprint").get_to(finding->fingerprint);
  json.at("message").get_to(finding->message);
  for (const Json& site : json.at("sites")) {
    finding->sites.push_back({site.at("file").get<std::string>(), site.at("line").get<int>(),
                              site.at("function").get<std::string>(), site.value("text", "")});
  }
  json.at("hits").get_to(finding->hits);
  json.at("first_run").get_to(finding->first_run);
  json.at("replayed").get_to(finding->replayed);
  json.at("schedule_dependent").get_to(finding->schedule_dependent);
  json.at("schedule").get_to(finding->schedule);
  json.at("replay_note").get_to(finding->replay_note);
  json.at("needs_early_timeout").get_to(finding->needs_early_timeout);
  finding->invocation = InvocationFromJson(json.at("invocation"));
  finding->search = SearchFromJson(json.at("search"));
  json.at("events").get_to(finding->events);
  json.at("decisions").get_to(finding->decisions);
  json.at("preemptions").get_to(finding->preemptions);
  json.at("event_hash").get_to(finding->event_hash);
  for (const Json& stack : json.value("stacks", Json::array())) {
    finding->stacks.push_back(StackFromJson(stack));
  }
  for (const Json& thread : json.at("threads")) finding->threads.push_back(ThreadFromJson(thread));
  for (const Json& step : json.at("steps")) finding->steps.push_back(StepFromJson(step));
}

// Readers index `threads` by the ids in steps.
void CheckReferences(const Finding& finding) {
  for (std::size_t i = 0; i < finding.threads.size(); ++i) {
    if (finding.threads[i].id != i) throw std::runtime_error("threads are out of order");
  }
  for (const Step& step : finding.steps) {
    const bool is_known = step.thread < finding.threads.size() &&
                          (step.from == kNoThread || step.from < finding.threads.size());
    if (!is_known) throw std::runtime_error("a step names an unknown thread");
  }
}

}  // namespace

Json FindingToJson(const Finding& finding) {
  const FindingKindInfo& info = InfoOf(finding.kind);
  Json json = {{"id", finding.id},
               {"kind", info.name},
               {"severity", finding.severity == Severity::kError ? "error" : "warning"},
               {"fingerprint", finding.fingerprint},
               {"message", finding.message}};
  json["sites"] = Json::array();
  for (const FindingSite& site : finding.sites) {
    json["sites"].push_back({{"file", site.file},
                             {"line", site.line},
                             {"function", site.function},
                             {"text", site.text}});
  }
  json["hits"] = finding.hits;
  json["first_run"] = finding.first_run;
  json["replayed"] = finding.replayed;
  json["schedule_dependent"] = finding.schedule_dependent;
  json["schedule"] = finding.schedule;
  return json;
}

Json WholeFindingToJson(const Finding& finding) {
  Json json = {{"tool", "heddle"}, {"finding_schema", kFindingSchema}};
  json.update(FindingToJson(finding));
  json["replay_note"] = finding.replay_note;
  json["needs_early_timeout"] = finding.needs_early_timeout;
  json["invocation"] = InvocationToJson(finding.invocation);
  json["search"] = SearchToJson(finding.search);
  json["events"] = finding.events;
  json["decisions"] = finding.decisions;
  json["preemptions"] = finding.preemptions;
  json["event_hash"] = finding.event_hash;
  json["stacks"] = Json::array();
  for (const FindingStack& stack : finding.stacks) json["stacks"].push_back(StackToJson(stack));
  json["threads"] = Json::array();
  for (const FindingThread& thread : finding.threads) {
    json["threads"].push_back(ThreadToJson(thread));
  }
  json["steps"] = Json::array();
  for (const Step& step : finding.steps) json["steps"].push_back(StepToJson(step));
  return json;
}

Result<Finding> FindingFromJson(std::string_view text, std::string_view name) {
  Finding finding;
  // The library reports by exceptions; they end here.
  try {
    const Json json = Json::parse(text);
    const int schema = json.at("finding_schema").get<int>();
    if (schema != kFindingSchema) {
      return Error{std::string(name) + ": finding version " + std::to_string(schema) +
                   ", this heddle reads " + std::to_string(kFindingSchema) +
                   "; search again with this one"};
    }
    ReadInto(json, &finding);
    CheckReferences(finding);
  } catch (const std::exception& error) {
    return Error{std::string(name) + ": the finding is damaged (" + error.what() +
                 "); remove it with `heddle clean` and search again"};
  }
  return finding;
}

}  // namespace heddle
