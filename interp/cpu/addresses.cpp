// An address run: the programs of a launch one after the other, recorded; again with values where data decides.
#include "interp/cpu/addresses.h"

#include "interp/cpu/absent.h"
#include "interp/cpu/recording.h"

namespace tl::cpu {

namespace {

trace::AccessRecord record(const Launch& launch, const AddressOptions& options) {
  RunOptions run;
  run.order = Order::sequential;
  run.stop = options.stop;
  LaunchState shared{.launch = launch, .options = run, .tensors = {}, .info = {}};
  shared.info = info_of(launch, shared.tensors);
  shared.running = 1;
  trace::AccessBuilder builder(shared.info, launch.options.num_warps, launch.options.num_stages);
  Recording recording(builder);
  State s(shared);
  s.recording = &recording;
  s.has_data = options.with_values;
  const Grid& g = launch.grid;
  for (std::int64_t i = 0; i < g.programs(); ++i) {
    const ProgramId id{i % g.x, i / g.x % g.y, i / (g.x * g.y)};
    s.begin_program(id, trace::Keep::nothing);
    builder.begin_program(id);
    try {
      launch.on_cpu(s.context);
    } catch (FaultError& e) {
      e.fault.program = id;
      throw;
    }
    builder.end_program();
  }
  return builder.take();
}

void refuse_empty_tensors(const Launch& launch, const std::string& why) {
  for (const Argument& a : launch.arguments) {
    const auto* t = std::get_if<TensorArgument>(&a);
    const auto* d = std::get_if<DescriptorArgument>(&a);
    if (const Tensor* tensor = t ? &t->tensor : d ? &d->tensor : nullptr; tensor && !tensor->holds_data)
      throw NeedsTensorData("the kernel decides by data what it touches, and \"" + tensor->name + "\" holds none: " + why,
                            "make the problem with its tensors filled");
  }
}

}  // namespace

trace::AccessRecord record_accesses(const Launch& launch, const AddressOptions& options) {
  check_launch(launch);
  if (options.with_values) return record(launch, options);
  try {
    return record(launch, options);
  } catch (const NeedsValues& e) {
    refuse_empty_tensors(launch, e.what());
    AddressOptions again = options;
    again.with_values = true;
    trace::AccessRecord r = record(launch, again);
    r.needed_values = e.what();
    return r;
  }
}

}  // namespace tl::cpu
