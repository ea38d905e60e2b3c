#include "strategy/forecast.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::uint64_t kLeastCompared = 32;

// How far off what is still to come may be, either way. Measured on the abstract machine (pcb and
// delay of bounds 1 to 4, pcb without one) after 0.02 to 60 % of the runs: of 880 estimates 865 had
// the truth in their interval.
constexpr double kOff = 3;

}  // namespace

void Forecast::Compare(double expected) {
  if (!is_known_) is_off_ = true;
  if (!is_known_ || expected == 0) return;
  ++compared_;
  expected_ += expected;
  found_ += sizes_[width_ - 1];
}

RunEstimate Forecast::Estimate(double made, double known, double expected) const {
  if (known == 0) return {made, made, made};
  if (is_off_ || compared_ < kLeastCompared) return {};
  const double rest = expected * found_ / expected_;
  if (rest >= kTooMany) return {};
  const RunEstimate estimate = {
      .runs = made + rest, .low = made + rest / kOff, .high = made + rest * kOff};
  return estimate.AtLeast(made + known);
}

void Forecast::Save(StateWriter* writer) const {
  writer->Number(is_off_ ? 1 : 0).Number(compared_).Real(expected_).Real(found_);
}

void Forecast::Load(StateReader* reader) {
  is_off_ = reader->Number(1) != 0;
  compared_ = reader->Number();
  expected_ = reader->Real();
  found_ = reader->Real();
}

}  // namespace heddle
