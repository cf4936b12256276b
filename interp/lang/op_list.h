// The list of ops, free of std, so that NVRTC reads it as well.
#pragma once

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
// other; numbers in the text do not count); the values that it gives; the unit; the parameters, with Triton's names in
// Triton's order: `name=default` may be left out, `*name` takes all that is left. Infix operators are ops as well.
// clang-format off
#define TL_OPS(X)                                                                                                   \
  X(program_id,       "tl.program_id",       program,    0, 1, nothing, "axis")                                     \
  X(num_programs,     "tl.num_programs",     program,    0, 1, nothing, "axis")                                     \
  X(arange,           "tl.arange",           creation,   0, 1, nothing, "start, end")                               \
  X(zeros,            "tl.zeros",            creation,   0, 1, nothing, "shape, dtype")                             \
  X(full,             "tl.full",             creation,   1, 1, nothing, "shape, value, dtype")                      \
  X(cast,             "to",                  cast,       1, 1, lanes,                                               \
    "input, dtype, fp_downcast_rounding=None, bitcast=False")                                                       \
  X(slice,            "x(_, None)",          view,       1, 1, nothing, "x, *axes")                                 \
  X(broadcast_to,     "tl.broadcast_to",     view,       1, 1, nothing, "input, *shape")                            \
  X(expand_dims,      "tl.expand_dims",      view,       1, 1, nothing, "input, axis")                              \
  X(reshape,          "tl.reshape",          view,       1, 1, nothing, "input, *shape, can_reorder=False")         \
  X(permute,          "tl.permute",          view,       1, 1, nothing, "input, *dims")                             \
  X(trans,            "tl.trans",            view,       1, 1, nothing, "input, *dims")                             \
  X(split,            "tl.split",            pieces,     1, 2, nothing, "a")                                        \
  X(join,             "tl.join",             pieces,     2, 1, nothing, "a, b")                                     \
  X(convert_layout,   "tl.convert_layout",   view,       1, 1, nothing, "x")                                        \
  X(add,              "+",                   arithmetic, 2, 1, lanes,   "x, y")                                     \
  X(sub,              "-",                   arithmetic, 2, 1, lanes,   "x, y")                                     \
  X(mul,              "*",                   arithmetic, 2, 1, lanes,   "x, y")                                     \
  X(div,              "/",                   arithmetic, 2, 1, lanes,   "x, y")                                     \
  X(mod,              "%",                   arithmetic, 2, 1, lanes,   "x, y")                                     \
  X(bit_and,          "&",                   bitwise,    2, 1, lanes,   "x, y")                                     \
  X(bit_or,           "|",                   bitwise,    2, 1, lanes,   "x, y")                                     \
  X(bit_xor,          "^",                   bitwise,    2, 1, lanes,   "x, y")                                     \
  X(shl,              "<<",                  bitwise,    2, 1, lanes,   "x, y")                                     \
  X(shr,              ">>",                  bitwise,    2, 1, lanes,   "x, y")                                     \
  X(neg,              "-",                   arithmetic, 1, 1, lanes,   "x")                                        \
  X(bit_not,          "~",                   bitwise,    1, 1, lanes,   "x")                                        \
  X(logical_not,      "!",                   logical,    1, 1, lanes,   "x")                                        \
  X(lt,               "<",                   comparison, 2, 1, lanes,   "x, y")                                     \
  X(le,               "<=",                  comparison, 2, 1, lanes,   "x, y")                                     \
  X(gt,               ">",                   comparison, 2, 1, lanes,   "x, y")                                     \
  X(ge,               ">=",                  comparison, 2, 1, lanes,   "x, y")                                     \
  X(eq,               "==",                  comparison, 2, 1, lanes,   "x, y")                                     \
  X(ne,               "!=",                  comparison, 2, 1, lanes,   "x, y")                                     \
  X(where,            "tl.where",            select,     3, 1, lanes,   "condition, x, y")                          \
  X(minimum,          "tl.minimum",          arithmetic, 2, 1, lanes,   "x, y, propagate_nan=None")                 \
  X(maximum,          "tl.maximum",          arithmetic, 2, 1, lanes,   "x, y, propagate_nan=None")                 \
  X(clamp,            "tl.clamp",            arithmetic, 3, 1, lanes,   "x, min, max, propagate_nan=None")          \
  X(exp,              "tl.exp",              math,       1, 1, lanes,   "x")                                        \
  X(exp2,             "tl.exp2",             math,       1, 1, lanes,   "x")                                        \
  X(log,              "tl.log",              math,       1, 1, lanes,   "x")                                        \
  X(log2,             "tl.log2",             math,       1, 1, lanes,   "x")                                        \
  X(sqrt,             "tl.sqrt",             math,       1, 1, lanes,   "x")                                        \
  X(rsqrt,            "tl.rsqrt",            math,       1, 1, lanes,   "x")                                        \
  X(sin,              "tl.sin",              math,       1, 1, lanes,   "x")                                        \
  X(cos,              "tl.cos",              math,       1, 1, lanes,   "x")                                        \
  X(sigmoid,          "tl.sigmoid",          math,       1, 1, lanes,   "x")                                        \
  X(erf,              "tl.erf",              math,       1, 1, lanes,   "x")                                        \
  X(floor,            "tl.floor",            math,       1, 1, lanes,   "x")                                        \
  X(ceil,             "tl.ceil",             math,       1, 1, lanes,   "x")                                        \
  X(abs,              "tl.abs",              arithmetic, 1, 1, lanes,   "x")                                        \
  X(fma,              "tl.fma",              arithmetic, 3, 1, lanes,   "x, y, z")                                  \
  X(cdiv,             "tl.cdiv",             arithmetic, 2, 1, lanes,   "x, div")                                   \
  X(umulhi,           "tl.umulhi",           arithmetic, 2, 1, lanes,   "x, y")                                     \
  X(sum,              "tl.sum",              reduction,  1, 1, lanes,                                               \
    "input, axis=None, keep_dims=False, dtype=None")                                                                \
  X(max,              "tl.max",              reduction,  1, 1, lanes,                                               \
    "input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False")                  \
  X(min,              "tl.min",              reduction,  1, 1, lanes,                                               \
    "input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False")                  \
  X(argmax,           "tl.argmax",           reduction,  1, 1, lanes,                                               \
    "input, axis=None, tie_break_left=True, keep_dims=False")                                                       \
  X(argmin,           "tl.argmin",           reduction,  1, 1, lanes,                                               \
    "input, axis=None, tie_break_left=True, keep_dims=False")                                                       \
  X(reduce,           "tl.reduce",           reduction,  4, 4, lanes,   "input, axis, combine_fn, keep_dims=False") \
  X(cumsum,           "tl.cumsum",           scan,       1, 1, lanes,   "input, axis=0, reverse=False, dtype=None") \
  X(dot,              "tl.dot",              dot,        3, 1, tensor_cores,                                        \
    "input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=None")    \
  X(load,             "tl.load",             memory,     3, 1, memory,                                              \
    "pointer, mask=None, other=None, boundary_check=(), padding_option=\"\", cache_modifier=\"\", "                 \
    "eviction_policy=\"\", volatile=False")                                                                         \
  X(store,            "tl.store",            memory,     3, 0, memory,                                              \
    "pointer, value, mask=None, boundary_check=(), cache_modifier=\"\", eviction_policy=\"\"")                      \
  X(atomic_add,       "tl.atomic_add",       memory,     3, 1, memory,                                              \
    "pointer, val, mask=None, sem=None, scope=None")                                                                \
  X(make_block_ptr,   "tl.make_block_ptr",   pointer,    1, 0, nothing,                                             \
    "base, shape, strides, offsets, block_shape, order")                                                            \
  X(advance,          "tl.advance",          pointer,    1, 0, nothing, "base, offsets")                            \
  X(range,            "tl.range",            loop,       0, 1, nothing,                                             \
    "arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False, "       \
    "flatten=False, warp_specialize=False, disable_licm=False")                                                     \
  X(swizzle2d,        "tl.swizzle2d",        program,    5, 2, nothing, "i, j, size_i, size_j, size_g")             \
  X(rand,             "tl.rand",             random,     2, 1, lanes,   "seed, offset, n_rounds=10")                \
  X(randint,          "tl.randint",          random,     2, 1, lanes,   "seed, offset, n_rounds=10")                \
  X(randn,            "tl.randn",            random,     2, 1, lanes,   "seed, offset, n_rounds=10")                \
  X(multiple_of,      "tl.multiple_of",      hint,       1, 1, nothing, "input, values")                            \
  X(assume,           "tl.assume",           hint,       1, 0, nothing, "cond")                                     \
  X(print_if,         "tl.print_if",         debugging,  8, 0, nothing, "text, condition, *values")                 \
  X(breakpoint_if,    "tl.breakpoint_if",    debugging,  0, 0, nothing, "condition")                                \
  X(device_assert,    "tl.device_assert",    debugging,  1, 0, nothing, "cond, msg=\"\", mask=None")                \
  X(scalar,           "tl.scalar",           creation,   1, 1, nothing, "value, dtype")                             \
  X(bitcast,          "bitcast",             cast,       1, 1, nothing, "input, dtype")                             \
  X(cat,              "tl.cat",              movement,   2, 1, lanes,   "input, other, can_reorder=False, dim=0")   \
  X(interleave,       "tl.interleave",       movement,   2, 1, lanes,   "a, b")                                     \
  X(flip,             "tl.flip",             movement,   1, 1, lanes,   "x, dim=None")                              \
  X(gather,           "tl.gather",           movement,   2, 1, lanes,   "src, index, axis")                         \
  X(sort,             "tl.sort",             movement,   1, 1, lanes,   "x, dim=None, descending=False")            \
  X(topk,             "tl.topk",             movement,   1, 1, lanes,   "x, k, dim=None, descending=True")          \
  X(histogram,        "tl.histogram",        movement,   2, 1, lanes,   "input, num_bins, mask=None")               \
  X(tanh,             "tl.tanh",             math,       1, 1, lanes,   "x")                                        \
  X(log1p,            "tl.log1p",            math,       1, 1, lanes,   "x")                                        \
  X(expm1,            "tl.expm1",            math,       1, 1, lanes,   "x")                                        \
  X(tan,              "tl.tan",              math,       1, 1, lanes,   "x")                                        \
  X(asin,             "tl.asin",             math,       1, 1, lanes,   "x")                                        \
  X(acos,             "tl.acos",             math,       1, 1, lanes,   "x")                                        \
  X(atan,             "tl.atan",             math,       1, 1, lanes,   "x")                                        \
  X(sinh,             "tl.sinh",             math,       1, 1, lanes,   "x")                                        \
  X(cosh,             "tl.cosh",             math,       1, 1, lanes,   "x")                                        \
  X(asinh,            "tl.asinh",            math,       1, 1, lanes,   "x")                                        \
  X(acosh,            "tl.acosh",            math,       1, 1, lanes,   "x")                                        \
  X(atanh,            "tl.atanh",            math,       1, 1, lanes,   "x")                                        \
  X(cbrt,             "tl.cbrt",             math,       1, 1, lanes,   "x")                                        \
  X(exp10,            "tl.exp10",            math,       1, 1, lanes,   "x")                                        \
  X(log10,            "tl.log10",            math,       1, 1, lanes,   "x")                                        \
  X(erfc,             "tl.erfc",             math,       1, 1, lanes,   "x")                                        \
  X(lgamma,           "tl.lgamma",           math,       1, 1, lanes,   "x")                                        \
  X(tgamma,           "tl.tgamma",           math,       1, 1, lanes,   "x")                                        \
  X(round,            "tl.round",            math,       1, 1, lanes,   "x")                                        \
  X(rint,             "tl.rint",             math,       1, 1, lanes,   "x")                                        \
  X(trunc,            "tl.trunc",            math,       1, 1, lanes,   "x")                                        \
  X(j0,               "tl.j0",               math,       1, 1, lanes,   "x")                                        \
  X(j1,               "tl.j1",               math,       1, 1, lanes,   "x")                                        \
  X(y0,               "tl.y0",               math,       1, 1, lanes,   "x")                                        \
  X(y1,               "tl.y1",               math,       1, 1, lanes,   "x")                                        \
  X(cyl_bessel_i0,    "tl.cyl_bessel_i0",    math,       1, 1, lanes,   "x")                                        \
  X(cyl_bessel_i1,    "tl.cyl_bessel_i1",    math,       1, 1, lanes,   "x")                                        \
  X(pow,              "tl.pow",              math,       2, 1, lanes,   "x, y")                                     \
  X(atan2,            "tl.atan2",            math,       2, 1, lanes,   "x, y")                                     \
  X(fmod,             "tl.fmod",             math,       2, 1, lanes,   "x, y")                                     \
  X(copysign,         "tl.copysign",         math,       2, 1, lanes,   "x, y")                                     \
  X(hypot,            "tl.hypot",            math,       2, 1, lanes,   "x, y")                                     \
  X(fdim,             "tl.fdim",             math,       2, 1, lanes,   "x, y")                                     \
  X(nextafter,        "tl.nextafter",        math,       2, 1, lanes,   "x, y")                                     \
  X(isnan,            "tl.isnan",            logical,    1, 1, lanes,   "x")                                        \
  X(isinf,            "tl.isinf",            logical,    1, 1, lanes,   "x")                                        \
  X(isfinite,         "tl.isfinite",         logical,    1, 1, lanes,   "x")                                        \
  X(signbit,          "tl.signbit",          logical,    1, 1, lanes,   "x")                                        \
  X(max_with_index,   "tl.max_with_index",   reduction,  1, 2, lanes,   "input, axis")                              \
  X(min_with_index,   "tl.min_with_index",   reduction,  1, 2, lanes,   "input, axis")                              \
  X(xor_sum,          "tl.xor_sum",          reduction,  1, 1, lanes,   "input, axis=None, keep_dims=False")        \
  X(cumprod,          "tl.cumprod",          scan,       1, 1, lanes,   "input, axis=0, reverse=False")             \
  X(associative_scan, "tl.associative_scan", scan,       4, 4, lanes,   "input, axis, combine_fn, reverse=False")   \
  X(softmax,          "tl.softmax",          scan,       1, 1, lanes,                                               \
    "x, dim=None, keep_dims=False, ieee_rounding=False")                                                            \
  X(atomic_max,       "tl.atomic_max",       memory,     3, 1, memory,                                              \
    "pointer, val, mask=None, sem=None, scope=None")                                                                \
  X(atomic_min,       "tl.atomic_min",       memory,     3, 1, memory,                                              \
    "pointer, val, mask=None, sem=None, scope=None")                                                                \
  X(atomic_and,       "tl.atomic_and",       memory,     3, 1, memory,                                              \
    "pointer, val, mask=None, sem=None, scope=None")                                                                \
  X(atomic_or,        "tl.atomic_or",        memory,     3, 1, memory,                                              \
    "pointer, val, mask=None, sem=None, scope=None")                                                                \
  X(atomic_xor,       "tl.atomic_xor",       memory,     3, 1, memory,                                              \
    "pointer, val, mask=None, sem=None, scope=None")                                                                \
  X(atomic_xchg,      "tl.atomic_xchg",      memory,     3, 1, memory,                                              \
    "pointer, val, mask=None, sem=None, scope=None")                                                                \
  X(atomic_cas,       "tl.atomic_cas",       memory,     3, 1, memory,  "pointer, cmp, val, sem=None, scope=None")  \
  X(philox,           "tl.philox",           random,     5, 4, lanes,   "seed, c0, c1, c2, c3, n_rounds=10")        \
  X(rand4x,           "tl.rand4x",           random,     2, 4, lanes,   "seed, offset, n_rounds=10")                \
  X(randint4x,        "tl.randint4x",        random,     2, 4, lanes,   "seed, offset, n_rounds=10")                \
  X(randn4x,          "tl.randn4x",          random,     2, 4, lanes,   "seed, offset, n_rounds=10")                \
  X(max_contiguous,   "tl.max_contiguous",   hint,       1, 1, nothing, "input, values")                            \
  X(max_constancy,    "tl.max_constancy",    hint,       1, 1, nothing, "input, values")                            \
  X(debug_barrier,    "tl.debug_barrier",    debugging,  0, 0, nothing, "")                                         \
  X(make_tensor_descriptor,"tl.make_tensor_descriptor",pointer,    1, 0, nothing,                                   \
    "base, shape, strides, block_shape, padding_option=\"zero\"")                                                   \
  X(dot_scaled,       "tl.dot_scaled",       dot,        3, 1, tensor_cores,                                        \
    "lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True, "          \
    "rhs_k_pack=True, out_dtype=None")                                                                              \
  X(device_print,     "tl.device_print",     debugging,  8, 0, nothing, "prefix, *args, hex=False")                 \
  X(static_print,     "tl.static_print",     debugging,  0, 0, nothing, "text, *values")

