// Capturing a program: its loads and stores, and which of them need no copy.
#include <algorithm>

#include "interp/cpu/replay.h"

namespace tl::cpu {

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
  const int rank = access.shape.rank;
  Lanes l = make_tile({state_, Op::load, {}}, access.tensor, rank, access.lanes(), access.base, false);
  l.kind = access.kind;
  for (int i = 0; i < rank; ++i) l.set_axis(i, access.shape[i], access.strides[i], access.lo[i], access.hi[i]);
  if (!l.none) require(base, l.base - l.first, l.memory->storage_elems - 1 - (l.last - l.base));
  tiles_.push_back({l, base});
  return static_cast<int>(tiles_.size()) - 1;
}

void Replay::on_address(std::span<const Value* const> operands, std::span<const Value* const> results,
                        const trace::Access& access) {
  tile(operands[0] && operands[0]->is_pointer ? operands[0] : nullptr, access);
  if (!failed_) tiles_.back().has_undefined_lanes = !results.empty() && results[0]->undefined;
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
  if (failed_ || !put(work, 1, *x, access.shape.rank, tiles_.back().view.strides)) return fails();
  works_.push_back(work);
}

namespace {
bool overlap(const Tensor& a, const Tensor& b) {
  return a.data() < b.data() + b.storage_bytes() && b.data() < a.data() + a.storage_bytes();
}
}  // namespace

// Drops the loads whose lanes every reader can read from the tensor itself: no store of this program comes between, and
// the reader does not write into that tensor.
void Replay::read_in_place() {
  const auto work = [&](int i) -> Work& { return works_[static_cast<std::size_t>(i)]; };
  const auto is_store = [](const Work& w) { return w.kind == Kind::store; };
  std::vector<char> stays(works_.size());
  for (const Use& u : uses_) {
    const Tensor& from = *tiles_[static_cast<std::size_t>(work(u.load).tile)].lanes.memory;
    const bool safe =
        u.may && std::none_of(works_.begin() + u.load, works_.begin() + u.work, is_store) &&
        (!is_store(work(u.work)) || !overlap(from, *tiles_[static_cast<std::size_t>(work(u.work).tile)].lanes.memory));
    if (!safe) stays[static_cast<std::size_t>(u.load)] = 1;
  }
  for (const Use& u : uses_) {
    if (stays[static_cast<std::size_t>(u.load)]) continue;
    Work& by = work(u.work);
    const Tile& t = tiles_[static_cast<std::size_t>(work(u.load).tile)];
    by.at[u.operand] = {t.lanes.memory->data(), t.base, size_in_bytes(t.lanes.memory->dtype)};
    by.in_place[u.operand] = t.lanes.memory;
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

// Lists what the program after this one will likely touch, for run() to prefetch: the bytes right after this one's.
void Replay::fetch_ahead() {
  constexpr std::int64_t least = 256, most = 8192;
  if (works_.size() < 3) return;  // the hardware prefetches well enough
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
      const int size = size_in_bytes(l.memory->dtype);
      if (l.shape.rank == 1 && l.strides[0] == 1 && !l.none)
        add(i, {l.memory->data() + l.lo[0] * size, t.base, size}, (l.hi[0] - l.lo[0]) * size, false);
    }
    for (int k = 0; k < 4; ++k)
      if (w.kind == Kind::reduce ? k == 1 : w.flat && w.steps[k] == 1)
        add(i, w.at[k], w.n * w.at[k].size * (w.kind == Kind::reduce ? w.steps[0] * w.steps[1] : 1), k == 0);
  }
}

// Drops the stores whose value the call before makes and nothing else reads: that call writes into the tensor.
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
    if (read && overlap(*read, *l.memory)) return false;
  Geometry& g = geometries_[static_cast<std::size_t>(from.geometry)];
  const bool is_dot = from.kind == Kind::dot;
  if (is_dot ? !l.all || l.shape.rank != 2 || l.strides[0] < l.shape[1] : g.rank != l.shape.rank) return false;
  std::int64_t expected = 1;
  for (int i = l.shape.rank - 1; i >= 0; --i) {  // the store covers the value as it was made
    if (g.dims[i] != l.shape[i] || (l.shape[i] > 1 && t.view.strides[i] != expected)) return false;
    expected *= l.shape[i];
  }
  if (l.strides[l.shape.rank - 1] != 1) return false;
  from.at[0] = {l.memory->data(), t.base, size_in_bytes(l.memory->dtype)};
  for (int i = 0; i < l.shape.rank; ++i) {
    g.views[0].strides[i] = l.strides[i];
    if (is_dot) continue;
    for (int k = 0; k < 4; ++k) from.at[k].at += l.lo[i] * g.views[k].strides[i] * from.at[k].size;
    g.dims[i] = l.hi[i] - l.lo[i];
  }
  return true;
}

}  // namespace tl::cpu
