// The values of one call by name, each as the op wants it; else a fault that names op, parameter and fix.
#pragma once

#include "interp/cpu/call.h"
#include "interp/cpu/state.h"

namespace tl::cpu {

class Call {
 public:
  Call(Context& tl, const Function& function, std::span<AnyValue> values, Location place)
      : tl(tl), place(place), function_(function), values_(values) {}

  Context& tl;
  Location place;

  const AnyValue& operator[](std::size_t i) const { return values_[i]; }
  bool has(std::size_t i) const { return values_[i].is_given(); }
  template <class T>
  bool is(std::size_t i) const {
    return values_[i].is<T>();
  }

  const Block& block(std::size_t i);  // a number becomes a scalar
  const Pointer& pointer(std::size_t i) const;
  const BlockPointer& block_pointer(std::size_t i) const;
  const Descriptor& descriptor(std::size_t i) const;
  Operand operand(std::size_t i) const;
  OptionalOperand option(std::size_t i) const;
  long long integer(std::size_t i) const;  // a constant
  Constant constant(std::size_t i) const { return Constant(integer(i)); }
  bool flag(std::size_t i) const;                // false where it is not given
  Constant axis(std::size_t i, int rank) const;  // from 0 on; a negative one counts from the end
  Shape shape(std::size_t i) const;
  Axes axes(std::size_t i, int rank) const;
  ElementType dtype(std::size_t i) const;
  const char* text(std::size_t i) const;  // "" where it is not given
  std::vector<Operand> operands(std::size_t i) const;
  std::vector<Block> blocks(std::size_t i);  // of a block or a tuple of them
  // One of the access words' structs, such as EvictionPolicy.
  template <class Word>
  Word word(std::size_t i, const char* fix) const {
    Word w;
    if (has(i) && !w.set(text(i))) refuse(i, std::string("\"") + text(i) + "\" is not one of its values", fix);
    return w;
  }
  void only(std::size_t i, bool holds, const std::string& fix) const {  // of a default that cannot be changed
    if (!holds) refuse(i, text_of_kind(values_[i]) + " is not supported", fix);
  }
  [[noreturn]] void refuse(std::size_t i, const std::string& fact, const std::string& fix = "") const;

 private:
  [[noreturn]] void wants(std::size_t i, const char* what) const;
  std::span<const AnyValue> all(std::size_t i) const;  // of a tuple, or the value alone

  const Function& function_;
  std::span<AnyValue> values_;
};

inline int rank_of(const Handle& h) { return value_of(h).rank; }

}  // namespace tl::cpu
