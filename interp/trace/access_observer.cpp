// Access records from ordinary runs: watched, or recorded before.
#include "interp/trace/access_builder.h"

namespace tl::trace {

bool computes(Op op) { return info_of(op).unit == OpUnit::lanes || op == Op::trans; }

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

// The observer is told of the steps as it was when they were recorded, but of no value's lanes.
AccessRecord accesses_of(const RecordedTrace& trace, int launch) {
  AccessObserver observer(Keep::values);
  observer.launch_begins(info_of(trace.launches.at(static_cast<std::size_t>(launch))));
  for (const RecordedProgram& p : trace.programs) {
    if (p.launch != launch) continue;
    const auto values_of = [&](std::span<const std::int32_t> refs) {
      std::vector<Value> values;
      for (const std::int32_t i : refs)
        values.push_back({.dtype = p.values[i].dtype, .tensor = p.values[i].tensor, .shape = p.values[i].shape.span()});
      return values;
    };
    observer.program_begins(p.id);
    for (const Step& s : p.steps) {
      const auto operands = values_of(p.operands(s)), results = values_of(p.results(s));
      observer.op({.op = s.op,
                   .site = {s.site.file >= 0 ? trace.files[s.site.file].c_str() : "", s.site.line, s.site.column},
                   .operands = operands,
                   .results = results,
                   .access = s.access >= 0 ? &p.accesses[s.access] : nullptr,
                   .text = s.text >= 0 ? std::string_view(p.texts[s.text]) : ""});
    }
    observer.program_ends(p.id);
  }
  return observer.take();
}

}  // namespace tl::trace
