#include "reach/diagram.h"

#include <algorithm>

#include "reach/races.h"

namespace heddle::reach {
namespace {

constexpr std::size_t kMostRows = 200;
constexpr std::size_t kLinesPerTitle = 40;

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

// What the sender's end of an arrow says: the operation, and the port if there are several.
std::string SendLabel(const Send& send, const DiagramNames& names) {
  std::string text = NameOf(send.operation);
  const auto port = names.ports.find(send.object);
  if (send.operation == Operation::kSend && port != names.ports.end()) text += " " + port->second;
  return text;
}

void Put(std::string& line, std::size_t at, const std::string& text) {
  if (line.size() < at + text.size()) line.resize(at + text.size(), ' ');
  line.replace(at, text.size(), text);
}

std::string Trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// Who has a column, and where it begins. A column is as wide as what stands in it, so that there is
// always room for an arrow.
class Columns {
 public:
  Columns(const Sequence& sequence, const DiagramNames& names)
      : names_(names), thread_(names.threads.size(), kNone), owner_(names.owners.size(), kNone) {
    for (const Send& send : sequence.sends()) thread_[send.thread] = 0;
    for (const Receive& receive : sequence.receives()) {
      const Index receiver = names.receivers[receive.owner];
      (receiver != kNone ? thread_[receiver] : owner_[receive.owner]) = 0;
    }
    for (Index thread = 0; thread < thread_.size(); ++thread) {
      if (thread_[thread] != kNone) Add(thread_[thread], names.threads[thread]);
    }
    for (Index owner = 0; owner < owner_.size(); ++owner) {
      if (owner_[owner] != kNone) Add(owner_[owner], names.owners[owner]);
    }
    for (const Send& send : sequence.sends()) {
      std::string text = SendLabel(send, names);
      if (send.partner == kNone) {
        text += " ...";
      } else if (ColumnOf(sequence.receives()[send.partner].owner) == thread_[send.thread]) {
        text += "->" + std::to_string(sequence.receives()[send.partner].number);
      }
      Widen(thread_[send.thread], text.size());
    }
    for (const Receive& receive : sequence.receives()) {
      Widen(ColumnOf(receive.owner), std::to_string(receive.number).size());
    }
    std::size_t at = 0;
    for (const std::size_t width : widths_) {
      begins_.push_back(at);
      at += width + kGap;
    }
    length_ = at;
  }

  std::string Titles() const {
    std::string line(length_, ' ');
    for (std::size_t i = 0; i < titles_.size(); ++i) Put(line, begins_[i], titles_[i]);
    return Trimmed(line);
  }

  // An arrow from a thread to an owner, over the columns between them; of what was not received,
  // its beginning.
  std::string Arrow(const Sequence& sequence, const Send& send) const {
    std::string line(length_, ' ');
    for (const std::size_t begin : begins_) line[begin] = '|';
    const Index sender = thread_[send.thread];
    const std::string what = SendLabel(send, names_);
    if (send.partner == kNone) {
      Put(line, begins_[sender], what + " ...");
      return Trimmed(line);
    }
    const Receive& receive = sequence.receives()[send.partner];
    const Index receiver = ColumnOf(receive.owner);
    const std::string at = std::to_string(receive.number);
    if (receiver == sender) {
      Put(line, begins_[sender], what + "->" + at);
      return Trimmed(line);
    }
    const std::size_t from = begins_[std::min(sender, receiver)];
    const std::size_t to = begins_[std::max(sender, receiver)];
    for (std::size_t i = from; i < to; ++i) line[i] = line[i] == '|' ? '+' : '-';
    if (sender < receiver) {
      line[to - 1] = '>';
    } else {
      line[from + at.size()] = '<';
    }
    Put(line, begins_[receiver], at);
    Put(line, begins_[sender], what);
    return Trimmed(line);
  }

 private:
  static constexpr std::size_t kGap = 3;

  void Add(Index& column, const std::string& title) {
    column = static_cast<Index>(titles_.size());
    titles_.push_back(title);
    widths_.push_back(title.size());
  }
  void Widen(Index column, std::size_t width) {
    widths_[column] = std::max(widths_[column], width);
  }
  Index ColumnOf(Index owner) const {
    const Index receiver = names_.receivers[owner];
    return receiver != kNone ? thread_[receiver] : owner_[owner];
  }

  const DiagramNames& names_;
  std::vector<Index> thread_, owner_;
  std::vector<std::string> titles_;
  std::vector<std::size_t> widths_, begins_;
  std::size_t length_ = 0;
};

// Rows of cells, each column as wide as its widest.
std::string Aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    if (widths.size() < row.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += " " + row[i] + std::string(widths[i] - row[i].size(), ' ');
    }
    text += Trimmed(line);
  }
  return text;
}

}  // namespace

std::string Diagram(const Sequence& sequence, const DiagramNames& names) {
  const Columns columns(sequence, names);
  std::vector<const Send*> lines;
  for (const Receive& receive : sequence.receives()) {
    lines.push_back(&sequence.sends()[receive.partner]);
  }
  for (const Send& send : sequence.sends()) {
    if (send.partner == kNone) lines.push_back(&send);
  }
  const std::size_t width = std::to_string(lines.size()).size();
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i % kLinesPerTitle == 0) text += std::string(width + 2, ' ') + columns.Titles();
    const std::string number = std::to_string(i + 1);
    text += std::string(width - number.size(), ' ') + number + "  ";
    text += columns.Arrow(sequence, *lines[i]);
  }
  return text;
}

std::string RaceReport(const Sequence& sequence, std::span<const Heading> headings,
                       const DiagramNames& names) {
  std::vector<std::vector<std::string>> table;
  const std::vector<std::vector<Index>> races = RaceSets(sequence);
  for (Index r = 0; r < races.size(); ++r) {
    const Receive& receive = sequence.receives()[r];
    std::string opens;
    for (const Open& open : sequence.OpenListOf(receive)) {
      if (!opens.empty()) opens += ", ";
      if (open.thread != kNone) opens += names.threads[open.thread] + ":";
      opens += NameOf(open.operation);
      const auto port = names.ports.find(open.object);
      if (open.operation == Operation::kSend && port != names.ports.end()) {
        opens += " " + port->second;
      }
    }
    std::string race;
    for (const Index send : races[r]) {
      race += (race.empty() ? "" : ", ") + SendText(sequence, send, names);
    }
    table.push_back({ReceiveText(sequence, r, names), "open {" + opens + "}",
                     "took " + SendText(sequence, receive.partner, names), "race {" + race + "}"});
  }
  std::string text = "race sets\n" + Aligned(table);
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
