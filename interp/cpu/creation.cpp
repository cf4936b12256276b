// Where values come from: program ids, ranges of lanes, fills, casts, and a program's parameters.
#include <fmt/format.h>

#include "interp/cpu/absent.h"
#include "interp/cpu/exploration.h"
#include "interp/cpu/recording.h"
#include "interp/cpu/replay.h"
#include "interp/cpu/symbols.h"

namespace tl::cpu {

namespace {

void check_dim(const Where& w, long long n) {
  if (w.state.takes_any_shape && n > 0) return;
  if (n <= 0 || (n & (n - 1)))
    fail(w, FaultKind::shape, fmt::format("{} is not a power of two", n), "every dimension of a block is one",
         "round the block size up and mask the lanes beyond");
  if (n > 1048576)
    fail(w, FaultKind::shape, fmt::format("{} lanes are too many", n), "a block has at most 1048576",
         "use a smaller block");
}

// A sized shape, checked.
struct Checked {
  int rank;
  std::int64_t dims[max_rank];
};
Checked check(const Where& w, const Shape& s) {
  Checked c{s.rank, {}};
  std::int64_t count = 1;
  for (int i = 0; i < s.rank; ++i) {
    check_dim(w, s.dims[i]);
    c.dims[i] = s.dims[i];
    count *= s.dims[i];
  }
  check_dim(w, count);
  return c;
}

std::int64_t axis_of(ProgramId p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }
void check_axis(const Where& w, int axis) {
  if (axis < 0 || axis > 2) fail(w, FaultKind::shape, fmt::format("a grid has no axis {}", axis), "", "use 0, 1 or 2");
}

}  // namespace

Block Context::program_id(IntOption axis, Location location) {
  const Where w{state_, Op::program_id, location};
  check_axis(w, axis.value);
  Ref r = state_.exploration ? absent_scalar(state_, DType::int32)
                             : make_scalar(state_, DType::int32, axis_of(state_.program, axis.value));
  if (state_.replay) [[unlikely]]
    state_.replay->on_program_id(*r, axis.value);
  if (Symbols* s = state_.launch.options.symbols) [[unlikely]]
    s->program_id(*r, axis.value);
  return Block(finish(w, {}, std::move(r)).release());
}

Block Context::num_programs(IntOption axis, Location location) {
  const Where w{state_, Op::num_programs, location};
  check_axis(w, axis.value);
  if (state_.exploration) return Block(finish(w, {}, absent_scalar(state_, DType::int32)).release());
  const Grid& g = state_.launch.launch.grid;
  Ref r = make_scalar(state_, DType::int32, axis_of({g.x, g.y, g.z}, axis.value));
  if (Symbols* s = state_.launch.options.symbols) s->num_programs(*r, axis.value);
  return Block(finish(w, {}, std::move(r)).release());
}

Shape Context::shape(FixedInt a, FixedInt b, FixedInt c, FixedInt d, FixedInt e, FixedInt f) {
  Shape s;
  for (const FixedInt& n : {a, b, c, d, e, f})
    if (n.present) s.dims[s.rank++] = n.value;
  return s;
}

Axes Context::axes(FixedInt a, FixedInt b, FixedInt c, FixedInt d, FixedInt e, FixedInt f) {
  Axes s;
  for (const FixedInt& n : {a, b, c, d, e, f})
    if (n.present) s.axis[s.count++] = static_cast<int>(n.value);
  return s;
}

Block Context::arange(FixedInt start, FixedInt end, Location location) {
  const Where w{state_, Op::arange, location};
  const std::int64_t n = end.value - start.value;
  if (n <= 0)
    fail(w, FaultKind::shape, fmt::format("its end, {}, is not above its start, {}", end.value, start.value), "",
         "tl.arange(0, BLOCK)");
  check_dim(w, n);
  Ref r = Ref::take(state_.make(Form::affine, DType::int32, 1, &n));
  r->base = start.value;
  r->strides[0] = 1;
  return Block(finish(w, {}, std::move(r)).release());
}

Block Context::zeros(const Shape& shape, ElementType t, Location location) {
  const Where w{state_, Op::zeros, location};
  const Checked s = check(w, shape);
  return Block(finish(w, {}, make_number(state_, t.value, 0, 0, s.rank, s.dims)).release());
}

Block Context::full(const Shape& shape, Operand value, ElementType t, Location location) {
  const Where w{state_, Op::full, location};
  const Checked s = check(w, shape);
  const TypedOperand v = typed_operand(state_, value);
  const Ref scalar = cast_value(w, v, t.value);
  Ref r = cpu::broadcast(w, *scalar, s.rank, s.dims);
  return Block(
      finish(w, {v.data.get()}, r.get() == scalar.get() ? same_lanes(*r, s.rank, s.dims) : std::move(r)).release());
}

Block Context::zeros_like(const Block& x, Location location) { return full_like(x, Literal(0), location); }
Block Context::full_like(const Block& x, Operand value, Location location) {
  Shape s;
  s.rank = x.data()->rank;
  for (int i = 0; i < s.rank; ++i) s.dims[i] = x.data()->dims[i];
  return full(s, value, x.dtype, location);
}

// A value of one lane that assignments may change.
Block Context::scalar(Operand value, ElementType t, Location location) {
  const Where w{state_, Op::scalar, location};
  const TypedOperand v = typed_operand(state_, value);
  if (v.data && v.data->count != 1)
    fail(w, FaultKind::shape, "a scalar is made of one value", "this is " + text_of_shape(v.data->dims, v.data->rank),
         "reduce the block, or keep it as it is");
  const Ref r = cpu::broadcast(w, *cast_value(w, v, t.value), 0, nullptr);
  return Block(finish(w, {v.data.get()}, same_lanes(*r, 0, nullptr)).release());
}

// i = -1: the variable's dtype, where a literal beside it would take that too.
Block& Block::operator=(const AtLiteral& literal) {
  const Where w{state_of(*this), Op::scalar, literal.location};
  const Literal& v = literal.value;
  const DType t = dtype.value;
  const auto refuse = [&](const std::string& fix) {
    fail(w, FaultKind::shape, "assignment: a variable keeps its dtype and its shape",
         fmt::format("it holds {}{}, the new value is {}", name_of(t), text_of_shape(data()->dims, data()->rank),
                     v.kind == LiteralKind::real      ? "one float"
                     : v.kind == LiteralKind::integer ? "one integer"
                                                      : "one bool"),
         fix);
  };
  if (data()->rank != 0) refuse("fill all its lanes: x = tl.full_like(x, 0.5)");
  if (promote(t, v.kind, v.integer) != t) refuse("declare a new variable: auto y = tl.scalar(0.5, tl.float32)");
  return *this = Block(finish(w, {nullptr}, same_lanes(*as_value(w, {{}, true, v}, t), 0, nullptr)).release());
}

Block Context::cast(const Block& x, ElementType t, Location location) { return x.to(t, location); }

Block Block::to(ElementType t, Location location) const {
  const Where w{state_of(*this), Op::cast, location};
  Ref r = cpu::cast(w, *data(), t.value);
  if (r.get() == data()) return *this;  // it already has this dtype
  return Block(finish(w, {data()}, std::move(r)).release());
}

// The same bits under another dtype of as many.
Block Block::to(ElementType t, Bitcast, Location location) const {
  const Where w{state_of(*this), Op::bitcast, location};
  const Value& d = *data();
  if (size_in_bytes(d.dtype) != size_in_bytes(t.value) || (d.dtype == DType::int1) != (t.value == DType::int1))
    fail(w, FaultKind::shape, fmt::format("{} and {} differ in size", name_of(d.dtype), name_of(t.value)), "",
         "a bitcast keeps the number of bits: x.to(dtype) converts the value");
  if (is_absent(d)) return Block(finish(w, {&d}, absent_result(w, {&d}, t.value, d.rank, d.dims)).release());
  Ref r = make_dense(w.state, t.value, d.rank, d.dims);
  std::memcpy(r->buffer->bytes(), flat(d), static_cast<std::size_t>(d.count * size_in_bytes(d.dtype)));
  r = settle(std::move(r));
  if (d.undefined) r->undefined = Ref::share(d.undefined).release();
  return Block(finish(w, {&d}, std::move(r)).release());
}

// Rounds to the nearest; if that is further from zero, takes the number before it: one less in the bits of either
// sign.
Block Block::to(ElementType t, TowardZero, Location location) const {
  const Where w{state_of(*this), Op::cast, location};
  const Value& d = *data();
  if (!is_float(d.dtype) || !is_float(t.value) || size_in_bytes(t.value) >= size_in_bytes(d.dtype))
    fail(w, FaultKind::shape, fmt::format("rounding toward zero from {} to {}", name_of(d.dtype), name_of(t.value)), "",
         fmt::format("{} rounds floats to fewer bits: leave it out",
                     notation_of(w).is_python() ? "fp_downcast_rounding" : "tl.rtz"));
  if (is_absent(d)) return Block(finish(w, {&d}, absent_result(w, {&d}, t.value, d.rank, d.dims)).release());
  const DType wide = d.dtype == DType::float64 ? DType::float64 : DType::float32;
  const Ref nearest = cpu::cast(w, d, t.value), before = cpu::cast(w, d, wide), after = cpu::cast(w, *nearest, wide);
  Ref r = make_dense(w.state, t.value, d.rank, d.dims);
  std::byte* bytes = r->buffer->bytes();
  const auto size = static_cast<std::size_t>(size_in_bytes(t.value));
  std::memcpy(bytes, flat(*nearest), static_cast<std::size_t>(d.count) * size);
  const auto step_back = [&]<class Wide>(const Wide* from, const Wide* to) {
    for (std::int64_t i = 0; i < d.count; ++i)
      if (std::abs(to[i]) > std::abs(from[i])) {
        std::uint64_t bits = 0;  // little-endian
        std::memcpy(&bits, bytes + static_cast<std::size_t>(i) * size, size);
        --bits;
        std::memcpy(bytes + static_cast<std::size_t>(i) * size, &bits, size);
      }
  };
  if (wide == DType::float64)
    step_back(reinterpret_cast<const double*>(flat(*before)), reinterpret_cast<const double*>(flat(*after)));
  else step_back(reinterpret_cast<const float*>(flat(*before)), reinterpret_cast<const float*>(flat(*after)));
  r = settle(std::move(r));
  if (d.undefined) r->undefined = Ref::share(d.undefined).release();
  if (w.state.replay) w.state.replay->fails();
  return Block(finish(w, {&d}, std::move(r)).release());
}

// An address that a tensor of the case holds: which tensor it is, and how far from its first element.
Pointer Block::to(PointerType type, Location location) const {
  const Where w{state_of(*this), Op::cast, location};
  const Value& d = *data();
  const std::string pointer = fmt::format("tl.pointer_type({})", name_of(type.element));
  if (d.count != 1 || d.rank != 0 || (d.dtype != DType::int64 && d.dtype != DType::uint64))
    fail(w, FaultKind::shape, pointer + " is made of one address, an int64",
         fmt::format("this is {}{}", name_of(d.dtype), text_of_shape(d.dims, d.rank)),
         "load the address of one tensor as a scalar, and add a block of offsets to the pointer");
  if (Exploration* e = w.state.exploration) return Pointer(finish(w, {&d}, e->addressed(w, type.element)).release());
  if (is_absent(d)) needs_values(w, d, "an address");
  if (w.state.recording) w.state.recording->reads_address(d);
  if (w.state.replay) w.state.replay->fails();
  const Addressed at = addressed_by(int_of(d));
  const auto& tensors = w.state.launch.tensors;
  if (at.tensor < 0 || at.tensor >= static_cast<int>(tensors.size()))
    fail(w, FaultKind::out_of_bounds, fmt::format("{} is the address of no tensor", int_of(d)), "",
         "addresses come from a tensor of the case: ptrs=i64[2]:addresses(a, b)");
  const Tensor& t = tensors[static_cast<std::size_t>(at.tensor)];
  if (t.dtype != type.element)
    fail(w, FaultKind::shape,
         fmt::format("\"{}\" holds {}, and {} points to others", t.name, name_of(t.dtype), pointer), "",
         fmt::format("write tl.pointer_type of {}", name_of(t.dtype)));
  if (at.byte % size_in_bytes(t.dtype))
    fail(w, FaultKind::out_of_bounds, fmt::format("byte {} of \"{}\" begins no element", at.byte, t.name), "",
         "add offsets to the pointer, which count elements");
  Ref r = Ref::take(w.state.make(Form::affine, t.dtype, 0, nullptr));
  r->is_pointer = true;
  r->tensor = at.tensor;
  r->base = at.byte / size_in_bytes(t.dtype);
  return Pointer(finish(w, {&d}, std::move(r)).release());
}

Pointer Context::bind(const TensorArgument& a, int tensor) {
  Ref r = Ref::take(state_.make(Form::affine, a.tensor.dtype, 0, nullptr));
  r->is_pointer = true;
  r->tensor = tensor;
  return Pointer(r.release());
}

bool Context::points_nowhere(const Pointer& p) const {
  const int tensor = p.data()->tensor;
  return tensor >= 0 && state_.launch.tensors[static_cast<std::size_t>(tensor)].is_none;
}

Block Context::bind(const IntArgument& a, int tensors_before) {
  const bool is_known = !state_.exploration || a.value == 1;
  Ref r = is_known ? make_scalar(state_, a.dtype, a.value) : absent_scalar(state_, a.dtype);
  if (Symbols* s = state_.launch.options.symbols) s->argument(*r, a, tensors_before);
  return Block(r.release());
}
Block Context::bind(const FloatArgument& a, int) {
  if (state_.exploration) return Block(absent_scalar(state_, DType::float32).release());
  return Block(make_float(state_, DType::float32, a.value).release());
}
Constant Context::bind(const tl::ConstantArgument& a, int) { return Constant(a.value, a.is_bool); }
RealConstant Context::bind(const RealConstantArgument& a, int) { return RealConstant(a.value); }
TextConstant Context::bind(const TextConstantArgument& a, int) { return TextConstant(a.value.c_str()); }
ElementType Context::bind(const DtypeConstantArgument& a, int) { return {a.value}; }

}  // namespace tl::cpu
