// Sectors that neighbouring tiles share, since rows begin or end where no sector does. The first who asks for one
// misses, the second hits; and a miss fetches a pair of sectors (64 bytes), of which a neighbour may ask for the other
// half. Measured on an H200: calibration/sectors.cu.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/machine/access/rows.h"
#include "interp/machine/access/tiles.h"

namespace tl::machine {

class SharedSectors {
 public:
  explicit SharedSectors(std::size_t tensors) : tensors_(tensors) {}

  // Every distinct tile of a tensor (`number` tells them apart), `first` its lowest element; `width`: of the requests
  // by which warps ask for it, 0: it has none.
  void add_tile(std::size_t tensor, std::uint32_t number, const Rows& rows, std::int64_t first, std::int64_t elem_bytes,
                std::int64_t width);
  std::vector<FirstRead> first_reads(double fetch_bytes) const;

 private:
  static constexpr std::int64_t sector = 32;
  // Bytes [from, end) of a tensor, by one tile.
  struct Stretch {
    std::int64_t from, end;
  };
  struct Tensor {
    std::vector<bool> seen;  // tiles
    std::vector<Stretch>
        stretches;    // of tiles that have a row that begins or ends within a pair of sectors: the others share nothing
    double even = 0;  // sectors of those others
    double uneven = 0;
    double requests_apart = 0;  // sectors that a row's later requests find
  };
  std::vector<Tensor> tensors_;
};

}  // namespace tl::machine
