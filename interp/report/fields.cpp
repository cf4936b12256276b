#include "interp/report/fields.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "interp/report/numbers.h"

namespace tl::report {

namespace {

// Those of the longest list: the others lack some of them.
Fields labelled(const std::vector<Fields>& lists) {
  Fields all = lists.empty() ? Fields{} : std::ranges::max(lists, {}, &Fields::size);
  std::erase_if(all, [](const Field& f) { return f.label.empty(); });
  return all;
}

std::string text_of(const Fields& list, const Field& field) {
  const auto found = std::ranges::find_if(
      list, [&](const Field& f) { return field.key.empty() ? f.label == field.label : f.key == field.key; });
  return found == list.end() ? "-" : found->value.text;
}

}  // namespace

Value Value::count(double n) { return {std::int64_t{std::llround(n)}, count_text(std::llround(n))}; }
Value Value::bytes(double n) { return {std::int64_t{std::llround(n)}, bytes_text(n)}; }
Value Value::share(double part, int digits) { return {part, percent_text(part, digits)}; }
Value Value::time(double ms) { return {ms, time_text(ms)}; }

Fields& operator+=(Fields& all, const Fields& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

nlohmann::ordered_json json_of(const Fields& fields) {
  auto all = nlohmann::ordered_json::object();
  for (const Field& f : fields) {
    if (f.key.empty()) continue;
    auto& member = all[nlohmann::ordered_json::json_pointer("/" + f.key)];
    std::visit([&](const auto& data) { member = data; }, f.value.data);
  }
  return all;
}

nlohmann::ordered_json json_of(const std::vector<Fields>& rows) {
  auto all = nlohmann::ordered_json::array();
  for (const Fields& row : rows) all.push_back(json_of(row));
  return all;
}

Table table_of(const std::vector<Fields>& rows) {
  Table table{.left = {}};
  for (const Field& f : labelled(rows)) {
    if (std::holds_alternative<std::string>(f.value.data)) table.left.push_back(table.header.size());
    table.header.push_back(f.label);
    table.rows.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) table.rows[i].push_back(text_of(rows[i], f));
  }
  return table;
}

Table table_of(const std::vector<std::string>& names, const std::vector<Fields>& columns) {
  Table table{.header = {""}};
  table.header.insert(table.header.end(), names.begin(), names.end());
  for (const Field& f : labelled(columns)) {
    table.rows.push_back({f.label});
    for (const Fields& column : columns) table.rows.back().push_back(text_of(column, f));
  }
  return table;
}

}  // namespace tl::report
