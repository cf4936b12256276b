// The meaning of shapes, and the reader's selection, which every panel reads and writes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tl::viz {

// A field of -1 is unset. Programs are counted within their launch, axis 0 fastest.
struct About {
  int launch = -1;
  std::int64_t program = -1;
  std::int64_t step = -1;              // an op of the program
  int line = -1;                       // of the kernel's text
  int tensor = -1;                     // index of the launch's tensors
  std::int64_t first = -1, last = -1;  // its elements; last < first: the tensor as a whole
  std::int64_t stride = 1;             // between the elements: a column has its tensor's row stride
  std::int64_t lane = -1;

  bool is_nothing() const { return program < 0 && step < 0 && line < 0 && tensor < 0 && lane < 0; }
  bool has_cells() const { return tensor >= 0 && first >= 0 && last >= first; }
  friend bool operator==(const About&, const About&) = default;
};

// Whether both stand for the same thing: at least one field is set in both, and those that are have equal values.
bool is_same_thing(const About& a, const About& b);

struct Selection {
  About hovered, pinned;       // a click pins, Esc unpins
  std::vector<About> related;  // to what is shown (related.h)

  const About& shown() const { return hovered.is_nothing() ? pinned : hovered; }
  bool is_nothing() const { return hovered.is_nothing() && pinned.is_nothing(); }
  bool lights(const About& about) const;
  friend bool operator==(const Selection&, const Selection&) = default;
};

}  // namespace tl::viz
