// Which variables of a routine are read after a statement: those alone must outlive an if or a loop that assigns them.
#pragma once

#include <map>
#include <set>

#include "interp/triton/code.h"

namespace tl::triton {

struct LiveSlots {
  std::map<const Statement*, Slots> after;
  std::map<const Statement*, Slots> at_turn;  // of a loop: as a turn begins
};
// Backwards through statements, from what is read after them.
struct LiveWalk {
  LiveSlots& found;
  Slots at_break, at_continue;
  Slots before(const Statements&, Slots after);
  // For a loop's body that may turn any number of times.
  Slots before_loop(const Statement&, const Statements& body, const Slots& after, const Slots& head_reads,
                    const Target*);
};
LiveSlots live_slots(const Routine&);

}  // namespace tl::triton
