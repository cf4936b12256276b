// The same programs in double beside the run: each op again, on what the ops before it gave in double, for the lanes
// alone that an element is made of. With a change to what some ops do it answers "what if".
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "interp/run/why/ledger.h"

namespace tl::run {

// The lanes that one element of a tensor is made of: of each value, by index, and the stores that they went through.
struct Slice {
  std::vector<std::vector<bool>> lanes;            // of each value; empty: none
  std::vector<std::pair<int, std::int64_t>> ends;  // the stores to the element: step, lane
  bool holds(int value) const { return value >= 0 && !lanes[static_cast<std::size_t>(value)].empty(); }
  bool holds(int value, std::int64_t lane) const {
    return holds(value) && lanes[static_cast<std::size_t>(value)][static_cast<std::size_t>(lane)];
  }
};
Slice slice_of(const Ledger&, const std::byte* tensor, std::int64_t element);

// One op of the text done otherwise, in all its turns.
struct Change {
  enum class Kind : unsigned char {
    replaced,     // by another op
    exchanged,    // its two sides
    followed,     // by another op, of its result
    preceded,     // by another op, of its first operand
    accumulated,  // its results over the turns of a loop are added up
    counted,      // a lone number that is a factor or divisor is another one ...
    counted_all,  // ... wherever it is one
    left_out,     // an operand is its result
    turned,       // a reduction along the other axis of a square
    substituted,  // an operand is another value of the program
    joined,       // its result and another value, or a number, by `op`
  };
  std::pair<int, int> place;  // line and column
  Kind kind = Kind::replaced;
  Op op = Op::add;
  std::size_t operand = 0;         // left_out, substituted
  double was = 0, number = 0;      // counted; joined with a number
  std::string of = {};             // what has this number: axis 1 of x
  std::pair<int, int> maker = {};  // of the other value: where its op stands
};

// What is done otherwise.
struct WhatIf {
  std::optional<std::pair<int, int>> errs = {};        // ops at this line and column err as they did
  std::optional<std::pair<int, int>> transposes = {};  // square loads there have their two axes exchanged
  bool skips_masked = false;                           // lanes that a load masked off take no part in reductions
  bool skips_padding = false;                          // of those, lanes with no number that a load did read
  bool skips_strays = false;                           // likewise lanes that left their row
  std::optional<double> other = {};                    // what lanes hold that a load masked off
  bool rounds_casts = false;                           // float to int: to nearest, not toward zero
  bool floors = false;                                 // int division rounds down
  bool divides_truly = false;                          // int division gives a fraction
  std::optional<Change> change = {};
};

// A lane's number, and whether masked-off, stray or read lanes of loads are among those that it comes from. Of the
// latter only those of its own: what is stretched along an axis, as a row's mean, is of no lane alone.
struct Lane {
  double is = 0;
  bool masked = false, stray = false, read = false;
};

class Beside {
 public:
  Beside(const Ledger& ledger, const Slice& slice) : ledger_(ledger), slice_(slice) {}
  // The element at the end. NaN where it cannot be told.
  double run(const WhatIf&);
  const Lane& at(int value, std::int64_t lane) const {
    return lanes_[static_cast<std::size_t>(value)][static_cast<std::size_t>(lane)];
  }
  bool has(int value) const { return value >= 0 && !lanes_[static_cast<std::size_t>(value)].empty(); }
  static std::pair<int, int> place_of(const LedgerStep& s) { return {s.site.line, s.site.column}; }

 private:
  // Lane of an operand, by its place.
  using Get = std::function<Lane(std::size_t operand, std::int64_t lane)>;
  Lane evaluated(const LedgerStep&, std::size_t result, std::int64_t lane, const Get&) const;
  Lane by_lane(const LedgerStep&, std::size_t result, std::int64_t lane, const Get&) const;
  Lane reduced(const LedgerStep&, std::size_t result, std::int64_t lane, const Get&) const;
  Lane multiplied(const LedgerStep&, std::int64_t lane, const Get&) const;
  double applied(Op, DType result, const double* x) const;
  double applied(Op op, DType result, double x) const { return applied(op, result, std::array{x, x, x}.data()); }
  const Change* change_of(const LedgerStep&, Change::Kind) const;  // null: it is done as it was
  Op op_of(const LedgerStep& s) const {
    const Change* const c = change_of(s, Change::Kind::replaced);
    return c ? c->op : s.op;
  }
  double added_up(const LedgerStep&, std::size_t result, std::int64_t lane) const;
  // Of the change's other value, for a lane of a block of this shape. NaN: there is none yet.
  double other_value(const LedgerStep&, const std::vector<std::int64_t>& shape, std::int64_t lane) const;
  // Where an op of the mask is done otherwise.
  std::optional<Lane> masked_otherwise(const LedgerStep&, std::int64_t lane) const;
  Lane loaded(const LedgerStep&, std::int64_t lane) const;
  void store(const LedgerStep&);
  double cast(DType, double) const;  // a value that becomes one of this dtype
  bool is_skipped(const Lane& l) const {
    return ((what_.skips_masked || (what_.skips_padding && !l.read)) && l.masked) || (what_.skips_strays && l.stray);
  }

  const Ledger& ledger_;
  const Slice& slice_;
  WhatIf what_;
  std::vector<std::vector<Lane>> lanes_;
  std::map<std::pair<const std::byte*, std::int64_t>, Lane> memory_;
  std::map<std::array<std::int64_t, 3>, int> others_;  // the change's other value, of each program, at this step
};

// The lane of an operand that goes into a lane of a result of another shape, by broadcasting.
std::int64_t broadcast_lane(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to,
                            std::int64_t lane);
// For tl.permute and tl.trans.
std::int64_t moved_lane(const LedgerStep&, const std::vector<std::int64_t>& from, std::int64_t lane);
// The lanes along an axis, or all, that a lane of a reduction or scan is made of.
struct AlongAxis {
  std::int64_t first, step, count;
};
AlongAxis along_axis(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to, int axis,
                     std::int64_t lane);
// What a store or atomic stores, an index of values; -1: a number in the text.
int stored_operand(const Ledger&, const LedgerStep&);
void for_each_source(const Ledger&, const LedgerStep&, std::size_t result, std::int64_t lane,
                     const std::function<void(std::size_t operand, std::int64_t lane)>& visit);
inline bool is_square(const LedgerValue& v) {
  return v.shape.size() == 2 && v.shape[0] == v.shape[1] && v.shape[0] > 1;
}
// Whether the lane of this load lies in another row of its tensor than most of its neighbours along the last axis.
bool is_stray(const LedgerAccess&, std::int64_t lane);

}  // namespace tl::run
