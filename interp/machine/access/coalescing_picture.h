// One request drawn: 32 lanes over a ruler cut in sectors. Data first, so that the window draws what the terminal
// prints.
#pragma once

#include "interp/machine/access/coalescing.h"

namespace tl::machine {

struct CoalescingPicture {
  struct Sector {
    std::int64_t byte = 0;   // from the tensor's first byte on
    std::vector<int> lanes;  // of each cell, first to last; -1: fetched and not used
    int used_cells() const;
  };
  int cell_bytes = 4;           // one element, or the part of it that shares a sector
  int needed = 0, fetched = 0;  // sectors that would do; sectors that move
  int lanes = 0;                // that ask
  int bytes_a_lane = 4;
  std::vector<Sector> sectors;      // by address
  std::vector<int> wasteful_lanes;  // those in sectors of which others use nothing, when more sectors move than needed
  std::string caption() const;      // needed 4, fetched 32
};

CoalescingPicture picture_of(const Request& request, int element_bytes);

// In letters: lane 0 is 0, lane 10 a, lane 31 v; a dot is fetched and not used. A line of text is a 128-byte line of
// memory.
std::string text_of(const CoalescingPicture& picture, int most_lines = 8);

}  // namespace tl::machine
