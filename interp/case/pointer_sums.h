// What a kernel of Triton's Python adds to its pointers, and what bounds the indices: of x_ptr + row * stride + cols,
// cols < n, the stride's index is a row, and a row has n elements.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "interp/case/index_names.h"

namespace tl::cases {

struct Term {
  IndexSources sources;
  Factors factors;  // what multiplies the index
  Factors extent;   // where the text says it: offs % M, or a block pointer's shape
};
struct Bound {
  IndexSources sources;
  std::string limit;  // a parameter
  bool is_loop = false;
};

struct PointerSums {
  std::map<std::string, std::vector<Term>> terms;  // by the pointer's parameter
  std::vector<Bound> bounds;
  std::map<std::string, std::set<std::string>> offsets;  // pointer: what is added to it as it is, n of x_ptr + n
  std::set<std::string> used;                            // names
  std::map<int, std::string> grid;                       // axis: the parameter by which a loop over programs steps
  std::map<int, std::set<std::string>> divisors;         // axis: of program_id(axis) % H
  std::map<std::string, std::string> counted;            // count: block, of cdiv(count, block)
  std::set<std::string> blocks;                          // parameters that are extents of blocks
  std::set<std::string> dtypes, flags;                   // of .to(DTYPE); of if FLAG:
  std::set<std::string> atomics, descriptors;            // of tl.atomic_add(x, ..); of x.load(..)
  std::map<std::string, std::string> texts;              // of MODE == "text"
  std::set<std::string> persistent;                      // limits of loops that begin at a program's number
  int axes = 1;                                          // of the grid
};
PointerSums pointer_sums_of(triton::Program& program, const triton::Definition& kernel,
                            const std::set<std::string_view>& pointers);

}  // namespace tl::cases
