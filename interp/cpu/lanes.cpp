// The lanes of an access: a list where they are no tile, and what is out of bounds.
#include "interp/cpu/lanes.h"

#include <fmt/format.h>

#include "interp/cpu/absent.h"

namespace tl::cpu {

Lanes unknown_lanes(const Where& w, int tensor, int rank, const std::int64_t* dims) {
  std::int64_t count = 1;
  for (int i = 0; i < rank; ++i) count *= dims[i];
  Lanes l = make_tile(w, tensor, rank, count, 0, true);
  for (int i = 0; i < rank; ++i) l.set_axis(i, dims[i], 0, 0, 0);
  l.turn_off();
  return l;
}

void list_lanes(const Where& w, Lanes& l, const Value& p, const Value* mask) {
  if (mask && mask->dtype != DType::int1)
    fail(w, FaultKind::shape, std::string("a mask holds bools, this one ") + name_of(mask->dtype), "",
         "compare to make a mask, as in offsets < n");
  if ((is_absent(p) || is_absent(mask)) && goes_on_without(w)) {
    l = unknown_lanes(w, p.tensor, p.rank, p.dims);
    return;
  }
  if (is_absent(p)) needs_values(w, p, "an address");
  if (is_absent(mask)) needs_values(w, *mask, "the mask");
  if (p.form == Form::affine && mask && mask->form == Form::box &&
      mask->rank < p.rank) {  // a tile all the same, once it has as many axes
    const Ref whole = broadcast(w, *mask, p.rank, p.dims);
    l = make_tile(w, p.tensor, p.rank, p.count, p.base, true);
    if (with_rank(p.rank, [&](auto rank) { return read_tile(l, rank, p, whole.get()); })) return;
  }
  l.is_tile = false;
  l.all = !mask;
  l.none = false;
  l.base = 0;
  for (int i = 0; i < p.rank; ++i) l.shape[i] = p.dims[i];
  if (mask) l.keep_mask = broadcast(w, *mask, p.rank, p.dims);  // refuses a mask of another shape
  l.keep_offsets = Ref::share(&p);
  l.offsets = reinterpret_cast<const std::int64_t*>(flat(p));
  if (mask) l.mask = reinterpret_cast<const unsigned char*>(flat(*l.keep_mask));
}

bool are_inside(const Lanes& l) {
  const auto size = static_cast<std::uint64_t>(l.memory->storage_elems);
  bool inside = true;
  if (l.mask)
    for (std::int64_t i = 0; i < l.count; ++i) inside &= !l.mask[i] | (static_cast<std::uint64_t>(l.offsets[i]) < size);
  else
    for (std::int64_t i = 0; i < l.count; ++i) inside &= static_cast<std::uint64_t>(l.offsets[i]) < size;
  return inside;
}

namespace {

std::string text_of_tensor(const Tensor& t) {
  std::string s = std::to_string(t.storage_elems);
  if (t.shape.size() < 2) return s;
  s += " (";
  for (std::size_t i = 0; i < t.shape.size(); ++i) s += (i ? " x " : "") + std::to_string(t.shape[i]);
  return s + ")";
}

}  // namespace

namespace {

// What holds for the offsets that are inside. For a tensor with several axes a bound on the offset alone stops the
// fault and gives a wrong result: a row would run on into the next.
std::string bounds_text(const Tensor& t, bool some_below, bool some_beyond) {
  std::string result;
  const std::size_t axes = std::max<std::size_t>(t.shape.size(), 1);
  for (std::size_t i = 0; i < axes; ++i) {
    std::string name = i ? "columns" : "rows";
    if (axes == 1) name = "offsets";
    if (axes > 2) name = fmt::format("axis_{}", i);
    const std::string below = name + " >= 0",
                      beyond = fmt::format("{} < {}", name, axes == 1 ? t.storage_elems : t.shape[i]);
    for (const auto& [applies, text] :
         {std::pair(some_below, &below), std::pair(some_beyond || !some_below, &beyond)}) {
      const bool is_alone = axes == 1 && !(some_below && some_beyond);
      if (applies) result += (result.empty() ? "" : " & ") + (is_alone ? *text : "(" + *text + ")");
    }
  }
  return result;
}

std::string fix_of(const Where& w, const Lanes& l, bool some_below, bool some_beyond) {
  const Notation notation = notation_of(w);
  const char* const op = w.op == Op::load ? "load" : "op";
  if (l.is_block_pointer) {
    if (l.is_masked)
      return "every axis is checked, so the block pointer does not describe the tensor: give make_block_ptr the "
             "tensor's shape and strides";
    return "pass " + notation.options({{"boundary_check", notation.axes(l.shape.rank)}});
  }
  const std::string bounds = bounds_text(*l.memory, some_below, some_beyond);
  const bool has_axes = l.memory->shape.size() >= 2;
  const std::string along = fmt::format(
      "this {}'s offsets along each axis: a bound on the offset alone would let a row run on into the next", op);
  if (l.is_masked)
    return fmt::format("the mask lets this lane through: make sure that {}{}", bounds, has_axes ? ", " + along : "");
  return fmt::format("pass {}, {}", notation.options({{"mask", bounds}}),
                     has_axes ? "with " + along : fmt::format("or what says so for the offsets of this {}", op));
}

}  // namespace

void refuse_out_of_bounds(const Where& w, const Lanes& l) {
  if (goes_on_without(w) && !l.memory->is_none) return;
  std::int64_t lane = -1, element = -1;
  bool some_below = false, some_beyond = false;
  for_each_active_lane(l, [&](std::int64_t i, std::int64_t e) {
    some_below |= e < 0;
    some_beyond |= e >= l.memory->storage_elems;
    if (lane < 0 && (e < 0 || e >= l.memory->storage_elems)) {
      lane = i;
      element = e;
    }
  });
  Fault f = make_fault(w, FaultKind::out_of_bounds, "", "", "");
  f.headline = l.count == 1 ? fmt::format("{}: program {} is out of bounds", trace::text_of(w.op),
                                          text_of(w.state.program, w.state.launch.launch.grid))
                            : fmt::format("{}: lane {} of program {} is out of bounds", trace::text_of(w.op), lane,
                                          text_of(w.state.program, w.state.launch.launch.grid));
  f.detail = fmt::format("element {} of \"{}\", which holds {}", element, l.memory->name, text_of_tensor(*l.memory));
  if (l.memory->is_none) {
    f.detail = fmt::format("\"{}\" is None", l.memory->name);
    f.fix = notation_of(w).is_python()
                ? fmt::format("ask first, if {} is not None:, or pass a tensor", l.memory->name)
                : fmt::format("ask first: if (!tl.is_none({})), or pass a tensor", l.memory->name);
    f.lane = lane;
    f.tensor = l.memory->name;
    f.element = element;
    fail(std::move(f));
  }
  // A negative offset as large as that is what int32 arithmetic makes of one past 2^31.
  const bool has_wrapped = element < 0 && (element < -(1ll << 30) || l.memory->storage_elems > (1ll << 31));
  f.fix =
      has_wrapped
          ? std::string("int32 offsets wrap past 2147483647: widen before multiplying, as in pid.to(tl.int64) * BLOCK")
          : fix_of(w, l, some_below, some_beyond);
  f.lane = lane;
  f.tensor = l.memory->name;
  f.element = element;
  fail(std::move(f));
}

Ref mask_of(State& s, const Lanes& l) {
  if (l.none || l.all) return make_bool(s, l.all, l.shape.rank, l.dims());
  if (!l.is_tile) return l.keep_mask;
  Ref r = Ref::take(s.make(Form::box, DType::int1, l.shape.rank, l.dims()));
  r->base = 1;
  for (int i = 0; i < l.shape.rank; ++i) {
    r->lo()[i] = l.lo[i];
    r->hi[i] = l.hi[i];
  }
  return r;
}

}  // namespace tl::cpu
