// How a function's tree is written as C++: expressions become terms, statements become lines. Types come from ops that
// run on blocks without lanes, so that both sides of a branch have them and no data is needed.
//
//   for k in range(0, n, BK): acc += tl.load(p)     dry: what is acc behind one turn? a block of f32(64,), as before
//                                                   then: for (auto k : tl.range(0_c, n, 64_c)) { acc += ...; }
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interp/cpu/absent.h"
#include "interp/cpu/exploration.h"
#include "interp/triton/emit.h"
#include "interp/triton/live.h"

namespace tl::triton {

// How tightly the outermost operator of a text binds.
enum class Level : unsigned char { comparison, bits, sum, product, prefix, whole };

// An expression's C++, and what is known of its value.
struct Term {
  Value value;       // a constant, or what has a type alone: a block without lanes
  std::string text;  // "" of constants and tuples
  Level level = Level::whole;
  bool has_effect = false;    // when it is computed matters: it reads or writes memory, prints
  bool is_temporary = false;  // a variable that nothing names yet
  std::vector<Term> elements = {};
  // x + y: what x = x + y makes x += y of.
  struct Sum {
    std::string sign, left, right;
  };
  Sum sum = {};
  const Routine* combines = nullptr;  // of a combine function, with either
  const cpu::Function* combines_by = nullptr;
  bool is_tuple() const { return value.data.is<cpu::Tuple>(); }
  bool is_constant() const { return value.is_constant(); }
};

// A helper that was written.
struct Written {
  std::string name, text;
  std::vector<std::size_t> calls;  // of others, by number
  Term result;                     // its type; texts of what the caller gets are empty
  bool has_effect = false;
};

// The whole text: helpers, once for each set of constants and types.
class Emitter {
 public:
  Emitter(const EmitRequest&, const CppStyle&);
  CppText made();

  std::size_t helper(const Routine&, const std::vector<Value>& arguments, int depth);
  const Written& written(std::size_t number) const { return *written_[number]; }
  cpu::Context& tl() { return tl_; }
  Value without_lanes(const Value&);  // the same type
  Value scalar(DType);
  CompileError error_at(const Fault&) const;
  const CppStyle& style() const { return style_; }
  std::set<std::string> names;  // that no variable may have

 private:
  Term parameter_of(const Given&);
  std::string checks() const;

  const EmitRequest& request_;
  const CppStyle& style_;
  Launch launch_;
  cpu::Exploration types_;
  cpu::Context& tl_;
  std::vector<std::string> parameters_;  // names, by argument
  std::vector<std::unique_ptr<Written>> written_;
  std::map<std::string, std::size_t> numbers_;  // of helpers, by routine and arguments
};

// One function under way.
class Emission {
 public:
  Emission(Emitter&, const Routine&, bool is_kernel, int depth);
  // The function as text, its parameters bound to `arguments`, where those that are no constants are its parameters.
  void take_name(const std::string& name) { now_.used.insert(name); }
  Written function(const std::string& name, std::vector<Term> arguments, const std::string& head, int depth);

  // Expressions
  Term term(const Expression& e) { return e.emit(*this); }
  // In their order: what matters gets a name before what comes after it.
  std::vector<Term> terms(std::span<const Expression* const>);
  Term infix(Sign, const Term& x, const Term& y, const cpu::Place*);
  Term prefix(std::string_view sign, const Term& x, const cpu::Place*);
  Term sliced(const Term&, std::span<const bool> is_new, const cpu::Place*);
  Term attribute(const Term&, std::string_view name, const cpu::Place*);
  Term tuple(std::vector<Term> elements, const cpu::Elements* like = nullptr);
  // `wanted`: names for several values.
  using Names = std::vector<std::string>;
  Term called(const cpu::Function&, std::vector<Term> by_parameter, const Names& wanted, const cpu::Place*);
  Term called(const Routine&, std::vector<Term> arguments, const Names& wanted, const cpu::Place*);
  Term combine(const Routine*, const cpu::Function*, const cpu::Place*);
  Term chosen(const Term& test, const Expression& yes, const Expression& no, const cpu::Place*);
  Term strong(const Term&, const cpu::Place*);  // a number as a scalar
  Term mask_of(const Term&, const cpu::Place*);
  std::optional<bool> truth(const Term&, const cpu::Place*);  // nothing: known as it runs
  // For a block: without the lanes that the op may have computed.
  Term made(Value, std::string text, Level = Level::whole);
  // f(..) of several values: auto [a, b] = f(..);
  Term unpacked(const std::string& text, Term tuple, const Names& wanted, const cpu::Place*);
  Term named(const Term&, std::string_view name, const cpu::Place*);  // a variable that holds it

