// The grammar of the expressions in `p`, `b ... if` and the words of a case, as a tree: names, numbers, subscripts,
// slices, operators, calls and methods, as a kernel's text writes them, in C++ or in Python.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interp/lang/error.h"

namespace tl::debug {

enum class NodeKind : unsigned char {
  number,
  text,
  name,
  unary,
  binary,
  call,
  method,
  attribute,
  subscript,
  tuple,
  conditional
};

// first:end:step of an axis, or one index; numbers of the node's children, -1: left out.
struct Slice {
  int first = -1, end = -1, step = -1;
  bool is_index = false;
  bool is_new = false;   // None: an axis of one
  bool is_rest = false;  // ...: all axes that no other slice names
};

struct Node {
  NodeKind kind = NodeKind::number;
  std::size_t position = 1;  // in the source, from 1
  std::string text;          // of a name, an operator, a function, a method, an attribute, a text
  double value = 0;          // of a number
  std::int64_t whole = 0;    // of a whole one
  bool is_whole = false;
  std::vector<Node> children = {};  // operands; of a method, an attribute and a subscript what it is of comes first, of
                                    // a conditional its condition
  std::vector<std::string> keywords = {};  // of a call's last children: axis of sum(x, axis=1)
  std::vector<Slice> slices = {};
};

// The language whose precedence counts: in C++ a comparison binds closer than &, in Python & does.
enum class Precedence : unsigned char { cpp, python };

// Throws Error that names the position in the text and what is wrong there.
Node parse(std::string_view text, Precedence = Precedence::cpp);

// An Error at a place of the text.
[[noreturn]] void fail_at(std::string_view text, std::size_t position, const std::string& fact, const std::string& fix);

}  // namespace tl::debug
