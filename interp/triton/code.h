// A function at its constants, ready to be walked: names are slots, ops and helpers are found, dead branches are gone.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <vector>

#include "interp/triton/constants.h"
#include "interp/triton/refusals.h"

namespace tl::triton {

struct Frame;
class Emission;   // emission.h
struct Term;      // of it
struct LiveWalk;  // live.h
using Slots = std::set<std::size_t>;

class Expression {
 public:
  explicit Expression(const cpu::Place* place) : place(place) {}
  virtual ~Expression() = default;
  virtual Value value(Frame&) const = 0;
  // Where it lies, if it does; else it is put into `made`.
  virtual const Value& look(Frame& frame, Value& made) const { return made = value(frame); }
  // What is known of it before the walk; null: nothing.
  virtual const Value* constant() const { return nullptr; }
  // For a tuple, what is known of its elements: those of which nothing is known are NotGiven.
  virtual const Value* parts() const { return constant(); }
  virtual Term emit(Emission&) const = 0;  // in C++
  virtual void read(Slots&) const = 0;     // the variables that it reads
  cpu::Location location() const { return cpu::location_of(*place); }
  const cpu::Place* place;
};
using Expressions = std::vector<std::unique_ptr<Expression>>;

// A variable, or several: a, (b, c)
struct Target {
  std::size_t slot = 0;
  std::vector<Target> elements;
  const cpu::Place* place = nullptr;
};
void assign(Frame&, const Target&, Value&&, bool is_weak);

enum class Flow : unsigned char { next, breaks, continues, returns };

class Statement {
 public:
  explicit Statement(const cpu::Place* place) : place(place) {}
  virtual ~Statement() = default;
  virtual Flow run(Frame&) const = 0;
  virtual Flow emit(Emission&) const = 0;
  // What is read at or after it, of what is read after it.
  virtual Slots live(LiveWalk&, Slots after) const = 0;
  // Notes what Triton refuses of it where it does not run, but is compiled.
  virtual void tell_refusals(Frame&) const {}
  const cpu::Place* place;
};
using Statements = std::vector<std::unique_ptr<Statement>>;
Flow run(const Statements&, Frame&);

struct Routine {
  std::string name;
  const cpu::Place* place = nullptr;   // of its def
  std::vector<const char*> variables;  // by slot; parameters first
  std::size_t parameters = 0;
  std::vector<bool> is_constexpr;  // by parameter
  Expressions fallbacks;           // by parameter; null: none
  Statements body;
  Value result;  // of a tuple: how many elements it has, their names and class
};

// What the routines of one program's walk share.
struct Course {
  std::int64_t turns = 0, ops = 0;  // of loops, since that op
  Refusals* refusals = nullptr;     // null: nobody asks
};

// The variables of a routine under way: taken from those that earlier ones gave back, with their memory.
class Variables {
 public:
  explicit Variables(std::size_t count);
  ~Variables();
  Variables(const Variables&) = delete;
  Value& operator[](std::size_t slot) { return values_[slot]; }
  const Value& operator[](std::size_t slot) const { return values_[slot]; }
  std::span<Value> all() { return values_; }

 private:
  std::vector<Value> values_;
};

// A routine under way.
struct Frame {
  cpu::Context& tl;
  const Routine& routine;
  Course& course;
  Variables variables;
  Value result;
  int depth = 0;  // of calls
  // By slot, where refusals are noted: the branch or loop that made a variable which Triton does not know behind it.
  std::vector<const cpu::Place*> hidden = {};
};
// A turn of a loop: one that holds no op hears a stop, too, and does not go on for ever. Throws FaultError.
void turn(Frame&, const cpu::Place* loop);

// Gives a variable its value: the same Block where dtype and shape stay, so that whoever watches sees it change.
void assign(Frame&, std::size_t slot, Value&&, bool is_weak);
// Arguments are moved from; unknown: the parameter's default.
Value call(cpu::Context&, const Routine&, Course&, std::span<Value> arguments, const cpu::Place* place, int depth);
// A number as ops take it where its dtype counts: a strong one beside a block of another dtype is a scalar.
Value infix(Frame&, Sign, const Value& x, const Value& y, const cpu::Place*);
// Does a strong number's own dtype decide that of the result beside this one?
bool counts(const Value& number, DType beside);
// Does this op take a strong number as a scalar?
bool strengthens(const cpu::Function&);
// Does acc + tl.dot(a, b) accumulate in acc?
bool is_accumulator(const cpu::AnyValue& acc, const cpu::AnyValue& a, const cpu::AnyValue& b);
// asks: who asks, where it is no if.
bool truth(const Value&, Frame&, const cpu::Place*, const char* asks = nullptr);
// As Triton sees it: not known before the program runs.
bool is_run_time(const Value&);
// "a block of f32(64,)", "a scalar of i32", "a constexpr"; "" where types are not compared.
std::string type_of(const Value&);
// What Triton refuses of an op's operands.
void note_op(Refusals&, const cpu::Function&, std::span<const cpu::AnyValue> operands, const cpu::Place*);
[[noreturn]] void fail(const Frame&, const cpu::Place*, std::string fact, std::string fix);

}  // namespace tl::triton
