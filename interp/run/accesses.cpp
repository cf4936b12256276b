#include "interp/run/accesses.h"

#include <fmt/format.h>

#include "interp/cpu/addresses.h"
#include "interp/cpu/run.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"

namespace tl::run {

using namespace report;

namespace {

// What is kept of a program, and of each access in its text; a program takes some 5 us.
constexpr double most_bytes = 1 << 30, bytes_a_program = 160, bytes_an_access = 107;
constexpr std::int64_t few_programs = 250'000;

}  // namespace

void refuse_huge_grids(const Launch& launch) {
  const std::int64_t programs = launch.grid.programs();
  if (programs <= few_programs) return;
  const trace::AccessRecord first = cpu::record_accesses(launch, {.first_programs = 1});
  const double bytes = bytes_a_program + bytes_an_access * static_cast<double>(first.patterns.size());
  const auto most = static_cast<std::int64_t>(most_bytes / bytes), times = (programs + most - 1) / most;
  if (programs > most)
    throw Error(
        fmt::format(
            "{} has a grid of {} programs; the model follows each of them in some {:.0f} bytes, and {} fit into 1 GiB",
            short_name(launch.kernel), count_text(programs), bytes, count_text(most)),
        fmt::format("make the blocks {0} times as large, or the size {0} times as small: what one program moves stays "
                    "the same, and waves repeat long before",
                    count_text(times)));
}

std::vector<trace::AccessRecord> record_accesses(const KernelOptions& options, bool compress_loops) {
  const Progress progress("recording the addresses of " + options.kernel);
  const cpu::AddressOptions how{.compress_loops = compress_loops, .with_values = false};
  std::vector<trace::AccessRecord> records;
  try {
    const ShapesOnly no_data;
    for (const Launch& launch : make_case(options).instance.launches) {
      refuse_huge_grids(launch);
      records.push_back(cpu::record_accesses(launch, how));
    }
    return records;
  } catch (const cpu::NeedsTensorData&) {
    records.clear();
  }
  for (const Launch& launch : make_case(options).instance.launches) {
    refuse_huge_grids(launch);
    records.push_back(cpu::record_accesses(launch, how));
    // What it writes, a later launch may look at.
    if (records.back().needed_values.empty()) cpu::run(launch);
  }
  return records;
}

namespace {

template <class F>
Launch with_tensors(Launch launch, F change) {
  for (Argument& a : launch.arguments) {
    if (auto* t = std::get_if<TensorArgument>(&a)) change(t->tensor);
    if (auto* d = std::get_if<DescriptorArgument>(&a)) change(d->tensor);
  }
  return launch;
}

}  // namespace

Launch on_copies(Launch launch) {
  return with_tensors(std::move(launch), [](Tensor& t) {
    if (t.holds_data) t = clone(t);
  });
}

bool watch_apart(const Launch& launch, trace::Observer& observer, std::int64_t programs, const std::atomic<bool>* stop,
                 std::int64_t op_limit) {
  try {
    cpu::watch_addresses(with_tensors(launch, [](Tensor& t) { t.holds_data = false; }), observer,
                         {.first_programs = programs, .op_limit = op_limit, .stop = stop});
    return false;
  } catch (const cpu::NeedsTensorData&) {
    for (const Tensor& t : tensors_of(launch))
      if (!t.holds_data) throw;
  }
  cpu::watch_addresses(on_copies(launch), observer,
                       {.first_programs = programs, .with_values = true, .op_limit = op_limit, .stop = stop});
  return true;
}

}  // namespace tl::run
