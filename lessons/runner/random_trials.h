// Values drawn by chance: what a kernel computes must be what the solution computes, for any values, and must hold to
// the lesson's relations. A kernel that knows the chosen trials, by their sizes or by their values, fails here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lessons/runner/lesson.h"
#include "lessons/runner/parting.h"

namespace tl::lessons {

inline constexpr int rounds_by_chance = 12;

// What inputs hold: numbers around a height, at most a few `units` from it.
struct Values {
  enum class Kind { spread, all_magnitudes, all_alike };
  Kind kind = Kind::spread;
  double unit = 1, height = 0;  // the latter as a power of what the dtype holds, 1 being the largest, with a sign
  bool is_exact = false;        // the height is the number itself
  double output = 0;            // the first input is multiplied so that outputs are about as large; 0: it is not
  bool has_zeros = true;
  bool is_first_alone = false;  // so near to 0: of several inputs the first

  bool is_near_one() const { return kind == Kind::spread && unit == 1 && height == 0 && output == 0; }
};
// The later the round, the nearer to 0 or the higher.
Values values_of_round(int round);
// Of a number that stands in a kernel's text: inputs as small or as large, outputs as large.
std::vector<Values> values_around(double own);

// Whether its inputs may hold any numbers: no bits and no bytes of a picture.
bool takes_any_values(const problems::Instance& instance);
struct WrongValue {
  Finding finding;
  std::optional<Cell> cell;
};

// `mine` and `best`: a trial of the learner's kernel, and the same one of the solution; both get such values. How far
// an output may be from the solution's follows from arithmetic: from how far the solution's own outputs move where each
// input moves by its last digit.
std::optional<WrongValue> random_failure(const Lesson& lesson, const Trial& mine, const Trial& best,
                                         const Values& values, Chance& chance);

}  // namespace tl::lessons
