// A table of a paper with our column beside it: printed for people, and the same rows as JSON.
#ifndef HEDDLE_BENCH_TABLE_H_
#define HEDDLE_BENCH_TABLE_H_

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace heddle::bench {

struct Table {
  std::string name;   // as in `heddle bench NAME`
  std::string title;  // one line
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // an empty row is a rule
  std::vector<std::string> notes;
  std::vector<std::string> failures;  // what must hold and does not; one sentence each
};

// First column to the left, the others to the right.
void Print(const Table& table, std::FILE* out);

nlohmann::json ToJson(const Table& table);

// Numbers as the papers write them.
std::string OneIn(double probability);  // "1/48.1"; "0" for none
std::string Scientific(double value);   // "2.87e-06"
std::string Count(double value);        // "39,078"

}  // namespace heddle::bench

#endif  // HEDDLE_BENCH_TABLE_H_
