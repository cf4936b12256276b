// What an op adds to an access record: its access, its dot's flops, its lanes of arithmetic.
#include "interp/cpu/recording.h"

#include "interp/cpu/absent.h"

namespace tl::cpu {

namespace {

// Index arithmetic and boxes are not counted: a GPU folds them into its addressing, or computes them once.
bool is_index(const Value& d) { return d.is_pointer || d.form == Form::affine || d.form == Form::box; }

trace::Route route_of(std::span<const Value* const> operands) {
  const bool by_pointer = !operands.empty() && operands[0] && operands[0]->is_pointer;
  return by_pointer ? trace::Route::registers : trace::Route::descriptor;
}

}  // namespace

void Recording::op(const Where& w, std::span<const Value* const> operands, std::span<const Value* const> results,
                   const trace::Access* access, std::string_view text) {
  if (w.state.quiet) return;
  if (loop_) loop_->op(w, operands, results, access);
  if (access) {
    out_->access(*access, route_of(operands), w.location.site());
  } else if (w.op == Op::dot) {
    const Value &a = *operands[0], &r = *results[0];
    out_->dot(a.dtype, text, 2.0 * static_cast<double>(r.count) * static_cast<double>(a.dims[1]));
  } else if (trace::computes(w.op) && !results.empty() && !is_index(*results[0])) {
    const auto lanes_of = [](const Value& v) { return trace::OpLanes{v.dtype, static_cast<double>(v.count)}; };
    std::vector<trace::OpLanes> of_op;
    for (const Value* v : operands)
      if (v) of_op.push_back(lanes_of(*v));
    out_->computed(w.op, of_op, lanes_of(*results[0]));
  }
}

void Recording::begin_program(trace::AccessBuilder& out, bool compresses_loops) {
  out_ = &out;
  compresses_ = compresses_loops;
  depth_ = 0;
  loop_ = nullptr;
  is_misled_ = has_printed_ = false;
}

LoopSite& Recording::loop_site(const Site& site) {
  for (const auto& p : loop_sites_)
    if (p->site.line == site.line && p->site.column == site.column && p->site.file == site.file) return *p;
  loop_sites_.push_back(std::make_unique<LoopSite>());
  loop_sites_.back()->site = site;
  return *loop_sites_.back();
}

Loop* Recording::begin_loop(const Site& site, long long lo, long long step, std::int64_t iterations) {
  if (!compresses_ || iterations < AddressLoop::fewest_iterations || state_.quiet) return nullptr;
  if (loop_ && !loop_->give_up()) {
    loop_->fails();
    return nullptr;
  }
  loop_ = nullptr;
  LoopSite& loop = loop_site(site);
  if (loop.failures >= 4 && ++loop.rest % 16) return nullptr;
  if (depth_ == loops_.size()) loops_.push_back(std::make_unique<AddressLoop>(*this));
  loop_ = loops_[depth_++].get();
  loop_->begin(lo, step, iterations, loop, stamps_);
  return loop_;
}

void Recording::end_loop(const AddressLoop& loop, bool was_out_of_order) {
  --depth_;
  if (loop_ == &loop) loop_ = nullptr;
  is_misled_ |= was_out_of_order;
}

std::int64_t Recording::source_of(const Source& s) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const Source& t = sources_[i];
    if (t.op == s.op && t.tensor == s.tensor && t.site.line == s.site.line && t.site.column == s.site.column &&
        t.site.file == s.site.file)
      return static_cast<std::int64_t>(i);
  }
  sources_.push_back(s);
  return static_cast<std::int64_t>(sources_.size()) - 1;
}

}  // namespace tl::cpu