  // Statements
  Flow statements(const Statements&);
  Flow branch(const Statement&, const Expression& test, const Statements& then, const Statements& otherwise,
              const Slots& assigned);
  Flow while_loop(const Statement&, const Expression& test, const Statements& body, const Slots& assigned);
  Flow range_loop(const Statement&, const Target&, const std::string& range, const Value& variable,
                  const Statements& body, Slots assigned);
  Flow unrolled(const Statement&, const Target&, const std::vector<Term>& turns, const Statements& body);
  Flow returns(Term, const cpu::Place*);
  Flow jumps(Flow, const cpu::Place*);
  void assign(const Target&, Term, bool is_weak, const cpu::Place*);
  void assign(std::size_t slot, Term, bool is_weak, const cpu::Place*);
  void evaluate(const Term&, const cpu::Place*);
  const Term& variable(std::size_t slot, const cpu::Place*) const;

  [[noreturn]] void fail(const cpu::Place*, const std::string& fact, const std::string& fix) const;
  // What an op says of values is an error of the text.
  template <class F>
  auto asked(const cpu::Place* p, const F& op) const {
    try {
      return op();
    } catch (const FaultError& e) {
      fail(e.fault);
    } catch (const cpu::NeedsValues& e) {
      fail(p, e.what(), "compute it from what is known before the run");
    }
  }
  Emitter& all() { return all_; }
  Frame& frame() { return frame_; }
  void want(Names names) { now_.wanted = std::move(names); }  // for the values of a call
  Names take_wanted() { return std::exchange(now_.wanted, {}); }
  void note_effect() { now_.has_effect = true; }
  // [&](auto a, auto b) { return f(tl, a, b); }
  std::string lambda(const Term& combine, const std::vector<DType>&, const cpu::Place*);

 private:
  struct Line {
    std::string text;
    const cpu::Place* place;
    int depth;
  };
  struct Binding {
    std::optional<Term> term;
    std::string held_in = {};  // the home that holds it already; "": none
  };
  using Bindings = std::vector<Binding>;
  using Homes = std::map<std::size_t, Term>;  // variables of C++ that hold those of the text, by slot
  struct Loop {
    bool is_unrolled;
    int branches;                     // around its body
    Homes homes;                      // that its turns keep
    std::vector<Bindings> ends = {};  // at its breaks and continues
  };
  // Where a block's statements go on, for a helper that returns a value within an if.
  struct Rest {
    const Statements* all;
    std::size_t next;
    const Rest* outer;
    bool is_loop;
  };
  struct State {
    std::vector<Line> lines;
    Bindings bindings;
    std::vector<std::optional<Term>> homes;  // by slot: what an assignment goes to
    Slots assigned;
    std::set<std::string> used;
    std::vector<std::size_t> calls;
    std::vector<Loop> loops;
    int depth = 0, branches = 0;  // of indentation; run-time ifs and loops around
    bool has_effect = false;
    std::vector<std::string> wanted;
    Term result = {};
  };
  // What a variable is where paths meet.
  struct Met {
    std::optional<Term> constant = {};  // the same on each
    Value type = {};                    // else; of a tuple its outline
    std::vector<Met> elements = {};
  };

  [[noreturn]] void fail(const Fault&) const;
  [[noreturn]] void fail_return(const cpu::Place*) const;
  void line(std::string text, const cpu::Place* place) { now_.lines.push_back({std::move(text), place, now_.depth}); }
  Flow run(const Statements&, std::size_t from, bool is_loop = false);
  Flow run_arm(const Statements&, bool goes_on);
  Flow branch_at_run_time(const Statement&, const Term& test, const Statements& then, const Statements& otherwise,
                          const Slots& assigned);
  Flow loop(const Statement&, Slots assigned, const std::function<Flow()>& turn);
  std::string fresh(std::string_view wanted);
  Met meet(std::vector<const Term*> on_paths, std::string_view name, const cpu::Place*) const;
  Term declared(std::string_view name, const Term&, const cpu::Place*);
  Term home_for(std::string_view name, const Met&, const Term* before, const Term* outer, const cpu::Place*);
  bool fits(const Term& home, const Term&) const;
  void store(const Term& home, const Term&, const cpu::Place*);
  void settle(const Homes&, const cpu::Place*);
  Term empty_of(const Value& type) const;
  std::string text_of_lines() const;

  Emitter& all_;
  const Routine& routine_;
  bool is_kernel_, returns_value_;
  Course course_;
  Frame frame_;
  LiveSlots live_;
  std::size_t result_;  // the slot of what is returned
  const Rest* rest_ = nullptr;
  State now_;
};

std::string text_of_constant(const Value&, Level&);
bool is_constant_whole(const Value&);  // of a tuple: every element
std::string place_of(const Term&);     // its variable, of a tuple all
Term with_elements(Value);             // of a constant
std::vector<Term> elements_of(const Term&);
// In brackets where it binds less tightly.
std::string operand(const Term&, Level at_least = Level::whole);
std::string string_literal(std::string_view);
std::string shape_text(std::span<const std::int64_t>);  // tl.shape(64_c, 32_c)
std::string dtype_text(DType);
// A name that C++ can read: of `int` int_1.
std::string cpp_name(std::string_view);
bool has_return_of_value(const Statements&);

}  // namespace tl::triton
