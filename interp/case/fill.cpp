#include "interp/case/fill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "interp/case/npy.h"
#include "interp/debug/expression.h"
#include "interp/lang/error.h"
#include "interp/lang/narrow.h"
#include "interp/lang/stop_scope.h"
#include "interp/lang/text.h"
#include "kernels/problems/image.h"
#include "kernels/problems/random.h"

namespace tl::cases {
namespace {

bool is_picture(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const std::string end = dot == std::string::npos ? "" : path.substr(dot);
  return end == ".png" || end == ".jpg" || end == ".jpeg" || end == ".PNG" || end == ".JPG" || end == ".JPEG";
}

template <class Value>
void fill_by(const Tensor& t, Value value) {
  if (!t.holds_data) return;
  in_chunks(t.elems(), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) set(t, offset_of(t, i), value(i));
  });
}

// [0, 1), never 1.
double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) / 9007199254740992.0; }

// Integers where the dtype holds no others: -100 .. 99 of signed ones, 0 .. 99 of unsigned ones.
void fill_random(const Tensor& t, std::uint64_t seed, std::uint64_t stream, double lo, double hi) {
  const std::uint64_t s = problems::random_bits(seed, ~stream);
  fill_by(t, [&](std::int64_t i) {
    const double v = lo + (hi - lo) * unit(problems::random_bits(s, static_cast<std::uint64_t>(i)));
    return is_float(t.dtype) ? v : std::floor(v);
  });
}

// Box and Muller's: two uniform numbers make a normal one.
void fill_normal(const Tensor& t, std::uint64_t seed, std::uint64_t stream) {
  const std::uint64_t s = problems::random_bits(seed, ~stream);
  fill_by(t, [&](std::int64_t i) {
    const auto counter = 2 * static_cast<std::uint64_t>(i);
    const double u = 1 - unit(problems::random_bits(s, counter)), v = unit(problems::random_bits(s, counter + 1));
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  });
}

// An element tells where it lies: x[3, 17] is 317 where an axis has up to 100, 3017 where it has up to 1000.
void fill_index(const Tensor& t) {
  fill_by(t, [&](std::int64_t i) {
    double coded = 0, place = 1;
    for (std::size_t axis = t.shape.size(); axis-- > 0; i /= t.shape[axis]) {
      coded += static_cast<double>(i % t.shape[axis]) * place;
      for (double extent = 1; extent < static_cast<double>(t.shape[axis]); extent *= 10) place *= 10;
    }
    return coded;
  });
}

[[noreturn]] void refuse(const Word& word, const std::string& fact, const std::string& fix) {
  throw Error(fmt::format("{}{}: {}", word.place, word.text(), fact), fix);
}

// Two hexadecimal digits a byte, as they lie in memory.
void fill_bytes(const Tensor& t, const Word& word, const std::string& digits) {
  const auto bytes = static_cast<std::size_t>(t.storage_bytes());
  if (digits.size() != 2 * bytes || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
    refuse(word, fmt::format("{} hexadecimal digits are wanted, and {} characters are there", 2 * bytes, digits.size()),
           "two digits a byte, as `tilescope repro` writes them");
  for (std::size_t i = 0; i < bytes && t.holds_data; ++i)
    t.data()[i] = static_cast<std::byte>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
}

// An expression of the element's number, i in row-major order, and of the case's numbers.
void fill_each(const Tensor& t, const Word& word, const std::string& expression, const Scope& scope) {
  debug::Array number{DType::int64, false, {t.elems()}, {}};
  for (std::int64_t i = 0; i < t.elems(); ++i) number.data.push_back({.whole = i});
  const debug::Array made = debug::evaluate(
      expression,
      [&](const std::string& name) -> std::optional<debug::Operand> {
        if (name == "i") return number;
        if (const auto known = scope.number(name)) return *known;
        refuse(word, fmt::format("nothing is called {}", name),
               "i is the element's number, other names are the case's");
      },
      debug::Rules::kernel, debug::Pairs::numbers);  // max(i, 3): i is no block here, but each element's number
  if (made.elems() != 1 && made.elems() != t.elems())
    refuse(word, fmt::format("'{}' gives {} values for {} elements", expression, made.elems(), t.elems()),
           "write an expression of i");
  fill_by(t, [&](std::int64_t i) {
    const debug::Number n = made.data[made.elems() == 1 ? 0 : static_cast<std::size_t>(i)];
    return is_float(made.dtype) ? n.real : static_cast<double>(n.whole);
  });
}

void fill_values(const Tensor& t, const Word& word, const std::vector<std::string>& values, const Scope& scope) {
  if (static_cast<std::int64_t>(values.size()) != t.elems())
    refuse(word, fmt::format("{} values for {} elements", values.size(), t.elems()), "give one an element");
  std::vector<double> numbers;
  for (const std::string& e : values) numbers.push_back(scope.real(word, e));
  fill_by(t, [&](std::int64_t i) { return numbers[static_cast<std::size_t>(i)]; });
}

void fill(const Tensor& t, const Word& word, const TensorWord& w, const Scope& scope, std::uint64_t seed,
          std::uint64_t stream) {
  const std::string& how = w.fill;
  if (how == "ones") return fill_by(t, [](std::int64_t) { return 1.0; });
  if (how == "zeros") return fill_by(t, [](std::int64_t) { return 0.0; });
  if (how == "iota") return fill_by(t, [](std::int64_t i) { return static_cast<double>(i); });
  if (how == "index") return fill_index(t);
  if (how == "normal") return fill_normal(t, seed, stream);
  if (how == "bytes") return fill_bytes(t, word, w.fill_arguments[0]);
  if (how == "each") return fill_each(t, word, w.fill_arguments[0], scope);
  if (how == "values") return fill_values(t, word, w.fill_arguments, scope);
  if (how == "addresses") return fill_by(t, [](std::int64_t) { return 0.0; });  // fill_addresses
  if (how == "full") {
    const double value = scope.real(word, w.fill_arguments[0]);
    return fill_by(t, [&](std::int64_t) { return value; });
  }
  if (w.role == TensorWord::Role::out && how.empty()) return poison(t);
  if (!w.fill_arguments.empty())
    return fill_random(t, seed, stream, scope.real(word, w.fill_arguments[0]), scope.real(word, w.fill_arguments[1]));
  if (is_float(t.dtype)) return problems::fill_uniform(t, seed, stream);
  if (t.dtype == DType::int1) return fill_random(t, seed, stream, 0, 2);
  fill_random(t, seed, stream, is_signed(t.dtype) ? -100 : 0, 100);
}

Tensor read(const std::string& name, const std::string& path) {
  if (!is_picture(path)) return read_npy(name, path);
  Tensor t = problems::read_image(path);
  t.name = name;
  return t;
}

Tensor tensor_of_file(const std::string& name, const Word& word, const TensorWord& t,
                      const std::vector<std::int64_t>& shape) {
  const Tensor held = read(name, t.file);
  if (t.dtype && *t.dtype != held.dtype)
    refuse(word, fmt::format("\"{}\" holds {}, and the case says {}", t.file, name_of(held.dtype), name_of(*t.dtype)),
           fmt::format("leave the dtype out to take the file's, {}=@{}, or save it as that one in NumPy", word.name,
                       t.file));
  if (t.dims && held.shape != shape)
    refuse(word, fmt::format("\"{}\" is {}, and the case says {}", t.file, shape_text(held.shape), shape_text(shape)),
           fmt::format("leave the sizes to the file: {}=@{}", word.name, t.file));
  return held;
}

}  // namespace

