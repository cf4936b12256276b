// Picks the loops that this machine runs best.
#include "interp/cpu/loops.h"

#include "interp/lang/instruction_set.h"

namespace tl::cpu {

const Loops& loops() {
  static const Loops* const chosen = TL_BEST(table);
  return *chosen;
}

}  // namespace tl::cpu
