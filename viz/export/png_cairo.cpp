// PNG by Cairo: the same shapes as the SVG, with DejaVu Sans where it is installed.
#include <cairo.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "interp/lang/error.h"
#include "viz/export/export.h"

namespace tl::viz {

namespace {

class Painter {
 public:
  Painter(const Drawing& drawing, const Theme& theme, float scale) : drawing_(drawing), theme_(theme) {
    surface_ = cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(drawing.width * scale)),
                                          static_cast<int>(std::ceil(drawing.height * scale)));
    context_ = cairo_create(surface_);
    // Letters as wide as text_width says, not rounded to whole pixels: what was fitted to a width ends there.
    cairo_font_options_t* const options = cairo_font_options_create();
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(context_, options);
    cairo_font_options_destroy(options);
    cairo_scale(context_, scale, scale);
    use({Role::paper});
    cairo_paint(context_);
    cairo_set_line_cap(context_, CAIRO_LINE_CAP_BUTT);
  }
  ~Painter() {
    cairo_destroy(context_);
    cairo_surface_destroy(surface_);
  }
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  void draw(const Shape& s) {
    switch (s.kind) {
      case Kind::rect: rect(s); break;
      case Kind::text: text(s, s.x, s.y, s.align, s.over); break;
      case Kind::line: line(s); break;
      case Kind::arrow: {
        line(s);
        head(s);
      } break;
      case Kind::polyline:
        cairo_new_path(context_);  // a text leaves its end as the present point
        for (const Point& p : s.points) cairo_line_to(context_, p.x, p.y);
        fill_and_stroke(s);
        break;
      case Kind::cross: {
        cairo_move_to(context_, s.x, s.y);
        cairo_line_to(context_, s.x + s.w, s.y + s.h);
      }
        cairo_move_to(context_, s.x + s.w, s.y);
        cairo_line_to(context_, s.x, s.y + s.h);
        use(s.stroke);
        cairo_set_line_width(context_, 2);
        cairo_stroke(context_);
        break;
      case Kind::up_triangle: triangle(s, s.y + s.h, s.y); break;
      case Kind::down_triangle: triangle(s, s.y, s.y + s.h); break;
      case Kind::image: image(s); break;
    }
  }

  std::string bytes() const {
    std::string out;
    const auto append = [](void* to, const unsigned char* data, unsigned length) {
      static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
      return CAIRO_STATUS_SUCCESS;
    };
    const cairo_status_t status = cairo_surface_write_to_png_stream(surface_, append, &out);
    if (status != CAIRO_STATUS_SUCCESS)
      throw Error(std::string("Cairo cannot make the picture: ") + cairo_status_to_string(status),
                  "choose a smaller --size");
    return out;
  }

 private:
  void use(const Colour& colour, const Colour& over = {}) {
    const Rgba c = theme_(colour, over);
    cairo_set_source_rgba(context_, c.r, c.g, c.b, c.a);
  }
  void pen(const Shape& s) {
    use(s.stroke);
    cairo_set_line_width(context_, s.stroke_width);
    const double dashes[] = {4, 3};
    cairo_set_dash(context_, dashes, s.is_dashed ? 2 : 0, 0);
  }
  void fill_and_stroke(const Shape& s) {
    if (s.fill.role != Role::none) {
      use(s.fill);
      cairo_fill_preserve(context_);
    }
    if (s.stroke.role != Role::none) {
      pen(s);
      cairo_stroke_preserve(context_);
    }
    cairo_new_path(context_);
  }
  void rect(const Shape& s) {
    cairo_rectangle(context_, s.x, s.y, s.w, s.h);
    fill_and_stroke(s);
    if (s.hatch != Hatch::none) hatch(s);
    if (Shape plate = plate_of(s); plate.w > 0)
      for (int coat = 0; coat < 2; ++coat, plate.fill = s.fill) {
        cairo_rectangle(context_, plate.x, plate.y, plate.w, plate.h);
        fill_and_stroke(plate);
      }
    if (!s.text.empty()) text(s, s.x + s.w / 2, s.y + s.h / 2 + s.size * 0.36f, Align::centre, s.fill);
  }
  void line(const Shape& s) {
    cairo_move_to(context_, s.x, s.y);
    cairo_line_to(context_, s.x + s.w, s.y + s.h);
    pen(s);
    cairo_stroke(context_);
    cairo_set_dash(context_, nullptr, 0, 0);
  }
  void head(const Shape& s) {
    const float length = std::hypot(s.w, s.h);
    if (length < 1) return;
    const float ux = s.w / length, uy = s.h / length, x = s.x + s.w, y = s.y + s.h, a = 7, b = 3;
    cairo_move_to(context_, x, y);
    cairo_line_to(context_, x - a * ux - b * uy, y - a * uy + b * ux);
    cairo_line_to(context_, x - a * ux + b * uy, y - a * uy - b * ux);
    use(s.stroke);
    cairo_fill(context_);
  }
  void triangle(const Shape& s, float base, float tip) {
    cairo_move_to(context_, s.x, base);
    cairo_line_to(context_, s.x + s.w, base);
    cairo_line_to(context_, s.x + s.w / 2, tip);
    use(s.fill);
    cairo_fill(context_);
  }
  void hatch(const Shape& s) {
    cairo_save(context_);
    cairo_rectangle(context_, s.x, s.y, s.w, s.h);
    cairo_clip(context_);
    constexpr float pitch = 6;
    if (s.hatch == Hatch::dots) {
      use({Role::masked});
      for (float y = std::ceil(s.y / pitch) * pitch - 3; y < s.y + s.h + 1; y += pitch)
        for (float x = std::ceil(s.x / pitch) * pitch - 3; x < s.x + s.w + 1; x += pitch) {
          cairo_arc(context_, x, y, 1, 0, 2 * std::numbers::pi);
          cairo_fill(context_);
        }
    } else {
      use(s.hatch == Hatch::single ? Colour{Role::masked} : Colour{Role::ink, 0, 0, 0.55f});
      cairo_set_line_width(context_, s.hatch == Hatch::single ? 1.2 : 1);
      // The lines x + y = a multiple of the pitch, as the SVG's pattern has them; crossed: x - y as well.
      for (float c = std::floor((s.x + s.y) / pitch) * pitch; c <= s.x + s.w + s.y + s.h; c += pitch) {
        cairo_move_to(context_, c - s.y, s.y);
        cairo_line_to(context_, c - s.y - s.h, s.y + s.h);
      }
      if (s.hatch == Hatch::crossed)
        for (float c = std::floor((s.x - s.y - s.h) / pitch) * pitch; c <= s.x + s.w - s.y; c += pitch) {
          cairo_move_to(context_, c + s.y, s.y);
          cairo_line_to(context_, c + s.y + s.h, s.y + s.h);
        }
      cairo_stroke(context_);
    }
    cairo_restore(context_);
  }
  void text(const Shape& s, float x, float y, Align align, const Colour& over) {
    cairo_set_font_size(context_, s.size);
    const std::vector<Run> runs = runs_of(s);
    if (align != Align::left) {
      double advance = 0;
      for (const Run& run : runs) {
        choose(run.font, s);
        cairo_text_extents_t extents;
        cairo_text_extents(context_, run.text.c_str(), &extents);
        advance += extents.x_advance;
      }
      x -= static_cast<float>(advance) * (align == Align::centre ? 0.5f : 1.f);
    }
    use(s.ink, over);
    cairo_move_to(context_, x, y);
    for (const Run& run : runs) {
      choose(run.font, s);
      cairo_show_text(context_, run.text.c_str());
    }
  }

