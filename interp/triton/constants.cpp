#include "interp/triton/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tl::triton {

using cpu::AnyValue;
using cpu::Constant;
using cpu::RealConstant;
using cpu::TextConstant;
using cpu::Tuple;

namespace {

constexpr std::string_view sign_texts[] = {"+",  "-", "*",  "/", "//", "%",  "**", "@",  "&",      "|",  "^",     "<<",
                                           ">>", "<", "<=", ">", ">=", "==", "!=", "in", "not in", "is", "is not"};

double real_of(const AnyValue& v) {
  return v.is<Constant>() ? static_cast<double>(v.as<Constant>().value) : v.as<RealConstant>().value;
}
Value whole(long long v, bool is_strong, bool is_bool = false) { return Value(Constant(v, is_bool), is_strong); }
// A strong one is computed as the float32 that it is in Triton.
double rounded(double v, bool is_strong) { return is_strong ? static_cast<double>(static_cast<float>(v)) : v; }
Value real(double v, bool is_strong) { return Value(RealConstant(rounded(v, is_strong)), is_strong); }

[[noreturn]] void overflow(Sign sign) {
  throw Error(fmt::format("the result of {} needs more than 64 bits", text_of(sign)), "choose smaller constants");
}

std::optional<Value> of_integers(Sign sign, const Constant& a, const Constant& b, bool is_strong) {
  const long long x = a.value, y = b.value;
  const bool bools = a.is_bool && b.is_bool;
  long long r = 0;
  const auto checked = [&](bool overflows) {
    if (overflows) overflow(sign);
    return whole(r, is_strong);
  };
  switch (sign) {
    case Sign::add: return checked(__builtin_add_overflow(x, y, &r));
    case Sign::sub: return checked(__builtin_sub_overflow(x, y, &r));
    case Sign::mul: return checked(__builtin_mul_overflow(x, y, &r));
    case Sign::true_div:
    case Sign::floor_div:
    case Sign::mod:
      if (y == 0)
        throw Error(fmt::format("{} {} 0: a constant is divided by 0", x, text_of(sign)), "look at the sizes");
      if (sign == Sign::true_div)
        return real(rounded(static_cast<double>(x), is_strong) / rounded(static_cast<double>(y), is_strong), is_strong);
      if (x == std::numeric_limits<long long>::min() && y == -1) overflow(sign);
      // Toward minus infinity, as Python has it; a strong one, an int32 in Triton, toward zero.
      r = x / y - (!is_strong && x % y != 0 && (x < 0) != (y < 0));
      return whole(sign == Sign::mod ? x - y * r : r, is_strong);
    case Sign::power:
      if (y < 0) return real(std::pow(static_cast<double>(x), static_cast<double>(y)), is_strong);
      r = 1;
      if (x >= -1 && x <= 1) return whole(y == 0 ? 1 : x == -1 && y % 2 == 0 ? 1 : x, is_strong);
      for (long long i = 0; i < y; ++i)
        if (__builtin_mul_overflow(r, x, &r)) overflow(sign);
      return whole(r, is_strong);
    case Sign::shl:
      if (y < 0 || y > 62 || (x << y) >> y != x) overflow(sign);
      return whole(x << y, is_strong);
    case Sign::shr:
      if (y < 0) throw Error(fmt::format("{} >> {}: a shift by less than 0", x, y), "shift by 0 or more");
      return whole(x >> std::min(y, 63LL), is_strong);
    case Sign::bit_and: return whole(x & y, is_strong, bools);
    case Sign::bit_or: return whole(x | y, is_strong, bools);
    case Sign::bit_xor: return whole(x ^ y, is_strong, bools);
    default: return std::nullopt;
  }
}

std::optional<Value> of_reals(Sign sign, double x, double y, bool is_strong) {
  x = rounded(x, is_strong);
  y = rounded(y, is_strong);
  switch (sign) {
    case Sign::add: return real(x + y, is_strong);
    case Sign::sub: return real(x - y, is_strong);
    case Sign::mul: return real(x * y, is_strong);
    case Sign::true_div: return real(x / y, is_strong);
    case Sign::floor_div: return real(std::floor(x / y), is_strong);
    case Sign::mod: return real(is_strong ? std::fmod(x, y) : x - y * std::floor(x / y), is_strong);
    case Sign::power: return real(std::pow(x, y), is_strong);
    default: return std::nullopt;
  }
}

template <class T>
std::optional<bool> ordered(Sign sign, const T& x, const T& y) {
  switch (sign) {
    case Sign::lt: return x < y;
    case Sign::le: return x <= y;
    case Sign::gt: return x > y;
    case Sign::ge: return x >= y;
    case Sign::eq: return x == y;
    case Sign::ne: return x != y;
    default: return std::nullopt;
  }
}

std::optional<bool> are_equal(const Value& a, const Value& b) {
  const AnyValue &x = a.data, &y = b.data;
  if (a.callable() || b.callable()) return a.callable() == b.callable();
  if (x.is_number() && y.is_number()) return real_of(x) == real_of(y);
  if (!a.is_constant() && !x.is<Tuple>()) return std::nullopt;
  if (!b.is_constant() && !y.is<Tuple>()) return std::nullopt;
  const auto are = [&]<class T>(std::type_identity<T>) { return x.is<T>() && y.is<T>(); };
  if (are(std::type_identity<TextConstant>()))
    return std::string_view(x.as<TextConstant>().value) == y.as<TextConstant>().value;
  if (are(std::type_identity<cpu::ElementType>()))
    return x.as<cpu::ElementType>().value == y.as<cpu::ElementType>().value;
  if (are(std::type_identity<cpu::PointerType>()))
    return x.as<cpu::PointerType>().element == y.as<cpu::PointerType>().element;
  if (!are(std::type_identity<Tuple>())) return are(std::type_identity<cpu::None>());
  const auto &p = *x.as<Tuple>(), &q = *y.as<Tuple>();
  if (p.size() != q.size()) return false;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (const auto same = are_equal(Value(p[i]), Value(q[i])); !same.value_or(false)) return same;
  return true;
}

std::optional<bool> holds(const Value& all, const Value& x) {
  if (all.data.is<TextConstant>() && x.data.is<TextConstant>())
    return std::string_view(all.data.as<TextConstant>().value).find(x.data.as<TextConstant>().value) !=
           std::string_view::npos;
  if (!all.data.is<Tuple>()) return std::nullopt;
  for (const AnyValue& v : *all.data.as<Tuple>())
    if (are_equal(Value(v), x).value_or(false)) return true;
  return false;
}

std::optional<bool> compared(Sign sign, const Value& a, const Value& b) {
  const AnyValue &x = a.data, &y = b.data;
  if (sign == Sign::is || sign == Sign::is_not) {  // None is nothing but None
    const bool none = x.is<cpu::None>() || y.is<cpu::None>();
    const auto same = none ? std::optional(x.is<cpu::None>() && y.is<cpu::None>()) : are_equal(a, b);
    return same ? std::optional(*same == (sign == Sign::is)) : std::nullopt;
  }
  if (sign == Sign::in || sign == Sign::not_in) {
    const auto found = holds(b, a);
    return found ? std::optional(*found == (sign == Sign::in)) : std::nullopt;
  }
  if (x.is<Constant>() && y.is<Constant>()) return ordered(sign, x.as<Constant>().value, y.as<Constant>().value);
  const bool is_strong = a.is_strong || b.is_strong;
  if (x.is_number() && y.is_number())
    return ordered(sign, rounded(real_of(x), is_strong), rounded(real_of(y), is_strong));
  if (sign != Sign::eq && sign != Sign::ne) return std::nullopt;
  const auto same = are_equal(a, b);
  return same ? std::optional(*same == (sign == Sign::eq)) : std::nullopt;
}

}  // namespace

