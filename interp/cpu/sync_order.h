// The accesses of other programs that come before what a program does now, by the atomics of single cells: a lock, a
// counter, a flag. Programs run one after the other.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tl::cpu {

class SyncOrder {
 public:
  std::int64_t now() const { return now_; }
  void step() { ++now_; }

  // A program's atomic on a cell: it comes after those that released the cell before it, and before later ones.
  void synchronize(std::int32_t program, std::pair<int, std::int64_t> cell, bool acquires, bool releases);
  // Whether an access of `other` at that time comes before what `program` does now.
  bool comes_before(std::int32_t program, std::int32_t other, std::int64_t time) const;

 private:
  struct Release {
    std::int32_t program;
    std::int64_t time;
  };
  struct Acquire {
    const std::vector<Release>* cell;
    std::size_t releases;  // of the cell at that time
    std::int64_t time;
  };
  bool reaches(std::int32_t program, std::int64_t until, std::int32_t other, std::int64_t time,
               std::vector<std::pair<std::int32_t, std::int64_t>>& seen) const;

  std::int64_t now_ = 0;
  std::map<std::pair<int, std::int64_t>, std::vector<Release>> cells_;  // its vectors stay where they are
  std::map<std::int32_t, std::vector<Acquire>> acquired_;
  // The last yes: neighbouring elements ask the same.
  mutable std::int32_t known_program_ = -1, known_other_ = -1;
  mutable std::int64_t known_time_ = -1;
};

}  // namespace tl::cpu
