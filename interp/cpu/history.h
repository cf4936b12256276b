// The programs that touched each element of a memory, and when: one record for neighbours that are always touched
// together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace tl::cpu {

// The lane of the access, and how many lanes it has; -1: several.
struct Thread {
  std::int64_t time = -1;
  std::int32_t lane = 0, lanes = 0;
};

// Programs by number; -1: none; below: several, a list that the check keeps.
struct History {
  std::int32_t writer = -1, reader = -1, atomic = -1;
  std::int64_t written = 0, read = 0, changed = 0;  // when
  Thread stored, loaded;
  bool is_atomic = false;  // what stored it
  bool is_update = false;  // the lane that stored it had loaded it before
};

// Most accesses are runs, and each program has runs of its own: a record an element would be 80 bytes and as much work
// for each of them.
class Histories {
 public:
  static constexpr std::int64_t together = 32;

  void resize(std::size_t elements) { chunks_.resize(elements / (together * in_chunk) + 1); }

  // A run of elements: visit(history, i) of the one at first + i * stride. Where all of a group are touched one lane
  // after the other, as they were before, their record is visited once, with the i of the first.
  template <class Visit>
  void for_each(std::int64_t first, std::int64_t stride, std::int64_t length, Visit visit) {
    for (std::int64_t i = 0; i < length;) {
      const std::int64_t element = first + i * stride;
      Group& g = group(element / together);
      const std::int64_t at = element % together;
      if (stride == 1 && at == 0 && !g.each && length - i >= together) {
        visit(g.all, i);
        i += together;
        continue;
      }
      if (!g.each) part(g);
      const std::int64_t end = stride == 1 ? std::min(length, i + together - at) : i + 1;
      for (History* h = &g.each[static_cast<std::size_t>(at)]; i < end; ++i, ++h) visit(*h, i);
    }
  }

 private:
  struct Group {
    History all;  // its lanes are the first element's; the others' follow
    std::unique_ptr<History[]> each;
  };

  // Only touched elements take room.
  static constexpr std::int64_t in_chunk = 128;
  Group& group(std::int64_t i) {
    std::unique_ptr<Group[]>& chunk = chunks_[static_cast<std::size_t>(i / in_chunk)];
    if (!chunk) [[unlikely]]
      chunk = std::make_unique<Group[]>(in_chunk);
    return chunk[static_cast<std::size_t>(i % in_chunk)];
  }

  static void part(Group& g) {
    g.each = std::make_unique<History[]>(together);
    for (std::int32_t i = 0; i < together; ++i) {
      History& h = g.each[static_cast<std::size_t>(i)] = g.all;
      for (Thread* t : {&h.stored, &h.loaded})
        if (t->lane >= 0) t->lane += i;
    }
  }

  std::vector<std::unique_ptr<Group[]>> chunks_;
};

}  // namespace tl::cpu
