// Every drawing's layout: a title on top, shapes in the middle, facts and a legend beneath.
#pragma once

#include <concepts>
#include <string>
#include <utility>

#include "interp/report/numbers.h"
#include "viz/model/drawing.h"

namespace tl::viz {

using report::bytes_text, report::count_text, report::plural;

inline constexpr float margin = 16;
inline constexpr float least_room = 120;   // px, of a picture
inline constexpr float low_canvas = 340;   // px: a canvas of less has a title of one line
inline constexpr float bare_canvas = 150;  // px: one of less has its facts beside the title, in its tooltip
inline constexpr float least_text = 11;    // px; a number that has no room at this size is left to its tooltip

// Counts times sizes are lengths.
template <std::integral Count>
constexpr float length(Count count) {
  return static_cast<float>(count);
}

class Sheet {
 public:
  Sheet(std::string panel, std::string title, std::string subtitle, const Canvas& canvas);

  float left() const { return margin; }
  float right() const { return drawing.width - margin; }
  float inner() const { return drawing.width - 2 * margin; }
  // What the middle may take of the canvas's height, at least least_room: the rest is for facts and legend.
  float room() const;

  // References stay good until the next shape.
  Shape& rect(float x, float y, float w, float h, Colour fill, std::string id = "");
  Shape& text(float x, float y, std::string text, float size = 12, Align align = Align::left, Colour ink = {Role::ink});
  Shape& note(float x, float y, std::string text, float size = least_text,
              Align align = Align::left);                               // of secondary colour
  Shape& heading(float x, float y, std::string text, float size = 13);  // bold
  Shape& line(float x0, float y0, float x1, float y1, Colour stroke, float width = 1);
  Shape& arrow(float x0, float y0, float x1, float y1, Colour stroke, float width = 1.5f);
  Shape& mark(Kind kind, float x, float y, float w, float h, Colour fill, std::string id = "");
  // A paragraph of the sheet's width; returns the y beneath it.
  float paragraph(float y, const std::string& text, float size, Colour ink, const std::string& id,
                  bool is_bold = false);
  void legend(LegendItem item);  // once a label
  void fact(std::string sentence) { drawing.facts.push_back(std::move(sentence)); }
  void control(Control control) { drawing.controls.push_back(std::move(control)); }
  void table(Table table) { drawing.tables.push_back(std::move(table)); }

  // Lays the legend out beneath y, for drawings that one scrolls: else finish() does, at the end.
  void lay_legend();

  // Lays facts and legend out beneath y, and sorts the shapes by layer.
  Drawing finish();

  Drawing drawing;
  float y = 0;  // where the next thing goes; finish() begins there

 private:
  Canvas canvas_;
  bool has_legend_ = false;
};

// Words wrapped to a width.
std::vector<std::string> wrapped(const std::string& text, float width, float size, bool is_bold = false);
// 3, 0.25, -inf, in at most six characters or so: what fits a cell
std::string short_number(double value, bool is_integer, int digits = 3);
// Nine digits, which tell any two fp32 apart.
std::string exact_number(double value);
// As many of its digits as stand in `width` in a monospaced font, in the smallest where the size given is too large;
// none where not even one does.
std::string number_in(float width, double value, bool is_integer, float& size);

}  // namespace tl::viz