void fill_addresses(const Tensor& t, const Word& word, const TensorWord& w, const std::vector<Tensor>& all) {
  if (static_cast<std::int64_t>(w.fill_arguments.size()) != t.elems())
    refuse(word, fmt::format("{} addresses for {} elements", w.fill_arguments.size(), t.elems()),
           "give one an element");
  for (std::size_t i = 0; i < w.fill_arguments.size(); ++i) {
    const auto to = std::ranges::find(all, w.fill_arguments[i], &Tensor::name);
    if (to == all.end()) {
      std::vector<std::string> names;
      for (const Tensor& known : all) names.push_back(known.name);
      const std::string guess = nearest(w.fill_arguments[i], names);
      refuse(word, fmt::format("no tensor of the case is called {}", w.fill_arguments[i]),
             guess.empty() ? fmt::format("say what it is: {}=f16[64, 64]", w.fill_arguments[i])
                           : fmt::format("did you mean {}?", guess));
    }
    if (t.holds_data)
      t.as<std::int64_t>()[offset_of(t, static_cast<std::int64_t>(i))] = address_of(static_cast<int>(to - all.begin()));
  }
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return shape.empty() ? "one number" : fmt::format("{}", fmt::join(shape, " x "));
}

FileShape shape_of_file(const Word& word, const std::string& path) {
  try {
    if (!is_picture(path)) {
      const NpyHeader h = read_npy_header(path);
      return {h.dtype, h.shape};
    }
    const Tensor t = problems::read_image(path);
    return {t.dtype, t.shape};
  } catch (const Error& e) {
    refuse(word, e.what(), e.fix);
  }
}

std::string bytes_of_file(const std::string& path) {
  const Tensor t = read("", path);
  std::string digits;
  for (std::int64_t i = 0; i < t.storage_bytes(); ++i)
    digits += fmt::format("{:02x}", static_cast<unsigned>(t.data()[static_cast<std::size_t>(i)]));
  return digits;
}

Tensor filled_tensor(const std::string& name, const Word& word, const TensorWord& t, const Scope& scope,
                     std::uint64_t seed, std::uint64_t stream) {
  const std::vector<std::int64_t> shape = t.dims ? scope.integers(word, *t.dims) : std::vector<std::int64_t>{};
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] < 1)
      refuse(word, fmt::format("axis {} of {} has {} elements", i, name, shape[i]), "choose sizes of at least 1");
  if (shape.size() > 4) refuse(word, fmt::format("{} axes", shape.size()), "a tensor has 4 at most");
  if (!t.file.empty()) {
    if (t.strides) refuse(word, "a file's tensor is row-major", "leave :strides out");
    return tensor_of_file(name, word, t, shape);
  }
  if (!t.dtype || !t.dims)
    refuse(word, t.dtype ? "the sizes are missing" : "the dtype is missing", fmt::format("{}=f32[1000]", word.name));
  std::vector<std::int64_t> strides;
  if (t.strides) {
    strides = scope.integers(word, *t.strides);
    if (strides.size() != shape.size())
      refuse(word, fmt::format("{} strides for {} axes", strides.size(), shape.size()), "give one an axis");
    for (const std::int64_t s : strides)
      if (s < 0) refuse(word, fmt::format("a stride of {}", s), "choose strides of at least 0");
  }
  Tensor made = t.strides ? make_tensor(name, *t.dtype, shape, strides) : make_tensor(name, *t.dtype, shape);
  made.holds_addresses = t.fill == "addresses";
  if (made.holds_addresses && made.dtype != DType::int64)
    refuse(word, fmt::format("an address is not {}", name_of(made.dtype)), "make it i64");
  if (t.strides) poison(made);  // what lies between its elements
  fill(made, word, t, scope, seed, stream);
  return made;
}

}  // namespace tl::cases
