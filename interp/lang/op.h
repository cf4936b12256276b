// The manifest of ops: every op of the language once, with what the other parts must know of it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tl {

// What an op does. Predicates ask for the family, never for the order of the ops.
enum class OpFamily : unsigned char {
  program,     // where a program stands in the grid
  creation,    // a block from nothing but constants
  cast,        // another dtype
  view,        // the same lanes in another shape or order
  pieces,      // one block in two, two in one
  movement,    // the lanes to other places
  arithmetic,  // lane by lane; dtypes are promoted and kept
  bitwise,     // lane by lane, of integers and masks
  logical,     // lane by lane; any dtype in, a mask out
  comparison,  // lane by lane, a mask out
  select,      // lane by lane, by a mask
  math,        // lane by lane; floats out
  reduction,   // an axis goes
  scan,        // along an axis, which stays
  dot,
  memory,   // reads or writes a tensor
  pointer,  // where a later access goes
  loop,
  random,
  hint,
  debugging,
};

// What of an SM it keeps busy on CUDA. Nothing: it is part of a type or an address, or moves registers.
enum class OpUnit : unsigned char { nothing, lanes, tensor_cores, memory };

// An op a line: identifier; how it reads in a listing; family; the most values that it takes (a load: pointer, mask,
// other; numbers in the text do not count); the values that it gives; the unit. Infix operators are ops as well.
// clang-format off
#define TL_OPS(X)                                                            \
  X(program_id,       "tl.program_id",       program,    0, 1, nothing)      \
  X(num_programs,     "tl.num_programs",     program,    0, 1, nothing)      \
  X(arange,           "tl.arange",           creation,   0, 1, nothing)      \
  X(zeros,            "tl.zeros",            creation,   0, 1, nothing)      \
  X(full,             "tl.full",             creation,   1, 1, nothing)      \
  X(cast,             "to",                  cast,       1, 1, lanes)        \
  X(slice,            "x(_, None)",          view,       1, 1, nothing)      \
  X(broadcast_to,     "tl.broadcast_to",     view,       1, 1, nothing)      \
  X(expand_dims,      "tl.expand_dims",      view,       1, 1, nothing)      \
  X(reshape,          "tl.reshape",          view,       1, 1, nothing)      \
  X(permute,          "tl.permute",          view,       1, 1, nothing)      \
  X(trans,            "tl.trans",            view,       1, 1, nothing)      \
  X(split,            "tl.split",            pieces,     1, 2, nothing)      \
  X(join,             "tl.join",             pieces,     2, 1, nothing)      \
  X(convert_layout,   "tl.convert_layout",   view,       1, 1, nothing)      \
  X(add,              "+",                   arithmetic, 2, 1, lanes)        \
  X(sub,              "-",                   arithmetic, 2, 1, lanes)        \
  X(mul,              "*",                   arithmetic, 2, 1, lanes)        \
  X(div,              "/",                   arithmetic, 2, 1, lanes)        \
  X(mod,              "%",                   arithmetic, 2, 1, lanes)        \
  X(bit_and,          "&",                   bitwise,    2, 1, lanes)        \
  X(bit_or,           "|",                   bitwise,    2, 1, lanes)        \
  X(bit_xor,          "^",                   bitwise,    2, 1, lanes)        \
  X(shl,              "<<",                  bitwise,    2, 1, lanes)        \
  X(shr,              ">>",                  bitwise,    2, 1, lanes)        \
  X(neg,              "-",                   arithmetic, 1, 1, lanes)        \
  X(bit_not,          "~",                   bitwise,    1, 1, lanes)        \
  X(logical_not,      "!",                   logical,    1, 1, lanes)        \
  X(lt,               "<",                   comparison, 2, 1, lanes)        \
  X(le,               "<=",                  comparison, 2, 1, lanes)        \
  X(gt,               ">",                   comparison, 2, 1, lanes)        \
  X(ge,               ">=",                  comparison, 2, 1, lanes)        \
  X(eq,               "==",                  comparison, 2, 1, lanes)        \
  X(ne,               "!=",                  comparison, 2, 1, lanes)        \
  X(where,            "tl.where",            select,     3, 1, lanes)        \
  X(minimum,          "tl.minimum",          arithmetic, 2, 1, lanes)        \
  X(maximum,          "tl.maximum",          arithmetic, 2, 1, lanes)        \
  X(clamp,            "tl.clamp",            arithmetic, 3, 1, lanes)        \
  X(exp,              "tl.exp",              math,       1, 1, lanes)        \
  X(exp2,             "tl.exp2",             math,       1, 1, lanes)        \
  X(log,              "tl.log",              math,       1, 1, lanes)        \
  X(log2,             "tl.log2",             math,       1, 1, lanes)        \
  X(sqrt,             "tl.sqrt",             math,       1, 1, lanes)        \
  X(rsqrt,            "tl.rsqrt",            math,       1, 1, lanes)        \
  X(sin,              "tl.sin",              math,       1, 1, lanes)        \
  X(cos,              "tl.cos",              math,       1, 1, lanes)        \
  X(sigmoid,          "tl.sigmoid",          math,       1, 1, lanes)        \
  X(erf,              "tl.erf",              math,       1, 1, lanes)        \
  X(floor,            "tl.floor",            math,       1, 1, lanes)        \
  X(ceil,             "tl.ceil",             math,       1, 1, lanes)        \
  X(abs,              "tl.abs",              arithmetic, 1, 1, lanes)        \
  X(fma,              "tl.fma",              arithmetic, 3, 1, lanes)        \
  X(cdiv,             "tl.cdiv",             arithmetic, 2, 1, lanes)        \
  X(umulhi,           "tl.umulhi",           arithmetic, 2, 1, lanes)        \
  X(sum,              "tl.sum",              reduction,  1, 1, lanes)        \
  X(max,              "tl.max",              reduction,  1, 1, lanes)        \
  X(min,              "tl.min",              reduction,  1, 1, lanes)        \
  X(argmax,           "tl.argmax",           reduction,  1, 1, lanes)        \
  X(argmin,           "tl.argmin",           reduction,  1, 1, lanes)        \
  X(reduce,           "tl.reduce",           reduction,  4, 4, lanes)        \
  X(cumsum,           "tl.cumsum",           scan,       1, 1, lanes)        \
  X(dot,              "tl.dot",              dot,        3, 1, tensor_cores) \
  X(load,             "tl.load",             memory,     3, 1, memory)       \
  X(store,            "tl.store",            memory,     3, 0, memory)       \
  X(atomic_add,       "tl.atomic_add",       memory,     3, 1, memory)       \
  X(make_block_ptr,   "tl.make_block_ptr",   pointer,    1, 0, nothing)      \
  X(advance,          "tl.advance",          pointer,    1, 0, nothing)      \
  X(range,            "tl.range",            loop,       0, 1, nothing)      \
  X(swizzle2d,        "tl.swizzle2d",        program,    5, 2, nothing)      \
  X(rand,             "tl.rand",             random,     2, 1, lanes)        \
  X(randint,          "tl.randint",          random,     2, 1, lanes)        \
  X(randn,            "tl.randn",            random,     2, 1, lanes)        \
  X(multiple_of,      "tl.multiple_of",      hint,       1, 1, nothing)      \
  X(assume,           "tl.assume",           hint,       1, 0, nothing)      \
  X(print_if,         "tl.print_if",         debugging,  8, 0, nothing)      \
  X(breakpoint_if,    "tl.breakpoint_if",    debugging,  0, 0, nothing)      \
  X(device_assert,    "tl.device_assert",    debugging,  1, 0, nothing)      \
  X(scalar,           "tl.scalar",           creation,   1, 1, nothing)      \
  X(bitcast,          "bitcast",             cast,       1, 1, nothing)      \
  X(cat,              "tl.cat",              movement,   2, 1, lanes)        \
  X(interleave,       "tl.interleave",       movement,   2, 1, lanes)        \
  X(flip,             "tl.flip",             movement,   1, 1, lanes)        \
  X(gather,           "tl.gather",           movement,   2, 1, lanes)        \
  X(sort,             "tl.sort",             movement,   1, 1, lanes)        \
  X(topk,             "tl.topk",             movement,   1, 1, lanes)        \
  X(histogram,        "tl.histogram",        movement,   2, 1, lanes)        \
  X(tanh,             "tl.tanh",             math,       1, 1, lanes)        \
  X(log1p,            "tl.log1p",            math,       1, 1, lanes)        \
  X(expm1,            "tl.expm1",            math,       1, 1, lanes)        \
  X(tan,              "tl.tan",              math,       1, 1, lanes)        \
  X(asin,             "tl.asin",             math,       1, 1, lanes)        \
  X(acos,             "tl.acos",             math,       1, 1, lanes)        \
  X(atan,             "tl.atan",             math,       1, 1, lanes)        \
  X(sinh,             "tl.sinh",             math,       1, 1, lanes)        \
  X(cosh,             "tl.cosh",             math,       1, 1, lanes)        \
  X(asinh,            "tl.asinh",            math,       1, 1, lanes)        \
  X(acosh,            "tl.acosh",            math,       1, 1, lanes)        \
  X(atanh,            "tl.atanh",            math,       1, 1, lanes)        \
  X(cbrt,             "tl.cbrt",             math,       1, 1, lanes)        \
  X(exp10,            "tl.exp10",            math,       1, 1, lanes)        \
  X(log10,            "tl.log10",            math,       1, 1, lanes)        \
  X(erfc,             "tl.erfc",             math,       1, 1, lanes)        \
  X(lgamma,           "tl.lgamma",           math,       1, 1, lanes)        \
  X(tgamma,           "tl.tgamma",           math,       1, 1, lanes)        \
  X(round,            "tl.round",            math,       1, 1, lanes)        \
  X(rint,             "tl.rint",             math,       1, 1, lanes)        \
  X(trunc,            "tl.trunc",            math,       1, 1, lanes)        \
  X(pow,              "tl.pow",              math,       2, 1, lanes)        \
  X(atan2,            "tl.atan2",            math,       2, 1, lanes)        \
  X(fmod,             "tl.fmod",             math,       2, 1, lanes)        \
  X(copysign,         "tl.copysign",         math,       2, 1, lanes)        \
  X(hypot,            "tl.hypot",            math,       2, 1, lanes)        \
  X(fdim,             "tl.fdim",             math,       2, 1, lanes)        \
  X(nextafter,        "tl.nextafter",        math,       2, 1, lanes)        \
  X(isnan,            "tl.isnan",            logical,    1, 1, lanes)        \
  X(isinf,            "tl.isinf",            logical,    1, 1, lanes)        \
  X(isfinite,         "tl.isfinite",         logical,    1, 1, lanes)        \
  X(signbit,          "tl.signbit",          logical,    1, 1, lanes)        \
  X(max_with_index,   "tl.max_with_index",   reduction,  1, 2, lanes)        \
  X(min_with_index,   "tl.min_with_index",   reduction,  1, 2, lanes)        \
  X(xor_sum,          "tl.xor_sum",          reduction,  1, 1, lanes)        \
  X(cumprod,          "tl.cumprod",          scan,       1, 1, lanes)        \
  X(associative_scan, "tl.associative_scan", scan,       4, 4, lanes)        \
  X(softmax,          "tl.softmax",          scan,       1, 1, lanes)        \
  X(atomic_max,       "tl.atomic_max",       memory,     3, 1, memory)       \
  X(atomic_min,       "tl.atomic_min",       memory,     3, 1, memory)       \
  X(atomic_and,       "tl.atomic_and",       memory,     3, 1, memory)       \
  X(atomic_or,        "tl.atomic_or",        memory,     3, 1, memory)       \
  X(atomic_xor,       "tl.atomic_xor",       memory,     3, 1, memory)       \
  X(atomic_xchg,      "tl.atomic_xchg",      memory,     3, 1, memory)       \
  X(atomic_cas,       "tl.atomic_cas",       memory,     3, 1, memory)       \
  X(philox,           "tl.philox",           random,     5, 4, lanes)        \
  X(rand4x,           "tl.rand4x",           random,     2, 4, lanes)        \
  X(randint4x,        "tl.randint4x",        random,     2, 4, lanes)        \
  X(randn4x,          "tl.randn4x",          random,     2, 4, lanes)        \
  X(max_contiguous,   "tl.max_contiguous",   hint,       1, 1, nothing)      \
  X(max_constancy,    "tl.max_constancy",    hint,       1, 1, nothing)      \
  X(debug_barrier,    "tl.debug_barrier",    debugging,  0, 0, nothing)      \
  X(make_tensor_descriptor, "tl.make_tensor_descriptor", pointer, 1, 0, nothing) \
  X(dot_scaled,       "tl.dot_scaled",       dot,        3, 1, tensor_cores) \
  X(device_print,     "tl.device_print",     debugging,  8, 0, nothing)      \
  X(static_print,     "tl.static_print",     debugging,  0, 0, nothing)
