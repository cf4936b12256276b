// tl.dot: c = a b + acc. Inputs are widened exactly (f32 rounded to tf32 unless tl.ieee), products accumulate in f32,
// or f64; or as the chip's tensor cores do it.
#include "interp/cpu/dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "interp/cpu/absent.h"
#include "interp/cpu/language.h"
#include "interp/cpu/reduction.h"
#include "interp/cpu/replay.h"
#include "interp/lang/split_dot.h"
#include "interp/trace/access_record.h"

namespace tl::cpu {

namespace {

// For the dtype's subnormals, counted as ChipDot does.
int least_exponent(DType d) {
  switch (d) {
    case DType::float16:
    case DType::float8e5: return 127 - 14;
    case DType::float8e4nv: return 127 - 6;
    default: return 127 - 126;
  }
}

}  // namespace

DotPlan plan_dot(const State& s, const rules::DotKind& kind, std::int64_t m, std::int64_t n, std::int64_t k) {
  using rules::DotUnit;
  const rules::DotArithmetic& dots = s.launch.options.dots;
  const bool is_tf32 = kind.a == DType::float32 && !kind.is_ieee;
  if (dots.matrix == rules::Matrix::none) return {is_tf32 ? loops().round_to_tf32 : nullptr};
  const rules::Config config{.num_warps = s.launch.launch.options.num_warps, .matrix = dots.matrix};
  const DotUnit unit = rules::dot_unit(config, kind, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k));
  if (unit == DotUnit::multiply_add) return {};
  // A chip whose own mma.sync takes fp8 adds as that does; elsewhere CUDA's code gives it fp16.
  const bool takes_fp8 = dots.cores.mma_sync.fp8.terms > 0;
  const DType a = takes_fp8 ? kind.a : rules::dot_input(unit, kind.a),
              b = takes_fp8 ? kind.b : rules::dot_input(unit, kind.b);
  const TensorCoreStep& step = (unit == DotUnit::wgmma ? dots.cores.wgmma : dots.cores.mma_sync).of(a);
  if (step.terms == 0) return {};  // the chip's tensor cores do not take this dtype
  return {!is_tf32                 ? nullptr
          : unit == DotUnit::wgmma ? loops().cut_to_tf32
                                   : loops().round_to_tf32,
          {step, least_exponent(a), least_exponent(b)}};
}

