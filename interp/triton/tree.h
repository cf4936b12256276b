// The syntax tree of a Python file: the nodes of Python's own `ast`, with their spans.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interp/triton/source.h"

namespace tl::triton {

// What `text` and `children` of a node are. Brackets: as many as there are; a ? may be null.
enum class NodeKind : unsigned char {
  // Expressions
  name,                      // text
  none,                      //
  boolean,                   // integer: 0 or 1
  integer,                   // integer, its magnitude; `real` where 64 bits do not hold it
  real,                      // real
  imaginary,                 // real
  string,                    // text: the characters, escapes read
  bytes,                     // text
  ellipsis,                  //
  tuple,                     // [element]
  list,                      // [element]
  set,                       // [element]
  dictionary,                // [key?, value]; a key is null before **value
  binary,                    // text: + - * / // % @ ** & | ^ << >>; left, right
  unary,                     // text: + - ~ not; operand
  logical,                   // text: and, or; [operand]
  comparison,                // left, [link]
  link,                      // text: < <= > >= == != in "not in" is "is not"; right
  conditional,               // test, value, otherwise
  call,                      // callee, [argument]
  keyword,                   // text: its name, "" of **value; value
  starred,                   // value
  attribute,                 // text: behind the dot; value
  subscript,                 // value, index
  slice,                     // lower?, upper?, step?
  format,                    // f'..': [string or formatted]
  formatted,                 // text: r, s, a or ""; value, format?
  lambda,                    // parameters in `parts`; value
  list_comprehension,        // element, [clause]
  set_comprehension,         // element, [clause]
  generator,                 // element, [clause]
  dictionary_comprehension,  // key, value, [clause]
  clause,                    // target, iterable, [condition]
  assignment_expression,     // name := value
  yield,                     // value?
  yield_from,                // value
  // Statements; what is indented beneath them is in `parts`
  expression,   // value
  assign,       // [target], value
  annotated,    // target, annotation, value?
  augmented,    // text: the operator without its =; target, value
  branch,       // test
  for_loop,     // target, iterable
  while_loop,   // test
  with,         // [with_item]
  with_item,    // context, target?
  try_,         //
  handler,      // text: its name; type?
  function,     // text: its name; returns?
  class_,       // text: its name; [base or keyword]
  return_,      // value?
  pass,         //
  break_,       //
  continue_,    //
  assert_,      // test, message?
  raise,        // exception?, cause?
  delete_,      // [target]
  global,       // [name]
  nonlocal,     // [name]
  import,       // [alias]
  import_from,  // text: the module; integer: how many dots; [alias]
  alias,        // text: what is imported; name?
};

struct Node;

enum class ParameterKind : unsigned char { positional, usual, rest, keyword, keywords };

struct ParameterNode {
  ParameterKind kind = ParameterKind::usual;
  std::string_view name;
  Span span;
  const Node *annotation = nullptr, *fallback = nullptr;
};

// What few nodes have.
struct Parts {
  std::vector<const Node*> body, otherwise, handlers, finally;
  std::vector<const Node*> decorators;
  std::vector<ParameterNode> parameters;
};

struct Node {
  NodeKind kind = NodeKind::pass;
  std::uint16_t height = 1;  // of the tree beneath it
  Span span;                 // as Python's ast gives it
  Position op;               // of its sign; of a call: of the called name
  std::string_view text;
  union {
    std::uint64_t integer = 0;
    double real;
  };
  std::vector<const Node*> children;
  std::unique_ptr<Parts> parts;

  const Node& child(std::size_t i) const { return *children[i]; }
  const Node* child_if_any(std::size_t i) const { return i < children.size() ? children[i] : nullptr; }
};

// Calls f with a node and all beneath it; not with what is beneath one that f answers false for.
template <class F>
void for_each_node(const Node* n, const F& f) {
  if (!n || !f(*n)) return;
  for (const Node* child : n->children) for_each_node(child, f);
  if (!n->parts) return;
  for (const auto* part : {&n->parts->body, &n->parts->otherwise})
    for (const Node* s : *part) for_each_node(s, f);
}

// tl.NAME, NAME, NAME(..), or a text that holds NAME. Null: no.
bool ends_with_name(const Node*, std::string_view name);
// f, of f(..) and of m.f(..); "" of what is no such call.
std::string_view called_name(const Node&);
bool is_constexpr(const ParameterNode&);
bool has_64_bits(const Node& integer);  // whether they hold it
// By a decorator, @triton.jit or one that is named so.
bool is_kernel(const Node& function);
// Those of `functions` that a kernel's run may enter: kernels and what they name; all where none is decorated.
std::vector<const Node*> run_by_kernels(const std::vector<const Node*>& functions);

// An integer that needs more than 64 bits has its value as a double alone.
struct Tree {
  Source source;
  std::deque<Node> nodes;
  std::deque<std::string> texts;      // those that do not stand so in the source
  std::vector<const Node*> body;      // the file's statements
  std::vector<CompileError> skipped;  // of statements of the host's that were not understood
};

}  // namespace tl::triton
