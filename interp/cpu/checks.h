// The checks that remember who wrote and read each element.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "interp/cpu/access.h"
#include "interp/cpu/history.h"
#include "interp/cpu/sync_order.h"
#include "interp/lang/access_words.h"

namespace tl::cpu {

// What is known of every element of the launch's tensors. For programs run one after the other.
class Shadow {
 public:
  Shadow(const std::vector<Tensor>& tensors, const Checks& checks);
  void check(const Where&, const Lanes&);
  // An atomic on one cell orders programs, and the threads of its own: the number of the reading among the program's.
  std::size_t synchronize(const Where&, const Lanes&, AtomicOrder, AtomicReach);
  // What the atomic read: what is made of it is followed, up to the branches that it decides.
  void follow(State&, Value& read, std::size_t reading);
  void decide(State&, const Value&, bool is_condition);
  std::optional<Site> ordered_at() const {
    return meetings_.empty() ? std::nullopt : std::optional(meetings_.begin()->second.begin()->second.site);
  }
  // Two lanes of one store that give one element different values.
  void check_lanes(const Where&, const Lanes&, const Value& value) const;

 private:
  struct OfMemory {
    std::vector<bool> written;  // uninitialized
    Histories histories;        // race
  };
  // Where a tensor begins in memory that others may lie in, too: views of one array.
  struct Place {
    OfMemory* memory;
    int number;  // of the memory
    std::int64_t first;
    const Tensor* tensor;
    std::int64_t operator()(std::int64_t element) const { return first + element; }
  };
  const Place& place_of(const Lanes& l) const { return places_[static_cast<std::size_t>(l.tensor)]; }
  // Calls visit(history, lane, element) for each active lane, or for the first of those that share a history.
  template <class Visit>
  void for_each_history(const Lanes&, Visit) const;
  void check_written(const Where&, const Lanes&);
  void check_race(const Where&, const Lanes&);
  // A program and its access; of several that nothing orders, a list: one by its number, -1: none, below: in past_.
  struct Access {
    std::int32_t program = -1;
    std::int64_t time = 0;
  };
  std::optional<Access> unordered(std::int32_t me, Access) const;
  void join(std::int32_t me, std::int32_t& program, std::int64_t& time);
  void check_threads(const Where&, const Lanes&);
  // Another tensor that the element lies in, as its own element: element 64 of "x". "": there is none.
  std::string alias_of(const Lanes&, std::int64_t element) const;
  std::string element_text(const Lanes&, std::int64_t element) const;
  void report_threads(const Where&, const Lanes&, std::int64_t lane, std::int64_t element, bool other_loaded,
                      const Thread& other) const;
  // `time`: of the other program's access, an atomic or a plain one.
  std::string race_fix(const Where&, const Lanes&, const History&, std::int32_t other, std::int64_t time,
                       bool with_atomic) const;

  // A program's atomic on a cell: what orders it, or would.
  struct Meeting {
    Site site;
    AtomicOrder order;
    AtomicReach reach;
    std::int64_t time;  // the last
    bool releases() const { return order == AtomicOrder::release || order == AtomicOrder::acq_rel; }
    bool acquires() const { return order == AtomicOrder::acquire || order == AtomicOrder::acq_rel; }
  };
  using Meetings = std::map<std::tuple<std::int32_t, int, int>, Meeting>;  // by program, line and column
  using Cell = std::pair<int, std::int64_t>;

  Checks checks_;
  SyncOrder order_;
  struct Past {
    Access access;
    std::int32_t before;  // the rest of the list
  };
  std::vector<Past> past_;
  std::map<std::pair<std::int32_t, std::int64_t>, std::int32_t> joined_;  // to which list, by this access
  std::map<Cell, Meetings> meetings_;
  std::deque<OfMemory> memory_;
  std::vector<Place> places_;  // of the tensors
  // The program that runs, the barriers it has passed, when it passed the last.
  std::int32_t program_ = -1;
  std::int64_t barriers_ = 0, since_ = 0, begun_ = 0;
};

// What a check tells once: a loop would say it a thousand times.
bool is_same_place(const Fault&, const Fault&);

}  // namespace tl::cpu
