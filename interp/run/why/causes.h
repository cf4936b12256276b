// The cause of a wrong element: what in the program, done otherwise, would give what the reference says; else what in
// it cannot be meant.
#pragma once

#include <optional>

#include "interp/lang/error.h"
#include "interp/run/why/beside.h"
#include "kernels/problems/problem.h"

namespace tl::run {

struct WrongElement {
  const Tensor* tensor = nullptr;
  std::int64_t element = 0;  // of its storage
  std::string name;          // y[3, 5]
  double got = 0, expected = 0;
  problems::Tolerance tolerance;
  bool holds_all = false;  // the ledger: every program of the run
};
// The first integer op that wrapped, in a run that a fault ended.
std::optional<Fault> wrap_in(const Ledger&);
std::optional<Fault> cause_of(const Ledger&, const WrongElement&);

}  // namespace tl::run
