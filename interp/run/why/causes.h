// The cause of a wrong element: what in the program, done otherwise, would give what the reference says; else what in
// it cannot be meant.
#pragma once

#include <optional>

#include "interp/lang/error.h"
#include "interp/run/why/beside.h"
#include "kernels/problems/problem.h"

namespace tl::run {

struct WrongElement {
  const std::byte* data = nullptr;  // of its tensor
  std::int64_t element = 0;         // of its storage
  std::string name;                 // y[3, 5]
  double got = 0, expected = 0;
  problems::Tolerance tolerance = {};
  bool holds_all = false;  // the ledger: every program of the run
  bool has_reference = true;
  bool is_told = false;  // a check found something: what made the value is no news
  struct Other {         // that is wrong, too
    std::int64_t element;
    double got, expected;
  };
  std::vector<Other> others = {};
};
// The first integer op that wrapped, in a run that a fault ended.
std::optional<Fault> wrap_in(const Ledger&);
std::optional<Fault> cause_of(const Ledger&, const WrongElement&);
// Where no reference is: lanes that a mask switched off and that count, a narrow dtype that overflows, wraps or loses
// what is stored. Looks at some elements that the ledger's program stores.
std::optional<Fault> suspicion_in(const Ledger&);

}  // namespace tl::run
