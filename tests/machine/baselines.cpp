#include "tests/machine/baselines.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace tl::test {

namespace {

using trace::AccessPattern;
using trace::AccessRecord;

// A stretch of loads that a program repeats with a step; equal ones read the same tiles.
struct Stretch {
  std::uint32_t pattern;
  std::int64_t base, step, iterations;
  bool operator==(const Stretch&) const = default;
};
struct HashStretch {
  std::size_t operator()(const Stretch& s) const {
    std::size_t h = s.pattern;
    for (const std::int64_t v : {s.base, s.step, s.iterations}) h = h * 0x9E3779B97F4A7C15u + static_cast<std::size_t>(v) + (h >> 29);
    return h;
  }
};

double bytes_of(const AccessRecord& record, const AccessPattern& pattern) {
  return static_cast<double>(trace::active_lanes(pattern)) * size_in_bytes(record.tensors[static_cast<std::size_t>(pattern.tensor)].dtype);
}

}  // namespace

double wave_count_dram_bytes(const AccessRecord& record, std::int64_t sms, std::int64_t ctas_per_sm) {
  const auto places = static_cast<std::size_t>(sms * ctas_per_sm);
  const bool is_persistent = record.programs.size() <= places;
  std::unordered_map<Stretch, std::vector<std::size_t>, HashStretch> waves_of;  // the waves that read it
  double bytes = 0;
  for (std::size_t p = 0; p < record.programs.size(); ++p) {
    const auto& program = record.programs[p];
    std::size_t tile = 0;
    bool stored = false;  // a tile is done when its result is: the next load begins another one
    for (std::uint32_t s = program.first; s < program.first + program.size; ++s) {
      const trace::Segment& segment = record.segments[s];
      for (std::uint32_t a = segment.first; a < segment.first + segment.size; ++a) {
        const trace::PlacedAccess& access = record.accesses[a];
        const AccessPattern& pattern = record.patterns[access.pattern];
        if (pattern.kind != trace::AccessKind::load) {
          stored = true;
          continue;
        }
        if (stored) ++tile, stored = false;
        const std::size_t wave = is_persistent ? tile : p / places;
        auto& waves = waves_of[{access.pattern, access.base, segment.iterations > 1 ? access.step : 0, segment.iterations}];
        if (std::ranges::find(waves, wave) != waves.end()) continue;
        waves.push_back(wave);
        bytes += static_cast<double>(segment.iterations) * bytes_of(record, pattern);
      }
    }
  }
  return bytes;
}

}  // namespace tl::test
