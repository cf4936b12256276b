// A thread that runs programs: its pools, the program it runs, and what watches it.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "interp/cpu/context.h"
#include "interp/cpu/earlier_values.h"
#include "interp/cpu/last_op.h"
#include "interp/cpu/names.h"
#include "interp/cpu/nan_watch.h"
#include "interp/cpu/run.h"
#include "interp/cpu/value.h"
#include "interp/lang/notation.h"

namespace tl::cpu {

using trace::Op;

class Shadow;       // interp/cpu/checks.h
class Turns;        // interp/cpu/turns.h
class Recording;    // interp/cpu/recording.h
class Exploration;  // interp/cpu/exploration.h
class Replay;       // interp/cpu/replay.h
struct State;

// Where an op stands, for functions that may fail.
struct Where {
  State& state;
  Op op;
  Location location;
};
inline Notation notation_of(const Where& w) { return Notation(w.location.site().file); }

// What all threads of a launch share.
struct LaunchState {
  const Launch& launch;
  const RunOptions& options;
  std::vector<Tensor> tensors;  // of the tensor and descriptor arguments, in order
  trace::LaunchInfo info;
  Turns* turns = nullptr;                 // programs take turns
  Shadow* shadow = nullptr;               // the checks that need memory beside the tensors
  std::atomic<int> running{0}, stuck{0};  // programs under way; those of them that poll without end
};

// A C++ number, bool or constant that has a name.
struct NamedNumber {
  const void* at = nullptr;
  int bytes = 0;
  NumberKind kind = NumberKind::integer;
  DType dtype = DType::int32;
  trace::ValueId id = 0;  // of the value that it held when last looked at; 0: none
  std::byte held[8] = {};
};

// An op that left lanes undefined.
struct UndefinedBy {
  enum class Kind : unsigned char { load, tile, division } kind;
  Location location;
};

struct State {
  explicit State(LaunchState& launch);
  ~State();
  State(const State&) = delete;

  // Ops left until something must be checked: an observer, a limit, the stop flag. One predictable branch an op.
  std::int64_t ops_left = 0, ops_granted = 0;
  bool keeps_values = false, keeps_accesses = false, tracks_undefined = false, wants_literals = false;
  bool takes_any_shape = false;  // not powers of two alone: of an expression over whole tensors
  bool has_data = true;          // false: an address run, whose loads give absent values and whose stores write nothing
  Recording* recording = nullptr;      // told of every op, where accesses are recorded
  Exploration* exploration = nullptr;  // told of every op, where the program runs along all of its paths
  Replay* replay = nullptr;            // told of every op, where the program is captured
  LaunchState& launch;
  Context context;
  ProgramId program;
  trace::ValueId last_id = 0;
  std::int64_t ops = 0;
  std::vector<Fault> reported;  // by checks that let the program go on
  NanWatch nans;
  EarlierValues earlier;  // where races are looked for
  // The program goes on by the value: a branch by a condition, an address or a mask.
  void goes_by(const Value& v, bool is_condition = false) {
    has_branched |= is_condition;
    if (earlier.are_followed()) [[unlikely]]
      decide(v, is_condition);
  }
  void decide(const Value&, bool is_condition);
  bool asks_values = false;               // a check that only values answer: a divisor of integers, a combine function
  std::vector<UndefinedBy> undefined_by;  // in this program
  std::int64_t barriers = 0;              // that the program's threads have met at
  int quiet = 0;                          // inside a combine function: no events
  // A program that polls: the same loads again and again, of a scalar and of a block, a branch after each, nothing
  // written meanwhile.
  std::pair<int, std::int64_t> polled_scalar = {-1, -1}, polled_block = {-1, -1};  // tensor, element
  std::int64_t polls = 0;
  bool is_stuck = false, has_branched = false;  // since the last poll
  void read(const Where& where, int tensor, std::int64_t element, bool is_block) {
    const std::pair at(tensor, element);
    if (std::exchange(is_block ? polled_block : polled_scalar, at) != at) {
      if (polls) stop_polling();
    } else if (std::exchange(has_branched, false)) {
      polled(where, tensor, element);
    }
  }
  void polled(const Where&, int tensor, std::int64_t element);
  std::int64_t writes = 0;
  void progressed() {
    ++writes;
    if (polls) stop_polling();
  }
  void stop_polling();

