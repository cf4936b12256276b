// Sectors that tiles, or the requests of one tile, share. Where rows begin or end within a sector, the first request
// for it misses and the second hits. And a miss fetches a pair of sectors (64 bytes), of which a later request may ask
// for the other half. Measured on an H200: probes/sectors.cu, lanes.cu.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/machine/access/rows.h"
#include "interp/machine/access/tiles.h"

namespace tl::machine {

// For a row of bytes [from, end) that was not read before, asked for by requests of `width` bytes: the sectors that a
// request finds since an earlier one brought the other half of the pair.
double found_by_later_requests(const Device& device, std::int64_t from, std::int64_t end, std::int64_t width);

class SharedSectors {
 public:
  SharedSectors(const Device& device, std::size_t tensors) : device_(device), tensors_(tensors) {}

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
  const Device& device_;
  std::vector<Tensor> tensors_;
};

}  // namespace tl::machine
