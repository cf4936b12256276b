// Values without lanes, in an address run: loads make them, ops on them cost nothing, and an op that needs their lanes
// says why.
#pragma once

#include "interp/cpu/state.h"

namespace tl::cpu {

// Thrown through a kernel whose addresses, masks or branches depend on data. `what()` is the reason, for people.
struct NeedsValues : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// `what` needs the lanes of `d`: the mask, the condition of an `if`.
[[noreturn]] void needs_values(const Where&, const Value& d, const char* what);
// Where an exploration (interp/cpu/exploration.h) goes on without them, having chosen a branch or left a place unknown.
bool goes_on_without(const Where&);
bool is_from_data(const Value& d);
bool choice_without(const Where&, const Value& d, const char* what);

inline bool is_absent(const Value& d) { return d.form == Form::absent; }
inline bool is_absent(const Value* d) { return d && d->form == Form::absent; }
template <class... D>
bool any_absent(const D&... d) {
  return (is_absent(d) || ...);
}

// The result of a load or a random number.
Ref absent_source(const Where&, int tensor, DType, int rank, const std::int64_t* dims);
// The result of an op that has an absent operand.
Ref absent_result(const Where&, std::initializer_list<const Value*> operands, DType, int rank,
                  const std::int64_t* dims);
// A scalar that an exploration knows nothing of: a program's id, a number that the launch is given.
Ref absent_scalar(State&, DType);

}  // namespace tl::cpu
