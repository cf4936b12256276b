// What a program would do, had its atomics read what their elements held earlier. A branch that would go another way
// orders the program after the release that made the difference; one that would not orders nothing.
//
//   before = tl.atomic_add(count, 1)        reads 3; earlier the element held 0, 1, 2
//   if before == 3:                         holds for 3 alone: all three releases were needed
//   if before >= 1:                         holds for 1, too: the later two happened to be earlier
//
// Scalars are computed for all earlier values at once; of a block that is made of them, any use counts as a decision.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "interp/cpu/value.h"

namespace tl::cpu {

struct Where;

class EarlierValues {
 public:
  // By the number of a reading (interp/cpu/sync_order.h), a bit for each earlier value: it decides otherwise.
  using Otherwise = std::map<std::size_t, std::uint64_t>;

  void begin_program() { made_.clear(); }
  void forget(trace::ValueId id) { made_.erase(id); }
  bool are_followed() const { return !made_.empty(); }
  // `value` is what an atomic read; `earlier`: the bits that the element held before, the oldest first.
  void read(State&, Value& value, std::size_t reading, std::span<const std::int64_t> earlier);
  void op(const Where&, std::span<const Value* const> operands, std::span<const Value* const> results,
          std::span<const trace::LiteralOperand> literals);
  // A branch by this condition; or what another value surely makes otherwise: an address, a mask, the bound of a loop.
  Otherwise decided_by(const Value&, bool is_condition) const;

 private:
  // By reading: the value for each of the earlier ones; null: unknown.
  using Made = std::map<std::size_t, Ref>;
  const Made* made_of(const Value* v) const;
  Ref recomputed(const Where&, std::size_t reading, std::span<const Value* const> operands, const Value& result,
                 std::span<const trace::LiteralOperand> literals) const;

  std::map<trace::ValueId, Made> made_;
};

}  // namespace tl::cpu
