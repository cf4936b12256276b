// Wavefronts of shared memory as a terminal shows them: a table of placements, and the first request drawn.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "interp/machine/access/banks.h"
#include "interp/report/terminal.h"
#include "interp/run/limits_case.h"

namespace tl::run {

// A tile as the user writes it: 32x32.
struct TileRequest {
  std::string tile, dtype = "f32", placement = {};  // placement "": all
  int bytes = 0;                                    // that a lane takes at once; 0: one element
};
// Throws Error for an invalid tile, or one that cannot be read so.
machine::BankedTile parse_tile(const TileRequest& request);

std::string banks_text(const TileRequest& request, const machine::Device& device);
nlohmann::ordered_json banks_json(const TileRequest& request);

std::string banks_text(const KernelOptions& kernel, const SharedTiles& found, const std::string& placement,
                       const machine::Device& device, report::Paint paint, int columns);
nlohmann::ordered_json banks_json(const KernelOptions& kernel, const SharedTiles& found, const std::string& placement,
                                  const machine::Device& device);

}  // namespace tl::run
