// What an op adds to an access record: its access, its dot's flops, its lanes of arithmetic.
#include "interp/cpu/recording.h"

#include "interp/cpu/absent.h"

namespace tl::cpu {

namespace {

// Index arithmetic and boxes are not counted: a GPU folds them into its addressing, or computes them once.
bool is_index(const Data& d) { return d.is_pointer || d.form == Form::affine || d.form == Form::box; }

trace::Route route_of(Op op, std::span<const Data* const> operands) {
  if (operands.empty() || !operands[0] || !operands[0]->is_pointer) return trace::Route::descriptor;
  return op == Op::tile ? trace::Route::staged : trace::Route::registers;
}

}  // namespace

void Recording::op(const Where& w, std::span<const Data* const> operands, std::span<const Data* const> results, const trace::Access* access) {
  if (w.state.quiet) return;
  if (access) {
    out_.access(*access, route_of(w.op, operands), w.place.site());
  } else if (w.op == Op::dot) {
    const Data &a = *operands[0], &r = *results[0];
    out_.dot(a.dtype, 2.0 * static_cast<double>(r.count) * static_cast<double>(a.dims[1]));
  } else if (trace::computes(w.op) && !results.empty() && !is_index(*results[0])) {
    out_.lanes(static_cast<double>(trace::reduces(w.op) ? operands[0]->count : results[0]->count));
  }
}

std::int64_t Recording::source_of(const Source& s) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const Source& t = sources_[i];
    if (t.op == s.op && t.tensor == s.tensor && t.site.line == s.site.line && t.site.column == s.site.column && t.site.file == s.site.file)
      return static_cast<std::int64_t>(i);
  }
  sources_.push_back(s);
  return static_cast<std::int64_t>(sources_.size()) - 1;
}

}  // namespace tl::cpu
