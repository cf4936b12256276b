// Values without lanes: how they come to be, and what is said when somebody needs them.
#include "interp/cpu/absent.h"

#include <fmt/format.h>

#include "interp/cpu/exploration.h"
#include "interp/cpu/recording.h"

namespace tl::cpu {

namespace {

Ref absent(State& s, std::int64_t source, DType t, int rank, const std::int64_t* dims) {
  Value* d = s.make(Form::absent, t, rank, dims);
  d->base = source;
  for (int i = 0; i < rank; ++i) d->strides[i] = 0;
  return Ref::take(d);
}

// Where an exploration's values come from.
constexpr std::int64_t from_launch = 0, from_data = 1;

std::string text_of_place(const Site& s) { return fmt::format("{}:{}", s.file, s.line); }

}  // namespace

Ref absent_source(const Where& w, int tensor, DType t, int rank, const std::int64_t* dims) {
  const std::int64_t source =
      w.state.exploration ? from_data : w.state.recording->source_of({w.op, tensor, w.location.site()});
  return absent(w.state, source, t, rank, dims);
}

Ref absent_result(const Where& w, std::initializer_list<const Value*> operands, DType t, int rank,
                  const std::int64_t* dims) {
  const Value* from = nullptr;
  for (const Value* d : operands)
    if (is_absent(d) && (!from || (w.state.exploration && is_from_data(*d)))) from = d;
  return from ? absent(w.state, from->base, t, rank, dims) : Ref();
}

Ref absent_scalar(State& s, DType t) { return absent(s, from_launch, t, 0, nullptr); }

bool goes_on_without(const Where& w) { return w.state.exploration != nullptr; }

bool is_from_data(const Value& d) { return d.base == from_data; }

bool choice_without(const Where& w, const Value& d, const char* what) {
  if (!w.state.exploration) needs_values(w, d, what);
  return w.state.exploration->decides(w, is_from_data(d));
}

void needs_values(const Where& w, const Value& d, const char* what) {
  if (w.state.exploration)
    throw NeedsValues(fmt::format("{} at {} is not known", what, text_of_place(w.location.site())));
  const Recording::Source& from = w.state.recording->source(d.base);
  const std::string data =
      from.tensor >= 0 ? fmt::format("what {} at {} reads of \"{}\"", trace::text_of(from.op), text_of_place(from.site),
                                     w.state.launch.tensors[static_cast<std::size_t>(from.tensor)].name)
                       : fmt::format("the result of {} at {}", trace::text_of(from.op), text_of_place(from.site));
  throw NeedsValues(fmt::format("{} at {} depends on {}", what, text_of_place(w.location.site()), data));
}

}  // namespace tl::cpu
