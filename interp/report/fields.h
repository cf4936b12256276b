// What a command reports, said once for people and for programs: a field has a label in the text and a key in --json.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "interp/report/table.h"

namespace tl::report {

struct Value {
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, std::vector<std::int64_t>> data;  // in JSON
  std::string text;

  static Value word(const std::string& text) { return {text, text}; }
  static Value count(double n);                     // 16777216, "16,777,216"
  static Value bytes(double n);                     // 1536, "1.5 KiB"
  static Value share(double part, int digits = 0);  // 0.905, "91 %"
  static Value time(double ms);                     // 0.0123, "12.3 us"
};

struct Field {
  std::string key;    // waves; l2/tex_sectors stands in the object l2; "": of the text alone
  std::string label;  // looked up in L2; "": of JSON alone
  Value value;
};
using Fields = std::vector<Field>;
Fields& operator+=(Fields& all, const Fields& more);

nlohmann::ordered_json json_of(const Fields& fields);
nlohmann::ordered_json json_of(const std::vector<Fields>& rows);  // an array of objects

// A row each, a field a column, words to the left; "-" where a row lacks what another has.
Table table_of(const std::vector<Fields>& rows);
// A column each with its name above, a field a row.
Table table_of(const std::vector<std::string>& names, const std::vector<Fields>& columns);

}  // namespace tl::report
