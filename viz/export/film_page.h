// A film as JSON for film.js, and as one HTML page that plays, zooms and compares without anything from elsewhere.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "viz/model/film/film.h"
#include "viz/model/theme.h"

namespace tl::viz::film {

nlohmann::ordered_json data(std::span<const std::shared_ptr<const Film>> films, std::span<const std::string> names,
                            const Theme& theme);

std::string page(std::span<const std::shared_ptr<const Film>> films, std::span<const std::string> names,
                 const Theme& theme);

}  // namespace tl::viz::film