Sign sign_of(std::string_view text) {
  return static_cast<Sign>(std::ranges::find(sign_texts, text) - std::begin(sign_texts));
}
std::string_view text_of(Sign sign) { return sign_texts[static_cast<std::size_t>(sign)]; }

bool is_known_whole(const AnyValue& v) {
  if (!v.is<Tuple>()) return !v.is<cpu::NotGiven>();
  return std::ranges::all_of(*v.as<Tuple>(), is_known_whole);
}

std::optional<std::size_t> field_of(const AnyValue& v, std::string_view name) {
  if (!v.is<Tuple>()) return std::nullopt;
  const auto& names = v.as<Tuple>()->names;
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
}

std::string text_of(const Value& v) {
  if (!v.callable()) return cpu::text_of_kind(v.data);
  return fmt::format("the {} {}", v.callable()->kind == Callable::Kind::function ? "function" : "name",
                     v.callable()->name);
}

Value assigned(Value v, bool is_weak) {
  v.is_strong = !is_weak && v.data.is_number();
  if (v.is_strong && v.data.is<RealConstant>()) return real(v.data.as<RealConstant>().value, true);
  return v;
}

std::optional<Value> computed(Sign sign, const Value& a, const Value& b) {
  const bool is_strong = a.is_strong || b.is_strong;
  if (const auto yes = compared(sign, a, b)) return Value(Constant(*yes, true), is_strong);
  const AnyValue &x = a.data, &y = b.data;
  if (x.is<Constant>() && y.is<Constant>()) return of_integers(sign, x.as<Constant>(), y.as<Constant>(), is_strong);
  if (x.is_number() && y.is_number()) return of_reals(sign, real_of(x), real_of(y), is_strong);
  if (x.is<Tuple>() && y.is<Tuple>() && sign == Sign::add) {
    std::vector<AnyValue> all = *x.as<Tuple>();
    all.insert(all.end(), y.as<Tuple>()->begin(), y.as<Tuple>()->end());
    return Value(AnyValue(std::move(all)));
  }
  if (sign == Sign::mul && x.is<Tuple>() && y.is<Constant>()) {
    std::vector<AnyValue> all;
    const std::size_t most = 4096;  // more is a mistake
    for (long long i = 0; i < y.as<Constant>().value && all.size() < most; ++i)
      all.insert(all.end(), x.as<Tuple>()->begin(), x.as<Tuple>()->end());
    return Value(AnyValue(std::move(all)));
  }
  if (x.is<TextConstant>() && y.is<TextConstant>() && sign == Sign::add)
    return Value(AnyValue(cpu::kept_text(std::string(x.as<TextConstant>().value) + y.as<TextConstant>().value)));
  return std::nullopt;
}