namespace {

// Row-major elements of a matrix, and the distance of its rows.
struct Matrix {
  Ref keep;
  const std::byte* data;
  std::int64_t row;
};

Matrix matrix_of(const Where& w, const Value& d, DType t, RoundLoop round) {
  Ref x = cast(w, d, t);
  const std::int64_t rows = x->dims[0], cols = x->dims[1];
  const int size = size_in_bytes(t);
  if (x->form == Form::dense && x->strides[0] == 1 && x->strides[1] != 1 &&
      size == 4) {  // transposed: turned back in tiles
    Ref turned = make_dense(w.state, t, 2, x->dims);
    loops().transpose32(reinterpret_cast<std::uint32_t*>(turned->buffer->bytes()),
                        reinterpret_cast<const std::uint32_t*>(x->buffer->bytes()) + x->base, x->strides[1], cols,
                        rows);
    x = turned;
  } else if (x->form != Form::dense || x->strides[1] != 1 || x->strides[0] < cols) {
    Ref dense = make_dense(w.state, t, 2, x->dims);
    std::memcpy(dense->buffer->bytes(), flat(*x), static_cast<std::size_t>(x->count * size));
    x = dense;
  }
  if (round) {
    Ref rounded = make_dense(w.state, t, 2, x->dims);
    const auto* in = reinterpret_cast<const float*>(x->buffer->bytes()) + x->base;
    auto* out = reinterpret_cast<float*>(rounded->buffer->bytes());
    if (is_contiguous(*x)) round(out, in, x->count);
    else
      for (std::int64_t i = 0; i < rows; ++i) round(out + i * cols, in + i * x->strides[0], cols);
    x = rounded;
  }
  Matrix m;
  m.data = x->buffer->bytes() + x->base * size;
  m.row = x->strides[0];
  m.keep = std::move(x);
  return m;
}

float* floats_of(std::byte* p) { return reinterpret_cast<float*>(p); }
const float* floats_of(const std::byte* p) { return reinterpret_cast<const float*>(p); }

// A lane is undefined where one of its row in a or of its column in b is.
Ref undefined_of(State& s, const Value& a, const Value& b, const Value* acc, const std::int64_t* dims) {
  Ref r = make_dense(s, DType::int1, 2, dims);
  auto* out = reinterpret_cast<unsigned char*>(r->buffer->bytes());
  std::memset(out, 0, static_cast<std::size_t>(r->count));
  const std::int64_t m = dims[0], n = dims[1], k = a.dims[1];
  if (a.undefined) {
    const std::byte* u = flat(*a.undefined);
    for (std::int64_t i = 0; i < m; ++i)
      if (std::any_of(u + i * k, u + (i + 1) * k, [](std::byte v) { return v != std::byte{0}; }))
        std::memset(out + i * n, 1, static_cast<std::size_t>(n));
  }
  if (b.undefined) {
    const std::byte* u = flat(*b.undefined);
    for (std::int64_t l = 0; l < k; ++l)
      for (std::int64_t j = 0; j < n; ++j)
        if (u[l * n + j] != std::byte{0})
          for (std::int64_t i = 0; i < m; ++i) out[i * n + j] = 1;
  }
  return acc && acc->undefined ? union_of(s, r.get(), acc->undefined) : r;
}

// c = acc + a b of ints, which wrap; acc null: zeros.
void multiply_ints(std::int32_t* c, const std::int32_t* acc, const Matrix& a, const Matrix& b, std::int64_t m,
                   std::int64_t n, std::int64_t k) {
  const auto *x = reinterpret_cast<const std::int32_t*>(a.data), *y = reinterpret_cast<const std::int32_t*>(b.data);
  std::vector<std::uint32_t> row(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j)
      row[static_cast<std::size_t>(j)] = acc ? static_cast<std::uint32_t>(acc[i * n + j]) : 0u;
    for (std::int64_t l = 0; l < k; ++l)
      for (std::int64_t j = 0; j < n; ++j)
        row[static_cast<std::size_t>(j)] +=
            static_cast<std::uint32_t>(x[i * a.row + l]) * static_cast<std::uint32_t>(y[l * b.row + j]);
    for (std::int64_t j = 0; j < n; ++j) c[i * n + j] = static_cast<std::int32_t>(row[static_cast<std::size_t>(j)]);
  }
}

bool splits(Precision p) { return p == Precision::tf32x3 || p == Precision::bf16x3 || p == Precision::bf16x6; }

// By parts, without an observer of them.
Ref sum_of_parts(State& s, Location location, const Block& a, const Block& b, const Block* acc, Precision p) {
  const Quiet quiet(s);
  Context tl(s);
  const Block made = p == Precision::tf32x3   ? split_dot::tf32x3(tl, a, b)
                     : p == Precision::bf16x3 ? split_dot::bf16x3(tl, a, b)
                                              : split_dot::bf16x6(tl, a, b);
  return Ref::share((acc ? AtBlock(made, location) + *acc : made).data());
}

void check_accumulator(const Where& w, const Value& c, DType t, int rank, const std::int64_t* dims) {
  if (c.dtype == t && c.rank == rank && std::equal(dims, dims + rank, c.dims)) return;
  fail(w, FaultKind::shape, fmt::format("the accumulator must be {}{}", name_of(t), text_of_shape(dims, rank)),
       fmt::format("it is {}{}", name_of(c.dtype), text_of_shape(c.dims, c.rank)),
       fmt::format("start it as tl.zeros({}, tl.{})", notation_of(w).shape({"BM", "BN"}),
                   t == DType::int32     ? "int32"
                   : t == DType::float64 ? "float64"
                                         : "float32"));
}

// How a dot changes its inputs ("": not at all).
std::string_view text_of_rounding(DType t, Precision p) {
  if (t != DType::float32 || p == Precision::ieee) return "";
  switch (p) {
    case Precision::tf32x3: return trace::text_of_tf32x3;
    case Precision::bf16x3: return trace::text_of_bf16x3;
    case Precision::bf16x6: return trace::text_of_bf16x6;
    default: return trace::text_of_tf32;
  }
}

Block product(State& s, Location location, const Block& left, const Block& right, const Block* acc, Precision precision,
              bool is_batched = false);

