#include "interp/machine/baselines.h"

#include <algorithm>

#include "interp/machine/tiles.h"

namespace tl::machine {

double wave_count_dram_bytes(const trace::AccessRecord& record, const Device& device, std::int64_t ctas_per_sm) {
  const Footprint f = footprint_of(record, device);
  const auto places = static_cast<std::size_t>(device.sms * ctas_per_sm);
  std::vector<std::vector<std::uint32_t>> last_wave;  // of each tensor's tiles, from 1
  for (const std::uint32_t tiles : f.tensor_tiles) last_wave.emplace_back(tiles, 0);
  double bytes = 0;
  for (std::size_t p = 0; p < record.programs.size(); ++p) {
    const auto wave = static_cast<std::uint32_t>(p / places + 1);
    for (std::uint32_t s = record.programs[p].first; s < record.programs[p].first + record.programs[p].size; ++s)
      for (std::uint32_t a = record.segments[s].first; a < record.segments[s].first + record.segments[s].size; ++a) {
        const std::uint32_t r = f.run_of_access[a];
        if (r == UINT32_MAX || f.runs[r].kind != trace::AccessKind::load) continue;
        const Run& run = f.runs[r];
        for (std::uint32_t k = 0; k < run.iterations; ++k) {
          std::uint32_t& last = last_wave[static_cast<std::size_t>(run.tensor)][f.tile_numbers[run.first_piece + k]];
          if (last != wave) bytes += double(run.sectors) * static_cast<double>(device.sector_bytes);
          last = wave;
        }
      }
  }
  return bytes;
}

Device with_nominal_lru(Device device) {
  device.l2_partitions = 1, device.l2_usable = 1, device.l2_policy = Policy::lru, device.merge_limit = 1;
  std::fill(device.sm_partition.begin(), device.sm_partition.end(), 0);
  return device;
}

}  // namespace tl::machine
