// The functions of expressions: the ops of a kernel by their names, NumPy's names for them, and what is made of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "interp/debug/calculator.h"
#include "interp/debug/text_functions.h"
#include "interp/lang/error.h"
#include "interp/lang/parameters.h"

namespace tl::debug {

using cpu::Constant;
using cpu::ElementType;
using cpu::Op;
using cpu::RealConstant;
using cpu::Tuple;

namespace {

struct Alias {
  std::string_view name, op;
};
// NumPy's names.
constexpr Alias aliases[] = {{"amax", "max"},
                             {"amin", "min"},
                             {"absolute", "abs"},
                             {"fabs", "abs"},
                             {"power", "pow"},
                             {"clip", "clamp"},
                             {"arcsin", "asin"},
                             {"arccos", "acos"},
                             {"arctan", "atan"},
                             {"arctan2", "atan2"},
                             {"arcsinh", "asinh"},
                             {"arccosh", "acosh"},
                             {"arctanh", "atanh"},
                             {"fmax", "maximum"},
                             {"fmin", "minimum"},
                             {"remainder", "mod"},
                             {"floor_divide", "floordiv"},
                             {"subtract", "sub"},
                             {"multiply", "mul"},
                             {"divide", "div"},
                             {"negative", "neg"},
                             {"equal", "eq"},
                             {"not_equal", "ne"},
                             {"less", "lt"},
                             {"less_equal", "le"},
                             {"greater", "gt"},
                             {"greater_equal", "ge"},
                             {"bitwise_and", "bit_and"},
                             {"bitwise_or", "bit_or"},
                             {"bitwise_xor", "bit_xor"},
                             {"left_shift", "shl"},
                             {"right_shift", "shr"},
                             {"invert", "bit_not"}};
// For functions that are signs, computed as the sign is.
constexpr Alias signs[] = {
    {"add", "+"},       {"sub", "-"},     {"mul", "*"},          {"div", "/"},        {"mod", "%"},  {"pow", "**"},
    {"floordiv", "//"}, {"bit_and", "&"}, {"bit_or", "|"},       {"bit_xor", "^"},    {"shl", "<<"}, {"shr", ">>"},
    {"lt", "<"},        {"le", "<="},     {"gt", ">"},           {"ge", ">="},        {"eq", "=="},  {"ne", "!="},
    {"dot", "@"},       {"matmul", "@"},  {"logical_and", "&&"}, {"logical_or", "||"}};
constexpr std::string_view reductions[] = {"sum",  "max", "min", "argmax", "argmin", "prod",
                                           "mean", "var", "std", "any",    "all"};
std::string_view op_named(std::string_view name) {
  const auto* const alias = std::ranges::find(aliases, name, &Alias::name);
  return alias == std::end(aliases) ? name : alias->op;
}

// An op that only computes: neither memory, nor the grid, nor a kernel's control.
bool computes(std::string_view name) {
  if (!cpu::function_called(name)) return false;
  const auto op = op_of(name);
  if (!op)
    return parameters_of(name) && !name.starts_with("descriptor_") && name.find("tensor") == name.npos &&
           name != "pointer_type" && name != "static_assert";
  switch (family_of(*op)) {
    case OpFamily::program:
    case OpFamily::memory:
    case OpFamily::pointer:
    case OpFamily::loop:
    case OpFamily::hint:
    case OpFamily::debugging: return false;
    default: return *op != Op::reduce && *op != Op::associative_scan && *op != Op::slice && *op != Op::dot_scaled;
  }
}

bool is_math(std::string_view op) {
  const auto found = op_of(op);
  return !found ? op == "sqrt_rn" || op == "div_rn" || op == "fdiv"
                : family_of(*found) == OpFamily::math || *found == Op::softmax;
}

long long integer(const AnyValue& v, const char* what) {
  if (v.is<Constant>()) return v.as<Constant>().value;
  if (v.is<cpu::Block>() && v.as<cpu::Block>().data()->count == 1 && is_integer(v.as<cpu::Block>().dtype.value))
    return cpu::int_of(*v.as<cpu::Block>().data());
  throw Error(fmt::format("{} is a whole number, and this is {}", what, text_of_kind(v)), "sum(x, 1)");
}

// Names of one parameter in tl, NumPy and torch.
constexpr std::string_view synonyms[][5] = {
    {"x", "input", "a", "arr"}, {"y", "other", "b"},   {"axis", "dim"},  {"keep_dims", "keepdims", "keepdim"},
    {"axes", "dims", "order"},  {"min", "a_min"},      {"max", "a_max"}, {"stop", "end"},
    {"value", "fill_value"},    {"ddof", "correction"}};
bool stands_for_array(const AnyValue& v, std::string_view parameter) {
  constexpr std::string_view arrays[] = {"x", "input", "y", "other", "a", "b", "v", "indices", "condition"};
  return v.is<Tuple>() && std::ranges::count(arrays, parameter) > 0;
}

}  // namespace

std::vector<AnyValue> Calculator::bound(const cpu::Function& f, Arguments a) {
  const auto takes = [&](std::string_view name) {
    return std::ranges::count(f.parameters, name, &tl::Parameter::name) > 0;
  };
  for (cpu::NamedValue& n : a.named)
    for (const auto& names : synonyms)
      if (!takes(n.name) && std::ranges::count(names, n.name))
        if (const auto* const own = std::ranges::find_if(names, [&](auto s) { return !s.empty() && takes(s); });
            own != std::end(names))
          n.name = *own;
  std::vector<AnyValue> values =
      without_fault([&] { return cpu::bind(tl_, f, std::move(a.positional), std::move(a.named), {}); });
  for (std::size_t i = 0; i < values.size(); ++i)
    if (stands_for_array(values[i], f.parameters[i].name)) values[i] = block(values[i]);
  return values;
}

int axis_of(const AnyValue& axis, int rank) {
  const long long a = integer(axis, "an axis");
  if (a < -rank || a >= rank)
    throw Error(fmt::format("no axis {} of {}", a, rank),
                rank ? "the axes are counted from 0; the larger of two values is maximum(x, y)" : "it is one value");
  return static_cast<int>(a < 0 ? a + rank : a);
}

std::optional<DType> dtype_called(std::string_view name) {
  static constexpr std::pair<std::string_view, DType> others[] = {
      {"float", DType::float64}, {"double", DType::float64}, {"half", DType::float16}, {"int", DType::int64},
      {"long", DType::int64},    {"bool", DType::int1},      {"bool_", DType::int1}};
  for (int i = 0; i < dtype_count; ++i)
    if (name == language_name_of(static_cast<DType>(i)) || name == name_of(static_cast<DType>(i)))
      return static_cast<DType>(i);
  const auto* const found = std::ranges::find(others, name, &std::pair<std::string_view, DType>::first);
  return found == std::end(others) ? std::nullopt : std::optional(found->second);
}

bool is_method(std::string_view name) {
  return name == "to" || name == "astype" || name == "copy" || name == "flatten" || name == "item";
}
bool is_attribute(std::string_view name) {
  return name == "T" || name == "shape" || name == "dtype" || name == "ndim" || name == "size";
}
bool is_function(std::string_view name) {
  const std::string_view op = op_named(name);
  return std::ranges::count(reductions, op) || Calculator::composite_called(op) || is_text_function(op) ||
         std::ranges::count(signs, op, &Alias::name) || computes(op) || dtype_called(name);
}
std::vector<std::string> function_names() {
  std::vector<std::string> names(std::begin(reductions), std::end(reductions));
  for (const Alias& a : aliases) names.emplace_back(a.name);
  for (const auto& composite : Calculator::composites()) names.emplace_back(composite.name);
  for (std::string& name : text_function_names()) names.push_back(std::move(name));
  for (std::string& name : cpu::function_names())
    if (computes(name)) names.push_back(std::move(name));
  return names;
}

AnyValue Calculator::attribute(std::string_view name, const AnyValue& v) {
  const Block x = block(v);
  const int rank = x.data()->rank;
  if (name == "dtype") return ElementType{x.dtype};
  if (name == "ndim") return rank;
  if (name == "size") return x.data()->count;
  if (name == "shape") {
    const std::vector<std::int64_t> shape = shape_of(x);
    return AnyValue(std::vector<AnyValue>(shape.begin(), shape.end()));
  }
  if (rules_ == Rules::numpy) return transpose(std::array{AnyValue(x), AnyValue(cpu::NotGiven{})});
  if (rank < 2) throw Error("only two axes can be exchanged", "x[:, None] is a column of a row");
  return op("trans", {x});
}

AnyValue Calculator::method(std::string_view name, const AnyValue& self, Arguments arguments) {
  if (name == "copy") return self;
  if (name == "flatten") return op("ravel", {block(self)});
  if (name == "item") return op("item", {block(self)});
  if (name == "to" || name == "astype") {
    for (AnyValue& t : arguments.positional)  // x.astype("float32")
      if (t.is<cpu::TextConstant>())
        if (const auto known = dtype_called(t.as<cpu::TextConstant>().value)) t = ElementType{*known};
    name = "cast";
  }
  arguments.positional.insert(arguments.positional.begin(), self);
  return call(name, std::move(arguments));
}

// max(x, y) of two values, not along an axis.
bool Calculator::is_pair(std::string_view name, const Arguments& a) {
  if ((name != "max" && name != "min") || a.positional.size() != 2 || !a.named.empty()) return false;
  const AnyValue &x = a.positional[0], &y = a.positional[1];
  if (y.is<Constant>() && pairs_ == Pairs::values) return x.is_number() || block(x).data()->rank == 0;
  return y.is_number() || y.is<Block>();
}

AnyValue Calculator::call(std::string_view name, Arguments arguments) {
  if (is_pair(name, arguments)) name = name == "max" ? "maximum" : "minimum";
  name = op_named(name);
  const std::vector<AnyValue>& values = arguments.positional;
  if (std::ranges::count(reductions, name)) return reduction(name, std::move(arguments));
  const auto* const sign = std::ranges::find(signs, name, &Alias::name);
  if (sign != std::end(signs) && values.size() == 2 && arguments.named.empty())
    return binary(sign->op, values[0], values[1]);
  if (values.size() == 1 && (name == "neg" || name == "bit_not" || name == "logical_not"))
    return unary(name == "neg" ? "-" : name == "bit_not" ? "~" : "!", values[0]);
  if (const Composite* const c = composite_called(name))
    return (this->*c->compute)(bound({c->name, parse_parameters(c->parameters), nullptr}, std::move(arguments)));
  if (const auto t = dtype_called(name); t && values.size() == 1 && arguments.named.empty()) {  // np.float32(x), int(x)
    const Block x = cast(block(values[0]), *t);
    return values[0].is_number() ? number(x) : AnyValue(x);
  }
  return of_op(name, std::move(arguments));
}

// An op of the table. For numbers alone it computes in 64 bits and gives a number.
AnyValue Calculator::of_op(std::string_view name, Arguments arguments) {
  const cpu::Function* const f = cpu::function_called(name);
  if (!f) throw Error(fmt::format("{} does not take these values", name), "it takes two: add(x, y)");
  std::vector<AnyValue>& values = arguments.positional;
  const bool all_numbers = !values.empty() && std::ranges::all_of(values, &AnyValue::is_number);
  const bool is_wide = is_math(name) && (all_numbers || rules_ == Rules::numpy);
  for (std::size_t i = 0; i < values.size() && i < f->parameters.size(); ++i) {
    const std::string_view parameter = f->parameters[i].name;
    if (parameter == "axis" || parameter == "dim" || parameter == "shape") continue;
    if (stands_for_array(values[i], parameter)) values[i] = block(values[i]);
    if (is_wide && (values[i].is<Block>() || values[i].is_number())) values[i] = real(values[i]);
    else if (values[i].is_number() && (all_numbers || i == 0)) values[i] = block(values[i]);
  }
  std::vector<AnyValue> all = bound(*f, std::move(arguments));
  const AnyValue made = without_fault([&] { return cpu::call(tl_, *f, all, {}); });
  return all_numbers && made.is<Block>() && made.as<Block>().data()->rank == 0 ? number(made.as<Block>()) : made;
}

// ---- along axes ----

AnyValue Calculator::reduction(std::string_view name, Arguments arguments) {
  const bool has_spread = name == "var" || name == "std";
  const std::vector<AnyValue> values = bound(
      {name, parse_parameters(has_spread ? "x, axis=None, keep_dims=False, ddof=0" : "x, axis=None, keep_dims=False"),
       nullptr},
      std::move(arguments));
  const AnyValue *const what = &values[0], *const axis = &values[1];
  const Block x = block(*what);
  const int rank = x.data()->rank;
  if (x.data()->count == 0) throw Error(fmt::format("{} of nothing", name), "give it at least one element");
  // The axes that go.
  std::vector<bool> goes(static_cast<std::size_t>(rank), false);
  const auto take = [&](const AnyValue& axis) {
    if (rank > 0 || integer(axis, "an axis") > 0) goes[static_cast<std::size_t>(axis_of(axis, rank))] = true;
  };
  if (!is_given(*axis)) goes.assign(goes.size(), true);
  else if (axis->is<Tuple>()) std::ranges::for_each(*axis->as<Tuple>(), take);
  else take(*axis);
  // They are moved to the end, and made one.
  std::vector<std::int64_t> shape, with_ones;
  std::vector<AnyValue> order;
  std::int64_t gone = 1;
  for (int i = 0; i < rank; ++i) {
    const bool is_gone = goes[static_cast<std::size_t>(i)];
    with_ones.push_back(is_gone ? 1 : x.data()->dims[i]);
    if (is_gone) gone *= x.data()->dims[i];
    else {
      shape.push_back(x.data()->dims[i]);
      order.emplace_back(i);
    }
  }
  for (int i = 0; i < rank; ++i)
    if (goes[static_cast<std::size_t>(i)]) order.emplace_back(i);
  shape.push_back(gone);
  const AnyValue moved = rank > 1 ? op("permute", {x, AnyValue(std::move(order))}) : AnyValue(x);
  AnyValue made = along(name, reshaped(moved, shape).as<Block>(), static_cast<int>(shape.size()) - 1);
  if (has_spread && is_given(values[3])) {  // a sample's: over one term less
    const AnyValue terms = static_cast<double>(gone), less = binary("-", terms, values[3]);
    made = binary("*", made, name == "std" ? op("sqrt", {block(binary("/", terms, less))}) : binary("/", terms, less));
  }
  if (is_given(values[2]) && integer(values[2], "keepdims")) made = reshaped(made, with_ones);
  return what->is_number() ? number(made.as<Block>()) : made;
}

AnyValue Calculator::along(std::string_view name, const Block& x, int axis) {
  const DType t = x.dtype.value;
  const bool is_numpy = rules_ == Rules::numpy, is_mask = t == DType::int1;
  if (name == "any" || name == "all") {
    const AnyValue holds = cast(ask(Op::ne, x, 0).as<Block>(), DType::int32);
    return ask(Op::ne, op(name == "any" ? "max" : "min", {holds, axis}), 0);
  }
  if (name == "max" || name == "min") {
    const AnyValue most = op(name, {x, axis});
    return is_mask ? cast(most.as<Block>(), DType::int1) : most;
  }
  if (name == "sum")
    return inexact(op("sum", {is_mask && is_numpy ? cast(x, DType::int64) : x, axis}), x.data()->dims[axis],
                   [&] { return op("sum", {ask(Op::mul, x, x), axis}); });
  if (name == "prod") {
    const AnyValue products = op("cumprod", {is_mask ? cast(x, DType::int64) : x, axis});
    const cpu::Value& d = *products.as<Block>().data();
    std::vector<cpu::AxisPart> last;
    for (int i = 0; i < d.rank; ++i) last.push_back({0, d.dims[i], 1});
    last[static_cast<std::size_t>(axis)] = {d.dims[axis] - 1, 1, 1};
    std::vector<std::int64_t> shape = shape_of(products.as<Block>());
    shape.erase(shape.begin() + axis);
    return reshaped(part_of(products.as<Block>(), last), shape);
  }
  if (name == "mean") {
    const Block y = real(x);
    return ask(Op::div, along("sum", y, axis), static_cast<double>(y.data()->dims[axis]));
  }
  if (name == "var" || name == "std") {
    const Block y = real(x);
    const AnyValue off = ask(Op::sub, y, op("expand_dims", {along("mean", y, axis), axis}));
    const AnyValue squares = along("mean", ask(Op::mul, off, off).as<Block>(), axis);
    return name == "var" ? squares : op("sqrt", {squares});
  }
  const Block where = op(name, {x, axis}).as<Block>();  // argmax, argmin
  return is_numpy ? cast(where, DType::int64) : where;
}

}  // namespace tl::debug