  std::vector<std::size_t> sum_passes;     // of each place of RunOptions::sums, in this program
  const OrderedSum* last_order = nullptr;  // that a reduction has just followed; null: none
  void begin_program(ProgramId, trace::Keep);

  // Names, of a text that declares them: the numbers among them, and how many there were as each scope under way began.
  std::vector<NamedNumber> numbers;
  std::vector<std::size_t> scopes;
  void listen_for_names(bool wants);
  void tell_numbers();
  template <class Rank>
  Value* make(Form, DType, Rank rank, const std::int64_t* dims);
  Value* new_value();  // given back when the thread ends, or kept for the next launch
  Buffer* make_buffer(std::int64_t bytes);

  // Integers in the text that the op at hand takes, for who watches values.
  trace::LiteralOperand literals[3 * max_rank];
  int literal_count = 0;
  void note(const trace::LiteralOperand& literal) {
    if (wants_literals && literal_count < 3 * max_rank) [[unlikely]]
      literals[literal_count++] = literal;
  }
  void note(unsigned char position, const Literal& literal) {
    if (wants_literals) [[unlikely]]
      note_literal(position, literal);
  }
  void note_literal(unsigned char position, const Literal&);
  void tell_literal(unsigned position, const Literal&);

  // Every op ends here.
  bool due(Op op, Location location) {
    last_op.op = op;
    last_op.location = location;
    return --ops_left <= 0;
  }
  void look_at_every_op() {  // from the next on
    ops += ops_granted - ops_left;
    ops_left = ops_granted = 1;
    wants_literals = true;
  }
  void look_at_limits(const Where&) const;  // a Fault: stopped, or of too many ops
  bool next_is_due() const { return ops_left <= 1; }
  void on_op(Op, Location, const Value* const* operands, int operand_count, const Value* const* results,
             int result_count, const trace::Access* access, std::string_view text);

