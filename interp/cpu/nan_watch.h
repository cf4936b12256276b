// Where a program's NaNs and infinities come from. One that is thrown away, by tl.where or by a mask, is nobody's
// affair: it is reported where a store or a branch meets it, and the report names the op that made it. An infinity of
// the text, as in tl.where(mask, x, -inf), or of a tensor is meant.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "interp/lang/error.h"
#include "interp/trace/access.h"

namespace tl::cpu {

struct Value;
struct Where;

// The first lane that is NaN; -1: none is.
std::int64_t nan_lane(const Value&);

class NanWatch {
 public:
  void begin_program();
  void op(const Where&, std::span<const Value* const> operands, std::span<const Value* const> results,
          const trace::Access*);
  void branches(const Where&, const Value& condition);

 private:
  const Fault* origin_of(std::span<const Value* const> operands) const;
  const Fault* origin_of_odd(const Where&, std::span<const Value* const> operands, const Value& made, std::int64_t nan,
                             std::int64_t infinite);
  const Fault* follow_integer(const Where&, std::span<const Value* const> operands, const Value& made);
  void report_once(const Where&, const Fault*);
  bool writes_lane(const Value&, const trace::Access&) const;

  std::map<const Value*, const Fault*> origin_;      // of values under way that hold such a number, or compared one
  std::map<const Value*, std::vector<bool>> lanes_;  // of integers among them: which lanes
  std::map<std::pair<int, int>, Fault> made_;        // by line and column
  bool has_reported_ = false;
};

}  // namespace tl::cpu
