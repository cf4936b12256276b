#include "interp/cli/accesses.h"

#include "interp/cli/interrupt.h"
#include "interp/cli/terminal.h"
#include "interp/cpu/addresses.h"
#include "interp/cpu/run.h"

namespace tl::cli {

std::vector<trace::AccessRecord> record_accesses(const KernelOptions& options, bool compress_loops) {
  const Progress progress("recording the addresses of " + options.kernel);
  const cpu::AddressOptions how{.compress_loops = compress_loops, .with_values = false, .stop = &stop_requested()};
  std::vector<trace::AccessRecord> records;
  try {
    const ShapesOnly no_data;
    for (const Launch& launch : make_case(options).instance.launches) records.push_back(cpu::record_accesses(launch, how));
    return records;
  } catch (const cpu::NeedsTensorData&) {
    records.clear();
  }
  for (const Launch& launch : make_case(options).instance.launches) {
    records.push_back(cpu::record_accesses(launch, how));
    // What it writes, a later launch may look at.
    if (records.back().needed_values.empty()) cpu::run(launch);
  }
  return records;
}

}  // namespace tl::cli