  Value* free_values = nullptr;
  Buffer* free_buffers[32] = {};
};

template <class Rank>
inline Value* State::make(Form form, DType dtype, Rank rank, const std::int64_t* dims) {
  Value* d = free_values;
  if (d) [[likely]]
    free_values = d->next_free;
  else d = new_value();
  d->refs = 1;
  d->observed = false;
  d->form = form;
  d->dtype = dtype;
  d->is_pointer = false;
  d->rank = static_cast<unsigned char>(rank);
  d->tensor = -1;
  d->location = {};
  if (keeps_values) [[unlikely]] {
    d->observed = true;
    d->id = ++last_id;
  }
  d->base = 0;
  d->count = 1;
  for (int i = 0; i < rank; ++i) {
    d->dims[i] = dims[i];
    d->count *= dims[i];
  }
  return d;
}

// The launch's arguments as executors see them, and what refuses a launch that no executor can take.
trace::LaunchInfo info_of(const Launch&, std::vector<Tensor>&);
void check_launch(const Launch&);

[[noreturn]] void fail(const Where&, FaultKind, std::string fact, std::string detail, std::string fix);
[[noreturn]] void fail(Fault);
Fault make_fault(const Where&, FaultKind, std::string fact, std::string detail, std::string fix);
void report(State&, Fault);  // a check's finding: the program goes on
std::string text_of(ProgramId, const Grid&);
std::string text_of_shape(const std::int64_t* dims, int rank);

[[gnu::always_inline]] inline Ref finish(const Where& w, std::initializer_list<const Value*> operands, Ref result,
                                         std::string_view text = {}) {
  if (result) result->location = w.location;
  if (!w.state.due(w.op, w.location)) [[likely]]
    return result;
  const Value* r = result.get();
  w.state.on_op(w.op, w.location, operands.begin(), static_cast<int>(operands.size()), &r, r ? 1 : 0, nullptr, text);
  return result;
}

inline State& state_of(const Handle& h) { return *static_cast<const Value*>(h.head())->state; }
inline const Value& value_of(const Handle& h) { return *static_cast<const Value*>(h.head()); }

// Values from C++ ones.
inline Ref make_scalar(State& s, DType dtype, std::int64_t v) {
  Value* d = s.make(Form::affine, dtype, std::integral_constant<int, 0>(), nullptr);
  d->base = wrap(dtype, v);
  return Ref::take(d);
}
template <class Rank>
inline Ref make_mask(State& s, bool v, Rank rank, const std::int64_t* dims) {
  Value* d = s.make(Form::box, DType::int1, rank, dims);
  d->base = v;
  for (int i = 0; i < rank; ++i) {
    d->lo()[i] = 0;
    d->hi[i] = v ? dims[i] : 0;
  }
  return Ref::take(d);
}
Ref make_int(State&, DType, std::int64_t, int rank = 0, const std::int64_t* dims = nullptr);
Ref make_bool(State&, bool, int rank, const std::int64_t* dims);
Ref make_float(State&, DType, double, int rank = 0, const std::int64_t* dims = nullptr);
Ref make_number(State&, DType, double real, std::int64_t integer, int rank, const std::int64_t* dims);
// Row-major, elements uninitialized.
template <class Rank>
inline Ref make_dense(State& s, DType dtype, Rank rank, const std::int64_t* dims) {
  Value* d = s.make(Form::dense, dtype, rank, dims);
  std::int64_t stride = 1;
  for (int i = rank - 1; i >= 0; --i) {
    d->strides[i] = stride;
    stride *= dims[i];
  }
  Ref r = Ref::take(d);
  d->buffer = s.make_buffer(d->count * size_in_bytes(dtype));
  return r;
}
// A dense value of one lane becomes a scalar form.
Ref settled(Ref);
inline Ref settle(Ref r) {
  return r->form == Form::dense && r->count == 1 && !r->is_pointer ? settled(std::move(r)) : r;
}

// An operand and whether it is weak.
struct TypedOperand {
  Ref data;
  bool weak = false;
  Literal literal = 0;
};
TypedOperand typed_operand(State&, const Operand&);
// What a value of dtype `a` and a literal compute in.
DType promoted_with(DType a, const Literal&);
// The dtype that two operands meet in; a Fault where they differ in sign and the op divides.
DType promoted(const Where&, const TypedOperand&, const TypedOperand&);
// An operand as a value of the dtype; a Fault when the dtype cannot hold the literal.
Ref as_value(const Where&, const TypedOperand&, DType);
// What is stored, filled in or added to memory: cast, as a value would be.
Ref cast_value(const Where&, const TypedOperand&, DType);

// The ops proper, by family.
Ref binary(const Where&, const TypedOperand&, const TypedOperand&);
Ref elementwise_case(const Where&, const Value&, const Value&);  // null where the operands are not of its form
Ref unary(const Where&, const Value&);
Ref converted(const Where&, const Value&, DType);
inline Ref cast(const Where& w, const Value& d, DType t) { return d.dtype == t ? Ref::share(&d) : converted(w, d, t); }
Ref broadcasted(const Where&, const Value&, int rank, const std::int64_t* dims);
inline Ref broadcast(const Where& w, const Value& d, int rank, const std::int64_t* dims) {
  bool same = rank == d.rank;
  for (int i = 0; i < d.rank && same; ++i) same = d.dims[i] == dims[i];
  return same ? Ref::share(&d) : broadcasted(w, d, rank, dims);
}
bool broadcast_shape(const Value& a, const Value& b, int& rank, std::int64_t* dims);
// The one value that a branch asks for; a Fault where it has several lanes.
bool decides(const Block& condition, Location, const char* asks = nullptr);
Ref select(const Where&, const Value& mask, const Value& a, const Value& b);  // same dtype
Ref union_of(State&, const Value* a, const Value* b);                         // of undefined lanes, either may be null

// A new value on the same elements; the caller sets its strides or box.
template <class Rank>
inline Ref same_lanes(const Value& d, Rank rank, const std::int64_t* dims) {
  Value* n = d.state->make(d.form, d.dtype, rank, dims);
  n->is_pointer = d.is_pointer;
  n->tensor = d.tensor;
  n->base = d.base;
  if (d.form == Form::splat) std::memcpy(n->scalar, d.scalar, sizeof n->scalar);
  if (d.buffer) {
    n->buffer = d.buffer;
    n->shift = d.shift;
    ++d.buffer->refs;
  }
  return Ref::take(n);
}

}  // namespace tl::cpu