// What is made of ops: it has a name and parameters, and records show the ops. A descriptor's methods begin with
// `descriptor_`, where Triton has no function of the name.
#define TL_COMPOSITES(X)                                    \
  X(zeros_like, "input")                                    \
  X(full_like, "input, value")                              \
  X(ravel, "x")                                             \
  X(broadcast, "input, other")                              \
  X(squeeze, "x, dim")                                      \
  X(unsqueeze, "x, dim")                                    \
  X(view, "input, *shape")                                  \
  X(item, "x")                                              \
  X(fdiv, "x, y, ieee_rounding=False")                      \
  X(div_rn, "x, y")                                         \
  X(sqrt_rn, "x")                                           \
  X(to_tensor, "x")                                         \
  X(uint_to_uniform_float, "x")                             \
  X(static_assert, "cond, msg=\"\"")                        \
  X(pointer_type, "element_ty")                             \
  X(map_elementwise, "scalar_fn, *args, pack=1")            \
  X(load_tensor_descriptor, "desc, offsets")                \
  X(store_tensor_descriptor, "desc, offsets, value")        \
  X(descriptor_gather, "desc, x_offsets, y_offset")         \
  X(descriptor_scatter, "desc, value, x_offsets, y_offset") \
  X(descriptor_atomic_add, "desc, offsets, value")          \
  X(descriptor_atomic_max, "desc, offsets, value")          \
  X(descriptor_atomic_min, "desc, offsets, value")          \
  X(descriptor_atomic_and, "desc, offsets, value")          \
  X(descriptor_atomic_or, "desc, offsets, value")           \
  X(descriptor_atomic_xor, "desc, offsets, value")
// clang-format on

}  // namespace tl
