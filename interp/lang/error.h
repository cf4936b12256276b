// What can go wrong: an Error (wrong use: exit code 2) and a Fault (a kernel that failed: exit code 1).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "interp/lang/site.h"

namespace tl {

// Wrong use. `what()` states the fact, `fix` what to do instead.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& fact, std::string fix = "") : std::runtime_error(fact), fix(std::move(fix)) {}
  std::string fix;
};

// A kernel's text that does not compile: a failed run (exit code 1), not wrong use.
class CompileError : public Error {
 public:
  using Error::Error;
};

struct ProgramId {
  std::int64_t x = 0, y = 0, z = 0;
  friend bool operator==(const ProgramId&, const ProgramId&) = default;
};

enum class FaultKind {
  out_of_bounds,
  uninitialized,
  race,
  undefined_lane,
  false_hint,
  assertion,
  shape,
  deadlock,
  nan,
  stopped,
  other
};

// A kernel's failure at one place: `where: headline`, then the source line with a caret, `detail` beside the caret, and
// the fix.
struct Fault {
  FaultKind kind = FaultKind::other;
  Site site;
  ProgramId program;
  std::int64_t lane = -1;     // row-major position in the block; -1: none
  std::string tensor;         // "": none
  std::int64_t element = -1;  // linear element offset in `tensor`; -1: none
  std::string headline;       // tl.load: lane 781 of program 3 is out of bounds
  std::string detail;         // element 3124 of "input", which holds 3124 (4 x 781)
  std::string fix;            // pass {.mask = col_offsets < n_cols}
};

// Thrown through a kernel by the interpreter; the runner of programs catches it.
struct FaultError : std::runtime_error {
  explicit FaultError(Fault f) : std::runtime_error(f.headline), fault(std::move(f)) {}
  Fault fault;
};

}  // namespace tl
