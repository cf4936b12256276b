#include "interp/cuda/host/ring_fit.h"

#include <algorithm>

#include "interp/cuda/host/reports.h"

namespace tl::cuda {

RingFit fit_of(const Compiled& compiled, int num_stages, int shared_bytes) {
  const Rings rings = read_rings(compiled.ptx);
  rules::RingUse innermost{};
  int bytes = 0;  // of a slot of each level
  for (const rules::RingUse& use : rings.levels)
    if (use.level > 0 && use.bytes > 0) {
      innermost = use;
      bytes += use.bytes;
    }
  if (bytes == 0) return {num_stages, 0};
  const Resources& r = compiled.resources;
  const int free = shared_bytes - (r.static_shared_bytes + r.dynamic_shared_bytes - num_stages * bytes);
  const int outer = bytes - innermost.bytes;
  const RingFit all{std::clamp(free / bytes, 0, num_stages), 0},
      single{std::clamp((free - outer) / innermost.bytes, 0, num_stages), innermost.level - 1};
  return single.stages > all.stages ? single : all;
}

}  // namespace tl::cuda
