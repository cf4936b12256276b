// What tests ask of a drawing's shapes.
#pragma once

#include <algorithm>
#include <string>

#include "viz/model/drawing.h"

namespace tl::viz {

inline std::string text_of_shape(const Drawing& d, const std::string& id) {
  for (const Shape& s : d.shapes)
    if (s.id == id) return s.text;
  return "no shape " + id;
}

inline std::size_t count(const Drawing& d, Hatch hatch, const std::string& id_begins) {
  return static_cast<std::size_t>(std::count_if(d.shapes.begin(), d.shapes.end(), [&](const Shape& s) {
    return s.hatch == hatch && s.id.starts_with(id_begins);
  }));
}

}  // namespace tl::viz
