// The grammar of what `p` and `b ... if` compute, as a tree: names, numbers, subscripts, slices, operators, calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interp/lang/dtype.h"
#include "interp/lang/error.h"

namespace tl::debug {

enum class NodeKind : unsigned char { number, name, negative, negation, complement, binary, call, cast, subscript };

// first:end of an axis, or one index; numbers of the node's children, -1: left out.
struct Slice {
  int first = -1, end = -1;
  bool is_index = false;
  bool is_new = false;  // None: an axis of one
};

struct Node {
  NodeKind kind = NodeKind::number;
  std::size_t position = 1;  // in the text, from 1
  std::string text;          // of a name, an operator, a function, a number
  double value = 0;          // of a number
  std::int64_t whole = 0;    // of a whole one
  bool is_whole = false;
  DType dtype = DType::float32;     // of a cast, which may have a second child instead: the value whose dtype it takes
  std::vector<Node> children = {};  // operands; of a subscript what it is of, then its bounds
  std::vector<Slice> slices = {};
};

// Throws Error that names the position in the text and what is wrong there.
Node parse(std::string_view text);

// An Error at a place of the text.
[[noreturn]] void fail_at(std::string_view text, std::size_t position, const std::string& fact, const std::string& fix);

}  // namespace tl::debug
