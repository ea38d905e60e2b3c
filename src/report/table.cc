#include "report/table.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <vector>

#include "report/layout.h"
#include "report/palette.h"
#include "report/table_rows.h"

namespace heddle {
namespace {

constexpr std::size_t kNarrowestColumn = 14;
constexpr std::size_t kWidestColumn = 44;
constexpr std::size_t kWidestHeading = 24;
constexpr std::size_t kWidestPlace = 36;
constexpr std::string_view kBar = " │ ";
constexpr std::size_t kBarWidth = 3;

std::string FileOf(const Step& step) { return step.file.substr(step.file.rfind('/') + 1); }

std::string Repeated(std::string_view piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

std::string WithoutTrailingBlanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

class TableRenderer {
 public:
  TableRenderer(const Finding& finding, const TableOptions& options)
      : finding_(finding),
        options_(options),
        palette_(PaletteFor(options.color)),
        rows_(RowsOf(finding, {.everything = options.everything,
                               .stretch = static_cast<std::size_t>(std::max(4, options.stretch)),
                               .most = static_cast<std::size_t>(std::max(8, options.most))})) {
    width_ = static_cast<std::size_t>(std::max(40, options.width));
    if (!rows_.empty()) ChooseColumns();
  }

  std::string Render() {
    if (finding_.steps.empty()) return "";
    Header();
    for (const TableRow& row : rows_) {
      switch (row.kind) {
        case TableRow::Kind::kStep:
          StepRow(finding_.steps[row.step]);
          break;
        case TableRow::Kind::kSwitch:
          SwitchRow(finding_.steps[row.step]);
          break;
        case TableRow::Kind::kFold:
          LeftOutRow(row);
          break;
        case TableRow::Kind::kRepeat:
          FoldRow(row, (row.span == 1 ? "" : "these " + std::to_string(row.span) + " ") + "× " +
                           std::to_string(row.count + 1));
          break;
      }
    }
    return text_;
  }

 private:
  std::string HeadingOf(ThreadId thread) const {
    const FindingThread& info = finding_.threads[thread];
    return info.label.empty() ? info.name : info.name + " " + info.label;
  }

  std::string PlaceHeading() const { return only_file_.empty() ? "where" : only_file_; }

  std::string PlaceOf(const Step& step) const {
    if (step.file.empty()) return step.function;
    if (step.line <= 0) return FileOf(step);
    const std::string line = std::to_string(step.line);
    return only_file_.empty() ? FileOf(step) + ":" + line : "line " + line;
  }

  void MeasurePlaces() {
    place_width_ = DisplayWidth(PlaceHeading());
    for (const TableRow& row : rows_) {
      const std::size_t width = DisplayWidth(PlaceOf(finding_.steps[row.step]));
      place_width_ = std::max(place_width_, std::min(kWidestPlace, width));
    }
  }

  // A column per thread that does something, as wide as it needs and the terminal allows.
  void ChooseColumns() {
    std::set<ThreadId> involved;
    std::set<std::string> files;
    std::uint64_t last = 0;
    for (const TableRow& row : rows_) {
      const Step& step = finding_.steps[row.step];
      last = std::max(last, step.number);
      involved.insert(step.thread);
      if (!step.file.empty()) files.insert(FileOf(step));
    }
    threads_.assign(involved.begin(), involved.end());
    gutter_ = std::max<std::size_t>(3, std::to_string(last).size() + 1);

    MeasurePlaces();
    const std::vector<std::size_t> wanted = WantedWidths();
    const std::size_t needed = std::accumulate(wanted.begin(), wanted.end(), std::size_t{0}) +
                               kBarWidth * (threads_.size() - 1);
    if (needed > Room() && files.size() == 1) {
      only_file_ = *files.begin();
      MeasurePlaces();
    }
    by_column_ = Room() / threads_.size() >= kNarrowestColumn + kBarWidth;
    if (by_column_) {
      widths_ = Distribute(wanted, Room() - kBarWidth * (threads_.size() - 1));
    } else {
      ChooseNameColumn(Room());
    }
  }

  // For the columns of the threads, bars between them included.
  std::size_t Room() const {
    const std::size_t fixed = gutter_ + 1 + kBarWidth + place_width_;
    return width_ > fixed ? width_ - fixed : 0;
  }

  std::vector<std::size_t> WantedWidths() const {
    std::vector<std::size_t> wanted;
    for (const ThreadId thread : threads_) {
      std::size_t most = std::min(DisplayWidth(HeadingOf(thread)), kWidestHeading);
      for (const TableRow& row : rows_) {
        const Step& step = finding_.steps[row.step];
        // The text of a failure may run over the columns to its right, if there are any.
        const bool counts = !step.is_failure || step.never_done || thread == threads_.back();
        if (step.thread != thread || !counts) continue;
        most = std::max(most, DisplayWidth(OperationText(step)));
      }
      wanted.push_back(std::clamp(most, kNarrowestColumn, kWidestColumn));
    }
    return wanted;
  }

  // Narrow columns get what they want first; the wide ones share the rest.
  static std::vector<std::size_t> Distribute(const std::vector<std::size_t>& wanted,
                                             std::size_t room) {
    std::vector<std::size_t> widths(wanted.size(), 0);
    std::vector<std::size_t> order(wanted.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      widths[order[i]] = std::min(wanted[order[i]], room / (order.size() - i));
      room -= widths[order[i]];
    }
    return widths;
  }

  void ChooseNameColumn(std::size_t room) {
    std::size_t most = 6;
    for (const ThreadId thread : threads_) most = std::max(most, DisplayWidth(HeadingOf(thread)));
    const std::size_t names = std::min(most, std::max<std::size_t>(6, room / 4));
    widths_ = {names, room > names + kBarWidth ? room - names - kBarWidth : 8};
  }

  void Header() {
    std::string head = PadTo("", gutter_) + " ", rule = Repeated("─", gutter_) + "─";
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      if (i > 0) {
        head += kBar;
        rule += "─┼─";
      }
      std::string title = i == 0 ? "thread" : "operation";
      if (by_column_) title = HeadingOf(threads_[i]);
      head += PadTo(title, widths_[i]);
      rule += Repeated("─", widths_[i]);
    }
    head += std::string(kBar) + PlaceHeading();
    rule += "─┼─" + Repeated("─", place_width_);
    Line(std::string(palette_.emphasis) + WithoutTrailingBlanks(head) +
         std::string(palette_.reset));
    Line(std::string(palette_.dim) + rule + std::string(palette_.reset));
  }

  void StepRow(const Step& step) {
    const std::string mark = step.is_failure ? "✗" : " ";
    const bool is_event = !step.is_failure;
    const std::string number = is_event ? std::to_string(step.number) : "";
    std::string gutter = mark + std::string(gutter_ - 1 - number.size(), ' ') + number + " ";
    Row(gutter, step.thread, OperationText(step), PlaceOf(step),
        step.is_failure ? palette_.error : std::string_view());
  }

  // In the column of its thread, when all that is left out was one thread's.
  void LeftOutRow(const TableRow& row) {
    const std::string few = "… " + std::to_string(row.count) + " more";
    const bool is_one_threads =
        row.step > 0 && finding_.steps[row.step - 1].thread == finding_.steps[row.step].thread &&
        finding_.steps[row.step].reason == SwitchReason::kNone;
    if (!is_one_threads) {
      Line(std::string(palette_.dim) + std::string(gutter_ + 1, ' ') + few + " operations" +
           std::string(palette_.reset));
      return;
    }
    const std::size_t column = by_column_ ? ColumnOf(finding_.steps[row.step].thread) : 1;
    const bool is_roomy = column + 1 < widths_.size() || widths_[column] > 24;
    FoldRow(row, is_roomy ? few + " operations" : few);
  }

  void FoldRow(const TableRow& row, const std::string& text) {
    Row(std::string(gutter_ + 1, ' '), finding_.steps[row.step].thread, text, "", palette_.dim);
  }

  // One cell has text; it may run over the empty ones to its right.
  void Row(const std::string& gutter, ThreadId thread, const std::string& text,
           const std::string& place, std::string_view color) {
    const bool is_marked = gutter[0] != ' ';
    std::string line = std::string(is_marked ? palette_.error : palette_.dim) + gutter +
                       std::string(palette_.reset);
    const std::size_t column = by_column_ ? ColumnOf(thread) : 1;
    for (std::size_t i = 0; i < column; ++i) {
      line += by_column_ ? std::string(widths_[i], ' ') : PadTo(HeadingOf(thread), widths_[i]);
      line += Bar();
    }
    std::size_t room = 0;
    for (std::size_t i = column; i < widths_.size(); ++i) {
      room += widths_[i] + (i > column ? kBarWidth : 0);
    }
    const std::string cell = CutTo(text, room);
    line += std::string(color) + cell + (color.empty() ? "" : std::string(palette_.reset));
    // Bars again right of where the text ends.
    std::size_t used = DisplayWidth(cell), at = 0;
    for (std::size_t i = column; i < widths_.size(); ++i) {
      at += widths_[i];
      if (used < at) {
        line += std::string(at - used, ' ');
        used = at;
      }
      if (i + 1 == widths_.size()) break;
      if (used <= at) {
        line += Bar();
        used = at + kBarWidth;
      }
      at += kBarWidth;
    }
    line += Bar() + std::string(palette_.location) + CutTo(place, place_width_) +
            std::string(palette_.reset);
    Line(options_.color ? line : WithoutTrailingBlanks(line));
  }

  void SwitchRow(const Step& step) {
    const std::string text = SwitchText(finding_, step);
    const bool is_choice =
        step.reason == SwitchReason::kPreempted || step.reason == SwitchReason::kTimeout;
    const std::string_view color = is_choice ? palette_.accent : palette_.dim;
    const std::string lead = std::string(gutter_ - 1, ' ') + "── ";
    Line(std::string(color) + CutTo(lead + text + " ──", width_) + std::string(palette_.reset));
  }

  std::size_t ColumnOf(ThreadId thread) const {
    const auto found = std::lower_bound(threads_.begin(), threads_.end(), thread);
    return static_cast<std::size_t>(found - threads_.begin());
  }

  std::string Bar() const {
    return std::string(palette_.dim) + std::string(kBar) + std::string(palette_.reset);
  }

  void Line(const std::string& line) { text_ += line + "\n"; }

  const Finding& finding_;
  const TableOptions& options_;
  const Palette& palette_;
  std::vector<TableRow> rows_;
  std::vector<ThreadId> threads_;    // that have a column
  std::vector<std::size_t> widths_;  // of the columns; thread name and operation when !by_column_
  std::size_t width_ = 0;
  std::size_t gutter_ = 0;
  std::size_t place_width_ = 0;
  // Where room is short and all steps are in one file, its name is the heading and rows give the
  // line alone.
  std::string only_file_;
  bool by_column_ = true;
  std::string text_;
};

}  // namespace

std::string RenderTable(const Finding& finding, const TableOptions& options) {
  return TableRenderer(finding, options).Render();
}

}  // namespace heddle
