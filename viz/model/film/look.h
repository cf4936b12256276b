// A moment of a film as a drawing, seen by a camera: small parts are left out or merged, and texts appear where they
// have room.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "viz/model/film/film.h"

namespace tl::viz::film {

// The root's point at the canvas's upper left corner, and how many pixels a unit of the root takes.
struct Camera {
  double x = 0, y = 0, scale = 1;
};

using Path = std::vector<int>;  // portals, from the root's on

// Where a node stands, in units of the root, and how many of these one of its own takes.
struct Placement {
  double x = 0, y = 0, scale = 1;
  int node = 0, table = 0;
};
Placement placement_of(const Film& film, const Path& path);
// So that the node, or the part of it, fills the canvas.
Camera camera_on(const Film& film, const Path& path, const Canvas& canvas, const Box& part = {});
// launch > SM 17 > ...
std::string title_of(const Film& film, const Path& path);
// For a node's portals the first in which a program runs at this moment; else one in which some run; else the first.
int busy_portal(const Film& film, const Path& path, double us);
// The deepest node that fills most of the canvas.
Path path_at(const Film& film, const Camera& camera, const Canvas& canvas);

struct View {
  double us = 0;
  Camera camera;
  Canvas canvas;
  std::int64_t program = -1;             // lit, with what it reads
  std::optional<Point> pointer = {};     // the view says what is under it
  bool with_tooltips = false;            // of every shape: for files
  int lit_group = -1, lit_element = -1;  // of a map
  // Beside another film both have the longer one's axes.
  double end_us = 0, window_us = 0;  // at least; of the launch, of a program's run
};

struct Pointed {
  std::string tooltip;
  About about;
  Path path;                     // of the node there that a click enters; empty: none
  double us = -1;                // a time that a click goes to
  int group = -1, element = -1;  // of a map
};

// Draws moments; it remembers the last one's states, so that playing on is cheap.
class Projector {
 public:
  explicit Projector(const Film& film) : film_(film) {}
  Drawing look(const View& view, Pointed* pointed = nullptr);
  const Film& film() const { return film_; }

  struct CellStates {
    std::vector<std::uint8_t> states;
    std::size_t events = 0;  // that happened
  };
  const CellStates& states_at(const Cells& cells, double us);

 private:
  const Film& film_;
  std::map<const Cells*, CellStates> states_;
};

// The last row with column <= us; -1: none. The column is sorted.
std::int64_t last_row(const Table& table, int column, double us);
// The row with from <= us < to; -1: none.
std::int64_t row_at(const Table& table, int from, int to, double us);
std::string figure_text(double value, Unit unit);

}  // namespace tl::viz::film
