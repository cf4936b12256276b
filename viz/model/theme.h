// How roles look: light, dark and high contrast. Okabe-Ito for categories, cividis for magnitude.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viz/model/drawing.h"

namespace tl::viz {

struct Rgba {
  float r = 0, g = 0, b = 0, a = 1;  // sRGB, 0 .. 1
  friend bool operator==(const Rgba&, const Rgba&) = default;
};

enum class ThemeName : unsigned char { light, dark, contrast };

class Theme {
 public:
  explicit Theme(ThemeName name = ThemeName::light) : name_(name) {}
  ThemeName name() const { return name_; }
  // Role::contrast is black or white, whichever reads on `over`.
  Rgba operator()(const Colour& colour, const Colour& over = {}) const;
  // Opaque: as it looks on the ground given, or on paper.
  Rgba solid(const Colour& colour, const Rgba& ground) const;
  Rgba solid(const Colour& colour) const { return solid(colour, (*this)({Role::paper})); }

 private:
  ThemeName name_;
};

const char* name_of(ThemeName name);
std::optional<ThemeName> theme_named(const std::string& name);
// #rrggbb
std::string hex(const Rgba& colour);
Rgba cividis(double level);
// For two opaque colours, as WCAG 2 defines it: 1 to 21.
double contrast_ratio(const Rgba& a, const Rgba& b);

}  // namespace tl::viz
