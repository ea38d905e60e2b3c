#include "reach/diagram.h"

#include <algorithm>

#include "reach/races.h"

namespace heddle::reach {
namespace {

constexpr std::size_t kMostRows = 200;

// "T1#0 P": the send's thread, number and operation.
std::string SendText(const Sequence& sequence, Index id, const DiagramNames& names) {
  const Send& send = sequence.sends()[id];
  return names.threads[send.thread] + "#" + std::to_string(send.number) + " " +
         NameOf(send.operation);
}

std::string ReceiveText(const Sequence& sequence, Index id, const DiagramNames& names) {
  const Receive& receive = sequence.receives()[id];
  return names.owners[receive.owner] + "#" + std::to_string(receive.number);
}

class Columns {
 public:
  Columns(const Sequence& sequence, const DiagramNames& names)
      : names_(names), thread_(names.threads.size(), kNone), owner_(names.owners.size(), kNone) {
    for (const Send& send : sequence.sends()) Use(thread_, send.thread);
    for (const Receive& receive : sequence.receives()) {
      const Index receiver = names.receivers[receive.owner];
      if (receiver != kNone) Use(thread_, receiver);
    }
    for (Index thread = 0; thread < thread_.size(); ++thread) {
      if (thread_[thread] != kNone) Add(thread_[thread], names.threads[thread]);
    }
    for (const Receive& receive : sequence.receives()) {
      if (names.receivers[receive.owner] == kNone) Use(owner_, receive.owner);
    }
    for (Index owner = 0; owner < owner_.size(); ++owner) {
      if (owner_[owner] != kNone) Add(owner_[owner], names.owners[owner]);
    }
    for (const std::string& title : titles_) width_ = std::max(width_, title.size() + 4);
  }

  std::string Titles() const {
    std::string line(titles_.size() * width_, ' ');
    for (std::size_t i = 0; i < titles_.size(); ++i)
      line.replace(i * width_, titles_[i].size(), titles_[i]);
    return Trimmed(line);
  }

  // An arrow from a thread to an owner; without a head for what was not received.
  std::string Arrow(Index thread, const std::string& what, Index owner,
                    const std::string& at) const {
    std::string line(titles_.size() * width_, ' ');
    for (std::size_t i = 0; i < titles_.size(); ++i) line[i * width_] = '|';
    const std::size_t from = thread_[thread] * width_;
    if (owner == kNone) {
      Put(line, from, what + " ...");
      return Trimmed(line);
    }
    const Index receiver = names_.receivers[owner];
    const std::size_t to = (receiver != kNone ? thread_[receiver] : owner_[owner]) * width_;
    if (from < to) {
      for (std::size_t i = from; i < to; ++i) line[i] = '-';
      line[to - 1] = '>';
    } else {
      for (std::size_t i = to + at.size(); i < from; ++i) line[i] = '-';
      line[to + at.size()] = '<';
    }
    Put(line, to, at);
    Put(line, from, what);
    return Trimmed(line);
  }

 private:
  static void Use(std::vector<Index>& columns, Index index) { columns[index] = 0; }
  void Add(Index& column, const std::string& title) {
    column = static_cast<Index>(titles_.size());
    titles_.push_back(title);
  }
  static void Put(std::string& line, std::size_t at, const std::string& text) {
    if (line.size() < at + text.size()) line.resize(at + text.size(), ' ');
    line.replace(at, text.size(), text);
  }
  static std::string Trimmed(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

  const DiagramNames& names_;
  std::vector<Index> thread_, owner_;
  std::vector<std::string> titles_;
  std::size_t width_ = 10;
};

}  // namespace

std::string Diagram(const Sequence& sequence, const DiagramNames& names) {
  const Columns columns(sequence, names);
  std::string text = columns.Titles();
  for (const Receive& receive : sequence.receives()) {
    const Send& send = sequence.sends()[receive.partner];
    text += columns.Arrow(send.thread, NameOf(send.operation), receive.owner,
                          std::to_string(receive.number));
  }
  for (const Send& send : sequence.sends()) {
    if (send.partner == kNone)
      text += columns.Arrow(send.thread, NameOf(send.operation), kNone, "");
  }
  return text;
}

std::string RaceReport(const Sequence& sequence, std::span<const Heading> headings,
                       const DiagramNames& names) {
  std::string text = "race sets\n";
  const std::vector<std::vector<Index>> races = RaceSets(sequence);
  for (Index r = 0; r < races.size(); ++r) {
    const Receive& receive = sequence.receives()[r];
    text += "  " + ReceiveText(sequence, r, names) + " open {";
    bool first = true;
    for (const Open& open : sequence.OpenListOf(receive)) {
      if (!first) text += ", ";
      first = false;
      if (open.thread != kNone) text += names.threads[open.thread] + ":";
      text += NameOf(open.operation);
    }
    text += "} took " + SendText(sequence, receive.partner, names) + ", race {";
    for (std::size_t i = 0; i < races[r].size(); ++i) {
      text += (i > 0 ? ", " : "") + SendText(sequence, races[r][i], names);
    }
    text += "}\n";
  }
  text += "race table\n ";
  for (const Heading& heading : headings)
    text += " " + ReceiveText(sequence, heading.receive, names);
  text += headings.empty() ? " empty\n" : "\n";
  std::size_t rows = 0;
  ForEachRow(sequence, headings, [&](std::span<const int> row) {
    if (++rows > kMostRows) return;
    text += " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string value = std::to_string(row[i]);
      const std::size_t width = ReceiveText(sequence, headings[i].receive, names).size();
      text += " " + std::string(width - std::min(width, value.size()), ' ') + value;
    }
    text += "\n";
  });
  if (rows > kMostRows) text += "  ... " + std::to_string(rows) + " rows in all\n";
  return text;
}

}  // namespace heddle::reach