  // A part of a text that one font has. Cairo's own texts take no second font for what the first one lacks.
  struct Run {
    const char* font;
    std::string text;
  };
  std::vector<Run> runs_of(const Shape& s) {
    const char* const own = s.is_mono ? "DejaVu Sans Mono" : "DejaVu Sans";
    std::vector<Run> runs;
    for (std::size_t at = 0, next; at < s.text.size(); at = next) {
      next = at + 1;
      while (next < s.text.size() && (static_cast<unsigned char>(s.text[next]) & 0xC0) == 0x80) ++next;
      const std::string character = s.text.substr(at, next - at);
      const char* const font = character.size() < 2 ? own : font_with(character, own, s);
      if (runs.empty() || runs.back().font != font) runs.push_back({font, ""});
      runs.back().text += character;
    }
    return runs;
  }
  void choose(const char* font, const Shape& s) {
    cairo_select_font_face(context_, font, CAIRO_FONT_SLANT_NORMAL,
                           s.is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  }
  const char* font_with(const std::string& character, const char* own, const Shape& s) {
    for (const char* font :
         {own, "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Droid Sans Fallback", "Noto Sans CJK SC"}) {
      choose(font, s);
      cairo_glyph_t* glyphs = nullptr;
      int count = 0;
      cairo_scaled_font_text_to_glyphs(cairo_get_scaled_font(context_), 0, 0, character.data(),
                                       static_cast<int>(character.size()), &glyphs, &count, nullptr, nullptr, nullptr);
      const bool has = count > 0 && glyphs[0].index != 0;
      cairo_glyph_free(glyphs);
      if (has) return font;
    }
    return own;
  }
  void image(const Shape& s) {
    const Image& image = drawing_.images[s.image];
    cairo_surface_t* const texture =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(image.columns), static_cast<int>(image.rows));
    unsigned char* const data = cairo_image_surface_get_data(texture);
    const int stride = cairo_image_surface_get_stride(texture);
    const std::vector<std::uint32_t> colours = colours_of(image, theme_);
    for (std::int64_t r = 0; data && r < image.rows; ++r)
      for (std::int64_t c = 0; c < image.columns; ++c)
        std::memcpy(data + r * stride + 4 * c, &colours[image.texels[r * image.columns + c]], 4);
    cairo_surface_mark_dirty(texture);
    cairo_save(context_);
    cairo_translate(context_, s.x, s.y);
    cairo_scale(context_, s.w / static_cast<float>(image.columns), s.h / static_cast<float>(image.rows));
    cairo_set_source_surface(context_, texture, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(context_), CAIRO_FILTER_NEAREST);
    cairo_rectangle(context_, 0, 0, static_cast<double>(image.columns), static_cast<double>(image.rows));
    cairo_fill(context_);
    cairo_restore(context_);
    cairo_surface_destroy(texture);
  }

  const Drawing& drawing_;
  const Theme& theme_;
  cairo_surface_t* surface_ = nullptr;
  cairo_t* context_ = nullptr;
};

}  // namespace

bool has_png() { return true; }

std::string png(const Drawing& drawing, const Theme& theme, float scale) {
  Painter painter(drawing, theme, scale);
  for (const Shape& s : drawing.shapes) painter.draw(s);
  return painter.bytes();
}

}  // namespace tl::viz
