// Shared memory: which accesses of a warp collide in a bank, and what placing a tile otherwise does about it.
//   bank = (address / 4) mod 32; the same word goes to everybody who asks
//   a request of up to 4 bytes a lane is one phase of 32 lanes, of 8 bytes two of 16, of 16 bytes four of 8
//   wavefronts = sum over the phases of the largest number of different words in one bank
//   conflicts = wavefronts - what as many words would need spread evenly over the banks
// Source: the wavefront counters of Nsight Compute; CUDA C++ Programming Guide, "Shared Memory".
#pragma once

#include <string>
#include <vector>

#include "interp/machine/access/coalescing.h"

namespace tl::machine {

inline constexpr int bank_count = 32, bank_bytes = 4;

struct Wavefronts {
  std::int64_t requests = 0, wavefronts = 0, minimum = 0;
  std::int64_t conflicts() const { return wavefronts - minimum; }
  double ways() const { return minimum ? static_cast<double>(wavefronts) / static_cast<double>(minimum) : 1; }
  Wavefronts& operator+=(const Wavefronts& o);
};

// For one request, by addresses of shared memory.
Wavefronts wavefronts_of(const Request& request);

enum class Placement : unsigned char { none, padded, xored };
const char* name_of(Placement placement);
Placement placement_named(const std::string& name);  // of none, padded and xor

// A tile in shared memory, row by row. Padded: so many bytes behind each row. Xored: chunks of a row exchanged by the
// row's number.
struct BankedTile {
  int rows = 32, cols = 32, element_bytes = 4;
  Placement placement = Placement::none;
  int access_bytes = 4;  // a lane; a padding, and a chunk that keeps together, is as large (a word at least)

  int row_bytes() const { return cols * element_bytes; }
  int pad_bytes() const { return placement == Placement::padded ? std::max(access_bytes, bank_bytes) : 0; }
  int pitch_bytes() const { return row_bytes() + pad_bytes(); }
  int bytes() const { return rows * pitch_bytes(); }
  bool can_be_xored() const;  // rows of a power of two: else an exchange would leave the row
  int offset(int row, int col) const;
};

// What a tile's warps ask for: lanes run along the rows (a store as it was loaded, coalesced), or down the columns (the
// transposed read).
enum class Direction : unsigned char { along_rows, down_columns };
std::vector<Request> requests_of(const BankedTile& tile, Direction direction);
Wavefronts wavefronts_of(const BankedTile& tile, Direction direction);

// One request drawn: 32 columns, one a bank; as high as passes are needed.
struct BankPicture {
  struct Bank {
    std::vector<int>
        lanes;  // the lanes of each different word, in the order of passes; of those that share a word the first
  };
  int phase = 0, phases = 1;
  std::vector<Bank> banks;  // 32
  int height() const;
};
std::vector<BankPicture> pictures_of(const Request& request);
std::string text_of(const BankPicture& picture, int most_rows = 8);

}  // namespace tl::machine
