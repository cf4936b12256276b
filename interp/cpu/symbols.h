// Told of what programs compute, beside their values: where numbers come from, what ops make of them, branches, loops
// and the variables that loops assign. Who listens keeps a formula for a value by its id, and gives it one.
#pragma once

#include <span>

#include "interp/cpu/state.h"

namespace tl::cpu {

class Loop;

class Symbols {
 public:
  virtual ~Symbols() = default;
  virtual void begins_program() = 0;
  virtual void program_id(Value&, int axis) = 0;
  virtual void num_programs(Value&, int axis) = 0;
  // Before it stand so many tensors among the launch's arguments.
  virtual void argument(Value&, const IntArgument&, int tensors_before) = 0;
  virtual void op(const Where&, std::span<const Value* const> operands, std::span<const Value* const> results,
                  std::span<const trace::LiteralOperand> literals, const trace::Access*) = 0;
  virtual void branches(const Value& condition, bool taken) = 0;
  virtual void range(const Operand& lo, const Operand& hi, const Operand& step) = 0;
  // Of the range that was told last. Null: it is not followed.
  virtual Loop* begin_loop(const Site&, long long lo, long long step, long long turns) = 0;
  // A block pointer or a descriptor that a kernel makes: an entry an axis of shape, of strides and, of a block pointer,
  // of offsets. Returns the number that it is known by.
  virtual std::uint64_t tile(const Value& base, std::span<const Operand> entries, int rank) = 0;
  virtual std::uint64_t advanced(std::uint64_t tile, std::span<const Operand> by) = 0;
  // The access that is told next goes through it; `at`: where, through a descriptor; checked: a bit an axis.
  virtual void goes_through(std::uint64_t tile, std::span<const Operand> at, unsigned checked) = 0;
  virtual void assigned(const void* variable, std::uint64_t old_tile, std::uint64_t tile) = 0;
  virtual void assigned(Handle&, Value* old, Value& now) = 0;
  virtual void forgotten(const Handle&) = 0;
};

}  // namespace tl::cpu
