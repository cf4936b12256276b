#include "interp/prove/follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interp/prove/induction.h"

namespace tl::prove {

namespace {
constexpr std::int64_t most_programs = 256;
}

Follower::Follower(const Launch& launch, const CaseFormulas& formulas)
    : launch_(launch), arguments_(formulas.arguments), path_(constant(true)) {
  for (const std::optional<TensorFormula>& t : formulas.tensors) {
    Tile& tile = whole_tensors_.emplace_back();
    tile.base.number = Number(0);
    for (std::size_t i = 0; t && i < t->shape.size(); ++i) {
      tile.shape.push_back({t->shape[i], {}, {}});
      tile.strides.push_back({t->strides[i], {}, {}});
    }
  }
  int tensors = 0;
  for (const Argument& a : launch.arguments) {
    tensors_before_.push_back(tensors);
    tensors += std::holds_alternative<TensorArgument>(a) || std::holds_alternative<DescriptorArgument>(a);
  }
}
Follower::~Follower() = default;

void Follower::begins_program() {
  end_path();
  ++programs_;
  loops_.clear();
  ended_.clear();
  known_.clear();
  tiles_.clear();
}

void Follower::end_path() {
  if (programs_ > 0 && seen_paths_.insert(text_of(path_)).second) paths.push_back(path_);
  path_ = constant(true);
}

bool Follower::is_muted() const {
  return programs_ > most_programs || std::ranges::any_of(loops_, [](const auto& l) { return l->is_muted(); });
}

Known Follower::known(const Value* v) const {
  if (!v) return {};
  const auto found = known_.find(v->id);
  return v->id && found != known_.end() ? found->second : of_constant(*v);
}

void Follower::learn(const Value& v, Known k) {
  Value& value = const_cast<Value&>(v);
  if (!value.id) value.id = ++last_id_;
  known_[value.id] = std::move(k);
}

int Follower::need(Need n) {
  const auto [known, is_new] = need_numbers_.try_emplace(text_of(n.holds), static_cast<int>(needs.size()));
  if (is_new) needs.push_back(std::move(n));
  return known->second;
}

void Follower::program_id(Value& v, int axis) { learn(v, {Number::symbol(fmt::format("p{}", axis)), {}, {}}); }
void Follower::num_programs(Value& v, int axis) { learn(v, {Number::symbol(fmt::format("g{}", axis)), {}, {}}); }

void Follower::argument(Value& v, const IntArgument& a, int tensors_before) {
  std::optional<Number> found;
  bool is_ambiguous = false;
  for (std::size_t i = 0; i < launch_.arguments.size(); ++i) {
    const auto* other = std::get_if<IntArgument>(&launch_.arguments[i]);
    if (!other || other->value != a.value || other->dtype != a.dtype || tensors_before_[i] != tensors_before) continue;
    if (!arguments_[i] || (found && !(*found == *arguments_[i]))) is_ambiguous = true;
    else found = arguments_[i];
  }
  if (is_ambiguous) gaps.insert(fmt::format("two arguments are {}: give them different values", a.value));
  learn(v, {is_ambiguous ? std::nullopt : found, {}, {}});
}

void Follower::branches(const Value& v, bool taken) {
  if (is_muted()) return;
  const Known k = known(&v);
  ConditionPtr c = k.condition;
  if (!c && k.number) c = negation(equal(*k.number, 0));
  if (!c) c = condition_symbol("u_branch");
  path_ = both(path_, taken ? c : negation(c));
}

void Follower::range(const cpu::Operand& lo, const cpu::Operand& hi, const cpu::Operand& step) {
  const auto of = [&](const cpu::Operand& o) {
    return o.block ? known(o.block->data()) : Known{Number(o.literal.integer), {}, {}};
  };
  bounds_ = {of(lo), of(hi), of(step)};
}

cpu::Loop* Follower::begin_loop(const Site& site, long long lo, long long step, long long turns) {
  loops_.push_back(std::make_unique<Induction>(*this, site, bounds_, lo, step, turns));
  return loops_.back().get();
}

void Follower::assigned(cpu::Handle& h, Value* old, Value& now) {
  if (loops_.empty()) return;
  now.observed = true;  // so that the handle's end is told
  for (const auto& l : loops_) l->assigned(h, old);
}
void Follower::forgotten(const cpu::Handle& h) {
  for (const auto& l : loops_) l->forgotten(h);
}

std::vector<Known> Follower::all_known(std::span<const cpu::Operand> operands) const {
  std::vector<Known> all;
  for (const cpu::Operand& o : operands)
    all.push_back(o.block ? known(o.block->data()) : Known{Number(o.literal.integer), {}, {}});
  return all;
}

std::uint64_t Follower::tile(const Value& base, std::span<const cpu::Operand> entries, int rank) {
  const auto n = static_cast<std::size_t>(rank);
  tiles_.push_back({known(&base), all_known(entries.first(n)), all_known(entries.subspan(n, n)),
                    entries.size() > 2 * n ? all_known(entries.subspan(2 * n, n)) : std::vector<Known>()});
  return tiles_.size();
}

std::uint64_t Follower::advanced(std::uint64_t from, std::span<const cpu::Operand> by) {
  if (from == 0) return 0;
  Tile next = tile_of(from);
  const std::vector<Known> steps = all_known(by);
  for (std::size_t i = 0; i < next.offsets.size(); ++i) {
    Known& offset = next.offsets[i];
    if (offset.number && steps[i].number) offset.number = *offset.number + *steps[i].number;
    else offset.number.reset();
    offset.needs.insert(steps[i].needs.begin(), steps[i].needs.end());
  }
  tiles_.push_back(std::move(next));
  return tiles_.size();
}

void Follower::goes_through(std::uint64_t tile, std::span<const cpu::Operand> at, unsigned checked) {
  through_ = Through{tile, all_known(at), checked};
}

void Follower::assigned(const void* variable, std::uint64_t old_tile, std::uint64_t tile) {
  for (const auto& l : loops_) l->assigned(variable, old_tile, tile);
}

void Follower::op(const cpu::Where& w, std::span<const Value* const> operands, std::span<const Value* const> results,
                  std::span<const trace::LiteralOperand> literals, const trace::Access* a) {
  if (w.state.quiet || programs_ > most_programs) return;
  if (a) access(w, operands, *a);
  if (w.op == Op::range && results.size() == 1 && !loops_.empty())
    return learn(*results[0], loops_.back()->knows_index() ? Known{loops_.back()->index(), {}, {}} : Known());
  for (const Value* r : results) {
    if (known_.contains(r->id) && r->id) continue;  // an operand itself, an id
    learn(*r, results.size() == 1 ? computed(w, operands, *r, literals) : Known());
  }
}

// Lane l0, l1, .. of the tile stands at its offset and the lane's number along each axis.
void Follower::reach(FoundAccess& found, const Through& through) const {
  const Tile* tile = nullptr;
  if (through.tile > 0) tile = &tiles_[through.tile - 1];
  else if (const auto t = static_cast<std::size_t>(found.tensor); t < whole_tensors_.size()) tile = &whole_tensors_[t];
  const std::vector<Known>* offsets = !tile ? nullptr : through.at.empty() ? &tile->offsets : &through.at;
  if (!tile || !tile->base.number || offsets->size() != found.extents.size() || tile->shape.size() != offsets->size()) {
    found.unknown = "where its tile stands follows from data, or from what formulas do not know";
    return;
  }
  found.offset = *tile->base.number;
  const auto needed = [&](const Known& k) { found.needs.insert(k.needs.begin(), k.needs.end()); };
  needed(tile->base);
  for (std::size_t i = 0; i < offsets->size(); ++i) {
    const Known &offset = (*offsets)[i], &stride = tile->strides[i], &size = tile->shape[i];
    const bool is_checked = (through.checked >> i & 1) != 0;
    if (!offset.number || !stride.number || (is_checked && !size.number)) {
      found.unknown = "where its tile stands follows from data, or from what formulas do not know";
      return;
    }
    const Number at =
        found.extents[i] > 1 ? *offset.number + Number::symbol(lane_name(static_cast<int>(i))) : *offset.number;
    found.offset = found.offset + at * *stride.number;
    needed(offset);
    needed(stride);
    if (!is_checked) continue;
    found.mask = both(found.mask, both(at_most(0, at), less(at, *size.number)));
    found.mask_needs.insert(size.needs.begin(), size.needs.end());
    found.mask_needs.insert(offset.needs.begin(), offset.needs.end());
  }
}

void Follower::access(const cpu::Where& w, std::span<const Value* const> operands, const trace::Access& a) {
  const std::optional<Through> through = std::exchange(through_, std::nullopt);
  if (is_muted()) return;
  FoundAccess found;
  found.site = w.location.site();
  found.op = w.op;
  found.tensor = a.tensor;
  found.mask = constant(true);
  found.path = path_;
  for (const std::int64_t n : a.shape.span()) found.extents.push_back(n);
  const Value* pointer = operands.empty() ? nullptr : operands[0];
  if (through) reach(found, *through);
  else if (!pointer || !pointer->is_pointer) found.unknown = "its rows follow from data";
  else {
    const Known p = known(pointer);
    if (p.number) found.offset = *p.number;
    else found.unknown = "its offsets follow from data, or from an op that formulas do not know";
    found.needs = p.needs;
    const std::size_t mask_at = w.op == Op::load ? 1 : 2;
    if (const Value* m = mask_at < operands.size() && w.op != Op::atomic_cas ? operands[mask_at] : nullptr) {
      const Known mask = broadcast_to(known(m), *m, *pointer);
      found.mask = mask.condition ? mask.condition : condition_symbol(fmt::format("u_mask{}", found.site.line));
      found.mask_needs = mask.needs;
    }
  }
  const std::string key = fmt::format("{}:{}:{}:{}:{}:{}:{}", found.site.line, found.site.column, found.tensor,
                                      found.unknown, found.offset.text(), text_of(found.mask), text_of(found.path));
  if (seen_.insert(key).second) accesses.push_back(std::move(found));
}

}  // namespace tl::prove
