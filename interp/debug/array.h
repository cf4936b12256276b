// Numbers with a shape: what the debugger computes with and prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interp/trace/memory.h"

namespace tl::cpu {
class Block;
class Context;
}  // namespace tl::cpu

namespace tl::debug {

// An element: `whole` of integers and bools, `real`, exact, of floats; the dtype beside it says which.
union Number {
  std::int64_t whole;
  double real;
};

struct Array {
  DType dtype = DType::float32;
  bool is_weak = false;  // a literal: int1, int64 or float64; it takes the dtype of the other operand
  std::vector<std::int64_t> shape;
  std::vector<Number> data;      // row-major
  std::vector<bool> unset = {};  // elements of unwritten memory, shown as ?; empty: none

  std::int64_t elems() const { return static_cast<std::int64_t>(data.size()); }
  bool is_scalar() const { return shape.empty(); }
};

Array literal(bool value);
Array literal(std::int64_t value);
Array literal(double value);
Array whole_number(DType dtype, std::int64_t value);  // 0-d
Number number_of(const trace::RecordedValue& value, std::int64_t lane);
Number number_of(const trace::Memory& memory, int tensor, DType dtype, std::int64_t element);
Number number_of(DType dtype, const std::byte* element);
Array array_of(const trace::RecordedValue& value);
Array array_of(const cpu::Block&);
cpu::Block block_of(cpu::Context&, const Array&);

struct Printing {
  char base = 0;   // d: as an integer, x: hexadecimal, f: as a float; 0: as the dtype says
  int whole = 16;  // an axis of up to so many is printed whole,
  int edge = 4;    // of a longer one so many at either end
  int whole_rows = 6, edge_rows = 2;
  bool has_lines = false;  // of two axes and more: rows below each other, beginning on a line of their own
};

// 3, 0.25, True; the fewest digits that identify the value.
std::string text_of(Number value, DType dtype, char base = 0);
// [0 1 2 3], [[0 1] [2 3]], long axes abbreviated in the middle.
std::string text_of(const Array& array, const Printing& printing = {});
// f32[128,64], or i32 of a scalar.
std::string type_text(DType dtype, std::span<const std::int64_t> shape);

}  // namespace tl::debug
