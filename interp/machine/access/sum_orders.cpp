#include "interp/machine/access/sum_orders.h"

#include <utility>

namespace tl::machine {

void SumObserver::launch_begins(const trace::LaunchInfo& launch) {
  std::vector<DType> dtypes;
  for (const trace::TensorInfo& t : launch.tensors) dtypes.push_back(t.dtype);
  types_.begin_launch(std::move(dtypes));
}

trace::Keep SumObserver::program_begins(ProgramId) {
  types_.begin_program();
  return std::exchange(is_first_, false) ? trace::Keep::values : trace::Keep::nothing;
}

// More passes than these are not kept: a period shows long before.
constexpr std::size_t most_passes = 4096;

void SumObserver::op(const trace::OpEvent& e) {
  if ((e.op == trace::Op::sum || e.op == trace::Op::softmax) && is_float(e.results[0].dtype)) {
    const CudaType x = types_.type_of(e.operands[0]);
    const Sizes shape = sizes_of(e.operands[0].shape);
    auto& passes = sums_[{std::string(e.site.file), e.site.line, e.site.column}];
    if (!shape.empty() && !e.literals.empty() && passes.size() < most_passes)
      passes.push_back(rules::sum_order(layout_of(x, types_.config()), shape, static_cast<int>(e.literals[0].value)));
  }
  types_.op(e);
}

}  // namespace tl::machine
