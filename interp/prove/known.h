// What formulas know of a value: of a number or pointer its lanes, of a bool where it holds.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interp/cpu/value.h"
#include "interp/prove/formula.h"

namespace tl::prove {

struct Known {
  std::optional<Number> number;  // of a pointer: its offset
  ConditionPtr condition;        // of a bool
  std::set<int> needs;           // of Follower::needs: else the GPU's number is another
};

std::string lane_name(int axis);
// Lanes that the interpreter computed from constants alone.
Known of_constant(const cpu::Value&);
// The value's axes are those of the numbers in `to`; an axis of one lane has none.
Known with_axes(Known, const cpu::Value&, const std::vector<int>& to);
// As NumPy aligns shapes: the last axes are the same.
Known broadcast_to(Known, const cpu::Value&, const cpu::Value& result);
Number range_of(DType, bool upper);

}  // namespace tl::prove
