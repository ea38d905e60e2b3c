#include "table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace heddle::bench {
namespace {

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

void Print(const Table& table, std::FILE* out) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(column.size());
  for (const std::vector<std::string>& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto print_row = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const int width = static_cast<int>(widths[i]);
      std::fprintf(out, i == 0 ? "%-*s" : "  %*s", width, row[i].c_str());
    }
    std::fputc('\n', out);
  };
  std::size_t total = 0;
  for (const std::size_t width : widths) total += width + 2;
  const std::string rule(total - 2, '-');

  std::fprintf(out, "%s\n\n", table.title.c_str());
  print_row(table.columns);
  std::fprintf(out, "%s\n", rule.c_str());
  for (const std::vector<std::string>& row : table.rows) {
    if (row.empty()) {
      std::fprintf(out, "%s\n", rule.c_str());
    } else {
      print_row(row);
    }
  }
  if (!table.notes.empty()) std::fputc('\n', out);
  for (const std::string& note : table.notes) std::fprintf(out, "%s\n", note.c_str());
  for (const std::string& failure : table.failures) {
    std::fprintf(out, "DOES NOT HOLD: %s\n", failure.c_str());
  }
}

nlohmann::json ToJson(const Table& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const std::vector<std::string>& row : table.rows) {
    if (row.empty()) continue;
    nlohmann::json object = nlohmann::json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i]] = row[i];
    rows.push_back(std::move(object));
  }
  return {{"tool", "heddle"},          {"schema", 1},
          {"command", "bench"},        {"bench", table.name},
          {"title", table.title},      {"rows", rows},
          {"notes", table.notes},      {"holds", table.failures.empty()},
          {"failures", table.failures}};
}

std::string OneIn(double probability) {
  return probability <= 0 ? "0" : "1/" + Format("%.2f", 1 / probability);
}

std::string Scientific(double value) { return Format("%.2e", value); }

std::string Count(double value) {
  std::string digits = Format("%.0f", value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

}  // namespace heddle::bench
