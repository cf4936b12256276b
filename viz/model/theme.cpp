#include "viz/model/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tl::viz {

namespace {

constexpr Rgba rgb(std::uint32_t v) {
  return {static_cast<float>(v >> 16 & 255) / 255, static_cast<float>(v >> 8 & 255) / 255,
          static_cast<float>(v & 255) / 255, 1};
}

// Okabe and Ito's colours without black; the order keeps neighbours apart.
constexpr std::array<Rgba, 7> okabe_ito = {rgb(0x56B4E9), rgb(0xE69F00), rgb(0x009E73), rgb(0xCC79A7),
                                           rgb(0xF0E442), rgb(0x0072B2), rgb(0xD55E00)};

// cividis (Nunez, Anderton and Renslow 2018), every sixteenth of its 256 colours.
constexpr std::array<Rgba, 17> cividis_stops = {
    rgb(0x00224E), rgb(0x002C64), rgb(0x0B3670), rgb(0x26406D), rgb(0x374A6C), rgb(0x46546B),
    rgb(0x545F6D), rgb(0x616970), rgb(0x6E7374), rgb(0x7C7E78), rgb(0x8B8A78), rgb(0x9B9676),
    rgb(0xABA272), rgb(0xBCAF6B), rgb(0xCEBD61), rgb(0xE1CC54), rgb(0xFEE838)};

Rgba mix(const Rgba& a, const Rgba& b, float t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t, 1};
}

double luminance(const Rgba& c) {
  const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

// light, dark, contrast
struct RoleColours {
  Role role;
  std::uint32_t rgb[3];
};
constexpr RoleColours role_colours[] = {
    {Role::paper, {0xFFFFFF, 0x16181D, 0x000000}},     {Role::surface, {0xF3F4F6, 0x23262E, 0x000000}},
    {Role::ink, {0x1B1F24, 0xE8EAED, 0xFFFFFF}},       {Role::soft, {0x57606A, 0xA9B1BA, 0xFFFFFF}},
    {Role::faint, {0xB9C0C8, 0x4A505A, 0xA0A0A0}},     {Role::accent, {0xD55E00, 0xFFA94D, 0xFFFF00}},
    {Role::current, {0xFFE8A3, 0x4A3B0E, 0x6B5000}},   {Role::load, {0x0072B2, 0x56B4E9, 0x66CCFF}},
    {Role::store, {0xB34700, 0xE69F00, 0xFFB84D}},     {Role::fault, {0xC0261C, 0xFF7B72, 0xFF6B6B}},
    {Role::good, {0x00795A, 0x2FC79B, 0x40E0A8}},      {Role::masked, {0x8A929B, 0x7D8590, 0xC8C8C8}},
    {Role::unwritten, {0xD0D7DF, 0x3D4450, 0x484848}}, {Role::model, {0x7B3F8C, 0xD6A0E3, 0xF0B0FF}},
};

}  // namespace

Rgba cividis(double level) {
  const double at = std::clamp(std::isnan(level) ? 0.0 : level, 0.0, 1.0) * (cividis_stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), cividis_stops.size() - 2);
  return mix(cividis_stops[below], cividis_stops[below + 1], static_cast<float>(at - static_cast<double>(below)));
}

double contrast_ratio(const Rgba& a, const Rgba& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

Rgba Theme::operator()(const Colour& colour, const Colour& over) const {
  Rgba result{0, 0, 0, 0};
  switch (colour.role) {
    case Role::none: return result;
    case Role::category: result = okabe_ito[colour.index % okabe_ito.size()]; break;
    case Role::named: {  // towards ink until it reads: on paper, and on the line that is next
      const Rgba hue = okabe_ito[colour.index % okabe_ito.size()], ink = (*this)({Role::ink});
      float t = 0;
      const auto reads = [&](Role ground) { return contrast_ratio(result, (*this)({ground})) >= 4.6; };
      do {
        result = mix(hue, ink, t);
        t += 0.05f;
      } while (t <= 1 && !(reads(Role::paper) && reads(Role::surface) && reads(Role::current)));
      break;
    }
    case Role::magnitude: result = cividis(colour.level); break;
    case Role::difference: {  // vermillion below, paper at zero, blue above
      const Rgba zero = (*this)({Role::surface});
      result = mix(zero, colour.level < 0 ? rgb(0xD55E00) : rgb(0x0072B2), std::min(1.f, std::abs(colour.level)));
      break;
    }
    case Role::contrast: {
      Rgba ground = (*this)(over.role == Role::none ? Colour{Role::paper} : over);
      ground = mix((*this)({Role::paper}), ground, ground.a);
      result = luminance(ground) > 0.179 ? rgb(0x000000) : rgb(0xFFFFFF);  // where black and white read equally well
      break;
    }
    default:
      for (const RoleColours& of : role_colours)
        if (of.role == colour.role) result = rgb(of.rgb[static_cast<int>(name_)]);
  }
  result.a = colour.alpha;
  return result;
}

Rgba Theme::solid(const Colour& colour, const Rgba& ground) const {
  const Rgba c = (*this)(colour);
  return mix(ground, c, c.a);
}

const char* name_of(ThemeName name) {
  return name == ThemeName::light ? "light" : name == ThemeName::dark ? "dark" : "contrast";
}

std::optional<ThemeName> theme_named(const std::string& name) {
  for (const ThemeName t : {ThemeName::light, ThemeName::dark, ThemeName::contrast})
    if (name == name_of(t)) return t;
  return std::nullopt;
}

std::string hex(const Rgba& c) {
  const auto byte = [](float v) { return static_cast<int>(v * 255 + 0.5f); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(c.r), byte(c.g), byte(c.b));
}

}  // namespace tl::viz
