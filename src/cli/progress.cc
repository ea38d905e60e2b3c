#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "cli/common.h"

namespace heddle {
namespace {

constexpr double kTerminalInterval = 0.1;
constexpr double kLogInterval = 60;

}  // namespace

std::string RenderSeconds(double seconds) {
  constexpr double kHour = 3600, kDay = 24 * kHour, kYear = 365.25 * kDay;
  if (seconds >= 1e6 * kYear) return fmt::format("{:.0e} years", seconds / kYear);
  if (seconds >= 2 * kYear) {
    return WithCommas(static_cast<std::uint64_t>(std::llround(seconds / kYear))) + " years";
  }
  if (seconds >= 2 * kDay) return fmt::format("{} days", std::llround(seconds / kDay));
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string RenderEstimate(const RunEstimate& estimate) {
  const auto whole = [](double value) {
    return value < 1e15 ? WithCommas(static_cast<std::uint64_t>(std::llround(value)))
                        : fmt::format("{:.1e}", value);
  };
  if (whole(estimate.low) == whole(estimate.high)) return whole(estimate.runs);
  // More digits would say more than is known.
  const auto rounded = [&whole](double value) {
    const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(value)) - 2));
    return whole(std::round(value / unit) * unit);
  };
  return fmt::format("about {} ({} to {})", rounded(estimate.runs), rounded(estimate.low),
                     rounded(estimate.high));
}

std::string RenderTimeLeft(const TimeLeft& left) {
  const std::string low = RenderSeconds(left.low), high = RenderSeconds(left.high);
  if (left.high <= 2 * left.low || low == high) return RenderSeconds(left.seconds);
  return fmt::format("{} to {}", low, high);
}

std::string RenderProgress(const Progress& progress) {
  if (progress.phase == "replaying") {
    return fmt::format("{}, replaying {}", Count(progress.runs, "run"),
                       Count(progress.findings, "finding"));
  }
  const std::string of_all =
      progress.estimated_runs.runs > 0 ? " of " + RenderEstimate(progress.estimated_runs) : "";
  return fmt::format("{}{}, {}/s, {}, {}, {}, {} left", Count(progress.runs, "run"), of_all,
                     WithCommas(static_cast<std::uint64_t>(progress.runs_per_second)),
                     Count(progress.events, "event"), Count(progress.classes, "class"),
                     progress.findings == 0 ? "no finding" : Count(progress.findings, "finding"),
                     RenderSeconds(progress.seconds_left));
}

ProgressLine::ProgressLine(std::FILE* file)
    : file_(file), is_terminal_(isatty(fileno(file)) != 0), drawn_at_(MonotonicSeconds()) {}

void ProgressLine::Update(const Progress& progress) {
  const double now = MonotonicSeconds();
  if (now - drawn_at_ < (is_terminal_ ? kTerminalInterval : kLogInterval)) return;
  drawn_at_ = now;
  const std::string text = RenderProgress(progress);
  if (is_terminal_) {
    fmt::print(file_, "\r\033[K{}", text.substr(0, static_cast<std::size_t>(WidthOf(file_) - 1)));
    is_drawn_ = true;
  } else {
    fmt::print(file_, "heddle: {}\n", text);
  }
  std::fflush(file_);
}

void ProgressLine::Clear() {
  if (!is_drawn_) return;
  fmt::print(file_, "\r\033[K");
  std::fflush(file_);
  is_drawn_ = false;
}

}  // namespace heddle
