// A film as one HTML page that plays, zooms and compares without anything from elsewhere.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "viz/model/film/film.h"
#include "viz/model/theme.h"

namespace tl::viz {

namespace film {
std::string page(std::span<const std::shared_ptr<const Film>> films, std::span<const std::string> names,
                 const Theme& theme);
}

// The page's script and style.
extern const char* const film_style;
extern const char* const film_script;

}  // namespace tl::viz
