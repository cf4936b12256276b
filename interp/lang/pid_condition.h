// Conditions on program ids: '' always, '=0' pid 0 is 0, ',>1' pid 1 is above 1, '>1,=0' both. One term an axis, three
// axes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "interp/lang/error.h"

namespace tl {

class PidCondition {
 public:
  enum class Comparison : unsigned char { any, equal, not_equal, less, less_equal, greater, greater_equal };
  struct Term {
    Comparison comparison = Comparison::any;
    std::int64_t number = 0;
  };

  PidCondition() = default;  // holds for every program
  // Spaces are allowed anywhere between operator, number and comma. Throws Error that names the position and the
  // operators there are.
  static PidCondition parse(std::string_view text);

  bool matches(ProgramId pid) const;
  bool always() const;
  std::string text() const;  // '>1,=0', as one would type it
  const std::array<Term, 3>& terms() const { return terms_; }

 private:
  std::array<Term, 3> terms_;
};

}  // namespace tl

namespace tl::debug {
using tl::PidCondition;
}
