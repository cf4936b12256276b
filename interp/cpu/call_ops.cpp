// What each op does with the values of a call, by the position of its parameters in interp/lang/op.h.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "interp/cpu/arguments.h"

namespace tl::cpu {

namespace {

using BlockPtr = std::shared_ptr<const BlockPointer>;
using DescriptorPtr = std::shared_ptr<const Descriptor>;

AnyValue pair(const BlockPair& p) { return AnyValue(std::vector<AnyValue>{p.first, p.second}); }
AnyValue tuple_of(const std::vector<Block>& blocks) {
  return AnyValue(std::vector<AnyValue>(blocks.begin(), blocks.end()));
}
template <class... B>
AnyValue tuple_of(const std::tuple<B...>& all) {
  return std::apply([](const auto&... b) { return AnyValue(std::vector<AnyValue>{b...}); }, all);
}

// Of one shape with ones in place of all axes.
Block with_ones(Call& c, const Block& scalar, int rank) {
  Shape ones;
  for (ones.rank = 0; ones.rank < rank; ++ones.rank) ones.dims[ones.rank] = 1;
  return c.tl.reshape(scalar, ones, c.place);
}

// input axis=None .. keep_dims: f(block, axis) and f(block) over all axes.
template <class Along, class All>
AnyValue reduction(Call& c, std::size_t keep_dims, Along along, All over_all) {
  const Block& x = c.block(0);
  const int rank = rank_of(x);
  if (!c.has(1)) return c.flag(keep_dims) ? with_ones(c, over_all(x), rank) : over_all(x);
  const Constant axis = c.axis(1, rank);
  const Block r = along(x, axis);
  return c.flag(keep_dims) ? c.tl.expand_dims(r, axis, c.place) : r;
}
#define TL_REDUCTION(NAME, KEEP_DIMS)                                                           \
  reduction(                                                                                    \
      c, KEEP_DIMS, [&](const Block& x, Constant axis) { return c.tl.NAME(x, axis, c.place); }, \
      [&](const Block& x) { return c.tl.NAME(x, c.place); })

// input axis=None return_indices=False return_indices_tie_break_left=True keep_dims=False
AnyValue with_index(Call& c, bool is_max) {
  c.only(3, !c.has(3) || c.flag(3), "of equal values the first is taken");
  const Block x = c.has(1) ? c.block(0) : c.tl.ravel(c.block(0), c.place);
  const Constant axis = c.has(1) ? c.axis(1, rank_of(x)) : Constant(0);
  const BlockPair p = is_max ? c.tl.max_with_index(x, axis, c.place) : c.tl.min_with_index(x, axis, c.place);
  if (!c.flag(4)) return pair(p);
  return pair({c.tl.expand_dims(p.first, axis, c.place), c.tl.expand_dims(p.second, axis, c.place)});
}

AnyValue max(Call& c) { return c.flag(2) ? with_index(c, true) : TL_REDUCTION(max, 4); }
AnyValue min(Call& c) { return c.flag(2) ? with_index(c, false) : TL_REDUCTION(min, 4); }
AnyValue sum(Call& c) {
  if (!c.has(3)) return TL_REDUCTION(sum, 2);
  const Block x = c.block(0).to(c.dtype(3), c.place);  // added in that dtype
  AnyValue values[] = {x, c[1], c[2], NotGiven{}};
  return call(c.tl, *function_called("sum"), values, c.place);
}
AnyValue argmax(Call& c) {
  c.only(2, !c.has(2) || c.flag(2), "of equal values the first is taken");
  return TL_REDUCTION(argmax, 3);
}
AnyValue argmin(Call& c) {
  c.only(2, !c.has(2) || c.flag(2), "of equal values the first is taken");
  return TL_REDUCTION(argmin, 3);
}
AnyValue xor_sum(Call& c) { return TL_REDUCTION(xor_sum, 2); }
#undef TL_REDUCTION

const CombineFunction& function_of(Call& c, std::size_t i) {
  if (!c.is<CombineFunction>(i))
    c.refuse(i, fmt::format("a function is wanted, and this is {}", text_of_kind(c[i])),
             "give one with @triton.jit above it");
  return c[i].as<CombineFunction>();
}
AnyValue one_or_tuple(const Call& c, const std::vector<Block>& made) {
  return c.is<Tuple>(0) ? tuple_of(made) : AnyValue(made[0]);
}
AnyValue reduce(Call& c) {  // input axis combine_fn keep_dims=False
  const std::vector<Block> x = c.blocks(0);
  const Constant axis = c.axis(1, rank_of(x[0]));
  std::vector<Block> made = AtRunTime::reduce(c.tl, x, axis, function_of(c, 2), c.place), kept;
  if (!c.flag(3)) return one_or_tuple(c, made);
  for (const Block& b : made) kept.push_back(c.tl.expand_dims(b, axis, c.place));
  return one_or_tuple(c, kept);
}
AnyValue associative_scan(Call& c) {  // input axis combine_fn reverse=False
  const std::vector<Block> x = c.blocks(0);
  return one_or_tuple(
      c, AtRunTime::associative_scan(c.tl, x, c.axis(1, rank_of(x[0])), {c.flag(3)}, function_of(c, 2), c.place));
}
AnyValue map_elementwise(Call& c) {  // scalar_fn *args pack=1
  const std::vector<Block> made = AtRunTime::map_elementwise(c.tl, function_of(c, 0), c.blocks(1),
                                                             c.has(2) ? static_cast<int>(c.integer(2)) : 1, c.place);
  return made.size() == 1 ? AnyValue(made[0]) : tuple_of(made);
}
AnyValue cumsum(Call& c) {  // input axis=0 reverse=False dtype=None
  const Block x = c.has(3) ? c.block(0).to(c.dtype(3), c.place) : c.block(0);
  return c.tl.cumsum(x, c.has(1) ? c.axis(1, rank_of(x)) : Constant(0), {c.flag(2)}, c.place);
}
AnyValue cumprod(Call& c) {
  const Block& x = c.block(0);
  return c.tl.cumprod(x, c.has(1) ? c.axis(1, rank_of(x)) : Constant(0), {c.flag(2)}, c.place);
}
AnyValue softmax(Call& c) {  // x dim=None keep_dims=False ieee_rounding=False
  const Block& x = c.block(0);
  return c.tl.softmax(x, c.has(1) ? c.axis(1, rank_of(x)) : Constant(0), c.place);
}

AnyValue full(Call& c) {  // shape value dtype
  const Shape shape = c.shape(0);
  if (!c.is<Block>(1) || shape.rank == 0) return c.tl.full(shape, c.operand(1), c.dtype(2), c.place);
  return c.tl.broadcast_to(c.block(1).to(c.dtype(2), c.place), shape, c.place);
}
AnyValue cast(Call& c) {  // input dtype fp_downcast_rounding=None bitcast=False
  if (c.is<PointerType>(1) && c.is<Block>(0)) return c.block(0).to(c[1].as<PointerType>(), c.place);
  if (c.is<Pointer>(0)) {
    if (c.is<PointerType>(1) && c[1].as<PointerType>().element == c.pointer(0).dtype.value) return c[0];
    c.refuse(0, "a pointer keeps its dtype", "cast what is loaded from it");
  }
  const Block& x = c.block(0);
  if (c.flag(3)) return x.to(c.dtype(1), Bitcast(), c.place);
  const std::string_view rounding = c.text(2);
  if (rounding == "rtz") return x.to(c.dtype(1), TowardZero(), c.place);
  if (!rounding.empty() && rounding != "rtne")
    c.refuse(2, fmt::format("\"{}\" is none", rounding), "\"rtne\" or \"rtz\"");
  return x.to(c.dtype(1), c.place);
}
AnyValue bitcast(Call& c) { return c.block(0).to(c.dtype(1), Bitcast(), c.place); }

AnyValue expand_dims(Call& c) {  // input axis
  if (c.is<Pointer>(0)) return c.tl.expand_dims(c.pointer(0), c.axis(1, rank_of(c.pointer(0)) + 1), c.place);
  Block x = c.block(0);
  if (!c.is<Tuple>(1)) {
    const Constant axis = c.axis(1, rank_of(x) + 1);
    return rank_of(x) ? c.tl.expand_dims(x, axis, c.place) : with_ones(c, x, 1);
  }
  // Several new axes, counted in the result.
  const Axes axes = c.axes(1, rank_of(x) + static_cast<int>(c[1].as<Tuple>()->size()));
  unsigned is_new = 0;
  for (int i = 0; i < axes.count; ++i) {
    if (axes.axis[i] < 0 || axes.axis[i] >= rank_of(x) + axes.count || is_new >> axes.axis[i] & 1)
      c.refuse(1, "the axes are named once, and counted in the result");
    is_new |= 1u << axes.axis[i];
  }
  Shape shape;
  for (int old = 0; shape.rank < rank_of(x) + axes.count; ++shape.rank)
    shape.dims[shape.rank] = is_new >> shape.rank & 1 ? 1 : value_of(x).dims[old++];
  return c.tl.reshape(x, shape, c.place);
}
AnyValue squeeze(Call& c) {  // x dim
  const Value& d = value_of(c.block(0));
  const long long dim = c.axis(1, d.rank).value;
  if (d.dims[dim] != 1) c.refuse(1, fmt::format("axis {} has {} lanes", dim, d.dims[dim]), "an axis of one lane goes");
  Shape shape;
  for (int i = 0; i < d.rank; ++i)
    if (i != dim) shape.dims[shape.rank++] = d.dims[i];
  return c.tl.reshape(c.block(0), shape, c.place);
}
AnyValue reshape(Call& c) {
  const Block& x = c.block(0);
  Shape shape = c.shape(1);
  long long known = 1;
  int unknown = -1;
  for (int i = 0; i < shape.rank; ++i) {
    if (shape.dims[i] == -1 && unknown < 0) unknown = i;
    else known *= shape.dims[i];
  }
  if (unknown >= 0 && known > 0) shape.dims[unknown] = value_of(x).count / known;
  return c.tl.reshape(x, shape, c.place);
}
AnyValue permute(Call& c) { return c.tl.permute(c.block(0), c.axes(1, rank_of(c.block(0))), c.place); }
AnyValue trans(Call& c) {
  const Block& x = c.block(0);
  return c.is<Tuple>(1) && !c[1].as<Tuple>()->empty() ? c.tl.permute(x, c.axes(1, rank_of(x)), c.place)
                                                      : c.tl.trans(x, c.place);
}
AnyValue flip(Call& c) {
  const Block& x = c.block(0);
  return c.has(1) ? c.tl.flip(x, c.axis(1, rank_of(x)), c.place) : c.tl.flip(x, c.place);
}
void check_last(Call& c, std::size_t dim) {
  const int rank = rank_of(c.block(0));
  if (c.has(dim) && c.axis(dim, rank).value != rank - 1)
    c.refuse(dim, "lanes are sorted along the last axis", "permute the axes first");
}
AnyValue sort(Call& c) {  // x dim=None descending=False
  check_last(c, 1);
  return c.tl.sort(c.block(0), {c.flag(2)}, c.place);
}
AnyValue topk(Call& c) {  // x k dim=None descending=True
  check_last(c, 2);
  const Block& x = c.block(0);
  if (!c.has(3) || c.flag(3)) return c.tl.topk(x, c.constant(1), c.place);
  // The k least: the first of the sorted.
  const Block s = c.tl.sort(x, {}, c.place);
  const int last = rank_of(x) - 1;
  Shape shape(x.shape), ones;
  shape.dims[last] = c.integer(1);
  ones.rank = shape.rank;
  for (int i = 0; i < last; ++i) ones.dims[i] = 1;
  ones.dims[last] = c.integer(1);
  const Block lanes = c.tl.reshape(c.tl.arange(Constant(0), c.constant(1), c.place), ones, c.place);
  return c.tl.gather(s, c.tl.broadcast_to(lanes, shape, c.place), Constant(last), c.place);
}
// The blocks behind one another along dim: an axis of two before it, which it then takes in.
AnyValue cat(Call& c) {  // input other can_reorder=False dim=0
  const Block &a = c.block(0), &b = c.block(1);
  const int rank = rank_of(a), dim = c.has(3) ? static_cast<int>(c.axis(3, rank).value) : 0;
  if (rank == 1) return c.tl.cat(a, b, c.place);
  const Block both = c.tl.join(a, b, c.place);
  Axes order;
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    if (i == dim) order.axis[order.count++] = rank;
    order.axis[order.count++] = i;
    shape.dims[shape.rank++] = value_of(a).dims[i] * (i == dim ? 2 : 1);
  }
  return c.tl.reshape(c.tl.permute(both, order, c.place), shape, c.place);
}
AnyValue interleave(Call& c) {
  const Block &a = c.block(0), &b = c.block(1);
  return rank_of(a) || rank_of(b) ? c.tl.interleave(a, b, c.place) : c.tl.join(a, b, c.place);
}
AnyValue gather(Call& c) {
  const Block& x = c.block(0);
  return c.tl.gather(x, c.block(1), c.axis(2, rank_of(x)), c.place);
}
AnyValue histogram(Call& c) {
  if (c.has(2)) return c.tl.histogram(c.block(0), c.constant(1), c.block(2), c.place);
  return c.tl.histogram(c.block(0), c.constant(1), c.place);
}

AnyValue where(Call& c) {  // condition x y
  const Block& mask = c.block(0);
  if (c.is<Pointer>(1)) return c.tl.where(mask, c.pointer(1), c.pointer(2), c.place);
  return c.tl.where(mask, c.operand(1), c.operand(2), c.place);
}
// propagate_nan: where a side is NaN, so is the result; else NaN is dropped.
bool propagates(Call& c, std::size_t i) {
  const std::string_view word = c.text(i);
  if (!word.empty() && word != "all" && word != "none")
    c.refuse(i, fmt::format("\"{}\" is none", word), "\"all\" or \"none\"");
  return word == "all";
}
AnyValue larger(Call& c, bool is_max) {
  if (c[0].is_number()) c.block(0);
  const Block r =
      is_max ? c.tl.maximum(c.operand(0), c.operand(1), c.place) : c.tl.minimum(c.operand(0), c.operand(1), c.place);
  if (!propagates(c, 2) || !is_float(r.dtype.value)) return r;
  const AnyValue both = infix(c.tl, Op::add, c[0], c[1], c.place);
  return c.tl.where(c.tl.isnan(both.as<Block>(), c.place), both.as<Block>(), r, c.place);
}
AnyValue maximum(Call& c) { return larger(c, true); }
AnyValue minimum(Call& c) { return larger(c, false); }
AnyValue clamp(Call& c) {
  const Block x = c.block(0), r = c.tl.clamp(x, c.operand(1), c.operand(2), c.place);
  if (!propagates(c, 3) || !is_float(r.dtype.value)) return r;
  return c.tl.where(c.tl.isnan(x, c.place), x, r, c.place);
}
AnyValue cdiv(Call& c) {
  if (c.is<Constant>(0) && c.is<Block>(1)) return c.tl.cdiv(Literal(c[0].as<Constant>()), c.block(1), c.place);
  if (c.is<Constant>(0) && c.is<Constant>(1)) return c.tl.cdiv(c.constant(0), c.constant(1));
  return c.tl.cdiv(c.block(0), c.operand(1), c.place);
}

AnyValue dot(
    Call& c) {  // input other acc=None input_precision=None allow_tf32=None max_num_imprecise_acc=None out_dtype=None
  const Block a = c.block(0), b = c.block(1);
  static constexpr std::pair<std::string_view, Precision> words[] = {{"tf32", Precision::tf32},
                                                                     {"tf32x3", Precision::tf32x3},
                                                                     {"bf16x3", Precision::bf16x3},
                                                                     {"bf16x6", Precision::bf16x6},
                                                                     {"ieee", Precision::ieee}};
  const bool is_ieee = c.has(4) && !c.flag(4);  // allow_tf32=False
  const std::string_view word = c.has(3) ? c.text(3) : is_ieee ? "ieee" : "tf32";
  const auto* const found = std::ranges::find(words, word, &std::pair<std::string_view, Precision>::first);
  if (found == std::end(words))
    c.refuse(3, fmt::format("\"{}\" is none", word), R"("tf32", "tf32x3", "bf16x3", "bf16x6" or "ieee")");
  const Precision precision = found->second;
  const bool has_precision = precision != Precision::tf32 && a.dtype.value == DType::float32;
  // A sum's dtype follows from that of the inputs; out_dtype chooses among two, where they are f16 or f8.
  const DType out = c.has(6) ? c.dtype(6).value : DType::float32;
  if (out == DType::bfloat16) c.refuse(6, "a sum is never bf16", "cast the result with .to(tl.bfloat16)");
  const bool is_narrow = out == DType::float16 && (a.dtype.value == DType::float16 || is_fp8(a.dtype.value));
  if (c.has(2))
    return has_precision ? c.tl.dot(a, b, c.block(2), precision, c.place) : c.tl.dot(a, b, c.block(2), c.place);
  if (!has_precision) return is_narrow ? c.tl.dot(a, b, c.dtype(6), c.place) : c.tl.dot(a, b, c.place);
  Shape shape(a.shape);
  if (shape.rank > 0 && rank_of(b) > 0) shape.dims[shape.rank - 1] = value_of(b).dims[rank_of(b) - 1];
  return c.tl.dot(a, b, c.tl.zeros(shape, Context::float32, c.place), precision, c.place);
}
AnyValue dot_scaled(
    Call& c) {  // lhs lhs_scale lhs_format rhs rhs_scale rhs_format acc=None fast_math lhs_k_pack rhs_k_pack out_dtype
  for (const std::size_t pack : {8, 9}) c.only(pack, !c.has(pack) || c.flag(pack), "values are packed along k");
  const auto scale = [&](std::size_t i) { return c.has(i) ? ScaleOperand(c.block(i)) : ScaleOperand(NewAxis()); };
  const TextConstant left(c.text(2)), right(c.text(5));
  if (c.has(6)) return c.tl.dot_scaled(c.block(0), scale(1), left, c.block(3), scale(4), right, c.block(6), c.place);
  return c.tl.dot_scaled(c.block(0), scale(1), left, c.block(3), scale(4), right, c.place);
}

constexpr const char *policies = "\"evict_first\", \"evict_last\" or \"evict_normal\"",
                     *modifiers = "\".ca\", \".cg\", \".cs\", \".cv\", \".wb\" or \".wt\"",
                     *sems = "\"relaxed\", \"acquire\", \"release\" or \"acq_rel\"",
                     *scopes = "\"gpu\", \"cta\" or \"sys\"";

Coordinates coordinates_of(const std::vector<Operand>& at) {
  return Coordinates(at.data(), static_cast<int>(at.size()));
}
// pointer mask=None other=None boundary_check=() padding_option="" cache_modifier="" eviction_policy="" volatile=False
AnyValue load(Call& c) {
  const auto cache = c.word<CacheModifier>(5, modifiers);
  const auto eviction = c.word<EvictionPolicy>(6, policies);
  if (!c.is<BlockPtr>(0)) {
    if (c.is<Tuple>(3) && !c[3].as<Tuple>()->empty())
      c.refuse(3, "it is for block pointers", "mask the lanes beyond the tensor: mask=offs < n");
    return c.tl.load(c.pointer(0), {c.option(1), c.option(2), cache, eviction, c.flag(7)}, c.place);
  }
  for (const std::size_t i : {1, 2})
    if (c.has(i)) c.refuse(i, "a block pointer knows its bounds", "boundary_check=(0, 1), padding_option=\"zero\"");
  const std::string_view padding = c.text(4);
  if (!padding.empty() && padding != "zero" && padding != "nan")
    c.refuse(4, fmt::format("\"{}\" is none", padding), "\"zero\" or \"nan\"");
  const BlockPointer& p = c.block_pointer(0);
  return c.tl.load(p,
                   {c.has(3) ? c.axes(3, p.rank) : Axes(), padding == "nan" ? Padding::nan : Padding::zero, cache,
                    eviction, c.flag(7)},
                   c.place);
}
// pointer value mask=None boundary_check=() cache_modifier="" eviction_policy=""
AnyValue store(Call& c) {
  const auto cache = c.word<CacheModifier>(4, modifiers);
  const auto eviction = c.word<EvictionPolicy>(5, policies);
  if (!c.is<BlockPtr>(0)) {
    c.tl.store(c.pointer(0), c.operand(1), {c.option(2), cache, eviction}, c.place);
    return None{};
  }
  if (c.has(2)) c.refuse(2, "a block pointer knows its bounds", "boundary_check=(0, 1)");
  const BlockPointer& p = c.block_pointer(0);
  c.tl.store(p, c.block(1), {c.has(3) ? c.axes(3, p.rank) : Axes(), cache, eviction}, c.place);
  return None{};
}
AnyValue atomic_cas(Call& c) {  // pointer cmp val sem=None scope=None
  return c.tl.atomic_cas(c.pointer(0), c.operand(1), c.operand(2),
                         {c.word<AtomicSem>(3, sems), c.word<AtomicScope>(4, scopes)}, c.place);
}
AnyValue make_block_ptr(Call& c) {  // base shape strides offsets block_shape order
  const Shape block = c.shape(4);
  return std::make_shared<const BlockPointer>(AtRunTime::make_block_ptr(
      c.tl, c.pointer(0), c.operands(1), c.operands(2), c.operands(3), block, c.axes(5, block.rank), c.place));
}
AnyValue make_tensor_descriptor(Call& c) {  // base shape strides block_shape padding_option="zero"
  const std::string_view padding = c.text(4);
  if (!padding.empty() && padding != "zero" && padding != "nan")
    c.refuse(4, fmt::format("\"{}\" is none", padding), "\"zero\" or \"nan\"");
  Descriptor made =
      AtRunTime::make_tensor_descriptor(c.tl, c.pointer(0), c.operands(1), c.operands(2), c.shape(3), c.place);
  if (padding == "nan" && !is_float(made.dtype.value))
    c.refuse(4, fmt::format("{} has no NaN", name_of(made.dtype.value)), "\"zero\"");
  made.pads_with_nan = padding == "nan";
  return std::make_shared<const Descriptor>(std::move(made));
}
AnyValue advance(Call& c) {
  return std::make_shared<const BlockPointer>(AtRunTime::advance(c.tl, c.block_pointer(0), c.operands(1), c.place));
}

// input values: of each axis one number; those of the last axis are checked.
template <class F>
AnyValue hint(Call& c, F f) {
  if (c.is<Tuple>(1) || !c.is<Block>(0)) return c[0];
  return f(c.block(0), c.constant(1));
}
AnyValue multiple_of(Call& c) {
  if (c.is<Pointer>(0) && !c.is<Tuple>(1)) return c.tl.multiple_of(c.pointer(0), c.constant(1), c.place);
  return hint(c, [&](const Block& x, Constant n) { return c.tl.multiple_of(x, n, c.place); });
}
void rounds(Call& c, std::size_t i) { c.only(i, !c.has(i) || c.integer(i) == 10, "Philox has 10 rounds here"); }

AnyValue static_assert_(Call& c) {
  if (!c.is<Constant>(0))
    c.refuse(0, fmt::format("a constant is wanted, and this is {}", text_of_kind(c[0])),
             "tl.device_assert checks values");
  c.tl.static_check(c.constant(0), c.text(1), c.place);
  return None{};
}
AnyValue device_assert(Call& c) {  // cond msg="" mask=None
  if (!c.is<Block>(0)) {
    c.tl.device_assert(Constant(c.flag(0), true), c.text(1), c.place);
    return None{};
  }
  if (!c.has(2)) c.tl.device_assert(c.block(0), c.text(1), c.place);
  else c.tl.device_assert(AtBlock(c.block(0), c.place) | logical_not(c.block(2)), c.text(1), c.place);
  return None{};
}
AnyValue assume(Call& c) {
  if (c.is<Block>(0)) c.tl.assume(c.block(0), c.place);
  else c.tl.assume(Constant(c.flag(0), true), c.place);
  return None{};
}
std::span<const AnyValue> rest(const Call& c, std::size_t i) {
  return c.is<Tuple>(i) ? std::span<const AnyValue>(*c[i].as<Tuple>()) : std::span<const AnyValue>();
}
// The larger of x and -x - 1, as a part of 2^31 or 2^63.
AnyValue uint_to_uniform_float(Call& c) {
  const bool is_wide = size_in_bytes(c.block(0).dtype.value) == 8;
  const Block x = c.block(0).to(is_wide ? ElementType{DType::int64} : ElementType{DType::int32}, Bitcast(), c.place);
  const Block other = AtBlock(-AtBlock(x, c.place), c.place) - Literal(1);
  const Block least = c.tl.where(AtBlock(x, c.place) < Literal(0), other, x, c.place);
  return AtBlock(least.to(Context::float32, c.place), c.place) *
         Literal(is_wide ? 1.0842020432385337e-19 : 4.6566127342e-10);
}

using Run = AnyValue (*)(Call&);
struct Row {
  std::string_view name;
  Run run;
};
#define TL_ONE(NAME) {#NAME, [](Call& c) -> AnyValue { return c.tl.NAME(c.block(0), c.place); }},
#define TL_TWO(NAME)                                        \
  {#NAME, [](Call& c) -> AnyValue {                         \
     if (c[0].is_number() && c[1].is_number()) c.block(0);  \
     return c.tl.NAME(c.operand(0), c.operand(1), c.place); \
   }},
