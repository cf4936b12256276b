// What ops take beside blocks: shapes, axes, and options by name, as in {.mask = m, .other = 0}.
#pragma once

#include "interp/cpu/block.h"
#include "interp/lang/access_words.h"

namespace tl::cpu {

struct Shape {
  Shape() = default;
  Shape(const Extents& of) : rank(static_cast<int>(of.rank().value)) {  // x.shape
    for (int i = 0; i < rank; ++i) dims[i] = of[Constant(i)].value;
  }
  int rank = 0;
  long long dims[max_rank] = {};
};
struct Axes {
  int count = 0;
  int axis[max_rank] = {};
};

enum class Precision { tf32, tf32x3, bf16x3, bf16x6, ieee };
enum class Padding { none, zero, nan };  // none: Triton promises no value
struct PaddingArgument {
  PaddingArgument() = default;
  PaddingArgument(Padding p) : value(p) {}
  Padding value = Padding::none;
};

// A mask or the fill of masked lanes; absent unless given. It borrows the block.
struct OptionalOperand {
  OptionalOperand() = default;
  OptionalOperand(const Block& b) : operand(b), given(true) {}
  template <class T>
    requires std::is_constructible_v<Literal, T>
  OptionalOperand(T v) : operand(v), given(true) {}
  Operand operand{0};
  bool given = false;
};
// Triton's `volatile` is a word of C++: .is_volatile. The words of an access are the GPU's; they change no value here.
struct LoadOptions {
  OptionalOperand mask = {}, other = {};
  CacheModifier cache_modifier = {};
  EvictionPolicy eviction_policy = {};
  bool is_volatile = false;
};
struct StoreOptions {
  OptionalOperand mask = {};
  CacheModifier cache_modifier = {};
  EvictionPolicy eviction_policy = {};
};
struct BlockLoadOptions {
  Axes boundary_check = {};
  PaddingArgument padding = {};
  CacheModifier cache_modifier = {};
  EvictionPolicy eviction_policy = {};
  bool is_volatile = false;
};
struct BlockStoreOptions {
  Axes boundary_check = {};
  CacheModifier cache_modifier = {};
  EvictionPolicy eviction_policy = {};
};
struct AtomicOptions {
  OptionalOperand mask = {};
  AtomicSem sem = {};
  AtomicScope scope = {};
};
struct SwapOptions {  // of atomic_cas, which has no mask
  AtomicSem sem = {};
  AtomicScope scope = {};
};

// For tl.dot_scaled: a block, or None.
struct ScaleOperand {
  ScaleOperand(const Block& b) : block(&b) {}
  ScaleOperand(NewAxis) {}
  const Block* block = nullptr;
};

struct KeepDims {};    // tl.sum(x, 1_c, tl.keep_dims): the axis stays, of extent 1
struct Bitcast {};     // x.to(tl.int32, tl.bitcast)
struct TowardZero {};  // x.to(tl.float16, tl.rtz)
struct ScanOptions {
  bool reverse = false;
};
struct SortOptions {
  bool descending = false;
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
