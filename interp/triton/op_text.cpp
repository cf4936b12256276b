// How each op is written, where that is more than its name and its parameters in their order.
#include "interp/triton/op_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/cpu/arguments.h"

namespace tl::triton {

using cpu::AnyValue;
using cpu::Block;
using cpu::Pointer;

namespace {

const cpu::Value& lanes_of(const AnyValue& v) {
  return v.is<Block>() ? cpu::value_of(v.as<Block>()) : cpu::value_of(v.as<Pointer>());
}
std::string sizes_of(const AnyValue& v) {
  const cpu::Value& d = lanes_of(v);
  return shape_text(std::span(d.dims, d.rank));
}

}  // namespace

std::string OpText::text() const {
  for (const auto part : {&OpText::creation, &OpText::shaped, &OpText::reduced, &OpText::moved, &OpText::in_memory,
                          &OpText::by_descriptor, &OpText::debugging})
    if (const auto t = (this->*part)()) return *t;
  return lane_by_lane().value();
}

// ---- parameters ----

Term OpText::block_term(std::size_t i) const { return e_.strong(given_[i], place_); }
std::string OpText::block(std::size_t i) const { return triton::operand(block_term(i), Level::comparison); }
int OpText::rank(std::size_t i) const {
  const AnyValue& v = given_[i].value.data;
  return v.is<Block>() || v.is<Pointer>() ? lanes_of(v).rank : 0;
}
std::string OpText::axis(std::size_t i, int rank) const {
  const long long a = integer(i);
  return fmt::format("{}_c", a < 0 ? a + rank : a);
}
std::string OpText::shape(std::size_t i) const {
  std::vector<std::int64_t> all;
  if (!given_[i].is_tuple()) all.push_back(integer(i));
  else
    for (const Term& t : elements_of(given_[i])) all.push_back(t.value.data.as<cpu::Constant>().value);
  return shape_text(all);
}
std::string OpText::axes(std::size_t i, int rank) const {
  std::vector<std::string> all;
  const auto add = [&](const Term& t) {
    const long long a = t.value.data.as<cpu::Constant>().value;
    all.push_back(fmt::format("{}_c", a < 0 ? a + rank : a));
  };
  if (!given_[i].is_tuple()) add(given_[i]);
  else
    for (const Term& t : elements_of(given_[i])) add(t);
  return fmt::format("tl.axes({})", fmt::join(all, ", "));
}
std::string OpText::values(std::size_t i) const {
  std::vector<std::string> all;
  if (!given_[i].is_tuple()) all.push_back(operand(i));
  else
    for (const Term& t : elements_of(given_[i])) all.push_back(triton::operand(t, Level::comparison));
  return fmt::format("{}", fmt::join(all, ", "));
}
std::string OpText::shape_of_result() const { return sizes_of(result_.data); }
std::string OpText::call(const std::vector<std::string>& arguments) const {
  return fmt::format("tl.{}({})", op_.name, fmt::join(arguments, ", "));
}
std::string OpText::options(std::vector<std::pair<std::string_view, std::string>> given) const {
  std::vector<std::string> all;
  for (const auto& [name, value] : given)
    if (!value.empty()) all.push_back(fmt::format(".{} = {}", name, value));
  return all.empty() ? "" : fmt::format(", {{{}}}", fmt::join(all, ", "));
}

// ---- the ops ----

std::optional<std::string> OpText::creation() const {
  const std::string_view n = op_.name;
  if (n == "zeros") return call({shape(0), dtype(1)});
  if (n == "full") {
    if (!is<Block>(1) || rank(1) == 0) {
      if (!is<Block>(1) || lanes_of(result_.data).rank == 0) return call({shape(0), operand(1), dtype(2)});
    }
    return fmt::format("tl.broadcast_to({}.to({}), {})", whole(1), dtype(2), shape(0));
  }
  if (n == "scalar") return call({operand(0), dtype(1)});
  if (n == "full_like") return call({block(0), operand(1)});
  if (n == "to_tensor") return block(0);
  if (n == "cast" || n == "bitcast") {
    if (is<Pointer>(0)) return operand(0);
    if (is<cpu::PointerType>(1)) return fmt::format("{}.to({})", whole(0), operand(1));
    const char* const how = n == "bitcast" || flag(3) ? ", tl.bitcast" : word(2) == "rtz" ? ", tl.rtz" : "";
    return fmt::format("{}.to({}{})", whole(0), dtype(1), how);
  }
  if (n == "pointer_type") return "";
  return std::nullopt;
}

std::optional<std::string> OpText::shaped() const {
  const std::string_view n = op_.name;
  if (n == "broadcast_to") return call({block(0), shape(1)});
  if (n == "broadcast") return call({block(0), block(1)});
  if ((n == "expand_dims" || n == "unsqueeze") && (is<Pointer>(0) || (rank(0) > 0 && !given_[1].is_tuple())))
    return fmt::format("tl.expand_dims({}, {})", is<Pointer>(0) ? operand(0) : block(0), axis(1, rank(0) + 1));
  if (n == "expand_dims" || n == "unsqueeze" || n == "squeeze" || n == "reshape" || n == "view" || n == "item")
    return fmt::format("tl.reshape({}, {})", block(0), shape_of_result());
  const bool has_axes = has(1) && !(given_[1].is_tuple() && elements_of(given_[1]).empty());
  if (n == "permute" || (n == "trans" && has_axes))
    return fmt::format("tl.permute({}, {})", block(0), axes(1, rank(0)));
  if (n == "trans") return call({block(0)});
  if (n == "split" || n == "ravel" || n == "convert_layout") return call({block(0)});
  if (n == "join") return call({block(0), block(1)});
  return std::nullopt;
}

std::string OpText::reduction(std::size_t keep_dims) const {
  if (!has(1)) {
    const std::string all = call({block(0)});
    return flag(keep_dims) ? fmt::format("tl.reshape({}, {})", all, shape_of_result()) : all;
  }
  const std::string a = axis(1, rank(0));
  return flag(keep_dims) ? call({block(0), a, "tl.keep_dims"}) : call({block(0), a});
}
std::string OpText::with_index() const {
  if (flag(4)) e_.fail(place_, "return_indices and keep_dims together", "add the axis to both by tl.expand_dims");
  if (has(1)) return fmt::format("tl.{}_with_index({}, {})", op_.name, block(0), axis(1, rank(0)));
  return fmt::format("tl.{}_with_index(tl.ravel({}), 0_c)", op_.name, block(0));
}

std::string OpText::combined(std::size_t x, const std::string& rest) const {
  std::vector<DType> dtypes;
  std::vector<Term> all = given_[x].is_tuple() ? elements_of(given_[x]) : std::vector<Term>{given_[x]};
  std::vector<std::string> texts;
  int rank = 0;
  for (Term& t : all) {
    t = e_.strong(t, place_);
    dtypes.push_back(t.value.data.as<Block>().dtype.value);
    texts.push_back(triton::operand(t, Level::comparison));
    rank = lanes_of(t.value.data).rank;
  }
  const std::string blocks = given_[x].is_tuple() ? fmt::format("tl.tuple({})", fmt::join(texts, ", ")) : texts[0];
  return call({blocks, axis(1, rank), e_.lambda(given_[2], dtypes, place_) + rest});
}

std::optional<std::string> OpText::reduced() const {
  const std::string_view n = op_.name;
  if ((n == "max" || n == "min") && flag(2)) return with_index();
  if (n == "max" || n == "min") return reduction(4);
  if (n == "argmax" || n == "argmin") return reduction(3);
  if (n == "xor_sum") return reduction(2);
  if (n == "max_with_index" || n == "min_with_index") return call({block(0), axis(1, rank(0))});
  if (n == "sum" && !has(3)) return reduction(2);
  if (n == "sum") {
    std::vector<Term> cast = given_;
    cast[0] = Term{given_[0].value, fmt::format("{}.to({})", whole(0), dtype(3))};
    cast[3] = {};
    return OpText(e_, op_, cast, result_, place_).reduction(2);
  }
  if (n == "cumsum" || n == "cumprod") {
    const std::string x = n == "cumsum" && has(3) ? fmt::format("{}.to({})", whole(0), dtype(3)) : block(0);
    return call({x, (has(1) ? axis(1, rank(0)) : "0_c") + options({{"reverse", flag(2) ? "true" : ""}})});
  }
  if (n == "softmax") return call({block(0), has(1) ? axis(1, rank(0)) : "0_c"});
  if (n == "reduce") {
    if (!flag(3)) return combined(0, "");
    if (given_[0].is_tuple())
      e_.fail(place_, "a reduce of several blocks with keep_dims", "add the axis by tl.expand_dims");
    return fmt::format("tl.expand_dims({}, {})", combined(0, ""), axis(1, rank(0)));
  }
  if (n == "associative_scan") return combined(0, options({{"reverse", flag(3) ? "true" : ""}}));
  if (n == "dot") return dot();
  if (n == "dot_scaled") return dot_scaled();
  return std::nullopt;
}

// input other acc=None input_precision=None allow_tf32=None max_num_imprecise_acc=None out_dtype=None
std::string OpText::dot() const {
  const DType in = given_[0].value.data.as<Block>().dtype.value;
  const bool is_ieee = has(4) && !flag(4);
  const std::string_view precision = has(3) ? word(3) : is_ieee ? "ieee" : "tf32";
  const bool has_precision = precision != "tf32" && in == DType::float32;
  const DType out = has(6) ? given_[6].value.data.as<cpu::ElementType>().value : DType::float32;
  const bool is_narrow = out == DType::float16 && (in == DType::float16 || is_fp8(in));
  std::vector<std::string> all{block(0), block(1)};
  if (has(2)) all.push_back(block(2));
  else if (has_precision) all.push_back(fmt::format("tl.zeros({}, tl.float32)", shape_of_result()));
  else if (is_narrow) all.push_back("tl.float16");
  if (has_precision) all.push_back(fmt::format("tl.{}", precision));
  return call(all);
}
std::string OpText::dot_scaled() const {
  const auto scale = [&](std::size_t i) { return has(i) ? block(i) : "None"; };
  std::vector<std::string> all{block(0), scale(1), string_literal(word(2)) + "_c",
                               block(3), scale(4), string_literal(word(5)) + "_c"};
  if (has(6)) all.push_back(block(6));
  return call(all);
}

std::optional<std::string> OpText::moved() const {
  const std::string_view n = op_.name;
  if (n == "flip") return has(1) ? call({block(0), axis(1, rank(0))}) : call({block(0)});
  if (n == "sort") return call({block(0) + options({{"descending", flag(2) ? "true" : ""}})});
  if (n == "topk") {
    const std::string k = fmt::format("{}_c", integer(1));
    if (!has(3) || flag(3)) return call({block(0), k});
    const cpu::Value& d = lanes_of(result_.data);
    std::vector<std::int64_t> ones(d.rank, 1);
    ones.back() = integer(1);
    return fmt::format("tl.gather(tl.sort({}), tl.broadcast_to(tl.reshape(tl.arange(0_c, {}), {}), {}), {}_c)",
                       block(0), k, shape_text(ones), shape_of_result(), d.rank - 1);
  }
  if (n == "cat") {
    const int r = rank(0), dim = has(3) ? static_cast<int>(integer(3) < 0 ? integer(3) + r : integer(3)) : 0;
    if (r == 1) return call({block(0), block(1)});
    std::vector<std::string> order;
    for (int i = 0; i < r; ++i) {
      if (i == dim) order.push_back(fmt::format("{}_c", r));
      order.push_back(fmt::format("{}_c", i));
    }
    return fmt::format("tl.reshape(tl.permute(tl.join({}, {}), tl.axes({})), {})", block(0), block(1),
                       fmt::join(order, ", "), shape_of_result());
  }
  if (n == "interleave")
    return fmt::format("tl.{}({}, {})", rank(0) || rank(1) ? "interleave" : "join", block(0), block(1));
  if (n == "gather") return call({block(0), block(1), axis(2, rank(0))});
  if (n == "histogram") {
    std::vector<std::string> all{block(0), fmt::format("{}_c", integer(1))};
    if (has(2)) all.push_back(block(2));
    return call(all);
  }
  return std::nullopt;
}

std::optional<std::string> OpText::in_memory() const {
  const std::string_view n = op_.name;
  const bool is_tile = !given_.empty() && is<std::shared_ptr<const cpu::BlockPointer>>(0);
  const auto said = [&](std::size_t i) { return has(i) && !word(i).empty() ? string_literal(word(i)) : ""; };
  const auto policy = [&](std::size_t i) { return word(i) == "evict_normal" ? "" : said(i); };
  const auto value = [&](std::size_t i) { return has(i) ? operand(i) : ""; };
  const auto checked = [&](std::size_t i, int rank) {
    return has(i) && !elements_of(given_[i]).empty() ? axes(i, rank)
           : !given_[i].is_tuple() && has(i)         ? axes(i, rank)
                                                     : "";
  };
  const auto tile_rank = [&] { return given_[0].value.data.as<std::shared_ptr<const cpu::BlockPointer>>()->rank; };
  if (n == "load" && !is_tile)
    return call({operand(0) + options({{"mask", value(1)},
                                       {"other", value(2)},
                                       {"cache_modifier", said(5)},
                                       {"eviction_policy", policy(6)},
                                       {"is_volatile", flag(7) ? "true" : ""}})});
  if (n == "load")
    return call({operand(0) + options({{"boundary_check", checked(3, tile_rank())},
                                       {"padding", word(4) == "nan"    ? "tl.nan"
                                                   : word(4) == "zero" ? "tl.zero"
                                                                       : ""},
                                       {"cache_modifier", said(5)},
                                       {"eviction_policy", policy(6)},
                                       {"is_volatile", flag(7) ? "true" : ""}})});
  if (n == "store" && !is_tile)
    return call(
        {operand(0),
         operand(1) + options({{"mask", value(2)}, {"cache_modifier", said(4)}, {"eviction_policy", policy(5)}})});
  if (n == "store")
    return call({operand(0), block(1) + options({{"boundary_check", checked(3, tile_rank())},
                                                 {"cache_modifier", said(4)},
                                                 {"eviction_policy", policy(5)}})});
  if (n == "atomic_cas")
    return call({operand(0), operand(1), operand(2) + options({{"sem", said(3)}, {"scope", said(4)}})});
  if (n.starts_with("atomic_"))
    return call({operand(0), operand(1) + options({{"mask", value(2)}, {"sem", said(3)}, {"scope", said(4)}})});
  if (n == "make_block_ptr") {
    const std::string block = shape(4);
    return call({operand(0), fmt::format("tl.tuple({})", values(1)), fmt::format("tl.tuple({})", values(2)),
                 fmt::format("tl.tuple({})", values(3)), block,
                 axes(5, result_.data.as<std::shared_ptr<const cpu::BlockPointer>>()->rank)});
  }
  if (n == "advance") return call({operand(0), fmt::format("tl.tuple({})", values(1))});
  if (n == "make_tensor_descriptor") {
    if (word(4) == "nan")
      e_.fail(place_, "a descriptor of the kernel's own pads with 0", "mask the lanes, or pass the descriptor");
    return call({operand(0), fmt::format("tl.tuple({})", values(1)), fmt::format("tl.tuple({})", values(2)), shape(3)});
  }
  return std::nullopt;
}

std::optional<std::string> OpText::by_descriptor() const {
  std::string_view n = op_.name;
  const std::string self = given_.empty() ? "" : triton::operand(given_[0]);
  if (n == "load_tensor_descriptor") return fmt::format("{}.load({{{}}})", self, values(1));
  if (n == "store_tensor_descriptor") return fmt::format("{}.store({{{}}}, {})", self, values(1), block(2));
  if (n == "descriptor_gather") return fmt::format("{}.gather({}, {})", self, block(1), operand(2));
  if (n == "descriptor_scatter") return fmt::format("{}.scatter({}, {}, {})", self, block(1), block(2), operand(3));
  if (!n.starts_with("descriptor_")) return std::nullopt;
  n.remove_prefix(std::string_view("descriptor_").size());
  return fmt::format("{}.{}({{{}}}, {})", self, n, values(1), block(2));
}

// Numbers are arguments; texts, dtypes and tuples stand in the text.
std::string OpText::static_print() const {
  std::string text(word(0)), numbers;
  std::size_t at = 0;
  for (const Term& t : elements_of(given_[1])) {
    at = text.find("{}", at);
    const bool is_number = t.value.data.is_number();
    const std::string shown = is_number ? "{}" : cpu::AtRunTime::printed_text(t.value.data);
    if (is_number) numbers += ", " + triton::operand(t, Level::comparison);
    text.replace(at, 2, shown);
    at += shown.size();
  }
  return string_literal(text) + numbers;
}

std::optional<std::string> OpText::debugging() const {
  const std::string_view n = op_.name;
  const auto listed = [&](std::size_t i) { return has(i) && !values(i).empty() ? ", " + values(i) : ""; };
  if (n == "print_if") return call({string_literal(word(0)), string_literal(word(1)) + listed(2)});
  if (n == "device_print")
    return call({string_literal(cpu::AtRunTime::device_print_prefix(word(0), !listed(1).empty())) + listed(1)});
  if (n == "static_print") return call({static_print()});
  if (n == "breakpoint_if") return call({string_literal(word(0))});
  if (n == "debug_barrier") return call({});
  if (n == "static_assert") return "";
  if (n == "assume") return is<Block>(0) ? call({operand(0)}) : call({flag(0) ? "true" : "false"});
  if (n != "device_assert") return std::nullopt;
  std::string test = is<Block>(0) ? operand(0) : flag(0) ? "true" : "false";
  if (is<Block>(0) && has(2)) test = fmt::format("{} | !{}", whole(0), whole(2));
  return call({test, string_literal(word(1))});
}

namespace {
// Words of ops whose first parameter is a block where it is a number.
constexpr std::string_view of_two[] = {"pow",       "atan2",  "fmod", "copysign", "hypot",  "fdim",
                                       "nextafter", "div_rn", "fdiv", "minimum",  "maximum"};
}  // namespace

std::optional<std::string> OpText::lane_by_lane() const {
  const std::string_view n = op_.name;
  if (n == "program_id" || n == "num_programs") return call({fmt::format("{}_c", integer(0))});
  if (n == "arange") return call({fmt::format("{}_c", integer(0)), fmt::format("{}_c", integer(1))});
  if (n == "multiple_of" || n == "max_contiguous" || n == "max_constancy") {
    const bool is_hint = !given_[1].is_tuple() && (is<Block>(0) || (n == "multiple_of" && is<Pointer>(0)));
    return is_hint ? call({operand(0), fmt::format("{}_c", integer(1))}) : operand(0);
  }
  if (n == "where" && is<Pointer>(1)) return call({block(0), operand(1), operand(2)});
  if (n == "where") return call({block(0), operand(1), operand(2)});
  if (n == "clamp" || n == "minimum" || n == "maximum") {
    const bool is_clamp = n == "clamp";
    const std::string plain = is_clamp ? call({block(0), operand(1), operand(2)})
                                       : call({given_[0].value.data.is_number() ? block(0) : operand(0), operand(1)});
    if (word(is_clamp ? 3 : 2) != "all" || !is_float(result_.data.as<Block>().dtype.value)) return plain;
    if (is_clamp) return fmt::format("tl.where(tl.isnan({0}), {0}, {1})", block(0), plain);
    const std::string both =
        fmt::format("{} + {}", triton::operand(given_[0], Level::sum), triton::operand(given_[1], Level::product));
    return fmt::format("tl.where(tl.isnan({0}), {0}, {1})", both, plain);
  }
  if (n == "cdiv") return call({given_[0].value.data.is_number() ? operand(0) : block(0), operand(1)});
  if (n == "uint_to_uniform_float") {
    const bool is_wide = size_in_bytes(given_[0].value.data.as<Block>().dtype.value) == 8;
    const std::string x = fmt::format("{}.to({}, tl.bitcast)", whole(0), is_wide ? "tl.int64" : "tl.int32");
    return fmt::format("tl.where({0} < 0_c, -{0} - 1_c, {0}).to(tl.float32) * {1}", x,
                       is_wide ? "1.0842020432385337e-19" : "4.6566127342e-10");
  }
  if (const auto known = op_of(n); known && !is_word(*known) &&
                                   (info_of(*known).operands == 2 || info_of(*known).operands == 1) &&
                                   family_of(*known) != OpFamily::cast) {
    const std::string sign(info_of(*known).text);
    if (info_of(*known).operands == 1) return fmt::format("({}{})", sign, whole(0));
    const bool are_numbers = given_[0].value.data.is_number() && given_[1].value.data.is_number();
    return fmt::format("({} {} {})", are_numbers ? whole(0) : triton::operand(given_[0]), sign,
                       triton::operand(given_[1]));
  }
  std::vector<std::string> all;
  const bool are_numbers =
      std::ranges::count(of_two, n) && given_[0].value.data.is_number() && given_[1].value.data.is_number();
  const bool is_random = op_of(n) && family_of(*op_of(n)) == OpFamily::random;
  const bool is_unary = op_.parameters.size() == 1;
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (!has(i) || op_.parameters[i].name == "n_rounds" || op_.parameters[i].name == "ieee_rounding") continue;
    const bool wants_block =
        is_unary || (i == 0 && (are_numbers || n == "fma" || n == "umulhi")) || (is_random && i == 1 && n != "philox");
    all.push_back(wants_block ? block(i) : operand(i));
  }
  const bool is_library = !parameters_of(n).has_value();
  return is_library ? fmt::format("tl.libdevice.{}({})", n, fmt::join(all, ", ")) : call(all);
}

}  // namespace tl::triton