#define TL_INFIX(NAME)                                     \
  {#NAME, [](Call& c) -> AnyValue {                        \
     if (c[0].is_number() && c[1].is_number()) c.block(0); \
     return infix(c.tl, Op::NAME, c[0], c[1], c.place);    \
   }},
#define TL_PREFIX(NAME) {#NAME, [](Call& c) -> AnyValue { return prefix(c.tl, Op::NAME, c.block(0), c.place); }},
#define TL_ATOMIC(NAME)                                                                                    \
  {#NAME, [](Call& c) -> AnyValue {                                                                        \
     return c.tl.NAME(c.pointer(0), c.operand(1),                                                          \
                      {c.option(2), c.word<AtomicSem>(3, sems), c.word<AtomicScope>(4, scopes)}, c.place); \
   }},
#define TL_TILE_ATOMIC(NAME)                                                   \
  {"descriptor_" #NAME, [](Call& c) -> AnyValue {                              \
     c.descriptor(0).NAME(coordinates_of(c.operands(1)), c.block(2), c.place); \
     return None{};                                                            \
   }},
#define TL_RANDOM(NAME)                                   \
  {#NAME, [](Call& c) -> AnyValue {                       \
     rounds(c, 2);                                        \
     return c.tl.NAME(c.operand(0), c.block(1), c.place); \
   }},
