#include "interp/run/shared_traffic.h"

#include "interp/cpu/addresses.h"
#include "interp/machine/access/operand_tiles.h"
#include "interp/run/cuda_config.h"

namespace tl::run {

// Each operand of a dot is stored once and read by every warp, or warpgroup, that needs it.
double shared_bytes_of(const Launch& launch, const trace::AccessRecord& record, const machine::Device& device) {
  const machine::CudaConfig config = cuda_config_of(launch, device);
  machine::OperandTiles tiles;
  cpu::watch_addresses(launch, tiles, {.first_programs = 1});
  double bytes = 0;
  for (const auto& t : tiles.tiles()) {
    if (!t.dot_m) continue;
    const auto readers = rules::dot_readers(config, t.dot_m, t.dot_n);
    bytes += static_cast<double>(t.times) * t.rows * t.cols * size_in_bytes(t.dtype) *
             (1 + (t.is_left ? readers.a : readers.b));
  }
  // From the first program to all: in proportion to the flops of their dots.
  double all = 0;
  for (const auto& p : record.programs) all += record.dot_flops(p);
  const double first = record.programs.empty() ? 0 : record.dot_flops(record.programs.front());
  return first > 0 ? bytes * all / first : 0;
}

}  // namespace tl::run