// clang-format on

enum class Op : unsigned char {
#define TL_OP(name, ...) name,
  TL_OPS(TL_OP)
#undef TL_OP
};

struct OpInfo {
  std::string_view name;  // as in Op
  const char* text;
  OpFamily family;
  int operands, results;
  OpUnit unit;
};

inline constexpr auto op_table = std::to_array<OpInfo>({
#define TL_OP(name, text, family, operands, results, unit) \
  {#name, text, OpFamily::family, operands, results, OpUnit::unit},
    TL_OPS(TL_OP)
#undef TL_OP
});

constexpr const OpInfo& info_of(Op op) { return op_table[static_cast<std::size_t>(op)]; }
constexpr OpFamily family_of(Op op) { return info_of(op).family; }
constexpr bool is_comparison(Op op) { return family_of(op) == OpFamily::comparison; }
constexpr bool is_bitwise(Op op) { return family_of(op) == OpFamily::bitwise; }
// Is it written tl.name(...)?
constexpr bool is_word(Op op) { return std::string_view(info_of(op).text).starts_with("tl."); }

constexpr std::optional<Op> op_of(std::string_view name) {
  for (std::size_t i = 0; i < op_table.size(); ++i)
    if (op_table[i].name == name) return static_cast<Op>(i);
  return std::nullopt;
}

}  // namespace tl
