#include "interp/machine/access/sum_orders.h"

namespace tl::machine {

// More passes than these are not kept: a period shows long before.
constexpr std::size_t most_passes = 4096;

void SumObserver::op(const trace::OpEvent& e) {
  if ((e.op == trace::Op::sum || e.op == trace::Op::softmax) && is_float(e.results[0].dtype)) {
    const CudaType x = type_of(e.operands[0]);
    const Sizes shape = sizes_of(e.operands[0].shape);
    auto& passes = sums_[{std::string(e.site.file), e.site.line, e.site.column}];
    if (!shape.empty() && !e.literals.empty() && passes.size() < most_passes)
      passes.push_back(rules::sum_order(layout_of(x, config()), shape, static_cast<int>(e.literals[0].value)));
  }
  TypeTracker::op(e);
}

}  // namespace tl::machine
