#include "interp/machine/schedule/schedule.h"

#include <fmt/format.h>

#include <chrono>

#include "interp/lang/error.h"
#include "interp/machine/schedule/baselines.h"
#include "interp/machine/schedule/distinct.h"
#include "interp/machine/schedule/simulation.h"

namespace tl::machine {

Schedule simulate(const trace::AccessRecord& record, const Device& device, const ScheduleOptions& options) {
  const auto begun = std::chrono::steady_clock::now();
  if (record.programs.empty())
    throw Error("the launch of " + record.kernel + " has no programs",
                "choose a larger size, so that the grid holds at least one program");
  if (options.ctas_per_sm < 1)
    throw Error("an SM of " + device.title + " holds no CTA of " + record.kernel,
                "smaller blocks or fewer stages: tilescope occupancy says which resource is exceeded");

  const Device loaded = under_load(device);
  Simulation simulation(record, loaded, options);
  Schedule& out = simulation.out_;
  out.gpu = device.name;
  out.kernel = record.kernel;
  for (int d = 0; d < 3; ++d) out.grid[d] = record.grid[d];
  out.sms = device.sms;
  out.resident_programs_per_sm = options.ctas_per_sm;
  const auto programs = static_cast<std::int64_t>(record.programs.size()), places = device.sms * options.ctas_per_sm;
  out.waves = static_cast<double>(programs) / static_cast<double>(places);
  for (const auto& t : record.tensors) {
    out.tensors.push_back({});
    out.tensors.back().name = t.name;
  }
  count_distinct(record, simulation.footprint(), options.first_programs, out);
  out.wave_count_read_bytes = wave_count_dram_bytes(record, simulation.footprint(), device, options.ctas_per_sm);
  Schedule done = simulation.run();
  state_interval(done, device);
  if (device.loaded_clock_ghz < device.sm_clock_ghz)
    done.notes.push_back(
        fmt::format("Its power leaves it {:.3g} GHz of {:.3g} while it computes; a launch alone on a "
                    "cool chip is faster.",
                    device.loaded_clock_ghz, device.sm_clock_ghz));
  if (simulation.drift_is_chance(done))
    done.notes.push_back(
        fmt::format("This loop takes nearly all the power there is: whether its programs stay in step is chance, and "
                    "an H200 may read from {:.3g} GB, all in step, to twice that.",
                    done.wave_count_read_bytes * 1e-9));
  done.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  return done;
}

}  // namespace tl::machine
