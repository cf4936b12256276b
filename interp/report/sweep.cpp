#include "interp/report/sweep.h"

#include <charconv>
#include <string_view>

#include "interp/lang/error.h"

namespace tl::report {

namespace {

constexpr std::size_t most_values = 10000;

std::int64_t integer(std::string_view text, const std::string& whole) {
  std::int64_t base = 1, value = 0;
  std::string_view digits = text;
  const bool is_power = text.starts_with("2^");
  if (is_power) digits.remove_prefix(2);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || (is_power && (value < 0 || value > 62)))
    throw Error("the sweep \"" + whole + "\" holds \"" + std::string(text) + "\", which is not an integer",
                "write NAME=FIRST:LAST:+STEP, NAME=FIRST:LAST:xFACTOR or NAME=A,B,C, as in n=1024:65536:x2");
  return is_power ? base << value : value;
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(by);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

Sweep parse_sweep(const std::string& text) {
  const std::string how = "write NAME=FIRST:LAST:+STEP, NAME=FIRST:LAST:xFACTOR or NAME=A,B,C, as in n=1024:65536:x2";
  const auto equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) throw Error("the sweep \"" + text + "\" names no setting", how);
  const auto names = split(std::string_view(text).substr(0, equals), '=');
  Sweep sweep{std::string(names.front()), {}};
  sweep.also.assign(names.begin() + 1, names.end());
  const std::string_view range = std::string_view(text).substr(equals + 1);
  const auto parts = split(range, ':');
  if (parts.size() == 1) {
    for (std::string_view v : split(range, ',')) sweep.values.push_back(integer(v, text));
    return sweep;
  }
  if (parts.size() != 3 || parts[2].size() < 2 || (parts[2][0] != '+' && parts[2][0] != 'x' && parts[2][0] != '*'))
    throw Error("the sweep \"" + text + "\" has no step", how);
  const std::int64_t first = integer(parts[0], text), last = integer(parts[1], text),
                     step = integer(parts[2].substr(1), text);
  sweep.is_geometric = parts[2][0] != '+';
  if (step < (sweep.is_geometric ? 2 : 1) || first < 1)
    throw Error("the sweep \"" + text + "\" would never end", "choose a step of +1 or more, or x2 or more, from 1 up");
  if (last < first) throw Error("the sweep \"" + text + "\" is empty: it ends before it begins", "swap the two ends");
  for (std::int64_t v = first; v <= last;) {
    if (sweep.values.size() == most_values)
      throw Error("the sweep \"" + text + "\" has more than 10000 values", "choose a larger step");
    sweep.values.push_back(v);
    if (sweep.is_geometric ? v > last / step : v > last - step) break;
    v = sweep.is_geometric ? v * step : v + step;
  }
  return sweep;
}

}  // namespace tl::report
