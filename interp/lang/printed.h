// How values are printed by tl.print_if and tl.device_print, on both executors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "interp/lang/dtype.h"

namespace tl {

// One element: 1, 0.5, 1e+20, nan, True.
enum class Digits : unsigned char { decimal, hexadecimal };  // of integers; 0xff: as many as their bits take
std::string text_of_element(DType, const std::byte* element, Digits = Digits::decimal);
// Row-major elements, nested as numpy prints them: [[1 2] [3 4]]. Long axes keep their ends.
std::string text_of_block(DType, const std::byte* elements, int rank, const std::int64_t* dims,
                          Digits = Digits::decimal);

}  // namespace tl
