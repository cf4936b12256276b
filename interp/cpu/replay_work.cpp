// Capturing a program: its arithmetic on data, as calls of the loops.
#include <algorithm>

#include "interp/cpu/dot.h"
#include "interp/cpu/replay.h"

namespace tl::cpu {

namespace {
constexpr std::int64_t most_rows_in_place =
    16;  // of a dot's left side: with more, its right side is read so often that a copy pays
}

const Value* Replay::keep(Ref r) {
  kept_.push_back(std::move(r));
  return kept_.back().get();
}

// The elements of a value that is the same in every program: one if all are equal, else all, row-major. They are copied
// because the value may share its memory with another, which a replayed call writes.
std::byte* Replay::copy_of(const Value& v) {
  for (const auto& [value, bytes] : copies_)
    if (value.get() == &v) return bytes.get()->bytes;
  const std::int64_t size = (is_uniform(v) ? 1 : v.count) * size_in_bytes(v.element_dtype());
  auto lines = std::make_unique<Line[]>(static_cast<std::size_t>(size + 63) / 64);
  std::memcpy(lines.get(), is_uniform(v) ? view_of(v).data : flat(v), static_cast<std::size_t>(size));
  copies_.emplace_back(Ref::share(&v), std::move(lines));
  return copies_.back().second.get()->bytes;
}

// A value that the kernel does not have, to hold what one call makes for the next.
const Value* Replay::scratch(DType t, int rank, const std::int64_t* dims, int slot) {
  for (auto& [s, r] : scratch_)
    if (s == slot && r->dtype == t && r->rank == rank && std::equal(dims, dims + rank, r->dims)) return r.get();
  scratch_.emplace_back(slot, make_dense(state_, t, rank, dims));
  return scratch_.back().second.get();
}

// The value converted to another dtype: along a broadcast axis, one lane for all.
const Value* Replay::as(const Where& w, const Value* v, DType t, int slot) {
  if (!v || v->dtype == t || failed_) return v;
  if (!v->id) return keep(cast(w, *v, t));
  std::int64_t dims[max_rank];
  for (int i = 0; i < v->rank; ++i) dims[i] = v->form == Form::splat || v->strides[i] == 0 ? 1 : v->dims[i];
  const Value* r = scratch(t, v->rank, dims, slot);
  Work work{{.kind = Kind::unary, .unary = loops().cast(v->dtype, t)}};
  add(work, 1, &v, *r);
  return r;
}

// An operand, or the literal that stands for it, converted to a dtype.
const Value* Replay::operand(const Where& w, std::span<const Value* const> operands, std::size_t i, DType t) {
  if (i < operands.size() && operands[i]) return as(w, operands[i], t, static_cast<int>(i));
  if (i < 3 && (given_ >> i & 1)) return keep(as_value(w, {{}, true, literals_[i]}, t));
  fails();
  return nullptr;
}

// Notes where the elements of an operand (or of the result: 0) lie, and their strides along the axes of the result.
bool Replay::put(Work& work, int i, const Value& v, int rank, std::int64_t* strides) {
  const int shift = rank - v.rank;
  Address& at = work.at[i];
  at.size = size_in_bytes(v.dtype);
  work.ids[i] = v.id ? known(v).whole : 0;
  std::fill_n(strides, rank, 0);
  if (shift < 0) return false;
  if (!v.id) {
    at.at = copy_of(v);
    std::int64_t stride = 1;
    for (int a = v.rank - 1; a >= 0 && !is_uniform(v); --a) {
      strides[a + shift] = v.dims[a] == 1 ? 0 : stride;
      stride *= v.dims[a];
    }
    return true;
  }
  if (known(v).number != none) return false;
  if (v.form == Form::splat) {
    at.at = const_cast<std::byte*>(v.scalar);
    return true;
  }
  if (v.form != Form::dense) return false;
  at.at = v.buffer->bytes() + v.base * at.size;
  for (int a = 0; a < v.rank; ++a) strides[a + shift] = v.dims[a] == 1 ? 0 : v.strides[a];
  if (const int load = known(v).load; load >= 0) {
    Use use{load, static_cast<int>(works_.size()), i, true, {}};
    const Lanes& l = tiles_[static_cast<std::size_t>(works_[static_cast<std::size_t>(load)].tile)].lanes;
    for (int a = 0; a < v.rank; ++a) use.strides[a + shift] = v.dims[a] == 1 ? 0 : l.strides[a];
    uses_.push_back(use);
  }
  return true;
}

// Adds a call that goes over its operands lane by lane.
void Replay::add(Work work, int operands, const Value* const* values, const Value& result) {
  if (failed_) return;
  Geometry g;
  g.rank = result.rank;
  std::int64_t expected = 1;
  for (int i = result.rank - 1; i >= 0; --i) {
    const bool one = result.form == Form::splat || result.strides[i] == 0;
    g.dims[i] = one ? 1 : result.dims[i];
    if (g.dims[i] > 1 && result.strides[i] != expected) return fails();
    g.views[0].strides[i] = g.dims[i] > 1 ? expected : 0;
    expected *= g.dims[i];
  }
  if (result.form == Form::dense && result.base != 0) return fails();
  for (int k = 0; k < operands; ++k)
    if (!values[k] || !put(work, k + 1, *values[k], g.rank, g.views[k + 1].strides)) return fails();
  learn(result, {});
  std::int64_t own[max_rank];
  if (!put(work, 0, result, g.rank, own)) return fails();
  work.geometry = static_cast<int>(geometries_.size());
  geometries_.push_back(g);
  works_.push_back(work);
}

void Replay::on_elementwise(const Where& w, std::span<const Value* const> operands, const Value& result) {
  const auto width = [](DType t) { return is_narrow_float(t) ? DType::float32 : t; };
  const int n = w.op == Op::fma ? 3 : info_of(w.op).operands;
  Work work{{.kind = n == 1 ? Kind::unary : n == 2 ? Kind::binary : Kind::fma, .unary = nullptr}};
  const Value* values[3] = {};
  DType computed = width(result.dtype), raw = computed;
  if (w.op == Op::cast) {
    work.unary = loops().cast(operands[0]->dtype, result.dtype);
    values[0] = operands[0];
    return add(work, 1, values, result);
  }
  if (w.op == Op::cdiv || w.op == Op::clamp || (w.op == Op::logical_not && operands[0]->dtype != DType::int1))
    return fails();
  if (n == 2) {
    const Value *a = operands[0], *b = operands[1];
    if (!(a && b) && !(given_ >> (a ? 1 : 0) & 1)) return fails();
    computed = width(a && b ? promote(a->dtype, b->dtype) : promoted_with((a ? a : b)->dtype, literals_[a ? 1 : 0]));
    raw = is_comparison(w.op) ? DType::int1 : computed;
    work.binary = loops().binary(w.op, w.op == Op::shr && a ? shift_right_dtype(a->dtype, computed) : computed);
  } else if (n == 1) {
    work.unary = loops().unary(w.op, computed);
  } else {
    work.fma = loops().fma(computed);
  }
  if (!work.unary) return fails();
  for (int i = 0; i < n; ++i) values[i] = operand(w, operands, static_cast<std::size_t>(i), computed);
  if (raw == result.dtype) return add(work, n, values, result);
  std::int64_t dims[max_rank];
  for (int i = 0; i < result.rank; ++i) dims[i] = result.form == Form::splat || !result.strides[i] ? 1 : result.dims[i];
  const Value* wide = scratch(raw, result.rank, dims, 3);
  add(work, n, values, *wide);
  if (!failed_) add({{.kind = Kind::unary, .unary = loops().cast(raw, result.dtype)}}, 1, &wide, result);
}

void Replay::on_where(const Where& w, std::span<const Value* const> operands, const Value& result) {
  const Value& mask = *operands[0];
  if (mask.form == Form::box && is_uniform(mask)) {  // all lanes take one side
    const Value* side = operands[int_of(mask) ? 1 : 2];
    if (!side || !side->id) return;
    if (known(*side).number != none)
      return result.form == Form::affine && is_counted(*side) && is_counted(result)
                 ? learn(result, {known(*side).number})
                 : fails();
  }
  const Value* values[3] = {as(w, &mask, DType::int1, 0), operand(w, operands, 1, result.dtype),
                            operand(w, operands, 2, result.dtype)};
  add({{.kind = Kind::select, .select = loops().select(size_in_bytes(result.dtype))}}, 3, values, result);
}

void Replay::on_reduction(const Where& w, const Value& x, const Value& result) {
  if (w.op != Op::sum && w.op != Op::max && w.op != Op::min) return fails();
  const DType t = accumulator_dtype(result.dtype);
  const Value* in = as(w, &x, t, 0);
  const auto axis = static_cast<int>(state_.literals[0].value);
  if (failed_ || in->form != Form::dense || !is_contiguous(*in) || !std::equal(x.dims, x.dims + x.rank, in->dims))
    return fails();
  const Value* out = t == result.dtype ? &result : scratch(t, result.rank, result.dims, 3);
  if (out->form != Form::splat && (out->form != Form::dense || !is_contiguous(*out) || out->base)) return fails();
  Work work{{.kind = Kind::reduce, .reduce = loops().reduce(w.op, t)}};
  std::int64_t strides[max_rank];
  if (!put(work, 1, *in, in->rank, strides)) return fails();
  work.n = in->dims[axis];
  work.steps[0] = work.steps[1] = 1;  // outer, inner
  for (int i = 0; i < in->rank; ++i)
    if (i != axis) work.steps[i > axis] *= in->dims[i];
  if (w.op == Op::sum && is_float(t) && state_.last_order) {
    work.order = state_.last_order;
    work.ordered = loops().ordered_sum(t);
  } else if (work.steps[1] > 1)
    work.binary = loops().binary(w.op == Op::sum ? Op::add : w.op == Op::max ? Op::maximum : Op::minimum, t);
  if (known(*in).load >= 0) {  // read in place only if contiguous
    std::int64_t expected = 1;
    for (int i = in->rank - 1; i >= 0; --i) {
      uses_.back().may &= in->dims[i] == 1 || uses_.back().strides[i] == expected;
      expected *= in->dims[i];
    }
  }
  learn(*out, {});
  if (!put(work, 0, *out, out->rank, strides)) return fails();
  works_.push_back(work);
  if (out != &result) add({{.kind = Kind::unary, .unary = loops().cast(t, result.dtype)}}, 1, &out, result);
}

// An operand of a dot as row-major elements.
const Value* Replay::matrix(const Where& w, const Value* v, DType t, RoundLoop round, int slot) {
  const Value* x = as(w, v, t, slot);
  if (failed_) return x;
  const auto derive = [&](Work work, int to) {
    const Value* r = scratch(t, 2, x->dims, to);
    std::int64_t strides[max_rank];
    if (!put(work, 1, *x, 2, work.steps)) return fails();
    if (work.ids[1] && known(*x).load >= 0) uses_.back().may = false;
    work.n = x->dims[0];
    work.steps[2] = x->dims[1];
    learn(*r, {});
    if (!put(work, 0, *r, 2, strides)) return fails();
    works_.push_back(work);
    x = r;
  };
  if (!x->id) {
    Ref own = make_dense(state_, t, 2, x->dims);
    std::memcpy(own->buffer->bytes(), flat(*x), static_cast<std::size_t>(x->count * size_in_bytes(t)));
    x = keep(std::move(own));
  } else if (x->form == Form::dense && x->strides[0] == 1 && x->strides[1] != 1 && size_in_bytes(t) == 4) {
    derive({{.kind = Kind::transpose, .unary = nullptr}}, slot + 4);
  } else if (x->form != Form::dense || x->strides[1] != 1 || x->strides[0] < x->dims[1]) {
    fails();
  }
  if (round && !failed_) derive({{.kind = Kind::round, .round = round}}, slot + 6);
  return x;
}

void Replay::on_dot(const Where& w, std::span<const Value* const> operands, const Value& result, bool rounds) {
  const DType t = result.dtype;
  if (!is_float(t) || result.rank != 2) return fails();
  const DotPlan plan = plan_dot(state_, {operands[0]->dtype, operands[1]->dtype, !rounds, false}, result.dims[0],
                                result.dims[1], operands[0]->dims[1]);
  const Value *a = matrix(w, operands[0], t, plan.round, 0), *b = matrix(w, operands[1], t, plan.round, 1),
              *acc = operands.size() > 2 ? operands[2] : nullptr;
  if (failed_ || result.form != Form::dense || !is_contiguous(result) || result.base) return fails();
  if (acc && !acc->id && acc->form == Form::splat && double_of(*acc) == 0) acc = nullptr;
  Work work{{.kind = Kind::dot, .dot = loops().dot(t)}};
  Geometry g;
  g.dims[0] = result.dims[0];
  g.dims[1] = result.dims[1];
  g.dims[2] = a->dims[1];
  g.chip = plan.chip;
  const Value* sides[3] = {a, b, acc};
  for (int i = 0; i < 3; ++i) {
    if (!sides[i]) continue;
    const std::size_t before = uses_.size();
    if (!put(work, i + 1, *sides[i], 2, g.views[i + 1].strides)) return fails();
    if (g.views[i + 1].strides[1] != 1 && sides[i]->dims[1] > 1) return fails();
    if (uses_.size() > before) {
      Use& use = uses_.back();
      use.may = i < 2 && use.strides[1] == 1 && use.strides[0] >= sides[i]->dims[1] &&
                (i == 0 || g.dims[0] <= most_rows_in_place);
    }
  }
  learn(result, {});
  if (!put(work, 0, result, 2, g.views[0].strides)) return fails();
  work.geometry = static_cast<int>(geometries_.size());
  geometries_.push_back(g);
  works_.push_back(work);
}

}  // namespace tl::cpu
