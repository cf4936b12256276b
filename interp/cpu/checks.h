// The checks that remember: who wrote and read each element, and which lanes no load defined.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
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
  // An atomic on one cell orders programs, and the threads of its own.
  void synchronize(const Where&, const Lanes&, AtomicOrder);
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
    std::int64_t operator()(std::int64_t element) const { return first + element; }
  };
  const Place& place_of(const Lanes& l) const { return places_[static_cast<std::size_t>(l.tensor)]; }
  // Of each active lane, or of the first of those that share a history: visit(history, lane, element).
  template <class Visit>
  void for_each_history(const Lanes&, Visit) const;
  void check_written(const Where&, const Lanes&);
  void check_race(const Where&, const Lanes&);
  void check_threads(const Where&, const Lanes&);

  Checks checks_;
  SyncOrder order_;
  std::deque<OfMemory> memory_;
  std::vector<Place> places_;  // of the tensors
  // The program that runs, the barriers it has passed, when it passed the last.
  std::int32_t program_ = -1;
  std::int64_t barriers_ = 0, since_ = 0;
};

// Reports a lane of a store that no load defined: the value of an active lane, or any lane of the mask.
void check_undefined(const Where&, const Lanes&, const Value& value);
void check_undefined_mask(const Where&, const Lanes&, const Value& mask);

// What a check tells once: a loop would say it a thousand times.
bool is_same_place(const Fault&, const Fault&);

}  // namespace tl::cpu
