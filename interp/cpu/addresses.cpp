// An address run: the programs of a launch one after the other, recorded; again with values where data decides.
#include "interp/cpu/addresses.h"

#include "interp/cpu/absent.h"
#include "interp/cpu/recording.h"

namespace tl::cpu {

namespace {

trace::AccessRecord record(const Launch& launch, const AddressOptions& options, trace::Observer* observer = nullptr) {
  RunOptions run;
  run.order = Order::sequential;
  run.stop = options.stop;
  run.observer = observer;
  LaunchState shared{.launch = launch, .options = run, .tensors = {}, .info = {}};
  shared.info = info_of(launch, shared.tensors);
  shared.running = 1;
  if (observer) observer->launch_begins(shared.info);
  trace::AccessBuilder builder(shared.info, launch.options.num_warps, launch.options.num_stages);
  Recording recording(builder);
  State s(shared);
  s.recording = &recording;
  s.has_data = options.with_values;
  const Grid& g = launch.grid;
  for (std::int64_t i = 0; i < g.programs(); ++i) {
    const ProgramId id{i % g.x, i / g.x % g.y, i / (g.x * g.y)};
    const trace::Keep keep = observer ? observer->program_begins(id) : trace::Keep::nothing;
    if (observer && keep == trace::Keep::nothing) continue;
    s.begin_program(id, keep);
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

namespace {

trace::AccessRecord record_with_data_if_needed(const Launch& launch, const AddressOptions& options, trace::Observer* observer) {
  check_launch(launch);
  if (options.with_values) return record(launch, options, observer);
  try {
    return record(launch, options, observer);
  } catch (const NeedsValues& e) {
    refuse_empty_tensors(launch, e.what());
    AddressOptions again = options;
    again.with_values = true;
    trace::AccessRecord r = record(launch, again, observer);
    r.needed_values = e.what();
    return r;
  }
}

}  // namespace

trace::AccessRecord record_accesses(const Launch& launch, const AddressOptions& options) { return record_with_data_if_needed(launch, options, nullptr); }

void watch_addresses(const Launch& launch, trace::Observer& observer, const AddressOptions& options) {
  AddressOptions every = options;
  every.compress_loops = false;
  record_with_data_if_needed(launch, every, &observer);
}

}  // namespace tl::cpu
