// The tour of a launch: captions at times that its schedule knows, which clock and camera follow. It takes a minute.
//   seconds of a caption = the length of its text, as a part of the minute
//   clock in it          = from its own time to the next one's
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "viz/model/film/launch.h"
#include "viz/model/film/look.h"

namespace tl::viz::film {

inline constexpr double tour_seconds = 60;

std::vector<Caption> tour_of(const LaunchToPlay& launch, const Film& film, const std::vector<Op>& ops);
// Of films side by side: how they differ, and how much of it is time. For one: its own.
std::vector<Caption> tour_of(std::span<const std::shared_ptr<const Film>> films, std::span<const std::string> names);

// Which caption stands there, and the clock, so many seconds after the tour's beginning.
int caption_at(const std::vector<Caption>& tour, double seconds);
double clock_at(const std::vector<Caption>& tour, double seconds);
viz::Table table_of(const std::vector<Caption>& tour);

}  // namespace tl::viz::film