#define TL_RANDOM4(NAME)                                            \
  {#NAME, [](Call& c) -> AnyValue {                                 \
     rounds(c, 2);                                                  \
     return tuple_of(c.tl.NAME(c.operand(0), c.block(1), c.place)); \
   }},
#define TL_OWN(NAME) {#NAME, NAME},
#define TL_NOTHING(NAME)
// clang-format off
const Row rows[] = {
    {"program_id", [](Call& c) -> AnyValue { return c.tl.program_id(c.constant(0), c.place); }},
    {"num_programs", [](Call& c) -> AnyValue { return c.tl.num_programs(c.constant(0), c.place); }},
    {"arange", [](Call& c) -> AnyValue { return c.tl.arange(c.constant(0), c.constant(1), c.place); }},
    {"zeros", [](Call& c) -> AnyValue { return c.tl.zeros(c.shape(0), c.dtype(1), c.place); }},
    TL_OWN(full) TL_OWN(cast) TL_OWN(bitcast)
    {"scalar", [](Call& c) -> AnyValue { return c.tl.scalar(c.operand(0), c.dtype(1), c.place); }},
    {"to_tensor", [](Call& c) -> AnyValue { return c.block(0); }},
    TL_ONE(zeros_like)
    {"full_like", [](Call& c) -> AnyValue { return c.tl.full_like(c.block(0), c.operand(1), c.place); }},
    {"broadcast_to", [](Call& c) -> AnyValue { return c.tl.broadcast_to(c.block(0), c.shape(1), c.place); }},
    {"broadcast", [](Call& c) -> AnyValue { return pair(c.tl.broadcast(c.block(0), c.block(1), c.place)); }},
    TL_OWN(expand_dims) {"unsqueeze", expand_dims}, TL_OWN(squeeze) TL_OWN(reshape) {"view", reshape}, TL_OWN(permute) TL_OWN(trans)
    {"item", [](Call& c) -> AnyValue { return c.tl.reshape(c.block(0), Shape(), c.place); }},
    {"split", [](Call& c) -> AnyValue { return pair(c.tl.split(c.block(0), c.place)); }},
    {"join", [](Call& c) -> AnyValue { return c.tl.join(c.block(0), c.block(1), c.place); }},
    TL_ONE(convert_layout) TL_ONE(ravel)
    TL_OWN(cat) TL_OWN(map_elementwise) TL_OWN(interleave) TL_OWN(flip) TL_OWN(gather) TL_OWN(histogram) TL_OWN(sort) TL_OWN(topk)
    TL_INFIX(add) TL_INFIX(sub) TL_INFIX(mul) TL_INFIX(div) TL_INFIX(mod) TL_INFIX(bit_and) TL_INFIX(bit_or) TL_INFIX(bit_xor)
    TL_INFIX(shl) TL_INFIX(shr) TL_INFIX(lt) TL_INFIX(le) TL_INFIX(gt) TL_INFIX(ge) TL_INFIX(eq) TL_INFIX(ne)
    TL_PREFIX(neg) TL_PREFIX(bit_not) TL_PREFIX(logical_not)
    TL_OWN(where) TL_OWN(minimum) TL_OWN(maximum) TL_OWN(clamp) TL_OWN(cdiv)
    TL_ONE(exp) TL_ONE(exp2) TL_ONE(log) TL_ONE(log2) TL_ONE(sqrt) TL_ONE(rsqrt) TL_ONE(sin) TL_ONE(cos) TL_ONE(sigmoid)
    TL_ONE(erf) TL_ONE(floor) TL_ONE(ceil) TL_ONE(abs) TL_ONE(tanh) TL_ONE(log1p) TL_ONE(expm1) TL_ONE(tan) TL_ONE(asin)
    TL_ONE(acos) TL_ONE(atan) TL_ONE(sinh) TL_ONE(cosh) TL_ONE(asinh) TL_ONE(acosh) TL_ONE(atanh) TL_ONE(cbrt) TL_ONE(exp10)
    TL_ONE(log10) TL_ONE(erfc) TL_ONE(lgamma) TL_ONE(tgamma) TL_ONE(round) TL_ONE(rint) TL_ONE(trunc)
    TL_ONE(j0) TL_ONE(j1) TL_ONE(y0) TL_ONE(y1) TL_ONE(cyl_bessel_i0) TL_ONE(cyl_bessel_i1) TL_ONE(isnan)
    TL_ONE(isinf) TL_ONE(isfinite) TL_ONE(signbit) TL_ONE(sqrt_rn)
    TL_TWO(pow) TL_TWO(atan2) TL_TWO(fmod) TL_TWO(copysign) TL_TWO(hypot) TL_TWO(fdim) TL_TWO(nextafter) TL_TWO(div_rn) TL_TWO(fdiv)
    {"fma", [](Call& c) -> AnyValue { return c.tl.fma(c.block(0), c.operand(1), c.operand(2), c.place); }},
    {"umulhi", [](Call& c) -> AnyValue { return c.tl.umulhi(c.block(0), c.operand(1), c.place); }},
    TL_OWN(sum) TL_OWN(max) TL_OWN(min) TL_OWN(argmax) TL_OWN(argmin) TL_OWN(xor_sum) TL_OWN(reduce) TL_OWN(cumsum) TL_OWN(cumprod)
    TL_OWN(associative_scan) TL_OWN(softmax)
    {"max_with_index", [](Call& c) -> AnyValue { return pair(c.tl.max_with_index(c.block(0), c.axis(1, rank_of(c.block(0))), c.place)); }},
    {"min_with_index", [](Call& c) -> AnyValue { return pair(c.tl.min_with_index(c.block(0), c.axis(1, rank_of(c.block(0))), c.place)); }},
    TL_OWN(dot) TL_OWN(dot_scaled) TL_OWN(load) TL_OWN(store)
    TL_ATOMIC(atomic_add) TL_ATOMIC(atomic_max) TL_ATOMIC(atomic_min) TL_ATOMIC(atomic_and) TL_ATOMIC(atomic_or) TL_ATOMIC(atomic_xor)
    TL_ATOMIC(atomic_xchg) TL_OWN(atomic_cas)
    TL_OWN(make_block_ptr) TL_OWN(make_tensor_descriptor) TL_OWN(advance)
    {"load_tensor_descriptor", [](Call& c) -> AnyValue { return c.descriptor(0).load(coordinates_of(c.operands(1)), c.place); }},
    {"store_tensor_descriptor", [](Call& c) -> AnyValue {
      c.descriptor(0).store(coordinates_of(c.operands(1)), c.block(2), c.place);
      return None{}; }},
    {"descriptor_gather", [](Call& c) -> AnyValue { return c.descriptor(0).gather(c.block(1), c.operand(2), c.place); }},
    {"descriptor_scatter", [](Call& c) -> AnyValue { c.descriptor(0).scatter(c.block(1), c.block(2), c.operand(3), c.place); return None{}; }},
    TL_TILE_ATOMIC(atomic_add) TL_TILE_ATOMIC(atomic_max) TL_TILE_ATOMIC(atomic_min) TL_TILE_ATOMIC(atomic_and) TL_TILE_ATOMIC(atomic_or) TL_TILE_ATOMIC(atomic_xor)
    {"swizzle2d", [](Call& c) -> AnyValue { return pair(c.tl.swizzle2d(c.operand(0), c.operand(1), c.operand(2), c.operand(3), c.operand(4), c.place)); }},
    TL_RANDOM(rand) TL_RANDOM(randint) TL_RANDOM(randn) TL_RANDOM4(rand4x) TL_RANDOM4(randint4x) TL_RANDOM4(randn4x)
    {"philox", [](Call& c) -> AnyValue { rounds(c, 5); return tuple_of(c.tl.philox(c.operand(0), c.operand(1), c.operand(2), c.operand(3), c.operand(4), c.place)); }},
    TL_OWN(uint_to_uniform_float) TL_OWN(multiple_of)
    {"max_contiguous", [](Call& c) -> AnyValue { return hint(c, [&](const Block& x, Constant n) { return c.tl.max_contiguous(x, n, c.place); }); }},
    {"max_constancy", [](Call& c) -> AnyValue { return hint(c, [&](const Block& x, Constant n) { return c.tl.max_constancy(x, n, c.place); }); }},
    TL_OWN(assume) {"static_assert", static_assert_}, TL_OWN(device_assert)
    {"debug_barrier", [](Call& c) -> AnyValue { c.tl.debug_barrier(c.place); return None{}; }},
    {"print_if", [](Call& c) -> AnyValue { AtRunTime::print_if(c.tl, c.text(0), c.text(1), rest(c, 2), c.place); return None{}; }},
    {"device_print", [](Call& c) -> AnyValue { AtRunTime::device_print(c.tl, c.text(0), rest(c, 1), c.place); return None{}; }},
    {"static_print", [](Call& c) -> AnyValue { AtRunTime::static_print(c.tl, c.text(0), rest(c, 1), c.place); return None{}; }},
    {"breakpoint_if", [](Call& c) -> AnyValue { c.tl.breakpoint_if(c.text(0), c.place); return None{}; }},
    {"pointer_type", [](Call& c) -> AnyValue { return Context::pointer_type(c.dtype(0)); }},
};
// libdevice's own names; those of tl's ops are rows above.
#define TL_LIBRARY_ONE(NAME) {#NAME, [](Call& c) -> AnyValue { return c.tl.libdevice.NAME(c.block(0), c.place); }},
#define TL_LIBRARY_TWO(NAME) {#NAME, [](Call& c) -> AnyValue { return c.tl.libdevice.NAME(c.operand(0), c.operand(1), c.place); }},
const Row library_one[] = {TL_LIBDEVICE(TL_LIBRARY_ONE, TL_NOTHING)};
const Row library_two[] = {TL_LIBDEVICE(TL_NOTHING, TL_LIBRARY_TWO)};
// clang-format on

