// The values of a program by what they hold and by how they were made, so that those of another program can be found
// among them: a value is known where the same op made the same of the same values.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interp/trace/recorded.h"

namespace tl::lessons {

class Numbering {
 public:
  // `all_lanes`: those that a mask kept from memory, and what is made of them, count as well.
  Numbering(const trace::RecordedTrace& trace, const trace::RecordedProgram& program, bool all_lanes);

  // For each value of a program: its number here, unknown where there is none, and whether it was made alike.
  static constexpr int unknown = -1;
  struct Known {
    int number = unknown;
    bool is_made_alike = false;
  };
  std::vector<Known> known(const trace::RecordedTrace& trace, const trace::RecordedProgram& program) const;

 private:
  struct Content {
    std::string of;  // floats, integers, a tensor's pointers; how many lanes
    std::vector<double> lanes;
    std::vector<bool> is_void;
  };
  using Contents = std::vector<Content>;  // of a program's values
  Contents contents_of(const trace::RecordedTrace& trace, const trace::RecordedProgram& program) const;
  using Made = std::pair<std::string, std::vector<int>>;  // op with its access, numbers of its operands
  static Made made_of(const trace::RecordedTrace& trace, const trace::RecordedProgram& program, const trace::Step& step,
                      std::vector<int> operands);
  static bool is_same(const Content& a, const Content& b);
  int find(const Content& content) const;

  bool all_lanes_;
  std::vector<Content> numbers_;
  std::map<std::string, std::vector<int>> by_kind_;  // numbers with so many lanes of such a kind
  std::map<Made, std::set<int>> made_;
};

// The steps whose ops `program` records; a run that does not end has more of them than it takes to see where it parts.
inline constexpr std::size_t most_steps = 3000;

// Tensor, elements and lanes of an access.
std::string access_text(const trace::RecordedTrace& trace, const trace::RecordedProgram& program,
                        const trace::RecordedAccess& access);

}  // namespace tl::lessons
