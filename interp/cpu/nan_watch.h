// Where a program's NaNs come from. One that is thrown away, by tl.where or by a mask, is nobody's affair: a NaN is
// reported where a store or a branch meets it, and the report names the op that made it.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "interp/lang/error.h"
#include "interp/trace/access.h"

namespace tl::cpu {

struct Value;
struct Where;

class NanWatch {
 public:
  void begin_program();
  void op(const Where&, std::span<const Value* const> operands, std::span<const Value* const> results,
          const trace::Access*);
  void branches(const Where&, const Value& condition);

 private:
  const Fault* origin_of(std::span<const Value* const> operands) const;
  const Fault* follow_integer(const Where&, std::span<const Value* const> operands, const Value& made);
  void report_once(const Where&, const Fault*);
  bool writes_lane(const Value&, const trace::Access&) const;

  std::map<const Value*, const Fault*> origin_;      // of values under way that hold such a NaN, or compared one
  std::map<const Value*, std::vector<bool>> lanes_;  // of integers among them: which lanes
  std::map<std::pair<int, int>, Fault> made_;        // by line and column
  bool has_reported_ = false;
};

}  // namespace tl::cpu