const std::unordered_map<std::string_view, Function>& functions() {
  static const auto all = [] {
    std::unordered_map<std::string_view, Function> made;
    for (const Row& row : rows) made[row.name] = {row.name, parse_parameters(parameters_of(row.name).value()), row.run};
    for (const Row& row : library_one) made.try_emplace(row.name, Function{row.name, parse_parameters("x"), row.run});
    for (const Row& row : library_two)
      made.try_emplace(row.name, Function{row.name, parse_parameters("x, y"), row.run});
    return made;
  }();
  return all;
}

}  // namespace

const Function* function_called(std::string_view name) {
  const auto found = functions().find(name);
  return found == functions().end() ? nullptr : &found->second;
}

const Function* method_called(const AnyValue& self, std::string_view name) {
  if (self.is<DescriptorPtr>()) {
    if (name == "load" || name == "store") return function_called(std::string(name) + "_tensor_descriptor");
    return function_called("descriptor_" + std::string(name));
  }
  if (name == "to") return function_called("cast");
  if (name == "T") return function_called("trans");
  if (name.starts_with("descriptor_")) return nullptr;
  const Function* const f = function_called(name);
  return f && !f->parameters.empty() ? f : nullptr;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const auto& [name, f] : functions()) names.emplace_back(name);
  std::ranges::sort(names);
  return names;
}

}  // namespace tl::cpu