std::optional<Value> computed(std::string_view prefix, const Value& x) {
  if (prefix == "not") {
    const auto yes = truth_of(x);
    return yes ? std::optional(Value(Constant(!*yes, true), x.is_strong)) : std::nullopt;
  }
  if (!x.data.is_number()) return std::nullopt;
  if (prefix == "+") return x;
  if (prefix == "-" && x.data.is<RealConstant>()) return real(-x.data.as<RealConstant>().value, x.is_strong);
  if (prefix == "-") return of_integers(Sign::sub, Constant(0), x.data.as<Constant>(), x.is_strong);
  if (prefix == "~" && x.data.is<Constant>()) return whole(~x.data.as<Constant>().value, x.is_strong);
  return std::nullopt;
}

std::optional<bool> truth_of(const Value& v) {
  if (v.callable()) return true;
  if (v.data.is<Constant>()) return v.data.as<Constant>().value != 0;
  if (v.data.is<RealConstant>()) return v.data.as<RealConstant>().value != 0;
  if (v.data.is<cpu::None>()) return false;
  if (v.data.is<TextConstant>()) return *v.data.as<TextConstant>().value != '\0';
  if (v.data.is<Tuple>()) return !v.data.as<Tuple>()->empty();
  if (v.data.is<cpu::ElementType>() || v.data.is<cpu::PointerType>()) return true;
  return std::nullopt;
}

