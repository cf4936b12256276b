// Draws the marks of a film's nodes as a camera sees them: used by look() alone.
#pragma once

#include <functional>

#include "viz/model/film/look.h"
#include "viz/model/sheet.h"

namespace tl::viz::film {

class Painter {
 public:
  Painter(Projector& projector, const View& view, Drawing& out, Pointed* pointed)
      : projector_(projector), film_(projector.film()), view_(view), out_(out), pointed_(pointed) {}
  void draw();

 private:
  static constexpr float smallest_text = 11;  // px, of a number in a mark
  static constexpr float least_label = 12;    // px, of every other text, whatever the camera
  static constexpr float most_growth = 4;     // where letters would have to grow by more, there are none
  static constexpr float least_gap = 5;       // px, from a label that grew to the next one
  static constexpr float least_code = 11;     // px, of a line of the kernel's text
  static constexpr float least_bar = 2;       // px, of a bar that stands for one
  // Where a node stands on the canvas.
  struct At {
    double x = 0, y = 0, scale = 1;
    int table = 0;
    const Node* node = nullptr;
    float left(float nx) const { return static_cast<float>(x + double(nx) * scale); }
    float top(float ny) const { return static_cast<float>(y + double(ny) * scale); }
    float size(float n) const { return static_cast<float>(double(n) * scale); }
    Box box(const Box& b) const { return {left(b.x), top(b.y), size(b.w), size(b.h)}; }
  };
  using Words = std::function<std::string()>;

  void node(const At& at);
  void portal(const At& at, int index);
  void still(const At& at, const Shape& shape);
  void bar_of_line(const At& at, const Shape& line, const Box& box);
  void cells(const At& at, const Cells& c);
  void path(const Cells& c, const Box& b);
  void read_by_program(const Cells& c, const Box& b);
  void lane(const At& at, const Lane& lane);
  void now(const At& at, const Now& now);
  void ring(const At& at, const Ring& ring);
  void series(const At& at, const Series& series);
  void figure(const At& at, const Figure& figure);
  void paragraph(const At& at, const Paragraph& paragraph);
  void time_axis(const At& at, const Box& over, double from, double to);
  void flow(const At& at, const Flow& flow);
  void map(const At& at, const Map& map);
  struct MapGrid;
  void map_texture(const MapGrid& grid);
  void map_cells(const MapGrid& grid);
  void map_lit(const MapGrid& grid);
  void map_axes(const MapGrid& grid, float size);

  const Table& table_of(const At& at, int number) const { return film_.tables[at.table + number]; }
  bool is_visible(const Box& b) const;
  bool is_pointed_at(const Box& b) const;
  // Adds a rectangle; if the pointer is on it, the view describes it.
  Shape& rect(const Box& b, Colour fill, const Words& words = {}, const About& about = {});
  bool tell(const Box& b, const Words& words, const About& about);
  // In the largest size that fits, at most `size`; returns whether there was room.
  bool text_in(const Box& b, const std::string& text, float size, Colour ink, Colour over = {}, bool is_mono = false);
  void text(float x, float y, const std::string& words, float size, Align align, Colour ink, bool is_bold = false,
            bool is_mono = false);
  // A text beside marks: never too small to read; where it then has no room between its neighbours, it is left out.
  void label(float x, float y, const std::string& words, float size, Align align, Colour ink, bool is_bold = false);
  void label(Shape text);
  void place_labels();
  void place_keys();

  Projector& projector_;
  const Film& film_;
  const View& view_;
  Drawing& out_;
  Pointed* pointed_;
  Path path_;                   // of the node being drawn
  std::vector<Box> marks_;      // which labels do not cover
  std::size_t first_mark_ = 0;  // of the node being drawn: it covers those of the nodes around it
  Box inside_;                  // its place: no label leaves it
  struct Label {
    Shape text;
    std::size_t first_mark;
    Box inside;
  };
  std::vector<Label> labels_;  // to be placed once all marks are
};

}  // namespace tl::viz::film
