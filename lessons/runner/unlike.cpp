#include "lessons/runner/unlike.h"

#include <set>
#include <tuple>

namespace tl::lessons {

namespace {

using trace::RecordedProgram;

const RecordedProgram* program_of(const Observed& o, ProgramId id) {
  for (const RecordedProgram& p : o.trace().programs)
    if (p.id == id && p.keep == trace::Keep::values) return &p;
  return nullptr;
}

}  // namespace

std::optional<Observed::LossyCast> unlike_cast(const Observed& mine, const Observed& best, ProgramId program) {
  const RecordedProgram *here = program_of(mine, program), *there = program_of(best, program);
  if (!here || !there) return std::nullopt;
  const auto kind = [](const RecordedProgram& p, const trace::Step& step) {
    const trace::RecordedValue &from = p.values[static_cast<std::size_t>(p.operands(step)[0])],
                               &to = p.values[static_cast<std::size_t>(p.results(step)[0])];
    return std::tuple{from.dtype, to.dtype, to.shape.product()};
  };
  std::set<std::tuple<DType, DType, std::int64_t>> usual;
  for (const trace::Step& step : there->steps)
    if (step.op == trace::Op::cast) usual.insert(kind(*there, step));
  return mine.lossy_cast(program, [&](const trace::Step& step) { return !usual.contains(kind(*here, step)); });
}

}  // namespace tl::lessons
