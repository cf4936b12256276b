#include "interp/machine/schedule/baselines.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tl::machine {

namespace {

// The segments of a launch, wave by wave.
std::vector<std::pair<std::uint32_t, std::uint32_t>> waves_of(const trace::AccessRecord& record, std::size_t places) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waves;  // wave, segment
  const bool is_persistent = record.programs.size() <= places;
  for (std::size_t p = 0; p < record.programs.size(); ++p) {
    std::uint32_t tile = 0;
    bool stored = false;
    for (std::uint32_t s = record.programs[p].first; s < record.programs[p].first + record.programs[p].size; ++s) {
      const trace::Segment& segment = record.segments[s];
      bool loads = false, stores = false;
      for (std::uint32_t a = segment.first; a < segment.first + segment.size; ++a)
        (record.patterns[record.accesses[a].pattern].kind == trace::AccessKind::load ? loads : stores) = true;
      if (stored && loads) {
        ++tile;
        stored = false;
      }
      stored |= stores;
      waves.push_back({is_persistent ? tile : static_cast<std::uint32_t>(p / places), s});
    }
  }
  if (is_persistent) std::ranges::stable_sort(waves, {}, &std::pair<std::uint32_t, std::uint32_t>::first);
  return waves;
}

}  // namespace

double wave_count_dram_bytes(const trace::AccessRecord& record, const Footprint& f, const Device& device,
                             std::int64_t ctas_per_sm) {
  std::vector<std::vector<std::uint32_t>> last_wave;  // that loaded each tensor's tiles, from 1
  for (const std::uint32_t tiles : f.tensor_tiles) last_wave.emplace_back(tiles, 0);
  std::vector<std::uint32_t> run_wave(f.runs.size(),
                                      0);  // that did each run last, from 1: twice in a wave finds all its tiles there
  double bytes = 0;
  for (const auto& [wave, s] : waves_of(record, static_cast<std::size_t>(device.sms * ctas_per_sm)))
    for (std::uint32_t a = record.segments[s].first; a < record.segments[s].first + record.segments[s].size; ++a) {
      const std::uint32_t r = f.run_of_access[a];
      if (r == UINT32_MAX || f.runs[r].kind != trace::AccessKind::load) continue;
      const TileRun& run = f.runs[r];
      if (std::exchange(run_wave[r], wave + 1) == wave + 1) continue;
      for (std::uint32_t k = 0; k < run.iterations; ++k) {
        std::uint32_t& last = last_wave[run.tensor][f.tile_numbers[run.first_piece + k]];
        if (last != wave + 1) bytes += double(run.bytes);
        last = wave + 1;
      }
    }
  return bytes;
}

Device with_nominal_lru(Device device) {
  device.l2_partitions = 1;
  device.l2_usable = 1;
  device.l2_policy = Policy::lru;
  device.merge_limit = 1;
  std::fill(device.sm_partition.begin(), device.sm_partition.end(), 0);
  return device;
}

}  // namespace tl::machine
