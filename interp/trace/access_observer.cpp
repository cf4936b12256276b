// Access records from ordinary runs: watched, or recorded before.
#include "interp/trace/access_builder.h"

namespace tl::trace {

bool computes(Op op) { return info_of(op).unit == OpUnit::lanes; }

namespace {

// Descriptors are no values: their accesses have no pointer among the operands.
Route route_of(bool by_pointer) { return by_pointer ? Route::registers : Route::descriptor; }

std::int64_t lanes_of(std::span<const std::int64_t> shape) {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  return n;
}

}  // namespace

void AccessObserver::launch_begins(const LaunchInfo& info) { builder_ = AccessBuilder(info, num_warps_, num_stages_); }

Keep AccessObserver::program_begins(ProgramId id) {
  builder_.begin_program(id);
  return keep_;
}

void AccessObserver::op(const OpEvent& e) {
  if (e.access) return builder_.access(*e.access, route_of(!e.operands.empty() && e.operands[0].tensor >= 0), e.site);
  if (e.results.empty() || e.operands.empty()) return;
  const Value& in = e.operands[0];
  const Value& out = e.results[0];
  if (e.op == Op::dot)
    builder_.dot(in.dtype, e.text,
                 2.0 * static_cast<double>(lanes_of(out.shape)) * static_cast<double>(in.shape[in.shape.size() - 1]));
  else if (computes(e.op) && is_float(out.dtype)) {
    std::vector<OpLanes> operands;
    for (const Value& v : e.operands) operands.push_back({v.dtype, static_cast<double>(lanes_of(v.shape))});
    builder_.computed(e.op, operands, {out.dtype, static_cast<double>(lanes_of(out.shape))});
  }
}

void AccessObserver::program_ends(ProgramId) { builder_.end_program(); }

namespace {

LaunchInfo info_of(const RecordedLaunch& launch) {
  LaunchInfo info{.kernel = launch.kernel,
                  .source = launch.source,
                  .grid = {launch.grid[0], launch.grid[1], launch.grid[2]},
                  .tensors = {},
                  .arguments = launch.arguments};
  for (const RecordedTensor& t : launch.tensors)
    info.tensors.push_back({.name = t.name,
                            .dtype = t.dtype,
                            .shape = t.shape,
                            .strides = t.strides,
                            .storage_elems = t.storage_elems,
                            .data = nullptr});
  return info;
}

}  // namespace

AccessRecord accesses_of(const RecordedTrace& trace, int launch) {
  AccessBuilder builder(info_of(trace.launches.at(static_cast<std::size_t>(launch))), 4, 3);
  for (const RecordedProgram& p : trace.programs) {
    if (p.launch != launch) continue;
    builder.begin_program(p.id);
    for (const Step& s : p.steps) {
      const auto operands = p.operands(s);
      const auto value = [&](std::int32_t i) -> const RecordedValue& { return p.values[i]; };
      const Site site{s.site.file >= 0 ? trace.files[s.site.file].c_str() : "", s.site.line, s.site.column};
      if (s.access >= 0) {
        const bool by_pointer = !operands.empty() && value(operands[0]).tensor >= 0;
        builder.access(p.accesses[s.access], route_of(by_pointer), site);
      } else if (!operands.empty() && s.results == 1) {
        const RecordedValue &in = value(operands[0]), &out = value(p.results(s)[0]);
        if (s.op == Op::dot)
          builder.dot(
              in.dtype, s.text >= 0 ? std::string_view(p.texts[s.text]) : "",
              2.0 * static_cast<double>(out.shape.product()) * static_cast<double>(in.shape[in.shape.rank - 1]));
        else if (computes(s.op) && is_float(out.dtype)) {
          std::vector<OpLanes> of_op;
          for (const auto i : operands)
            of_op.push_back({value(i).dtype, static_cast<double>(value(i).shape.product())});
          builder.computed(s.op, of_op, {out.dtype, static_cast<double>(out.shape.product())});
        }
      }
    }
    builder.end_program();
  }
  return builder.take();
}

}  // namespace tl::trace
