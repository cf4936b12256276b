// What tl.print_if and tl.device_print on a GPU leave in the host's memory: both read this one declaration. Free of
// std. A record is followed by its text, then by its values, each a PrintedValue and its elements, row-major; all of
// them begin at multiples of 8.
#pragma once

namespace tl::cuda {

struct PrintRecord {
  int bytes;  // of the record and what follows it; 0: there are no more
  int program[3];
  int is_line;  // tl.device_print: the text is a prefix
  int text_bytes, values, unused;
};
struct PrintedValue {
  int dtype;  // -1: a text, its bytes in dims[0]
  int rank, dims[6];
};
constexpr int whole_words(int bytes) { return (bytes + 7) / 8 * 8; }

inline constexpr int print_buffer_bytes = 16 << 20;
// tl::cuda::global_of<tl::cuda::PrintBuffer>, which holds the memory's address
inline constexpr const char* prints_symbol = "_ZN2tl4cuda9global_ofINS0_11PrintBufferEEE";

}  // namespace tl::cuda
