// What the programs of a launch read and write, as sets of elements: whether no program reads or writes what another
// writes.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/cpu/memories.h"
#include "interp/trace/access.h"

namespace tl::cpu {

// A set of a memory's elements, a bit each.
class Elements {
 public:
  explicit Elements(std::int64_t n = 0) : words_(static_cast<std::size_t>((n + 63) / 64)) {}
  // False: some were in the set already.
  bool add(std::int64_t first, std::int64_t stride, std::int64_t length);
  bool intersects(const Elements&) const;

 private:
  std::vector<std::uint64_t> words_;
};

// Errs to one side alone: what it calls independent is.
class Footprints {
 public:
  enum class Verdict { independent, unknown, again };  // again: a memory is written that nobody expected to be

  // threads: of a program. A lane that loads what it has stored sees it only if the lane is one thread's.
  Footprints(const std::vector<Tensor>&, std::int64_t threads);

  void begin();  // from the first program on, perhaps again
  void begin_program();
  Verdict access(const trace::Access&);
  void end_program();
  Verdict verdict() const;

 private:
  // Accesses of the program under way to one memory, but for lists.
  struct Tile {
    trace::Access access;
    std::int64_t first;  // of the memory, the element of lane 0
  };
  struct Memory {
    bool is_written = false, is_read = false;
    std::int64_t elements = 0;
    Elements written, read;
    std::vector<Tile> stores, loads;
  };

  Verdict store(Memory&, const trace::Access&, std::int64_t first);
  Verdict load(Memory&, const trace::Access&, std::int64_t first);

  std::int64_t threads_;
  std::vector<Memories::Place> places_;
  std::vector<Memory> memories_;
};

}  // namespace tl::cpu
