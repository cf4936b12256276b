#include "interp/run/record_some.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/run.h"
#include "interp/lang/stop_scope.h"

namespace tl::run {

double recording_seconds(const trace::AccessRecord& record) {
  // Rates of an ordinary core: a recorded lane is computed, copied and looked at; dots run in loops of their own.
  constexpr double lanes_a_second = 1e8, flops_a_second = 4e9;
  std::vector<double> lanes_of_pattern;
  for (const trace::AccessPattern& p : record.patterns)
    lanes_of_pattern.push_back(static_cast<double>(p.active_lanes()));
  double lanes = 0, flops = 0;
  for (const trace::Segment& s : record.segments) {
    double once = record.lane_ops(s);
    for (std::uint32_t a = s.first; a < s.first + s.size; ++a) once += lanes_of_pattern[record.accesses[a].pattern];
    lanes += static_cast<double>(s.iterations) * once;
    flops += static_cast<double>(s.iterations) * s.dot_flops;
  }
  return lanes / lanes_a_second + flops / flops_a_second;
}

bool programs_stand_alone(const trace::AccessRecord& record) {
  return std::ranges::none_of(record.patterns, [&](const trace::AccessPattern& written) {
    if (written.kind == trace::AccessKind::load) return false;
    return written.kind != trace::AccessKind::store ||
           std::ranges::any_of(record.patterns, [&](const trace::AccessPattern& p) {
             return p.tensor == written.tensor && p.kind != trace::AccessKind::store;
           });
  });
}

trace::RecordedTrace record_program(const Case& c, int launch, ProgramId program, bool runs_alone,
                                    const std::atomic<bool>* stop) {
  const StopScope scope(stop);
  if (c.instance.reset) c.instance.reset();
  cpu::RunOptions run;
  run.stop = stop;
  const auto run_or_stop = [&](const Launch& l) {
    Arithmetic().apply(run, l);
    cpu::run(l, run);
    end_if_stopped();
  };
  for (int l = 0; l < launch; ++l) run_or_stop(c.instance.launches[l]);
  trace::RecorderOptions options;
  options.values = PidCondition::parse(fmt::format("={},={},={}", program.x, program.y, program.z));
  options.others = trace::Keep::nothing;
  options.load_source = kernel_text;
  trace::Recorder recorder(options);
  run.order = cpu::Order::sequential;
  run.observer = &recorder;
  run.only_watched = runs_alone;
  run.op_limit = 1'000'000;
  run.checks.undefined_lane = true;
  run_or_stop(c.instance.launches.at(launch));
  trace::RecordedTrace recorded = recorder.take();
  recorded.notes.clear();  // that the others were not recorded
  return recorded;
}

}  // namespace tl::run
