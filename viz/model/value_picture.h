// One value of a program, lane by lane: numbers while they can be read, else a picture with a scale and the numbers of
// its corners.
#pragma once

#include <functional>

#include "interp/trace/recorded.h"
#include "viz/model/field.h"

namespace tl::viz {

struct DrawnValue {
  std::string name;  // of the variable
  const trace::RecordedValue* value = nullptr;
  const trace::RecordedAccess* access = nullptr;  // the load that made it: its masked lanes
  std::string unit;                               // elements of a; "": a plain number
  About about;                                    // of the program
};

// The legend entries of all the pictures drawn so far.
struct ValueMarks {
  bool on = false, off = false, off_merged = false, scale = false, not_finite = false;
};

std::string value_text(const trace::RecordedValue& v, std::int64_t lane);
std::string exact_text(const trace::RecordedValue& v, std::int64_t lane);  // every digit
// `0 + 128 x row + 1 x column` of a block of offsets that has such a form; "" of others.
std::string formula_text(const trace::RecordedValue& v);

// Draws at (x, y), at most `width` wide; returns the y beneath it.
float draw_value(Sheet& sheet, const DrawnValue& drawn, float x, float y, float width, ValueMarks& marks);

}  // namespace tl::viz
