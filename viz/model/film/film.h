// A picture that plays: nested nodes of still shapes and of marks whose look is a function of time. Window,
// SVG and PNG draw a moment of it (look.h); an HTML page holds the whole of it, and its script draws the same marks.
// Times are microseconds, places are in the units of the node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viz/model/drawing.h"

namespace tl::viz::film {

struct Box {
  float x = 0, y = 0, w = 0, h = 0;
};

// One of the states a mark may be in.
struct State {
  Colour colour;
  std::string label;
  Hatch hatch = Hatch::none;
};

// The events of one place: a row an event, in the order of time; a column a fact about it.
struct Table {
  std::vector<std::vector<float>> columns;
  std::vector<std::int64_t> bits = {};  // of each column: 0: a time; else how many bits hold its whole numbers
  std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
};

inline constexpr std::size_t most_of_path = 48;  // cells of it that are drawn: those begun last

// A grid of cells that change their state.
struct Cells {
  Box box;
  std::string name;  // what a cell is: tile of a
  std::int64_t rows = 1, columns = 1;
  std::vector<State> states;  // before its first event a cell is in state 0
  std::vector<float> at = {};
  std::vector<std::uint32_t> cell = {};
  std::vector<std::uint8_t> state = {};
  std::vector<int> number = {};          // of each cell: its program; -1: none; empty: cells have none
  std::vector<std::uint32_t> path = {};  // cells in the order in which a line goes through them
  std::vector<float> path_at = {};       // when
  std::string read_by = {};              // lit where the pointed-at program's access reads: the name of the load
  bool wraps = false;                    // cells run on in the next row: there is one row alone
  std::int64_t count = 0;                // of cells that there are, the first ones; 0: all
};

// Bars over time.
struct Lane {
  Box box;
  std::string name;
  int table = 0;  // of those that the node was given
  int from = 0, to = 1;
  int state = -1, label = -1;  // columns; -1: state 0, no label
  std::vector<State> states = {};
  std::string words = {};  // of a tooltip: copy of step {}
  int line = -1;           // of the kernel's text
  int pages = -1;          // the table of programs, whose run is the window of time; -1: the launch
  bool has_axis = false;   // times stand beneath it
};

// A place that shows the current row.
struct Now {
  Box box;
  int table = 0;
  int from = 0, to = 1;
  int state = -1, label = -1;  // columns
  std::vector<State> states = {};
  std::string words = {};  // written in it: program {}
  std::string idle = {};   // while no row is current
  std::string none = {};   // if the table has no rows; "": idle
  bool shows_progress = false;
  bool is_light = false;  // lights up what is behind it: a line of text
  int line = -1;
  bool is_program = false;  // the label is a program
};

// The slots of one load's ring: empty, in flight, full, being read.
struct Ring {
  Box box;  // slots side by side
  std::string name;
  int table = 0;
  int slots = 1;
  int slot = 0, issue = 0, there = 0, begin = 0, end = 0, step = 0, found = -1;  // columns
  std::vector<State> states = {};                                                // empty, in flight, full, being read
  std::vector<std::string> found_words = {};
  int line = -1;
};

enum class Unit : unsigned char { count, bytes, gb_per_s, percent, us };

// Values over time, stacked; drawn as areas with a line at the present moment.
struct Series {
  Box box;
  std::string title;
  Unit unit = Unit::gb_per_s;
  int table = 0;
  std::vector<int> columns = {};
  std::vector<State> states = {};
  double most = 1;   // at the upper edge
  double limit = 0;  // a dashed line: what the chip can do
  std::string limit_label = {};
  bool has_axis = false;  // times stand beneath it
};

// A number that changes.
struct Figure {
  float x = 0, y = 0, size = 13;
  Align align = Align::left;
  std::string words;  // {} stands for it
  int table = 0, column = 0;
  Unit unit = Unit::count;
  bool is_bold = false;
  bool is_clock = false;  // the time itself
};

// An arrow as wide as the traffic along it.
struct Flow {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::string name;
  int table = 0, column = 0;
  double most = 1;      // at `width`
  bool is_peak = true;  // most is the chip's peak, of which the present value is so many per cent
  float width = 24;
  Colour colour;
  Unit unit = Unit::gb_per_s;
};

// Elements of a block and the places that hold them: threads and registers, banks and rows.
struct Map {
  Box box;
  std::string name, row_name, column_name;
  std::int64_t rows = 1, columns = 1;
  std::vector<std::int32_t> element = {};  // of each cell; -1: none. Empty: the cell's own number
  std::vector<std::int32_t> colour = {};   // of each cell: the group that it belongs to
  std::vector<std::string> caption = {};   // of each cell, or by a pattern of two numbers: major and minor
  std::string words = {};                  // T{} R{}: of `major` and `minor`
  std::vector<std::int32_t> major = {}, minor = {};
  int group = 0;                   // maps of one group stand for the same block
  std::int64_t block_columns = 1;  // of the block: an element is (e / block_columns, e % block_columns)
  std::string colours_mean = {};   // warp {}
  int elements_a_cell = 1;
};

// Words that are wrapped to a width, in a size that can be read.
struct Paragraph {
  float x = 0, y = 0, w = 0;  // y: of the first line's letters
  std::string text;
  float size = 13;
};

struct Portal {
  Box box;
  int node = 0;         // of the film
  int first_table = 0;  // of the film: table 0 of the node
  std::string name;     // SM 17
  int number = -1;      // an SM's: those of programs' places
  Box door = {};        // the area in which a click enters it, if larger than its box
  const Box& entry() const { return door.w > 0 ? door : box; }
};

struct Node {
  std::string name;
  float width = 1600, height = 1000;
  std::deque<Shape> shapes = {};
  std::vector<Cells> cells = {};
  std::vector<Lane> lanes = {};
  std::vector<Now> nows = {};
  std::vector<Ring> rings = {};
  std::vector<Series> series = {};
  std::vector<Figure> figures = {};
  std::vector<Flow> flows = {};
  std::vector<Map> maps = {};
  std::vector<Paragraph> paragraphs = {};
  std::vector<Portal> portals = {};
};

// Where a program ran.
struct ProgramAt {
  int portal = -1;  // of the root
  int table = 0;    // of its steps
  float start_us = 0, end_us = 0;
  std::uint32_t first_row = 0, rows = 0;
};

// A column of a steps table that says which cell of a grid a load touched.
struct Reads {
  std::string load;  // Cells::read_by
  int column = 0;
};

// What a reader is told, from `us` until the next caption's time, and where he looks: at a node, or a part of it.
struct Caption {
  double us = 0;
  std::vector<int> path = {};  // portals
  Box part = {};               // of the node; empty: all of it
  std::string text = {};
  double seconds = 0;  // after the tour's beginning
};

struct Film {
  std::string title, subtitle;
  std::string kernel;
  std::vector<std::string> launches;  // of the case, in order, by their kernels' names; this is one of them
  int launch = 0;
  std::vector<std::string> settings;  // name=value
  std::vector<Node> nodes;            // the first is the root
  std::vector<Table> tables;
  std::vector<ProgramAt> programs;
  std::vector<Reads> reads;
  double end_us = 0;
  bool is_beginning = false;    // of a launch that is still being simulated: it ends where the model is now
  std::vector<float> waves_us;  // when each begins
  std::vector<float> tiles_us;  // when each program ends, in order
  std::vector<std::string> facts;
  struct Total {
    std::string name, text;
    double value = 0;
  };
  std::vector<Total> totals;
  std::vector<Caption> tour;
  double longest_run_us = 0;  // of a program
  std::vector<LegendItem> legend;
};

}  // namespace tl::viz::film
