// What the tour of a launch and that of two side by side say alike: times, parts, and where the eye goes.
#pragma once

#include <string>
#include <vector>

#include "interp/report/numbers.h"
#include "viz/model/film/film.h"

namespace tl::viz::film {

inline constexpr Box sms_part{1080, 0, 520, 710};
inline constexpr double well_used = 0.9;

inline std::string us_text(double us) { return report::time_text(us * 1e-3); }
inline std::string part_text(double share) { return share < 0.005 ? "less than 1 %" : report::percent_text(share); }

// Of the bytes that programs load those that their lanes ask for; 1 or more, where nothing comes that nobody wants.
double used_share(const Film& film);
// So many tiles one after the other: 1, unless programs are persistent.
std::size_t tiles_of(const Film& film, const ProgramAt& p);
// Captions in the order of time, with their seconds.
std::vector<Caption> timed(std::vector<Caption> tour);

}  // namespace tl::viz::film