// Matrix i of those that lie behind one another.
Ref matrix_at(const Where& w, const Value& d, std::int64_t i) {
  Ref r = make_dense(w.state, d.dtype, 2, d.dims + d.rank - 2);
  const std::int64_t bytes = r->count * size_in_bytes(d.dtype);
  std::memcpy(r->buffer->bytes(), flat(d) + i * bytes, static_cast<std::size_t>(bytes));
  if (d.undefined) r->undefined = matrix_at(w, *d.undefined, i).release();
  return r;
}

// For three axes or more: matrix by matrix.
Block products(const Where& w, const Block& left, const Block& right, const Block* acc, Precision precision) {
  State& s = w.state;
  const Value &a = *left.data(), &b = *right.data(), *c = acc ? acc->data() : nullptr;
  const int rank = a.rank, rows = rank - 2, cols = rank - 1;
  const auto as_many = [&](const Value& v) { return v.rank == rank && std::equal(v.dims, v.dims + rows, a.dims); };
  if (!as_many(b) || (c && !as_many(*c)))
    fail(w, FaultKind::shape, fmt::format("a dot of {} axes multiplies as many matrices on both sides", rank),
         "a is " + text_of_shape(a.dims, a.rank) + ", b " + text_of_shape(b.dims, b.rank),
         "give a, b and the accumulator the same axes before the last two");
  std::int64_t dims[max_rank], matrices = 1;
  std::copy_n(a.dims, rank, dims);
  dims[cols] = b.dims[cols];
  for (int i = 0; i < rows; ++i) matrices *= dims[i];
  const DType t = dot_dtype(a.dtype);
  const std::string_view rounded = text_of_rounding(a.dtype, precision);
  if (any_absent(&a, &b, c))
    return Block(finish(w, {&a, &b, c}, absent_result(w, {&a, &b, c}, t, rank, dims), rounded).release());
  Ref r = make_dense(s, t, rank, dims), undefined = make_dense(s, DType::int1, rank, dims);
  bool any_undefined = false;
  const auto count = static_cast<std::size_t>(dims[rows] * dims[cols]),
             size = static_cast<std::size_t>(size_in_bytes(t));
  std::memset(undefined->buffer->bytes(), 0, static_cast<std::size_t>(undefined->count));
  {
    const Quiet quiet(s);
    for (std::int64_t i = 0; i < matrices; ++i) {
      const Block x(matrix_at(w, a, i).release()), y(matrix_at(w, b, i).release());
      const Block z = c ? Block(matrix_at(w, *c, i).release()) : x;
      const Block part = product(s, w.location, x, y, c ? &z : nullptr, precision, true);
      const auto at = static_cast<std::size_t>(i) * count;
      std::memcpy(r->buffer->bytes() + at * size, flat(*part.data()), count * size);
      if (!part.data()->undefined) continue;
      any_undefined = true;
      std::memcpy(undefined->buffer->bytes() + at, flat(*part.data()->undefined), count);
    }
  }
  if (any_undefined) r->undefined = undefined.release();
  return Block(finish(w, {&a, &b, c}, settle(std::move(r)), rounded).release());
}

