#include "interp/report/table.h"

#include <algorithm>

namespace tl::report {

std::string Table::text(int indent) const {
  std::vector<std::size_t> widths;
  const auto measure = [&](const std::vector<std::string>& row) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  };
  measure(header);
  for (const auto& row : rows) measure(row);

  std::string out;
  const auto write = [&](const std::vector<std::string>& row) {
    std::string line(static_cast<std::size_t>(indent), ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - row[i].size(), ' ');
      const bool is_left = std::find(left.begin(), left.end(), i) != left.end();
      line += (i ? "  " : "") + (is_left ? row[i] + pad : pad + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  if (!header.empty()) write(header);
  for (const auto& row : rows) write(row);
  return out;
}

}  // namespace tl::report
