// What ops take beside blocks: shapes, axes, and options by name, as in {.mask = m, .other = 0}.
#pragma once

#include "interp/cpu/block.h"

namespace tl::cpu {

struct Shape {
  int rank = 0;
  long long dims[max_rank] = {};
};
struct Axes {
  int count = 0;
  int axis[max_rank] = {};
};

enum class Precision { tf32, ieee };
enum class Padding { zero, nan };
struct PaddingArgument {
  PaddingArgument() = default;
  PaddingArgument(Padding p) : value(p) {}
  Padding value = Padding::zero;
};

// A mask or the fill of masked lanes; absent unless given. It borrows the block.
struct OptionalOperand {
  OptionalOperand() = default;
  OptionalOperand(const Block& b) : operand(b), given(true) {}
  template <class T>
  requires std::is_constructible_v<Literal, T> OptionalOperand(T v) : operand(v), given(true) {}
  Operand operand{0};
  bool given = false;
};
struct LoadOptions {
  OptionalOperand mask = {}, other = {};
};
struct StoreOptions {
  OptionalOperand mask = {};
};
struct BlockLoadOptions {
  Axes boundary_check = {};
  PaddingArgument padding = {};
};
struct BlockStoreOptions {
  Axes boundary_check = {};
};

struct IntOption {
  IntOption() = default;
  IntOption(int v) : value(v) {}
  IntOption(Constant c) : value(static_cast<int>(c.value)) {}
  int value = 0;
};
struct RangeOptions {
  IntOption num_stages = {};
};

}  // namespace tl::cpu
