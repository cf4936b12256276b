// Capturing a program: what its ops do with data, as calls of their loops.
#include <algorithm>

#include "interp/cpu/replay.h"

namespace tl::cpu {

namespace {
constexpr std::int64_t most_rows_in_place = 16;  // of a dot whose right side is read once
}

const Value* Replay::keep(Ref r) {
  kept_.push_back(std::move(r));
  return kept_.back().get();
}

// The elements of a value that is the same in every program: one where it is uniform, else row-major. They are the
// replay's own, since the memory of values may be that of others, which the work writes.
std::byte* Replay::copy_of(const Value& v) {
  for (const auto& [value, bytes] : copies_)
    if (value.get() == &v) return bytes.get()->bytes;
  const std::int64_t size = (is_uniform(v) ? 1 : v.count) * size_in_bytes(v.element_dtype());
  auto lines = std::make_unique<Line[]>(static_cast<std::size_t>(size + 63) / 64);
  std::memcpy(lines.get(), is_uniform(v) ? view_of(v).data : flat(v), static_cast<std::size_t>(size));
  copies_.emplace_back(Ref::share(&v), std::move(lines));
  return copies_.back().second.get()->bytes;
}

// A value of the replay's own, for what lives from one call to the next.
const Value* Replay::scratch(DType t, int rank, const std::int64_t* dims, int slot) {
  for (auto& [s, r] : scratch_)
    if (s == slot && r->dtype == t && r->rank == rank && std::equal(dims, dims + rank, r->dims)) return r.get();
  scratch_.emplace_back(slot, make_dense(state_, t, rank, dims));
  return scratch_.back().second.get();
}

// The value in another dtype. Along a broadcast axis one lane is converted for all.
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

// An operand, or the literal in its place, in a dtype.
const Value* Replay::operand(const Where& w, std::span<const Value* const> operands, std::size_t i, DType t) {
  if (i < operands.size() && operands[i]) return as(w, operands[i], t, static_cast<int>(i));
  if (i < 3 && (given_ >> i & 1)) return keep(as_value(w, {{}, true, literals_[i]}, t));
  fails();
  return nullptr;
}

// Where the elements of an operand are, and its strides at a result's coordinates.
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

// Lane by lane.
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
    work.binary = loops().binary(w.op, computed);
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
  if (mask.form == Form::box && is_uniform(mask)) {  // one side, as it is
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
  if (work.steps[1] > 1)
    work.binary = loops().binary(w.op == Op::sum ? Op::add : w.op == Op::max ? Op::maximum : Op::minimum, t);
  if (known(*in).load >= 0) {  // in place where the lanes lie side by side
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

// Row-major elements of a side of a dot.
const Value* Replay::matrix(const Where& w, const Value* v, DType t, bool rounds, int slot) {
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
  if (rounds && !failed_) derive({{.kind = Kind::round, .unary = nullptr}}, slot + 6);
  return x;
}

void Replay::on_dot(const Where& w, std::span<const Value* const> operands, const Value& result, bool rounds) {
  const DType t = result.dtype;
  const Value *a = matrix(w, operands[0], t, rounds, 0), *b = matrix(w, operands[1], t, rounds, 1),
              *acc = operands.size() > 2 ? operands[2] : nullptr;
  if (failed_ || result.form != Form::dense || !is_contiguous(result) || result.base) return fails();
  if (acc && !acc->id && acc->form == Form::splat && double_of(*acc) == 0) acc = nullptr;
  Work work{{.kind = Kind::dot, .dot = loops().dot(t)}};
  Geometry g;
  g.dims[0] = result.dims[0];
  g.dims[1] = result.dims[1];
  g.dims[2] = a->dims[1];
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

// ---- memory

int Replay::tile(const Value* pointer, const trace::Access& access) {
  Number base;
  if (pointer && pointer->id)
    base = known(*pointer).number == none
               ? none
               : step(Op::add, known(*pointer).number, constant(access.base - pointer->base));
  else base = step(Op::add, constant(access.base), 0);
  if (base == none) {
    fails();
    return -1;
  }
  std::int64_t count = 1;
  for (const std::int64_t n : access.shape) count *= n;
  Lanes l = make_tile({state_, Op::load, {}}, access.tensor, static_cast<int>(access.shape.size()), count, access.base,
                      false);
  for (std::size_t i = 0; i < access.shape.size(); ++i)
    l.set_axis(static_cast<int>(i), access.shape[i], access.strides[i], access.lo[i], access.hi[i]);
  if (!l.none) require(base, l.base - l.first, l.tensor->storage_elems - 1 - (l.last - l.base));
  tiles_.push_back({l, base});
  return static_cast<int>(tiles_.size()) - 1;
}

void Replay::on_load(std::span<const Value* const> operands, const Value& result, const trace::Access& access) {
  const Value* pointer = operands[0] && operands[0]->is_pointer ? operands[0] : nullptr;
  if (result.form != Form::dense && result.form != Form::splat) return fails();
  Work work{{.kind = Kind::load, .unary = nullptr}};
  work.tile = tile(pointer, access);
  if (failed_) return;
  Tile& t = tiles_.back();
  const Value* other = operands.size() == 3 ? operands[2] : nullptr;
  if (!t.lanes.all) {
    if (operands.size() != 3 || (other && (other->id || !is_uniform(*other)))) return fails();
    if (other) std::memcpy(t.fill, view_of(*other).data, static_cast<std::size_t>(size_in_bytes(other->dtype)));
  }
  learn(result, {});
  std::int64_t strides[max_rank];
  if (!put(work, 0, result, result.rank, strides)) return fails();
  if (t.lanes.all && t.lanes.count > 1) known_.back().load = static_cast<int>(works_.size());
  works_.push_back(work);
}

void Replay::on_store(const Where& w, std::span<const Value* const> operands, const trace::Access& access) {
  const bool has_pointer = operands[0] && operands[0]->is_pointer;
  const Value* value = has_pointer ? operands[1] : operands[0];
  const DType t = state_.launch.tensors[static_cast<std::size_t>(access.tensor)].dtype;
  const Value* x = value                       ? as(w, value, t, 0)
                   : has_pointer && given_ & 2 ? keep(cast_value(w, {{}, true, literals_[1]}, t))
                                               : nullptr;
  if (!x || failed_) return fails();
  Work work{{.kind = Kind::store, .unary = nullptr}};
  work.tile = tile(has_pointer ? operands[0] : nullptr, access);
  if (failed_ || !put(work, 1, *x, static_cast<int>(access.shape.size()), tiles_.back().view.strides)) return fails();
  works_.push_back(work);
}

// ---- when all is known

namespace {
bool overlap(const Tensor& a, const Tensor& b) {
  return a.data() < b.data() + b.storage_bytes() && b.data() < a.data() + a.storage_bytes();
}
}  // namespace

// Loads whose lanes are read where they lie in the tensor, by all who read them: before this program stores.
void Replay::read_in_place() {
  const auto work = [&](int i) -> Work& { return works_[static_cast<std::size_t>(i)]; };
  const auto is_store = [](const Work& w) { return w.kind == Kind::store; };
  std::vector<char> stays(works_.size());
  for (const Use& u : uses_) {
    const Tensor& from = *tiles_[static_cast<std::size_t>(work(u.load).tile)].lanes.tensor;
    const bool safe =
        u.may && std::none_of(works_.begin() + u.load, works_.begin() + u.work, is_store) &&
        (!is_store(work(u.work)) || !overlap(from, *tiles_[static_cast<std::size_t>(work(u.work).tile)].lanes.tensor));
    if (!safe) stays[static_cast<std::size_t>(u.load)] = 1;
  }
  for (const Use& u : uses_) {
    if (stays[static_cast<std::size_t>(u.load)]) continue;
    Work& by = work(u.work);
    const Tile& t = tiles_[static_cast<std::size_t>(work(u.load).tile)];
    by.at[u.operand] = {t.lanes.tensor->data(), t.base, size_in_bytes(t.lanes.tensor->dtype)};
    by.in_place[u.operand] = t.lanes.tensor;
    if (by.geometry >= 0)
      std::copy_n(u.strides, max_rank, geometries_[static_cast<std::size_t>(by.geometry)].views[u.operand].strides);
    else if (by.tile >= 0) std::copy_n(u.strides, max_rank, tiles_[static_cast<std::size_t>(by.tile)].view.strides);
  }
  std::size_t n = 0;
  for (std::size_t i = 0; i < works_.size(); ++i)
    if (works_[i].kind != Kind::load || stays[i] || tiles_[static_cast<std::size_t>(works_[i].tile)].lanes.count == 1 ||
        !tiles_[static_cast<std::size_t>(works_[i].tile)].lanes.all)
      works_[n++] = works_[i];
  works_.resize(n);
}

void Replay::fetch_ahead() {
  constexpr std::int64_t least = 256, most = 8192;
  if (works_.size() < 3) return;  // a program of one pass leaves it to the hardware
  const auto add = [&](std::size_t call, Address at, std::int64_t bytes, bool is_written) {
    if (!at.number || bytes < least || bytes > most) return;
    at.at += bytes;
    const bool known =
        std::any_of(fetched_.rbegin(), fetched_.rbegin() + std::min<std::ptrdiff_t>(4, std::ssize(fetched_)),
                    [&](const Range& r) { return r.at.at == at.at && r.at.number == at.number; });
    if (!known) fetched_.push_back({static_cast<int>(call), at, bytes, is_written});
  };
  for (std::size_t i = 0; i < works_.size(); ++i) {
    const Work& w = works_[i];
    if (w.kind == Kind::load) {
      const Tile& t = tiles_[static_cast<std::size_t>(w.tile)];
      const Lanes& l = t.lanes;
      const int size = size_in_bytes(l.tensor->dtype);
      if (l.rank == 1 && l.strides[0] == 1 && !l.none)
        add(i, {l.tensor->data() + l.lo[0] * size, t.base, size}, (l.hi[0] - l.lo[0]) * size, false);
    }
    for (int k = 0; k < 4; ++k)
      if (w.kind == Kind::reduce ? k == 1 : w.flat && w.steps[k] == 1)
        add(i, w.at[k], w.n * w.at[k].size * (w.kind == Kind::reduce ? w.steps[0] * w.steps[1] : 1), k == 0);
  }
}

// Results that are stored at once, and that nothing else reads, are written into the tensor.
void Replay::write_in_place() {
  for (std::size_t i = 0; i + 1 < works_.size(); ++i) {
    const Work& store = works_[i + 1];
    if (store.kind != Kind::store || !store.ids[1] || store.ids[1] != works_[i].ids[0]) continue;
    std::int64_t readers = 0;
    for (const Work& w : works_) readers += std::count(w.ids + 1, w.ids + 4, store.ids[1]);
    if (readers == 1 && write_in_place(works_[i], store))
      works_.erase(works_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

bool Replay::write_in_place(Work& from, const Work& store) {
  const Tile& t = tiles_[static_cast<std::size_t>(store.tile)];
  const Lanes& l = t.lanes;
  if (from.geometry < 0 || l.none || l.count == 1) return false;
  for (const Tensor* read : from.in_place)
    if (read && overlap(*read, *l.tensor)) return false;
  Geometry& g = geometries_[static_cast<std::size_t>(from.geometry)];
  const bool is_dot = from.kind == Kind::dot;
  if (is_dot ? !l.all || l.rank != 2 || l.strides[0] < l.dims[1] : g.rank != l.rank) return false;
  std::int64_t expected = 1;
  for (int i = l.rank - 1; i >= 0; --i) {  // the value as it was made
    if (g.dims[i] != l.dims[i] || (l.dims[i] > 1 && t.view.strides[i] != expected)) return false;
    expected *= l.dims[i];
  }
  if (l.strides[l.rank - 1] != 1) return false;
  from.at[0] = {l.tensor->data(), t.base, size_in_bytes(l.tensor->dtype)};
  for (int i = 0; i < l.rank; ++i) {
    g.views[0].strides[i] = l.strides[i];
    if (is_dot) continue;
    for (int k = 0; k < 4; ++k) from.at[k].at += l.lo[i] * g.views[k].strides[i] * from.at[k].size;
    g.dims[i] = l.hi[i] - l.lo[i];
  }
  return true;
}

}  // namespace tl::cpu
