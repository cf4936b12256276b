// A drawing as data: shapes with ids, what they stand for, tooltips; a title, a legend, tables. Renderers make ImGui,
// SVG, PNG and HTML of it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "viz/model/cells.h"
#include "viz/model/selection.h"

namespace tl::viz {

// The meaning of a colour; a theme gives its look (theme.h).
enum class Role : unsigned char {
  none,
  paper,       // the drawing's ground
  surface,     // an empty cell, a lane without a value
  ink,         // text and outlines
  soft,        // secondary text
  faint,       // rulers, cells' borders
  contrast,    // black or white, whichever reads on `over`
  accent,      // the selection
  current,     // the step, line or program that is next
  category,    // index: one of several kinds (Okabe-Ito)
  named,       // index: a category's hue, as text on paper
  magnitude,   // level 0 .. 1 (cividis)
  difference,  // level -1 .. 1: below and above zero
  load,
  store,
  fault,
  good,
  masked,
  unwritten,  // memory that nobody wrote
  model,      // predicted, never measured
};
struct Colour {
  Role role = Role::none;
  unsigned char index = 0;
  float level = 0;
  float alpha = 1;
  friend bool operator==(const Colour&, const Colour&) = default;
};
inline Colour category(std::int64_t index) { return {Role::category, static_cast<unsigned char>(index % 7)}; }
inline Colour named(std::int64_t index) { return {Role::named, static_cast<unsigned char>(index % 7)}; }
inline Colour magnitude(double level) {
  return {Role::magnitude, 0, static_cast<float>(level < 0 ? 0 : level > 1 ? 1 : level)};
}

enum class Kind : unsigned char { rect, line, arrow, polyline, text, cross, up_triangle, down_triangle, image };
enum class Hatch : unsigned char { none, single, crossed, dots };          // masked; overlapping; unknown
enum class Layer : unsigned char { ground, cells, marks, lines, labels };  // drawn in this order
enum class Align : unsigned char { left, centre, right };

struct Point {
  float x = 0, y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

// Units are pixels at 100 %. The fields that each kind uses:
//   rect, cross, triangles, image: the box x, y, w, h. A rect's `text` stands centred in it, in `ink`.
//   line, arrow: from (x, y) to (x + w, y + h). polyline: `points`.
//   text: at (x, y), the baseline's point that `align` says; `size` high; in `ink`.
struct Shape {
  Kind kind = Kind::rect;
  Layer layer = Layer::cells;
  float x = 0, y = 0, w = 0, h = 0;
  Colour fill, stroke, ink;
  Colour over;  // what a text of Role::contrast stands on; a rect's text stands on its fill
  float stroke_width = 1;
  bool is_dashed = false;
  Hatch hatch = Hatch::none;
  std::string text;
  float size = 12;
  Align align = Align::left;
  bool is_mono = false, is_bold = false;
  std::vector<Point> points;
  int image = -1;       // index of Drawing::images
  std::string id;       // stable from step to step: lane/2/5
  std::string tooltip;  // "": none
  About about;
  bool goes_there = false;  // a click goes to the program and step that it stands for
  std::vector<std::pair<std::string, std::string>> takes =
      {};  // a click gives these settings of the kernel their values
};

// More cells than shapes can show: a texture. Texel (row, column) is palette[texels[row * columns + column]].
struct Image {
  std::int64_t columns = 0, rows = 0;  // texels
  std::vector<unsigned char> texels;
  struct Entry {
    Colour colour;
    std::string label;  // what a cell of this colour is
  };
  std::vector<Entry> palette;
  // What a texel covers: cells [r * cells_down, ...) x [c * cells_across, ...) of a field of `field_rows` x
  // `field_columns`.
  std::int64_t field_rows = 0, field_columns = 0, cells_down = 1, cells_across = 1;
  std::string field_name;  // x: a tensor; "program": programs
  About about;             // of the field as a whole
  enum class Counts : unsigned char { elements, programs, lanes };
  Counts counts = Counts::elements;  // what cells are: elements of about.tensor, programs, lanes of a block
  std::int64_t base = 0, row_stride = 0,
               column_stride = 0;   // cell (r, c) is element, program or lane base + r * row_stride + c * column_stride
  std::vector<double> values = {};  // of the cells, where none are merged; empty: a label says it all
  bool is_whole = false;            // values are integers
  Cells cells() const { return {field_rows, field_columns, row_stride, column_stride}; }
  About about_of(std::int64_t row, std::int64_t column) const;  // of a texel
  std::string tooltip_of(std::int64_t row, std::int64_t column) const;
};

struct LegendItem {
  std::string label;
  Colour fill;
  Hatch hatch = Hatch::none;
  Kind mark = Kind::rect;  // rect, line, cross, up_triangle, down_triangle
  Colour stroke = {};
};

// The drawing's facts as text: for "copy as text" and for readers who do not see it.
struct Table {
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

// A setting of the drawing itself that the reader may turn: how many programs have run, naive or stable.
struct Control {
  enum class Kind : unsigned char {
    slider,
    toggle,
    power,
    choice
  };  // power: of two. choice: value is an index of `choices`
  std::string name, label;  // first_n, "programs started"
  Kind kind = Kind::slider;
  std::int64_t min = 0, max = 1, value = 0;
  std::vector<std::string> choices = {};
  bool is_of_kernel = false;  // a setting of the kernel or of the model, not of the drawing: the kernel runs again
};

// Hovering a shape of `from` lights those of `to` as well: a cell of C lights the row of A and the column of B.
struct Link {
  About from, to;
};

struct Drawing {
  std::string panel;            // order
  std::string title, subtitle;  // subtitle: what to see, with units
  float width = 0, height = 0;
  std::deque<Shape> shapes;  // title and legend, too; a deque: references stay valid while shapes are added
  std::vector<Image> images;
  std::vector<LegendItem> legend;
  std::vector<Control> controls;
  std::vector<Link> links;
  std::vector<std::string> facts;  // sentences that the reader should remember
  std::vector<Table> tables;
};

// The size a drawing may take. Drawings keep the width and take as much of the height as they need, or less.
struct Canvas {
  float width = 960, height = 600;
};

// The plate under a hatched rectangle's text, so that no line crosses a letter; the fill is drawn over it. Width 0:
// none.
Shape plate_of(const Shape& rect);

// The topmost shape at a point that has an About or a tooltip; -1: none.
int shape_at(const Drawing& drawing, Point at);
// Its About at that point; for an image, the texel's.
About about_at(const Drawing& drawing, Point at);
std::string tooltip_at(const Drawing& drawing, Point at);
// Whether a shape is highlighted, directly or by a link.
bool is_lit(const Drawing& drawing, const Shape& shape, const Selection& selection);

struct LitBox {
  float x = 0, y = 0, w = 0, h = 0;
};
// The cells of an image that are highlighted.
std::vector<LitBox> lit_boxes(const Drawing& drawing, const Shape& image, const Selection& selection);

// Title, facts, tables, legend: the drawing for a terminal, a clipboard, a screen reader.
std::string plain_text(const Drawing& drawing);
std::string plain_text(const Table& table);
// Every shape a line, for tests: kind, id, place, text, roles.
std::string model_text(const Drawing& drawing);

// In pixels at 100 %, of DejaVu Sans or DejaVu Sans Mono, whose widths Verdana and most monospaced fonts share closely.
float text_width(std::string_view text, float size, bool is_mono = false, bool is_bold = false);
// Cut at the end, with an ellipsis, where it would be wider.
std::string fitted(std::string_view text, float width, float size, bool is_mono = false);

}  // namespace tl::viz