Block product(State& s, Location location, const Block& left, const Block& right, const Block* acc, Precision precision,
              bool is_batched) {
  const Where w{s, Op::dot, location};
  const Value &a = *left.data(), &b = *right.data();
  const auto shapes = [&] { return "a is " + text_of_shape(a.dims, a.rank) + ", b " + text_of_shape(b.dims, b.rank); };
  if (a.rank >= 3) return products(w, left, right, acc, precision);
  if (a.rank != 2 || b.rank != 2)
    fail(w, FaultKind::shape, "both sides must be matrices", shapes(),
         "give each two axes, as in " + notation_of(w).column());
  if (a.dims[1] != b.dims[0])
    fail(w, FaultKind::shape, "the columns of a are not the rows of b", shapes(),
         "transpose one side with tl.trans, or look at its offsets");
  const bool ints = a.dtype == DType::int8 && b.dtype == DType::int8;
  if ((!ints && (!is_float(a.dtype) || !is_float(b.dtype))) ||
      (a.dtype != b.dtype && !(is_fp8(a.dtype) && is_fp8(b.dtype))))
    fail(w, FaultKind::shape, fmt::format("{} times {}", name_of(a.dtype), name_of(b.dtype)),
         "both sides are floats of one dtype, or both fp8, or both int8", "cast one side, as in p.to(v.dtype)");
  const DType t = dot_dtype(a.dtype);
  const std::int64_t dims[2] = {a.dims[0], b.dims[1]};
  if (acc) check_accumulator(w, *acc->data(), t, 2, dims);
  const std::string_view rounded = text_of_rounding(a.dtype, precision);
  if (any_absent(&a, &b, acc ? acc->data() : nullptr)) {
    const Value* c = acc ? acc->data() : nullptr;
    return Block(finish(w, {&a, &b, c}, absent_result(w, {&a, &b, c}, t, 2, dims), rounded).release());
  }
  if (t == DType::float32 && a.dtype == t && splits(precision)) {
    Ref r = sum_of_parts(s, location, left, right, acc, precision);
    if (s.replay) s.replay->fails();
    return Block(finish(w, {&a, &b, acc ? acc->data() : nullptr}, std::move(r), rounded).release());
  }
  const DotPlan plan =
      plan_dot(s, {a.dtype, b.dtype, precision == Precision::ieee, is_batched}, dims[0], dims[1], a.dims[1]);
  const Matrix x = matrix_of(w, a, t, plan.round), y = matrix_of(w, b, t, plan.round);
  Ref r = make_dense(s, t, 2, dims);
  const bool from_zero = !acc || (acc->data()->form == Form::splat && double_of(*acc->data()) == 0);
  if (ints)
    multiply_ints(reinterpret_cast<std::int32_t*>(r->buffer->bytes()),
                  acc ? reinterpret_cast<const std::int32_t*>(flat(*acc->data())) : nullptr, x, y, dims[0], dims[1],
                  a.dims[1]);
  else if (plan.chip.step.terms)
    loops().chip_dot(floats_of(r->buffer->bytes()), dims[1], from_zero ? nullptr : floats_of(flat(*acc->data())),
                     dims[1], floats_of(x.data), x.row, floats_of(y.data), y.row, dims[0], dims[1], a.dims[1],
                     plan.chip);
  else
    loops().dot(t)(r->buffer->bytes(), dims[1], from_zero ? nullptr : flat(*acc->data()), dims[1], x.data, x.row,
                   y.data, y.row, dims[0], dims[1], a.dims[1]);
  if (a.undefined || b.undefined || (acc && acc->data()->undefined)) [[unlikely]]
    r->undefined = undefined_of(s, a, b, acc ? acc->data() : nullptr, dims).release();
  r = settle(std::move(r));
  return Block(finish(w, {&a, &b, acc ? acc->data() : nullptr}, std::move(r), rounded).release());
}

}  // namespace

namespace {

// An accumulator of fp16: added up in fp32, and rounded once.
Block narrow_product(State& s, Location location, const Block& a, const Block& b, const Block* acc, Precision p) {
  const Where w{s, Op::dot, location};
  Ref r;
  {
    const Quiet quiet(s);
    const Block wide = acc ? acc->to(ElementType{DType::float32}, location) : a;
    r = cast(w, *product(s, location, a, b, acc ? &wide : nullptr, p).data(), DType::float16);
  }
  return Block(finish(w, {a.data(), b.data(), acc ? acc->data() : nullptr}, std::move(r)).release());
}

bool is_narrow(const Block& a, DType sum) {
  return sum == DType::float16 && (a.dtype.value == DType::float16 || is_fp8(a.dtype.value));
}

}  // namespace

Block Context::dot(const Block& a, const Block& b, ElementType out, Location location) {
  if (is_narrow(a, out.value)) return narrow_product(state_, location, a, b, nullptr, Precision::tf32);
  if (const DType t = dot_dtype(a.dtype.value); out.value != t)
    fail({state_, Op::dot, location}, FaultKind::shape,
         fmt::format("a sum of {} is not {}", name_of(a.dtype.value), name_of(out.value)), "",
         fmt::format("it is {}, of f16 and f8 also f16: cast the result with .to", name_of(t)));
  return dot(a, b, location);
}
Block Context::dot(const Block& a, const Block& b, Location location) {
  return product(state_, location, a, b, nullptr, Precision::tf32);
}
Block Context::dot(const Block& a, const Block& b, const Block& acc, Location location) {
  return dot(a, b, acc, Precision::tf32, location);
}
Block Context::dot(const Block& a, const Block& b, const Block& acc, Precision p, Location location) {
  if (is_narrow(a, acc.dtype.value)) return narrow_product(state_, location, a, b, &acc, p);
  return product(state_, location, a, b, &acc, p);
}

}  // namespace tl::cpu
