// The table of ops: every op of the language once, with what the other parts must know of it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "interp/lang/op_list.h"

namespace tl {

enum class Op : unsigned char {
#define TL_OP(name, ...) name,
  TL_OPS(TL_OP)
#undef TL_OP
};

struct OpInfo {
  std::string_view name;  // as in Op
  const char* text;
  OpFamily family;
  int operands, results;
  OpUnit unit;
  std::string_view parameters;  // of a call, as Python writes them
};

inline constexpr auto op_table = std::to_array<OpInfo>({
#define TL_OP(name, text, family, operands, results, unit, parameters) \
  {#name, text, OpFamily::family, operands, results, OpUnit::unit, parameters},
    TL_OPS(TL_OP)
#undef TL_OP
});

struct CompositeInfo {
  std::string_view name, parameters;
};
inline constexpr auto composite_table = std::to_array<CompositeInfo>({
#define TL_COMPOSITE(name, parameters) {#name, parameters},
    TL_COMPOSITES(TL_COMPOSITE)
#undef TL_COMPOSITE
});

constexpr const OpInfo& info_of(Op op) { return op_table[static_cast<std::size_t>(op)]; }
constexpr OpFamily family_of(Op op) { return info_of(op).family; }
constexpr bool is_comparison(Op op) { return family_of(op) == OpFamily::comparison; }
constexpr bool is_bitwise(Op op) { return family_of(op) == OpFamily::bitwise; }
// Is it written tl.name(...)?
constexpr bool is_word(Op op) { return std::string_view(info_of(op).text).starts_with("tl."); }

constexpr std::optional<Op> op_of(std::string_view name) {
  for (std::size_t i = 0; i < op_table.size(); ++i)
    if (op_table[i].name == name) return static_cast<Op>(i);
  return std::nullopt;
}

}  // namespace tl
