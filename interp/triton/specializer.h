// What makes a routine of a function's tree: specialize_expressions.cpp and specialize_calls.cpp are parts of it.
#pragma once

#include <set>

#include "interp/triton/specialize.h"
#include "interp/triton/statement_nodes.h"

namespace tl::triton {

// A tuple of as many unknown elements; a value that is no tuple is unknown.
cpu::AnyValue outline_of(const cpu::AnyValue&);

// By slot, of variables that hold a tuple: its class and how many elements it has.
using Outlines = std::map<std::size_t, Value>;
// Those that are the same on both paths.
Outlines common(const Outlines&, const Outlines&);

class Specializer {
 public:
  // An expression of a file, outside its functions.
  Specializer(Specialized* routines, Program& program, Module& module)
      : routines_(routines), program_(program), module_(module) {}

  // `makes`: the class whose __init__ it is.
  std::unique_ptr<Routine> routine(const Definition&, const std::vector<Value>& constants, const Callable* makes);
  // What is known of it; unknown: nothing, or that it is none.
  Value constant(const Node&);

 private:
  using Made = std::unique_ptr<Expression>;

  // What Triton refuses and this takes.
  void remark(const Node&, const std::string& fact, const std::string& fix);
  void remark_global(const Node& name);
  void remark_condition(const Node&, const Expression& test);
  void remark_print(const Node& call);
  void remark_constexpr(const Node& assignment);
  void remark_returns(const Node& function, const Statements& body);
  void remark_shapes(const Node& call, const cpu::Function&);
  [[noreturn]] void fail(const Node&, const std::string& fact, const std::string& fix) const;
  const cpu::Place* place(const Node& n) const { return place(n.op); }
  const cpu::Place* place(Position) const;

  // Variables
  void find_variables(const std::vector<const Node*>& body);
  void find_targets(const Node& target);
  void find_comprehensions(const Node*);
  std::size_t slot(std::string_view name);
  std::optional<std::string_view> field_variable(const Node&) const;  // "self.x", in __init__
  std::vector<std::size_t> assigned_in(const std::vector<const Node*>& body);
  Statements loop_body(const Node&);
  Arm arm(const std::vector<const Node*>& body);
  std::unique_ptr<Statement> while_loop(const Node&);

  // Statements
  Statements block(const std::vector<const Node*>& body);
  void block(const std::vector<const Node*>& body, Statements& to);
  void statement(const Node&, Statements& to);
  void branch(const Node&, Statements& to);
  std::unique_ptr<Statement> for_loop(const Node&);
  void check_static(const Node&, const ForLoop::Bounds&);
  std::unique_ptr<Statement> assignment(const Node&);
  Target target(const Node&);
  void learn(const Node& target, const Expression& value, bool is_weak);
  void learn_outline(const Node& target, const Value* parts);

  // Expressions
  Made expression(const Node&);
  Made known(const Node& n, Value v) const;
  Made integer(const Node&);
  Made unsigned_constant(const Node& n, std::uint64_t bits) const;
  Made name(const Node&);
  Made variable(const Node&, std::size_t slot) const;
  Made infix(const Node&, Sign, Made left, Made right) const;
  Made comparison(const Node&);
  Made logical(const Node&);
  Made conditional(const Node&);
  Made tuple(const Node&);
  Made tuple_of(const Node&, Expressions elements) const;
  Made self_made(const Node&);
  Made attribute(const Node&);
  Made attribute(const Node&, Made of, std::string_view name);
  static const Definition* method_of(const Expression&, std::string_view name);  // of a class's value
  bool has_attribute(const Expression& of, std::string_view name);
  Made subscript(const Node&);
  Made element(const Node&, Made of, Made index) const;
  Expressions elements_of(const Node&, Made tuple) const;
  Made slice_of_tuple(const Node&, Made tuple);
  Made comprehension(const Node&);
  Made format(const Node&);
  Expressions all(const std::vector<const Node*>&);

  // Calls
  Made call(const Node&);
  Made call_of_function(const Node&, const Definition&, Made self = nullptr, const Callable* makes = nullptr);
  Made call_of_class(const Node&, const Callable&);
  Made call_of_host(const Node&, const std::string& function);
  std::vector<CallArgument> arguments(const Node&, const cpu::Function* takes_combine = nullptr);
  void complete_static_print(const Node&, std::vector<CallArgument>&) const;
  void check_arguments(const Node&, const cpu::Function&, bool is_method) const;
  Made combine(const Node&);

  Specialized* routines_;  // null: outside of functions
  Program& program_;
  Module& module_;
  const char* function_ = "";
  const Callable* makes_ = nullptr;  // the class whose __init__ is read
  std::string_view self_;            // of __init__: its first parameter, whose fields are variables
  Routine* made_ = nullptr;
  std::map<std::string_view, std::size_t> slots_;
  std::map<std::string_view, int> assignments_;
  Statements remarks_;                  // of the statement that is read now
  std::set<std::size_t> assigned_;      // variables that have a value here, on one path at least
  std::set<std::size_t> given_;         // those that what is read so far has assigned
  std::map<std::size_t, Value> known_;  // of variables that have one value from where they are assigned on; in parts
  Outlines outlines_;
  int loops_ = 0, branches_ = 0;  // around what is read now
  int run_time_loops_ = 0;        // of these loops those that are not unrolled
};

}  // namespace tl::triton
