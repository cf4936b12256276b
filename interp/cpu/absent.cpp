// Values without lanes: how they come to be, and what is said when somebody needs them.
#include "interp/cpu/absent.h"

#include <fmt/format.h>

#include "interp/cpu/recording.h"

namespace tl::cpu {

namespace {

Ref absent(State& s, std::int64_t source, DType t, int rank, const std::int64_t* dims) {
  Value* d = s.make(Form::absent, t, rank, dims);
  d->base = source;
  for (int i = 0; i < rank; ++i) d->strides[i] = 0;
  return Ref::take(d);
}

std::string text_of_place(const Site& s) { return fmt::format("{}:{}", s.file, s.line); }

}  // namespace

Ref absent_source(const Where& w, int tensor, DType t, int rank, const std::int64_t* dims) {
  return absent(w.state, w.state.recording->source_of({w.op, tensor, w.location.site()}), t, rank, dims);
}

Ref absent_result(const Where& w, std::initializer_list<const Value*> operands, DType t, int rank,
                  const std::int64_t* dims) {
  for (const Value* d : operands)
    if (is_absent(d)) return absent(w.state, d->base, t, rank, dims);
  return {};
}

void needs_values(const Where& w, const Value& d, const char* what) {
  const Recording::Source& from = w.state.recording->source(d.base);
  const std::string data =
      from.tensor >= 0 ? fmt::format("what {} at {} reads of \"{}\"", trace::text_of(from.op), text_of_place(from.site),
                                     w.state.launch.tensors[static_cast<std::size_t>(from.tensor)].name)
                       : fmt::format("the result of {} at {}", trace::text_of(from.op), text_of_place(from.site));
  throw NeedsValues(fmt::format("{} at {} depends on {}", what, text_of_place(w.location.site()), data));
}

}  // namespace tl::cpu