namespace {

constexpr std::string_view host_functions[] = {
    "range",        "len",       "float",         "int",          "bool",    "min",
    "max",          "abs",       "print",         "constexpr",    "tuple",   "next_power_of_2",
    "static_range", "print_if",  "breakpoint_if", "breakpoint",   "getattr", "hasattr",
    "isinstance",   "set_trace", "_log2",         "get_int_dtype"};

std::optional<Value> float_of(const AnyValue& x) {
  if (x.is_number()) return Value(RealConstant(real_of(x)));
  if (!x.is<TextConstant>()) return std::nullopt;
  const std::string_view word = x.as<TextConstant>().value;
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (word == "inf" || word == "+inf" || word == "infinity") return Value(RealConstant(inf));
  if (word == "-inf" || word == "-infinity") return Value(RealConstant(-inf));
  if (word == "nan") return Value(RealConstant(std::numeric_limits<double>::quiet_NaN()));
  return std::nullopt;
}

// Of isinstance(x, type), where `type` may be a tuple of types.
bool is_instance(const Value& x, const AnyValue& type) {
  if (type.is<Tuple>())
    return std::ranges::any_of(*type.as<Tuple>(), [&](const AnyValue& t) { return is_instance(x, t); });
  const Callable* const c = Value(type).callable();
  if (!c) return false;
  const std::string_view name = std::string_view(c->name).substr(c->name.rfind('.') + 1);
  const AnyValue& v = x.data;
  const bool is_tensor = v.is<cpu::Block>() || v.is<cpu::Pointer>() || (v.is_number() && x.is_strong);
  if (name == "tensor") return is_tensor;
  if (name == "pointer_type") return v.is<cpu::PointerType>();
  if (name == "tensor_descriptor") return v.is<std::shared_ptr<const cpu::Descriptor>>();
  if (name == "tuple" || name == "list") return v.is<Tuple>();
  if (name == "dtype") return v.is<cpu::ElementType>();
  if (name == "int" || name == "bool") return v.is<Constant>() && v.as<Constant>().is_bool == (name == "bool");
  if (name == "float") return v.is<RealConstant>();
  return name == "constexpr" && x.is_constant() && !is_tensor;
}

}  // namespace

// Of a pasted sort: the integer that holds a float's bits.
static std::optional<Value> int_dtype(long long bits, bool is_signed) {
  for (const DType t : {DType::int1, DType::int8, DType::int16, DType::int32, DType::int64, DType::uint8, DType::uint16,
                        DType::uint32, DType::uint64}) {
    const long long of = t == DType::int1 ? 1 : 8 * size_in_bytes(t);
    const bool has_sign =
        t == DType::int1 || t == DType::int8 || t == DType::int16 || t == DType::int32 || t == DType::int64;
    if (of == bits && has_sign == is_signed) return Value(AnyValue(cpu::ElementType{t}));
  }
  return std::nullopt;
}

bool is_host_function(std::string_view name) { return std::ranges::count(host_functions, name) > 0; }

std::optional<Value> called(std::string_view function, std::span<const Value> arguments) {
  if (arguments.empty()) return std::nullopt;
  const AnyValue& x = arguments[0].data;
  const bool are_numbers = std::ranges::all_of(arguments, [](const Value& v) { return v.data.is_number(); });
  if (function == "constexpr") return Value(x);
  if (function == "isinstance" && arguments.size() == 2)
    return Value(AnyValue(is_instance(arguments[0], arguments[1].data)));
  if (function == "float") return float_of(x);
  if (function == "int" && x.is_number()) return whole(static_cast<long long>(real_of(x)), false);
  if (function == "bool") {
    const auto yes = truth_of(arguments[0]);
    return yes ? std::optional(Value(Constant(*yes, true))) : std::nullopt;
  }
  if (function == "get_int_dtype" && x.is<Constant>() && arguments.size() == 2)
    return int_dtype(x.as<Constant>().value, truth_of(arguments[1]).value_or(true));
  if (function == "_log2" && x.is<Constant>() && x.as<Constant>().value > 0)
    return whole(std::bit_width(static_cast<std::uint64_t>(x.as<Constant>().value)) - 1, false);
  if (function == "len" && x.is<Tuple>()) return whole(static_cast<long long>(x.as<Tuple>()->size()), false);
  if (function == "tuple" && x.is<Tuple>()) return Value(x);
  if (!are_numbers) return std::nullopt;
  if (function == "abs") return real_of(x) < 0 ? computed("-", arguments[0]) : arguments[0];
  if (function == "min" || function == "max" || function == "minimum" || function == "maximum") {
    const Value* best = &arguments[0];
    for (const Value& v : arguments)
      if (function.starts_with("min") ? real_of(v.data) < real_of(best->data) : real_of(v.data) > real_of(best->data))
        best = &v;
    return *best;
  }
  if (function == "cdiv" && arguments.size() == 2 && x.is<Constant>() && arguments[1].data.is<Constant>()) {
    const auto down = computed(Sign::floor_div, *computed("-", arguments[0]), arguments[1]);
    return down ? computed("-", *down) : down;
  }
  if (function == "next_power_of_2" && x.is<Constant>()) {
    long long r = 1;
    while (r < x.as<Constant>().value && r < 1LL << 62) r *= 2;
    return whole(r, arguments[0].is_strong);
  }
  return std::nullopt;
}

}  // namespace tl::triton
