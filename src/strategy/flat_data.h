// Tables of plain rows in Plan::data, which is bytes.
#ifndef HEDDLE_STRATEGY_FLAT_DATA_H_
#define HEDDLE_STRATEGY_FLAT_DATA_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace heddle {

// Appends the number of rows and the rows.
template <typename Row>
void AppendRows(std::span<const Row> rows, std::vector<std::uint8_t>& data) {
  static_assert(std::is_trivially_copyable_v<Row>);
  const std::uint64_t count = rows.size();
  const std::size_t at = data.size();
  data.resize(at + sizeof count + rows.size_bytes());
  std::memcpy(data.data() + at, &count, sizeof count);
  if (!rows.empty()) std::memcpy(data.data() + at + sizeof count, rows.data(), rows.size_bytes());
}

// Takes a table from the front of `data` into `rows`; no rows when the bytes are not one.
template <typename Row>
void TakeRows(std::span<const std::uint8_t>& data, std::vector<Row>& rows) {
  static_assert(std::is_trivially_copyable_v<Row>);
  rows.clear();
  std::uint64_t count = 0;
  if (data.size() < sizeof count) return;
  std::memcpy(&count, data.data(), sizeof count);
  data = data.subspan(sizeof count);
  if (count > data.size() / sizeof(Row)) return;
  rows.resize(count);
  if (count > 0) std::memcpy(rows.data(), data.data(), count * sizeof(Row));
  data = data.subspan(count * sizeof(Row));
}

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_FLAT_DATA_H_
