// Configs in words, as --configs and a case's `configs` have them: alternatives with ; between them, each the product
// of its words.
//   bm=64,128 warps=4,8                      four configs
//   bm=64 bn=64 warps=4; bm=128 bn=256 warps=8   two
//   pointwise(BLOCK=n)                       by the rules of generators.h: n long, BLOCK the setting of its block
//   pointwise(BX=w, BY=h) registers=32,64    also square_tiles, one_element_per_thread, min_elem_per_thread=4
//   reduction(BX=rows, BR=cols)              also inner, outer, tiny_outer, many_values
//   persistent_reduction(BX=rows, cols)
//   template(warps=8, stages=3)
//   BLOCK=next_power_of_2(cols)              a value that is an expression is computed from the settings
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/problems/tuning.h"

namespace tl::problems {

// Throws Error: what is wrong in `text`, and how to write it. `evaluate`: of an expression of settings.
std::vector<Config> configs_in(const std::string& text,
                               const std::function<std::int64_t(const std::string& expression)>& evaluate);

}  // namespace tl::problems
