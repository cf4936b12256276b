// Expressions as C++: operators, tuples, conditions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/cpu/arguments.h"
#include "interp/lang/text.h"
#include "interp/triton/emission.h"
#include "interp/triton/expression_nodes.h"

namespace tl::triton {

using cpu::AnyValue;
using cpu::Block;
using cpu::Place;
using cpu::Pointer;

// ---- texts ----

std::string dtype_text(DType t) { return fmt::format("tl.{}", language_name_of(t)); }

std::string shape_text(std::span<const std::int64_t> sizes) {
  std::string all;
  for (const std::int64_t n : sizes) all += fmt::format("{}{}_c", all.empty() ? "" : ", ", n);
  return fmt::format("tl.shape({})", all);
}

std::string string_literal(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') all += fmt::format("\\{}", c);
    else if (c == '\n') all += "\\n";
    else if (byte < ' ') all += fmt::format("\\{:03o}", byte);
    else all += c;
  }
  return all + '"';
}

std::string text_of_constant(const Value& v, Level& level) {
  level = Level::whole;
  if (const auto* c = v.data.get_if<cpu::Constant>()) {
    if (c->is_bool) return c->value ? "true" : "false";
    if (c->value >= 0) return fmt::format("{}_c", c->value);
    level = Level::prefix;
    if (c->value != std::numeric_limits<long long>::min()) return fmt::format("-{}_c", -c->value);
    level = Level::sum;
    return fmt::format("-{}_c - 1_c", std::numeric_limits<long long>::max());
  }
  if (const auto* r = v.data.get_if<cpu::RealConstant>()) {
    if (std::isnan(r->value)) return "__builtin_bit_cast(double, 0x7ff8000000000000)";
    if (std::signbit(r->value)) level = Level::prefix;
    if (std::isinf(r->value)) return r->value < 0 ? "-inf" : "inf";
    std::string text = fmt::format("{}", r->value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
  }
  if (v.data.is<cpu::TextConstant>()) return string_literal(v.data.as<cpu::TextConstant>().value);
  if (v.data.is<cpu::ElementType>()) return dtype_text(v.data.as<cpu::ElementType>().value);
  if (v.data.is<cpu::PointerType>())
    return fmt::format("tl.pointer_type({})", dtype_text(v.data.as<cpu::PointerType>().element));
  return "None";
}

std::string operand(const Term& t, Level at_least) {
  Level level = t.level;
  const std::string text = t.is_constant() ? text_of_constant(t.value, level) : t.text;
  return level < at_least ? fmt::format("({})", text) : text;
}

// ---- values ----

Term Emission::tuple(std::vector<Term> elements, const cpu::Elements* like) {
  cpu::Elements all({});
  bool has_effect = false;
  for (const Term& t : elements) {
    all.push_back(t.value.data);
    has_effect |= t.has_effect;
  }
  if (like) {
    all.names = like->names;
    all.type = like->type;
  }
  return {Value(AnyValue(std::make_shared<const cpu::Elements>(std::move(all)))),
          "",
          Level::whole,
          has_effect,
          false,
          std::move(elements)};
}

// A constant tuple as well.
std::vector<Term> elements_of(const Term& t) {
  if (!t.elements.empty() || !t.is_tuple()) return t.elements;
  std::vector<Term> all;
  for (const AnyValue& v : *t.value.data.as<cpu::Tuple>()) {
    all.push_back({Value(v), ""});
    all.back().elements = elements_of(all.back());
  }
  return all;
}
bool is_constant_whole(const Value& v) {
  const auto is_one = [](const AnyValue& x) { return is_constant_whole(Value(x)); };
  return v.data.is<cpu::Tuple>() ? std::ranges::all_of(*v.data.as<cpu::Tuple>(), is_one) : v.is_constant();
}

Term with_elements(Value v) {
  Term t{std::move(v), ""};
  t.elements = elements_of(t);
  return t;
}

std::vector<Term> Emission::terms(std::span<const Expression* const> all) {
  std::vector<Term> made;
  for (const Expression* x : all) {
    const std::size_t before = now_.lines.size();
    Term t = term(*x);
    if (t.has_effect || now_.lines.size() > before) {
      // What comes before it in the text is computed before it.
      std::vector<Line> later(now_.lines.begin() + static_cast<std::ptrdiff_t>(before), now_.lines.end());
      bool is_any = false;
      for (const Term& earlier : made) is_any |= earlier.has_effect;
      if (is_any) {
        now_.lines.resize(before);
        for (Term& earlier : made)
          if (earlier.has_effect) earlier = named(earlier, "x", x->place);
        now_.lines.insert(now_.lines.end(), later.begin(), later.end());
      }
    }
    made.push_back(std::move(t));
  }
  return made;
}

Term Emission::strong(const Term& t, const Place* p) {
  if (!t.value.data.is_number()) return t;
  const Block scalar = asked(p, [&] { return cpu::scalar_of(frame_.tl, t.value.data, cpu::location_of(*p)); });
  return made(AnyValue(scalar),
              fmt::format("tl.scalar({}, {})", operand(t, Level::comparison), dtype_text(scalar.dtype.value)));
}

std::optional<bool> Emission::truth(const Term& t, const Place* p) {
  if (t.value.data.is<Block>()) return std::nullopt;
  const auto yes = truth_of(t.value);
  if (!yes) fail(p, fmt::format("{} is neither true nor false", text_of(t.value)), "compare it");
  return yes;
}

Term Emission::mask_of(const Term& t, const Place* p) {
  if (!t.value.data.is<Block>() || t.value.data.as<Block>().dtype.value == DType::int1) return t;
  return infix(Sign::ne, t, Term{Value(AnyValue(0)), ""}, p);
}

// ---- operators ----

namespace {

Level level_at(Sign s) {
  switch (s) {
    case Sign::add:
    case Sign::sub: return Level::sum;
    case Sign::mul:
    case Sign::true_div:
    case Sign::floor_div:
    case Sign::mod: return Level::product;
    case Sign::bit_and:
    case Sign::bit_or:
    case Sign::bit_xor:
    case Sign::shl:
    case Sign::shr: return Level::bits;
    default: return Level::comparison;
  }
}
// Operands of & and of comparisons are in brackets wherever a reader might wonder.
std::string text_between(Sign s, const Term& x, const Term& y) {
  const Level level = level_at(s);
  const bool is_sum = level == Level::sum || level == Level::product;
  const Level left = is_sum                       ? level
                     : level == Level::comparison ? Level::sum
                                                  : Level::prefix,
              right = is_sum ? static_cast<Level>(static_cast<int>(level) + 1) : left;
  const std::string sign(s == Sign::floor_div ? "/" : text_of(s));
  return fmt::format("{} {} {}", operand(x, left), sign, operand(y, right));
}
bool is_integral(const AnyValue& v) {
  return v.is<cpu::Constant>() || (v.is<Block>() && !is_float(v.as<Block>().dtype.value));
}

}  // namespace

Term Emission::infix(Sign s, const Term& x, const Term& y, const Place* p) {
  const Value v = asked(p, [&] { return triton::infix(frame_, s, x.value, y.value, p); });
  if (is_constant_whole(v)) return with_elements(v);
  if (v.data.is<cpu::Tuple>()) {  // (a, b) + (c,)
    std::vector<Term> all = elements_of(x);
    for (const Term& t : elements_of(y)) all.push_back(t);
    if (all.size() != v.data.as<cpu::Tuple>()->size())
      fail(p, "an operator of tuples that C++ has not", "name the elements");
    return tuple(std::move(all));
  }
  Term a = x, b = y;
  if (y.value.data.is_number() && x.value.data.is<Block>() && counts(y.value, x.value.data.as<Block>().dtype.value))
    b = strong(y, p);
  if (x.value.data.is_number() && y.value.data.is<Block>() && counts(x.value, y.value.data.as<Block>().dtype.value))
    a = strong(x, p);
  Term r;
  if (s == Sign::true_div && is_integral(x.value.data) && is_integral(y.value.data)) {
    r = made(v, fmt::format("tl.fdiv({}, {})", operand(a, Level::comparison), operand(b, Level::comparison)));
  } else {
    r = made(v, text_between(s, a, b), level_at(s));
    if (!a.text.empty() && level_at(s) != Level::comparison)
      r.sum = {std::string(s == Sign::floor_div ? "/" : text_of(s)), a.text, operand(b, Level::comparison)};
  }
  r.has_effect = x.has_effect || y.has_effect;
  return r;
}

Term Emission::prefix(std::string_view sign, const Term& x, const Place* p) {
  if (x.value.data.is<Block>() && sign == "+") return x;
  if (x.value.data.is<Block>()) {
    const Op op = sign == "-" ? Op::neg : sign == "~" ? Op::bit_not : Op::logical_not;
    const Value v = asked(p, [&] { return Value(cpu::prefix(frame_.tl, op, x.value.data, cpu::location_of(*p))); });
    Term r = made(v, fmt::format("{}{}", sign == "not" ? "!" : sign, operand(x, Level::prefix)), Level::prefix);
    r.has_effect = x.has_effect;
    return r;
  }
  if (auto v = computed(sign, x.value)) return {std::move(*v), ""};
  fail(p, fmt::format("no operator {} takes {}", sign, text_of(x.value)), "operators take blocks and numbers");
}

Term Emission::sliced(const Term& given, std::span<const bool> is_new, const Place* p) {
  if (given.is_tuple()) return given;
  const Term x = strong(given, p);
  const Value v = asked(p, [&] { return Value(cpu::sliced(frame_.tl, x.value.data, is_new, cpu::location_of(*p))); });
  const cpu::Handle& h =
      v.data.is<Block>() ? static_cast<const cpu::Handle&>(v.data.as<Block>()) : v.data.as<Pointer>();
  const cpu::Value& made_value = cpu::value_of(h);
  const std::string shape = shape_text(std::span(made_value.dims, made_value.rank));
  const bool begins_with_new = std::ranges::is_sorted(is_new, std::greater());
  const cpu::Handle& from =
      x.value.data.is<Block>() ? static_cast<const cpu::Handle&>(x.value.data.as<Block>()) : x.value.data.as<Pointer>();
  Term r;
  if (begins_with_new && cpu::rank_of(from) == 0) {
    r = x.value.data.is<Block>()
            ? made(v, fmt::format("tl.reshape({}, {})", operand(x, Level::comparison), shape))
            : made(v, fmt::format("{} + tl.zeros({}, tl.int32)", operand(x, Level::sum), shape), Level::sum);
  } else {
    std::string axes;
    for (const bool is_new_axis : is_new)
      axes += fmt::format("{}{}", axes.empty() ? "" : ", ", is_new_axis ? "None" : "_");
    r = made(v, fmt::format("{}({})", operand(x), axes));
  }
  r.has_effect = x.has_effect;
  return r;
}

Term Emission::attribute(const Term& x, std::string_view name, const Place* p) {
  if (x.value.data.is<std::shared_ptr<const cpu::Descriptor>>() && (name == "shape" || name == "strides"))
    fail(p, fmt::format("C++ does not know a descriptor's {}", name), "pass the sizes as parameters");
  const Value v = asked(p, [&] { return attribute_of(&frame_.tl, x.value, name, cpu::location_of(*p)); });
  if (!v.is_known()) fail(p, fmt::format("{} has no {}", text_of(x.value), name), "blocks have dtype, shape and T");
  if (const auto at = field_of(x.value.data, name)) return elements_of(x)[*at];
  if (is_constant_whole(v)) {
    if (x.has_effect) evaluate(named(x, "x", p), p);
    return with_elements(v);
  }
  Term r = made(v, fmt::format("tl.trans({})", operand(x, Level::comparison)));
  r.has_effect = x.has_effect;
  return r;
}

// Both sides in one where, if computing both has no effect; else an if.
Term Emission::chosen(const Term& test, const Expression& yes, const Expression& no, const Place* p) {
  const auto side = [&](const Expression& e) {
    const State before = now_;
    Term t = term(e);
    const bool is_simple = now_.lines.size() == before.lines.size() && !t.has_effect;
    const std::vector<std::size_t> calls = std::move(now_.calls);
    now_ = before;
    now_.calls = calls;
    return std::pair(t, is_simple);
  };
  const auto [a, a_is_simple] = side(yes);
  const auto [b, b_is_simple] = side(no);
  const Met met = meet({&a, &b}, "the value", p);
  if (met.constant && a_is_simple && b_is_simple) return {assigned(met.constant->value, false), ""};
  if (a_is_simple && b_is_simple && !met.type.data.is<cpu::Tuple>()) {
    const Term mask = mask_of(test, p);
    Term r =
        made(met.type, fmt::format("tl.where({}, {}, {})", operand(mask, Level::comparison),
                                   operand(strong(a, p), Level::comparison), operand(strong(b, p), Level::comparison)));
    r.has_effect = test.has_effect;
    return r;
  }
  const Term home = home_for("value", met, nullptr, nullptr, p);
  line(fmt::format("if ({}) {{", operand(test, Level::comparison)), p);
  for (const Expression* e : {&yes, &no}) {
    ++now_.depth;
    ++now_.branches;
    store(home, term(*e), p);
    --now_.depth;
    --now_.branches;
    line(e == &yes ? "} else {" : "}", nullptr);
  }
  return home;
}

}  // namespace tl::triton
