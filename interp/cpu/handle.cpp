// Handles: assignment that may change neither dtype nor shape, and what an observer hears of variables.
#include "interp/cpu/absent.h"
#include "interp/cpu/recording.h"
#include "interp/cpu/replay.h"
#include "interp/cpu/symbols.h"
#include "interp/cpu/undefined.h"

namespace tl::cpu {

namespace {
Value* value_in(Head* h) { return static_cast<Value*>(h); }
trace::Observer* observer_of(Head* h) {
  State& s = *value_in(h)->state;
  return s.quiet ? nullptr : s.launch.options.observer;
}
}  // namespace

void Handle::assigned() noexcept {
  if (trace::Observer* o = observer_of(head())) o->assigned(this, value_in(head())->id);
}
void Handle::forgotten() noexcept {
  if (Symbols* s = value_in(head())->state->launch.options.symbols) s->forgotten(*this);
  if (Recording* r = value_in(head())->state->recording) r->forgotten(*this);
  if (trace::Observer* o = observer_of(head())) o->forgotten(this);
}
void Handle::moved_from(Handle& other) noexcept {
  if (Symbols* s = value_in(head())->state->launch.options.symbols) s->forgotten(other);
  if (Recording* r = value_in(head())->state->recording) r->forgotten(other);
  if (trace::Observer* o = observer_of(head())) {
    o->assigned(this, value_in(head())->id);
    o->forgotten(&other);
  }
}
void Handle::destroy(Head* h) noexcept { free_value(value_in(h)); }

namespace {

// float16 of f16, as a kernel's text says it.
std::string word_of(DType d) {
  const std::string name = name_of(d);
  const std::size_t kind = name.find_first_of("0123456789");
  const std::string letters = name.substr(0, kind);
  return (letters == "i" ? "int" : letters == "u" ? "uint" : letters + "loat") + name.substr(kind);
}

}  // namespace

void Handle::assign(const Handle& other) {
  Value* to = value_in(head());
  Value* from = value_in(other.head());
  if (to) {
    bool same = to->dtype == from->dtype && to->rank == from->rank;  // a pointer may move to another tensor
    for (int i = 0; same && i < to->rank; ++i) same = to->dims[i] == from->dims[i];
    if (!same) {
      const auto text = [](const Value& d) {
        const std::string what = name_of(d.dtype) + text_of_shape(d.dims, d.rank);
        return d.is_pointer ? "pointer to " + what + " of \"" +
                                  d.state->launch.tensors[static_cast<std::size_t>(d.tensor)].name + '"'
                            : what;
      };
      Fault f;
      f.kind = FaultKind::shape;
      f.site = (from->location.site().line > 0 ? from : to)->location.site();  // an argument was made nowhere
      f.program = from->state->program;
      f.headline = "assignment: a variable keeps its dtype and its shape";
      f.detail = "it holds " + text(*to) + ", the new value is " + text(*from);
      f.fix = to->dtype != from->dtype
                  ? "cast it back with .to(tl." + word_of(to->dtype) + "), or declare a new variable"
                  : "declare a new variable";
      throw FaultError(std::move(f));
    }
  }
  if (Recording* r = from->state->recording) [[unlikely]]
    r->assigned(*this, to, *from);
  if (Symbols* s = from->state->launch.options.symbols) [[unlikely]]
    s->assigned(*this, to, *from);
  ++from->refs;
  if (to && --to->refs == 0) free_value(to);
  shape.head = from;
  dtype = other.dtype;
  if (from->observed) [[unlikely]]
    assigned();
}

long long Extents::size_of_axis(FixedInt axis) const {
  const Value& d = *value_in(head);
  if (axis.value < 0 || axis.value >= d.rank)
    fail({*d.state, Op::broadcast_to, d.location}, FaultKind::shape,
         "shape[" + std::to_string(axis.value) + "] of a block with shape " + text_of_shape(d.dims, d.rank), "",
         "axes count from 0");
  return d.dims[axis.value];
}
long long Extents::axes() const { return value_in(head)->rank; }

// C++ says nothing of where it is asked: the only place known is that of the mask.
Block::operator bool() const { return decides(*this, data()->location); }

bool decides(const Block& condition, Location location, const char* asks) {
  const Value& d = value_of(condition);
  if (d.count != 1) {
    const bool is_python = Notation(location.site().file).is_python();
    Fault f;
    f.kind = FaultKind::shape;
    f.site = location.site();
    f.program = d.state->program;
    f.headline = std::string(asks        ? asks
                             : is_python ? "an if"
                                         : "an if, && or ||") +
                 " takes one value, and this mask has " + std::to_string(d.count) + " lanes";
    f.detail =
        (is_python ? "its shape is " : "it was made in this line; its shape is ") + text_of_shape(d.dims, d.rank);
    f.fix =
        "join masks with & and |; choose lane by lane with tl.where(mask, a, b); or reduce the mask to a scalar with "
        "tl.max";
    throw FaultError(std::move(f));
  }
  if (is_absent(d)) return choice_without({*d.state, Op::where, d.location}, d, "the condition of a branch");
  if (d.undefined) [[unlikely]]
    check_undefined_choice({*d.state, Op::where, location}, d, "the condition of a branch");
  d.state->goes_by(d, true);
  if (d.state->launch.options.checks.nan) d.state->nans.branches({*d.state, Op::where, location}, d);
  if (d.state->recording) d.state->recording->reads_condition(d);
  if (d.state->replay) d.state->replay->branches(d);
  const bool taken = is_float(d.dtype) ? double_of(d) != 0 : int_of(d) != 0;
  if (Symbols* s = d.state->launch.options.symbols) s->branches(d, taken);
  return taken;
}

}  // namespace tl::cpu
