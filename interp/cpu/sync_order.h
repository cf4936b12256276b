// The accesses of other programs that come before what a program does now in every order of programs, by the atomics of
// single cells: a lock, a counter, a flag. An acquire comes after a release where the program would have gone another
// way without it (interp/cpu/earlier_values.h). Programs run one after the other.
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

  // A program's atomic on a cell that holds `before`: the number of the reading among the program's.
  std::size_t synchronize(std::int32_t program, std::pair<int, std::int64_t> cell, std::int64_t before, bool acquires,
                          bool releases);
  // What the cell held before each of the last releases that the reading comes after, the oldest first.
  std::vector<std::int64_t> earlier(std::int32_t program, std::size_t reading) const;
  // The program has gone a way that it would not have gone with those of the earlier values, a bit each.
  void decided(std::int32_t program, std::size_t reading, std::uint64_t otherwise);
  // Whether an access of `other` at that time comes before what `program` does now.
  bool comes_before(std::int32_t program, std::int32_t other, std::int64_t time) const;

 private:
  struct Release {
    std::int32_t program;
    std::int64_t time, before;
  };
  struct Cell {
    std::vector<Release> releases;
    std::size_t seen = 0;  // of them, by other programs than the last one's
  };
  struct Reading {
    const Cell* cell;
    std::size_t releases;  // of the cell at that time
    std::int64_t time;
    bool acquires;
    std::uint64_t otherwise = 0;
  };
  using Readings = std::vector<Reading>;
  static bool needs(const Readings& all, const Reading& acquire, std::size_t release, std::int64_t since);
  bool reaches(std::int32_t program, std::int64_t until, std::int32_t other, std::int64_t time,
               std::vector<std::pair<std::int32_t, std::int64_t>>& seen) const;

  std::int64_t now_ = 0;
  std::map<std::pair<int, std::int64_t>, Cell> cells_;
  std::map<std::int32_t, Readings> readings_;
  // The last answer: neighbouring elements ask the same. Yes holds on, no until the next step.
  struct Answer {
    std::int32_t program = -1, other = -1;
    std::int64_t time = -1, asked_at = -1;
    bool is_before = false;
  };
  mutable Answer last_;
};

}  // namespace tl::cpu
