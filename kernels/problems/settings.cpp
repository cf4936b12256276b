// Settings of a problem: parsing name=value and saying what is wrong with one.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "kernels/problems/problem.h"

namespace tl::problems {
namespace {

std::string join(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& w : words) all += (all.empty() ? "" : ", ") + w;
  return all;
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// 1024, 2^10, -3.
std::optional<std::int64_t> integer_of(std::string_view text) {
  if (text.starts_with("2^")) {
    const auto exponent = number<int>(text.substr(2));
    if (!exponent || *exponent < 0 || *exponent > 62) return std::nullopt;
    return std::int64_t{1} << *exponent;
  }
  return number<std::int64_t>(text);
}

std::optional<bool> boolean_of(std::string_view text) {
  if (text == "true" || text == "1" || text == "yes") return true;
  if (text == "false" || text == "0" || text == "no") return false;
  return std::nullopt;
}

// f16; Triton's float16; fp16
std::optional<DType> dtype_of(std::string_view text) {
  static constexpr std::string_view others[][2] = {
      {"int1", "i1"},     {"bool", "i1"},  {"int32", "i32"},         {"int64", "i64"},      {"uint8", "u8"},
      {"uint32", "u32"},  {"int8", "i8"},  {"int16", "i16"},         {"uint16", "u16"},     {"uint64", "u64"},
      {"float16", "f16"}, {"fp16", "f16"}, {"bfloat16", "bf16"},     {"float32", "f32"},    {"fp32", "f32"},
      {"float64", "f64"}, {"fp64", "f64"}, {"float8e4nv", "f8e4nv"}, {"fp8e4nv", "f8e4nv"}, {"float8e5", "f8e5"},
      {"fp8e5", "f8e5"}};
  for (const auto& [other, name] : others)
    if (text == other) text = name;
  for (int i = 0; i < dtype_count; ++i)
    if (text == name_of(static_cast<DType>(i))) return static_cast<DType>(i);
  return std::nullopt;
}

// As the choices spell it.
std::string spelled(const Setting& s, const std::string& text) {
  if (s.kind != Setting::Kind::dtype) return text;
  const auto t = dtype_of(text);
  return t ? name_of(*t) : text;
}

// Digits as one would write them: 1048576, 0.999.
std::string plain(double v) {
  char text[32];
  char* const end = v == std::floor(v) && std::abs(v) < 1e15
                        ? std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(v)).ptr
                        : std::to_chars(text, text + sizeof text, v).ptr;
  return std::string(text, static_cast<std::size_t>(end - text));
}

void check_range(const Setting& s, const std::string& text, double value) {
  if (!(value >= s.min && value <= s.max))
    throw Error(s.name + "=" + text + " is out of range",
                "choose " + s.name + " from " + plain(s.min) + " to " + plain(s.max));
}

void check_power_of_two(const Setting& s, const std::string& text, std::int64_t value) {
  if (!s.power_of_two || (value & (value - 1)) == 0) return;
  std::int64_t above = 1;
  while (above < value) above *= 2;
  throw Error(s.name + "=" + text + " is not a power of two",
              "try " + s.name + "=" + std::to_string(above / 2) +
                  (static_cast<double>(above) <= s.max ? " or " + s.name + "=" + std::to_string(above) : ""));
}

void check_choice(const Setting& s, const std::string& text) {
  if (s.choices.empty() || std::ranges::count(s.choices, text)) return;
  throw Error(s.name + "=" + text + " is not among its choices", "choose one of " + join(s.choices));
}

void check_value(const Setting& s, const std::string& text) {
  switch (s.kind) {
    case Setting::Kind::integer: {
      const auto value = integer_of(text);
      const std::string_view digits = std::string_view(text).substr(text.starts_with("2^")  ? 2
                                                                    : text.starts_with("-") ? 1
                                                                                            : 0);
      if (!value && !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos)
        check_range(s, text, std::numeric_limits<double>::infinity());  // an integer, but beyond 64 bits
      if (!value)
        throw Error(s.name + "=" + text + " is not an integer",
                    "write " + s.name + "=" + s.default_value + " or a power like " + s.name + "=2^4");
      check_range(s, text, static_cast<double>(*value));
      check_power_of_two(s, text, *value);
      return;
    }
    case Setting::Kind::real: {
      const auto value = number<double>(text);
      if (!value) throw Error(s.name + "=" + text + " is not a number", "write " + s.name + "=" + s.default_value);
      check_range(s, text, *value);
      return;
    }
    case Setting::Kind::boolean:
      if (!boolean_of(text))
        throw Error(s.name + "=" + text + " is neither true nor false",
                    "write " + s.name + "=true or " + s.name + "=false");
      return;
    case Setting::Kind::dtype:
    case Setting::Kind::text: check_choice(s, text); return;
  }
}

}  // namespace

const std::string& Settings::text(const std::string& name) const {
  const auto it = values.find(name);
  if (it == values.end()) throw Error("the problem has no setting \"" + name + "\"");
  return it->second;
}

std::int64_t Settings::integer(const std::string& name) const { return integer_of(text(name)).value(); }
double Settings::real(const std::string& name) const { return number<double>(text(name)).value(); }
bool Settings::boolean(const std::string& name) const { return boolean_of(text(name)).value(); }
DType Settings::dtype(const std::string& name) const { return dtype_of(text(name)).value(); }

Settings parse(const Problem& problem, const std::vector<std::string>& arguments) {
  if (problem.parse) return problem.parse(arguments);
  Settings settings;
  std::vector<std::string> names;
  for (const Setting& s : problem.settings) {
    settings.values[s.name] = s.default_value;
    names.push_back(s.name);
  }
  std::map<std::string, std::string> given;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const auto setting = std::ranges::find(problem.settings, name, &Setting::name);
    if (setting == problem.settings.end()) {
      const std::string guess = nearest(name, names);
      throw Error(problem.name + " has no setting \"" + name + "\"",
                  (guess.empty() ? "" : "did you mean " + guess + "? ") + "its settings: " + join(names));
    }
    if (equals == std::string::npos)
      throw Error("\"" + argument + "\" is not name=value", "write " + name + "=" + setting->default_value);
    const std::string value = spelled(*setting, argument.substr(equals + 1));
    check_value(*setting, value);
    if (const auto [before, is_first] = given.emplace(name, value); !is_first)
      throw Error(name + " is given twice: " + name + "=" + before->second + " and " + name + "=" + value,
                  "leave one of them out");
    settings.values[name] = value;
  }
  return settings;
}

}  // namespace tl::problems
