#include "strategy/answer_paths.h"

#include <algorithm>

#include "base/check.h"

namespace heddle {
namespace {

// Of a stretch that is read back: a damaged count must not make us allocate without end.
constexpr std::uint64_t kMostAnswers = std::uint64_t{1} << 28;

}  // namespace

AnswerPaths::Node AnswerPaths::Add(const Stretch& stretch) {
  Node node;
  if (free_.empty()) {
    node = static_cast<Node>(slots_.size());
    slots_.emplace_back();
  } else {
    node = free_.back();
    free_.pop_back();
  }
  slots_[node] = {.stretch = stretch, .references = 1};
  Hold(stretch.parent);
  ++live_;
  return node;
}

void AnswerPaths::Release(Node node) {
  while (true) {
    HEDDLE_CHECK(slots_[node].references > 0);
    if (--slots_[node].references > 0 || node == kRoot) return;
    free_.push_back(node);
    --live_;
    node = slots_[node].stretch.parent;
  }
}

std::vector<Answer> AnswerPaths::PathTo(Node node) const {
  std::vector<Answer> path;
  std::uint32_t count = slots_[node].stretch.count;
  while (node != kRoot) {
    const Stretch& stretch = slots_[node].stretch;
    path.insert(path.end(), count, stretch.answer);
    count = stretch.kept;
    node = stretch.parent;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<std::uint32_t> AnswerPaths::Save(const std::vector<Node>& paths,
                                             StateWriter* writer) const {
  std::vector<std::uint32_t> number(slots_.size(), 0);
  std::vector<Node> order;
  for (Node node : paths) {
    const auto first = static_cast<std::ptrdiff_t>(order.size());
    for (; node != kRoot && number[node] == 0; node = slots_[node].stretch.parent) {
      number[node] = 1;
      order.push_back(node);
    }
    std::reverse(order.begin() + first, order.end());
    for (auto i = static_cast<std::size_t>(first); i < order.size(); ++i) {
      number[order[i]] = static_cast<std::uint32_t>(i + 1);
    }
  }
  writer->Number(order.size());
  for (const Node node : order) {
    const Stretch& stretch = slots_[node].stretch;
    writer->Number(number[stretch.parent]).Number(stretch.kept).Number(stretch.count);
    writer->Number(stretch.answer.chosen).Number(stretch.answer.options);
  }
  return number;
}

bool AnswerPaths::Load(StateReader* reader, std::uint64_t most) {
  const std::uint64_t count = reader->Number(most);
  for (std::uint64_t i = 1; i <= count && reader->ok(); ++i) {
    Stretch stretch;
    stretch.parent = static_cast<Node>(reader->Number(i - 1));
    stretch.kept = static_cast<std::uint32_t>(reader->Number(slots_[stretch.parent].stretch.count));
    stretch.count = static_cast<std::uint32_t>(reader->Number(kMostAnswers));
    stretch.answer.chosen = static_cast<std::uint16_t>(reader->Number(UINT16_MAX));
    stretch.answer.options = static_cast<std::uint16_t>(reader->Number(UINT16_MAX));
    if (stretch.count == 0 || stretch.answer.chosen >= stretch.answer.options) return false;
    Add(stretch);
  }
  return reader->ok();
}

}  // namespace heddle
