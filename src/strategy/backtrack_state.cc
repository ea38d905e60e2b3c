// The backtracking search as text and back, and the strategies that are instances of it.
#include <algorithm>
#include <vector>

#include "strategy/backtrack.h"
#include "strategy/params.h"
#include "strategy/state_text.h"

namespace heddle {
namespace {

constexpr std::uint64_t kDefaultBound = 2;

void Write(StateWriter& writer, const HapStatement& statement) {
  writer.Number(statement.site).Number(statement.context);
  writer.Number(static_cast<std::uint64_t>(statement.kind));
}

HapStatement ReadStatement(StateReader& reader) {
  HapStatement statement;
  statement.site = reader.Number();
  statement.context = static_cast<std::uint32_t>(reader.Number(UINT32_MAX));
  statement.kind = static_cast<OpKind>(reader.Number(kOpKindCount - 1));
  return statement;
}

void Write(StateWriter& writer, const HapPair& pair) {
  Write(writer, pair.statement);
  Write(writer, pair.before);
  writer.Number(pair.statement_is_lower ? 1 : 0);
}

HapPair ReadPair(StateReader& reader) {
  HapPair pair;
  pair.statement = ReadStatement(reader);
  pair.before = ReadStatement(reader);
  pair.statement_is_lower = reader.Number(1) != 0;
  return pair;
}

void Write(StateWriter& writer, const HapSets& sets) {
  writer.Number(sets.size());
  for (const HapPair& pair : sets.pairs()) Write(writer, pair);
}

void Read(StateReader& reader, std::uint64_t most, HapSets* sets) {
  for (std::uint64_t left = reader.Number(most); left > 0 && reader.ok(); --left) {
    sets->Add(ReadPair(reader));
  }
}

}  // namespace

// Nodes are written parents first, numbered anew. What is out when the state is saved is lost with
// its process, so it is saved as something to do.
std::string BacktrackSearch::Save() const {
  std::vector<Node> nodes = state_.nodes;
  bool started = state_.started;
  std::uint64_t given = state_.given;
  std::vector<Goal> lost;
  for (const auto& [run, from] : state_.outstanding) {
    --given;
    if (from.node == kNoNode) {
      started = false;
    } else if (options_.guided) {
      nodes[from.node].done &= ~(std::uint64_t{1} << from.option);
      lost.push_back({.node = from.node, .option = from.option, .pair = from.pair});
    } else {
      nodes[from.node].todo |= std::uint64_t{1} << from.option;
    }
  }
  std::vector<Index> order;
  for (Index i = 0; i < nodes.size(); ++i) {
    if (nodes[i].references > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::pair(nodes[a].depth, a) < std::pair(nodes[b].depth, b);
  });
  std::vector<std::uint64_t> number(nodes.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = i + 1;

  StateWriter writer;
  writer.Word(options_.name).Number(seed_).Number(options_.most_preemptions);
  writer.Number(static_cast<std::uint64_t>(options_.rule)).Number(options_.learning_runs);
  writer.Number(options_.call_sites).Number(given).Number(state_.learnt);
  writer.Number(state_.lost).Number(started ? 1 : 0).Number(state_.pruned ? 1 : 0);
  writer.Number(order.size());
  for (const Index index : order) {
    const Node& node = nodes[index];
    writer.Number(node.parent == kNoNode ? 0 : number[node.parent]).Number(node.via);
    writer.Number(node.options).Number(node.preemptions).Number(node.current);
    writer.Number(node.current_enabled ? 1 : 0).Number(node.is_thread ? 1 : 0);
    writer.Number(node.among).Number(node.done).Number(node.todo).Number(node.runs);
  }
  Write(writer, state_.hapsets);
  Write(writer, state_.shown);
  Write(writer, state_.serial);
  Write(writer, state_.woken);
  Write(writer, state_.crossed);
  writer.Number(state_.goals.tries().size());
  for (const auto& [pair, tries] : state_.goals.tries()) {
    Write(writer, pair);
    writer.Number(tries);
  }
  writer.Number(state_.goals.queue().size() + lost.size());
  const auto write_goal = [&](const Goal& goal, Risk risk) {
    writer.Number(number[goal.node]).Number(goal.option).Number(static_cast<std::uint64_t>(risk));
    Write(writer, goal.pair);
  };
  for (const auto& [rank, goal] : state_.goals.queue()) write_goal(goal, rank.risk);
  for (const Goal& goal : lost) write_goal(goal, Risk::kSeen);
  return writer.Take();
}

Status BacktrackSearch::Load(std::string_view text) {
  StateReader reader(text);
  reader.Expect(options_.name);
  bool same = reader.Number() == seed_;
  same = reader.Number() == options_.most_preemptions && same;
  same = reader.Number() == static_cast<std::uint64_t>(options_.rule) && same;
  same = reader.Number() == options_.learning_runs && same;
  same = reader.Number() == options_.call_sites && same;
  State state;
  state.given = reader.Number();
  state.learnt = reader.Number();
  state.lost = reader.Number();
  state.started = reader.Number(1) != 0;
  state.pruned = reader.Number(1) != 0;
  const std::uint64_t count = reader.Number(text.size());
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    Node node;
    const auto parent = static_cast<Index>(reader.Number(i));
    node.via = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
    node.options = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
    node.preemptions = static_cast<std::uint32_t>(reader.Number(UINT32_MAX));
    node.current = static_cast<ThreadId>(reader.Number(UINT16_MAX));
    node.current_enabled = reader.Number(1) != 0;
    node.is_thread = reader.Number(1) != 0;
    node.among = reader.Number();
    node.done = reader.Number();
    node.todo = reader.Number();
    node.runs = reader.Number();
    if (parent != 0) {
      node.parent = parent - 1;
      node.depth = state.nodes[node.parent].depth + 1;
      ++state.nodes[node.parent].references;
    }
    if (node.todo != 0) {
      node.references = 1;
      state.open.insert({node.depth, static_cast<Index>(i)});
    }
    state.nodes.push_back(node);
  }
  Read(reader, text.size(), &state.hapsets);
  Read(reader, text.size(), &state.shown);
  Read(reader, text.size(), &state.serial);
  Read(reader, text.size(), &state.woken);
  Read(reader, text.size(), &state.crossed);
  for (std::uint64_t left = reader.Number(text.size()); left > 0 && reader.ok(); --left) {
    const HapPair pair = ReadPair(reader);
    state.goals.SetTries(pair, static_cast<std::uint32_t>(reader.Number(UINT32_MAX)));
  }
  for (std::uint64_t left = reader.Number(text.size()); left > 0 && reader.ok(); --left) {
    Goal goal;
    const std::uint64_t node = reader.Number(count);
    goal.option = static_cast<std::uint16_t>(reader.Number(kMostOptions - 1));
    const auto risk = static_cast<Risk>(reader.Number(static_cast<std::uint64_t>(Risk::kLast)));
    goal.pair = ReadPair(reader);
    if (!reader.ok() || node == 0) return BadState(options_.name);
    goal.node = static_cast<Index>(node - 1);
    Node& at = state.nodes[goal.node];
    if (state.goals.Add(goal, risk, at.depth)) ++at.references;
  }
  if (!reader.ok() || !reader.AtEnd() || !same) return BadState(options_.name);
  // What is written is needed by something to do, below or at it.
  for (const Node& node : state.nodes) {
    if (node.references == 0) return BadState(options_.name);
  }
  state.live = state.nodes.size();
  state.hapsets.call_sites = options_.call_sites;
  state_ = std::move(state);
  return Status();
}

std::unique_ptr<Search> MakeBaselineSearch(const SearchOptions& options) {
  return std::make_unique<BacktrackSearch>(options, BacktrackOptions{.name = "baseline"});
}

std::unique_ptr<Search> MakeDporSearch(const SearchOptions& options) {
  return std::make_unique<BacktrackSearch>(
      options, BacktrackOptions{.name = "dpor", .rule = BacktrackRule::kOneThatLeadsThere});
}

std::unique_ptr<Search> MakeHapsetSearch(const SearchOptions& options) {
  const auto over = options.params.find("over");
  const bool over_pcb = over != options.params.end() && over->second == "pcb";
  BacktrackOptions chosen{.name = "hapset", .guided = true};
  chosen.rule = over_pcb ? BacktrackRule::kAllOptions : BacktrackRule::kOneThatLeadsThere;
  if (over_pcb) {
    const std::uint64_t bound = NumberParam(options.params, "bound", kDefaultBound);
    chosen.most_preemptions = static_cast<std::uint32_t>(bound);
  }
  chosen.learning_runs = NumberParam(options.params, "learn", 0);
  chosen.call_sites = NumberParam(options.params, "ctx", kUsualCallSites);
  return std::make_unique<BacktrackSearch>(options, chosen);
}

std::string HapsetParamsError(const StrategyParams& params) {
  const auto over = params.find("over");
  const bool over_pcb = over != params.end() && over->second == "pcb";
  if (over_pcb || params.count("bound") == 0) return {};
  return "hapset goes over dpor or over a preemption bound, never both (some classes would have no "
         "run within the bound at all); write hapset:over=pcb,bound=" +
         params.at("bound");
}

}  // namespace heddle
