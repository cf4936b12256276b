// The styles and scripts of exported pages, by their names in this folder: film.js.
#pragma once

#include <string>
#include <string_view>

namespace tl::viz {

std::string_view page_text(const std::string& name);

}  // namespace tl::viz
