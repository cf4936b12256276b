// Numbers with a shape: what the debugger computes with and prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interp/trace/recorded.h"

namespace tl::debug {

enum class Kind : unsigned char { boolean, integer, floating };

struct Array {
  Kind kind = Kind::floating;
  std::vector<std::int64_t> shape;
  std::vector<double> data;      // row-major; integers up to 2^53 are exact
  std::vector<bool> unset = {};  // of memory that nobody has written: such elements are shown as ?; empty: none

  std::int64_t elems() const { return static_cast<std::int64_t>(data.size()); }
  bool is_scalar() const { return shape.empty(); }
};

Array scalar(double value, Kind kind);
Kind kind_of(DType dtype);
Array array_of(const trace::RecordedValue& value);

struct Printing {
  char base = 'd';  // d: as the kind says, x: hexadecimal, f: as a float
  int whole = 16;   // an axis of up to so many is printed whole,
  int edge = 4;     // of a longer one so many at either end
  int whole_rows = 6, edge_rows = 2;
  bool has_lines = false;  // of two axes and more: rows below each other, beginning on a line of their own
};

// 3, 0.25, True; as few digits as tell the value.
std::string text_of(double value, Kind kind, char base = 'd');
// [0 1 2 3], [[0 1] [2 3]], long axes abbreviated in the middle.
std::string text_of(const Array& array, const Printing& printing = {});
// f32[128,64], or i32 of a scalar.
std::string type_text(DType dtype, std::span<const std::int64_t> shape);

}  // namespace tl::debug
