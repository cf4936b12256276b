// The search of a cause: one rule after the other, the surest first.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "interp/lang/notation.h"
#include "interp/run/why/causes.h"

namespace tl::run {

// For messages.
inline std::string number(double v, int digits = 6) {
  const bool is_whole = v == std::round(v) && std::abs(v) < 1e15;
  return std::isnan(v) ? "nan" : is_whole ? fmt::format("{:.0f}", v) : fmt::format("{:.{}g}", v, digits);
}

// With as many digits as tell the two apart.
inline int digits_between(double a, double b) {
  int digits = 6;
  while (digits < 17 && a != b && number(a, digits) == number(b, digits)) ++digits;
  return digits;
}

class Search {
 public:
  Search(const Ledger& ledger, const WrongElement& wrong)
      : ledger_(ledger), wrong_(wrong), slice_(slice_of(ledger, wrong.data, wrong.element)), beside_(ledger, slice_) {}

  // For a run that a fault ended: of all integers that it computed.
  explicit Search(const Ledger& ledger) : ledger_(ledger), beside_(ledger, slice_) {
    for (const LedgerValue& v : ledger.values)
      slice_.lanes.emplace_back(is_integer(v.dtype) && !v.is_pointer ? static_cast<std::size_t>(v.count()) : 0, true);
  }
  std::optional<Fault> wrap() { return wrapped(); }

  std::optional<Fault> cause();
  // Nobody knows what the element should be: what in it can hardly be meant.
  std::optional<Fault> suspicion();
  static std::string cell(const trace::TensorInfo& t, std::int64_t e);

 private:
  static constexpr double most_work = 3e6;

  // Lanes that one run beside visits, about.
  double work() const;
  const LedgerValue& value(int v) const { return ledger_.values[static_cast<std::size_t>(v)]; }
  bool is_right(double v) const {
    if (std::isnan(wrong_.expected) || std::isinf(wrong_.expected))
      return v == wrong_.expected || (std::isnan(v) && std::isnan(wrong_.expected));
    // Whoever is as far from the run's value as from the reference's explains nothing.
    return std::abs(v - wrong_.expected) <=
               wrong_.tolerance.absolute + wrong_.tolerance.relative * std::abs(wrong_.expected) &&
           !(std::abs(v - wrong_.got) < std::abs(v - wrong_.expected));
  }
  // Done otherwise, are this element and the others right? The run beside is this element's then.
  bool explains(const WhatIf&, double& value);
  Fault fault(const LedgerStep& s, std::string fact) const {
    Fault f;
    f.site = s.site;
    f.program = s.program;
    f.headline = Notation(s.site.file).op(s.op) + ": " + std::move(fact);
    return f;
  }
  Notation notation(const LedgerStep& s) const { return Notation(s.site.file); }
  std::string would_be(double v) const {
    return fmt::format("{} would be {}, {}", wrong_.name, number(v),
                       wrong_.has_reference ? "as the reference says" : "not " + number(wrong_.got));
  }
  template <class F>
  void for_each_lane(int v, F f) const {
    if (!slice_.holds(v)) return;
    const auto& lanes = slice_.lanes[static_cast<std::size_t>(v)];
    for (std::size_t i = 0; i < lanes.size(); ++i)
      if (lanes[i]) f(static_cast<std::int64_t>(i));
  }

  // Lanes that a mask switched off, and that a sum or a maximum takes in.
  std::optional<Fault> masked_lanes();
  std::optional<Fault> masked_fault(double without);

  // Masked-off lanes hold a number that would be another one.
  std::optional<Fault> wrong_other();

  static std::string lanes_text(std::int64_t n);
  // Loads whose lanes run on into the next row, inside the tensor.
  const LedgerStep* first_stray(std::int64_t& lane, std::int64_t& count) const;
  Fault stray_fault(const LedgerStep& s, std::int64_t lane, std::int64_t count, const std::string& then) const;
  std::optional<Fault> stray_lanes();
  std::optional<Fault> any_stray();  // that explains less

  // In double the same program is right: some op lost digits, or wrapped, or overflowed. The one whose errors alone
  // bring the result furthest from there is named.
  std::optional<Fault> lost_digits();
  // The op whose errors alone change the result most, and by how much.
  std::pair<const LedgerStep*, double> lossy_op(double exact);
  const LedgerStep& last_store() const { return ledger_.steps[static_cast<std::size_t>(slice_.ends.back().first)]; }
  // A value that the tensor's dtype does not hold.
  std::optional<Fault> stored_narrow(double exact);
  // A sum of many atomics.
  std::optional<Fault> added_by_programs(double exact);

  // Several lanes of one store change what all of them loaded.
  std::optional<Fault> lost_update();

  // Square tiles whose rows are the tensor's columns.
  std::optional<Fault> exchanged_axes();

  // One op done otherwise gives what the reference says.
  std::optional<Fault> repaired();
  std::vector<Change> changes() const;
  std::vector<Change> counts_in(const LedgerStep&) const;
  // Another value of the program in its place or beside it, or the op left out.
  void add_values(const LedgerStep&, std::vector<Change>& likely, std::vector<Change>& others) const;
  Fault fault_of_values(const LedgerStep&, const Change&, double value) const;
  Fault repaired_fault(const LedgerStep&, const Change&, double value) const;

  // Lanes of a load, or programs, that read the same elements, and others that nobody reads.
  std::optional<Fault> same_elements();
  static std::set<std::int64_t> elements_of(const LedgerAccess&);
  static std::vector<std::int64_t> steps_of(const LedgerAccess&);
  // What no op takes.
  std::optional<Fault> unused();

  // A load whose mask is false in all lanes that count; an element that no load goes into.
  std::optional<Fault> nothing_loaded();

  // Nothing is suspicious: what the last op was given, and whether it is the same in double.
  std::optional<Fault> last_op();
  // For what the tensor held when this load read it; -1: none, or several.
  std::int64_t element_that_is_right(const LedgerAccess&) const;

  static bool may_err(const LedgerStep& s);
  // The lane where this op erred most, over all its turns.
  struct Error {
    const LedgerStep* step = nullptr;
    std::int64_t lane = 0;
    double was = 0, exact = 0;
  };
  Error largest_error(std::pair<int, int> place);
  std::optional<Fault> digits_fault(const LedgerStep& at, double exact);

  // A float that becomes an integer goes toward zero.
  std::optional<Fault> cut_cast();

  std::optional<Fault> whole_division();

  // The first infinity or NaN that finite numbers made, and the 0 that an exp left beneath it.
  std::optional<Fault> not_finite();

  // An integer op whose result is not what whole numbers give.
  std::optional<Fault> wrapped();
  bool is_modular(const LedgerStep& op) const;

  // What the run read of a tensor: elements that no load saw, where others were.
  struct Reading {
    const trace::TensorInfo* tensor;
    std::vector<bool> read;
  };
  std::vector<Reading> readings() const;
  // The load of the slice that reads this tensor.
  const LedgerStep* load_of(const std::byte* data) const;

  // A loop that computes the same number in each of its turns, for different elements.
  std::optional<Fault> same_in_each_turn();

  // A loop that loads the same elements in each of its turns.
  std::optional<Fault> same_tiles();

  std::optional<Fault> unread();

  // Lanes along an axis of the block that are apart by no stride of the tensor.
  std::optional<Fault> odd_stride();

  const Ledger& ledger_;
  WrongElement wrong_ = {};
  Slice slice_;
  Beside beside_;
  std::vector<std::unique_ptr<Search>> others_ = {};
  double exact_ = NAN;
};

}  // namespace tl::run
