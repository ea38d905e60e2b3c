#include "report/baseline.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kBaselineSchema = 1;

bool IsOf(const Baseline::Entry& entry, const Finding& finding) {
  return entry.fingerprint == finding.fingerprint && entry.kind == InfoOf(finding.kind).name;
}

}  // namespace

Result<Baseline> Baseline::Parse(std::string_view text, std::string_view name) {
  Baseline baseline;
  // The library reports by exceptions; they end here.
  try {
    const Json json = Json::parse(text);
    const int schema = json.at("heddle_baseline").get<int>();
    if (schema != kBaselineSchema) {
      return Error{std::string(name) + ": baseline version " + std::to_string(schema) +
                   ", this heddle reads " + std::to_string(kBaselineSchema) +
                   "; make it anew with --update-baseline"};
    }
    for (const Json& entry : json.at("findings")) {
      baseline.entries_.push_back({entry.at("kind").get<std::string>(),
                                   entry.at("fingerprint").get<std::string>(),
                                   entry.value("message", "")});
    }
  } catch (const std::exception& error) {
    return Error{std::string(name) + ": no baseline (" + error.what() +
                 "); make one with --update-baseline"};
  }
  return baseline;
}

Baseline Baseline::Of(std::span<const Finding* const> findings) {
  Baseline baseline;
  for (const Finding* finding : findings) {
    baseline.entries_.push_back(
        {std::string(InfoOf(finding->kind).name), finding->fingerprint, finding->message});
  }
  std::sort(baseline.entries_.begin(), baseline.entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.kind, a.fingerprint) < std::tie(b.kind, b.fingerprint);
  });
  return baseline;
}

std::string Baseline::Format() const {
  Json json = {{"heddle_baseline", kBaselineSchema}};
  json["findings"] = Json::array();
  for (const Entry& entry : entries_) {
    json["findings"].push_back(
        {{"kind", entry.kind}, {"fingerprint", entry.fingerprint}, {"message", entry.message}});
  }
  return json.dump(2) + "\n";
}

bool Baseline::Knows(const Finding& finding) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&finding](const Entry& entry) { return IsOf(entry, finding); });
}

std::vector<Baseline::Entry> Baseline::Vanished(std::span<const Finding* const> findings) const {
  std::vector<Entry> vanished;
  for (const Entry& entry : entries_) {
    const bool is_found =
        std::any_of(findings.begin(), findings.end(),
                    [&entry](const Finding* finding) { return IsOf(entry, *finding); });
    if (!is_found) vanished.push_back(entry);
  }
  return vanished;
}

}  // namespace heddle
