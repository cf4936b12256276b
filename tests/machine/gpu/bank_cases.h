// The tiles whose stores and transposed reads are measured on their own: every placement, width and a range of shapes.
#pragma once

#include <string>
#include <vector>

#include "interp/machine/access/banks.h"

namespace tl::machine {

struct BankCase {
  BankedTile tile;
  Direction direction = Direction::along_rows;
};

inline std::vector<BankCase> bank_cases() {
  std::vector<BankCase> all;
  for (const auto& [rows, cols] : {std::pair{32, 32}, {64, 64}, {32, 64}, {64, 32}, {16, 128}, {128, 16}})
    for (const int element : {1, 2, 4, 8})
      for (const int access : {element, 16})
        for (const Placement p : {Placement::none, Placement::padded, Placement::xored})
          for (const Direction d : {Direction::along_rows, Direction::down_columns})
            if (cols * element >= access && rows * cols * element <= 32768)
              all.push_back({{rows, cols, element, p, access}, d});
  return all;
}

}  // namespace tl::machine
