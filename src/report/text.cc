#include "report/text.h"

#include <algorithm>
#include <string_view>

#include "report/layout.h"
#include "report/palette.h"

namespace heddle {
namespace {

// For a shell, as somebody will copy it.
std::string AsWord(const std::string& text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

constexpr std::size_t kMostOutputLines = 12;
constexpr std::size_t kMostFramesShown = 8;

std::string Plural(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string LocationOf(const std::string& file, int line) {
  return line > 0 ? file + ":" + std::to_string(line) : file;
}

class TextRenderer {
 public:
  TextRenderer(const Finding& finding, const TextOptions& options)
      : finding_(finding),
        options_(options),
        palette_(PaletteFor(options.table.color)),
        width_(static_cast<std::size_t>(std::max(40, options.table.width))) {}

  std::string Render() {
    Headline();
    Sites();
    Interleaving();
    if (options_.stacks) Stacks();
    if (options_.show_output) Output();
    Notes();
    NextSteps();
    return text_;
  }

 private:
  std::string Colored(std::string_view color, const std::string& text) const {
    return std::string(color) + text + std::string(palette_.reset);
  }
  void Line(const std::string& line = "") { text_ += line + "\n"; }
  void Section(const std::string& title, const std::string& remark = "") {
    Line();
    Line(Colored(palette_.emphasis, title) +
         (remark.empty() ? "" : Colored(palette_.dim, "  " + remark)));
  }

  void Headline() {
    const FindingKindInfo& info = InfoOf(finding_.kind);
    const bool is_error = finding_.severity == Severity::kError;
    Line(Colored(is_error ? palette_.error : palette_.warning,
                 (is_error ? "✗ " : "! ") + std::string(info.title)) +
         (finding_.id.empty() ? "" : Colored(palette_.dim, "  " + finding_.id)));
    Line("  " + WrapText(finding_.message, width_ - 2, "  "));
  }

  void Sites() {
    if (!finding_.sites.empty()) Line();
    for (const FindingSite& site : finding_.sites) {
      std::string line = Colored(palette_.location, LocationOf(site.file, site.line));
      if (!site.function.empty()) line += " in " + site.function;
      Line("  at " + line);
      if (!site.text.empty()) {
        Line(Colored(palette_.dim, "     │ ") + CutTo(site.text, width_ - 7));
      }
    }
  }

  // A new thread that is not the first to go on counts as preempted in the record, but not to the
  // eye. Of a very long run not every step is here.
  std::uint64_t PreemptionsShown() const {
    std::uint64_t shown = 0;
    for (const Step& step : finding_.steps) {
      shown += step.reason == SwitchReason::kPreempted ? 1 : 0;
    }
    const bool is_whole = finding_.steps.size() + finding_.threads.size() >= finding_.events;
    return is_whole ? shown : finding_.preemptions;
  }

  // A fault that runs survive and that needs no particular schedule is told by its stacks.
  bool IsToldByStacks() const { return !finding_.stacks.empty() && !finding_.schedule_dependent; }

  void Interleaving() {
    if (finding_.steps.empty() || IsToldByStacks()) return;
    Section("How it happened", "run " + std::to_string(finding_.first_run) + ", " +
                                   Plural(finding_.events, "operation") + ", " +
                                   Plural(PreemptionsShown(), "preemption"));
    text_ += RenderTable(finding_, options_.table);
  }

  // What the headline has not said already.
  bool HasMoreThanTheHeadline() const {
    std::size_t threads = 0, frames = 0;
    for (const FindingThread& thread : finding_.threads) {
      threads += IsShown(thread) ? 1 : 0;
      for (const Frame& frame : thread.stack) frames += frame.is_system ? 0 : 1;
    }
    return threads > 1 || frames > 1;
  }

  static bool IsShown(const FindingThread& thread) {
    return !thread.ended && (!thread.state.empty() || !thread.stack.empty());
  }

  void Stacks() {
    if (!finding_.stacks.empty()) {
      Section("Stacks");
      for (const FindingStack& stack : finding_.stacks) {
        Line("  " + Colored(palette_.emphasis, stack.title));
        Frames(stack.frames);
      }
    }
    if (!HasMoreThanTheHeadline()) return;
    Section("Threads at that moment");
    for (const FindingThread& thread : finding_.threads) {
      if (!IsShown(thread)) continue;
      Line("  " + Colored(palette_.emphasis, thread.name) +
           (thread.label.empty() ? "" : " " + thread.label) +
           (thread.state.empty() ? "" : Colored(palette_.dim, "  " + thread.state)));
      Frames(thread.stack);
    }
  }

  void Frames(const std::vector<Frame>& stack) {
    std::vector<const Frame*> frames;
    for (const Frame& frame : stack) {
      if (!frame.is_system) frames.push_back(&frame);
    }
    if (frames.empty() && !stack.empty()) frames.push_back(&stack.front());
    for (std::size_t i = 0; i < frames.size() && i < kMostFramesShown; ++i) {
      const Frame& frame = *frames[i];
      std::string line = frame.function.empty() ? "?" : frame.function;
      std::string place = ShortLocation(frame);
      if (place.empty() && !frame.module.empty()) {
        char offset[24];
        std::snprintf(offset, sizeof offset, "+0x%llx",
                      static_cast<unsigned long long>(frame.offset));
        place = frame.module.substr(frame.module.rfind('/') + 1) + offset;
      }
      Line("    " + CutTo(line, width_ / 2) + "  " + Colored(palette_.location, place));
    }
    if (frames.size() > kMostFramesShown) {
      Line(
          Colored(palette_.dim, "    … " + Plural(frames.size() - kMostFramesShown, "more frame")));
    }
  }

  void Output() {
    if (finding_.output.empty()) return;
    std::vector<std::string> lines;
    std::string line;
    for (const char c : finding_.output) {
      if (c == '\n') {
        lines.push_back(std::move(line));
        line.clear();
      } else {
        // Escape sequences of the program are not ours to pass on.
        line += static_cast<unsigned char>(c) < ' ' && c != '\t' ? '?' : c;
      }
    }
    if (!line.empty()) lines.push_back(line);
    const std::size_t skipped =
        lines.size() > kMostOutputLines ? lines.size() - kMostOutputLines : 0;
    Section("Output of this run",
            skipped == 0 ? "" : "the last " + std::to_string(kMostOutputLines) + " lines");
    for (std::size_t i = skipped; i < lines.size(); ++i) {
      Line(Colored(palette_.dim, "  │ ") + CutTo(lines[i], width_ - 4));
    }
  }

  void Note(const std::string& text) {
    Line(Colored(palette_.warning, "  note ") + WrapText(text, width_ - 7, "       "));
  }

  void Notes() {
    if (!finding_.schedule_dependent || finding_.needs_early_timeout || !finding_.replayed) Line();
    if (IsToldByStacks()) {
      Note("it is there without any preemption: no particular schedule is needed");
    } else if (!finding_.schedule_dependent) {
      Note("it also fails without any preemption, so it does not depend on the schedule");
    }
    if (finding_.needs_early_timeout) {
      Note(
          "it needs a time-out to fire while other threads could run or were due to wake earlier "
          "(--timeouts=idle forbids that)");
    }
    if (!finding_.replayed) {
      Note("it did not replay" + (finding_.replay_note.empty() ? "" : ": " + finding_.replay_note));
    }
  }

  void NextSteps() {
    if (finding_.id.empty()) return;
    const std::string out =
        options_.out_directory == ".heddle" ? "" : " --out " + AsWord(options_.out_directory);
    Line();
    const auto step = [this](const std::string& what, const std::string& command) {
      Line("  " + PadTo(what, 8) + Colored(palette_.good, command));
    };
    // A committed schedule: nothing was stored.
    const bool is_file = finding_.id.find('/') != std::string::npos;
    step("replay", "heddle replay " + finding_.id + (is_file ? "" : out));
    step("debug", "heddle replay " + finding_.id + " --gdb" + (is_file ? "" : out));
    if (is_file) return;
    Line("  " + PadTo("stored", 8) +
         Colored(palette_.dim, options_.out_directory + "/findings/" + finding_.id));
  }

  const Finding& finding_;
  const TextOptions& options_;
  const Palette& palette_;
  std::size_t width_;
  std::string text_;
};

}  // namespace

std::string RenderFinding(const Finding& finding, const TextOptions& options) {
  return TextRenderer(finding, options).Render();
}

std::string RenderList(const std::vector<FindingSummary>& findings, const TextOptions& options) {
  const Palette& palette = PaletteFor(options.table.color);
  const std::size_t width = static_cast<std::size_t>(std::max(40, options.table.width));
  if (findings.empty()) return "no findings in " + options.out_directory + "\n";
  std::size_t ids = 2, programs = 7;
  for (const FindingSummary& row : findings) {
    ids = std::max(ids, DisplayWidth(row.id));
    programs = std::max(programs, DisplayWidth(row.program.substr(row.program.rfind('/') + 1)));
  }
  programs = std::min<std::size_t>(programs, 24);
  std::string text = std::string(palette.emphasis) + PadTo("id", ids) + "  " +
                     PadTo("program", programs) + "  " + PadTo("hits", 6) + "  message" +
                     std::string(palette.reset) + "\n";
  const std::size_t used = ids + programs + 6 + 6;
  const std::size_t room = width > used + 10 ? width - used : 10;
  for (const FindingSummary& row : findings) {
    if (!row.damage.empty()) {
      text += PadTo(row.id, ids) + "  " + std::string(palette.warning) + "damaged: " + row.damage +
              std::string(palette.reset) + "\n";
      continue;
    }
    text += PadTo(row.id, ids) + "  " +
            PadTo(row.program.substr(row.program.rfind('/') + 1), programs) + "  " +
            PadTo(std::to_string(row.hits), 6) + "  " + CutTo(row.message, room) + "\n";
  }
  return text;
}

}  // namespace heddle
