// Expressions as a walk meets them.
#pragma once

#include "interp/triton/code.h"

namespace tl::triton {

class Known final : public Expression {
 public:
  Known(const cpu::Place* p, Value v) : Expression(p), value_(std::move(v)) {}
  Value value(Frame&) const override { return value_; }
  Term emit(Emission&) const override;
  void read(Slots&) const override {}
  const Value& look(Frame&, Value&) const override { return value_; }
  const Value* constant() const override { return &value_; }

 private:
  Value value_;
};

class Variable final : public Expression {
 public:
  Variable(const cpu::Place* p, std::size_t slot, Value parts) : Expression(p), slot_(slot), parts_(std::move(parts)) {}
  Value value(Frame& frame) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;
  const Value& look(Frame&, Value&) const override;
  const Value* parts() const override { return parts_.is_known() ? &parts_ : nullptr; }

 private:
  std::size_t slot_;
  Value parts_;
};

class Infix final : public Expression {
 public:
  Infix(const cpu::Place* p, Sign sign, std::unique_ptr<Expression> left, std::unique_ptr<Expression> right)
      : Expression(p), sign_(sign), left_(std::move(left)), right_(std::move(right)) {}
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;

 private:
  Sign sign_;
  std::unique_ptr<Expression> left_, right_;
};

class Prefix final : public Expression {
 public:
  Prefix(const cpu::Place* p, std::string_view sign, std::unique_ptr<Expression> x)
      : Expression(p), sign_(sign), x_(std::move(x)) {}
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;

 private:
  std::string_view sign_;
  std::unique_ptr<Expression> x_;
};

// a < b <= c: every part, and all of them.
class Comparison final : public Expression {
 public:
  struct Link {
    Sign sign;
    std::unique_ptr<Expression> right;
    const cpu::Place* place;
  };
  Comparison(const cpu::Place* p, std::unique_ptr<Expression> left, std::vector<Link> links)
      : Expression(p), left_(std::move(left)), links_(std::move(links)) {}
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;

 private:
  std::unique_ptr<Expression> left_;
  std::vector<Link> links_;
};

// and, or: of numbers as Python has it, of blocks lane by lane.
class Logical final : public Expression {
 public:
  Logical(const cpu::Place* p, bool is_and, Expressions operands)
      : Expression(p), is_and_(is_and), operands_(std::move(operands)) {}
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;

 private:
  bool is_and_;
  Expressions operands_;
};

class Conditional final : public Expression {
 public:
  Conditional(const cpu::Place* p, Expressions test_then_else) : Expression(p), parts_(std::move(test_then_else)) {}
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;

 private:
  void compare_types(Frame&) const;
  Expressions parts_;
};

class TupleOf final : public Expression {
 public:
  TupleOf(const cpu::Place* p, Expressions elements, std::vector<const char*> names = {},
          const Callable* type = nullptr);
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;
  const Value* parts() const override { return &parts_; }

 private:
  Expressions elements_;
  std::vector<const char*> names_;
  const Callable* type_;
  Value parts_;
};

// [x * 2 for x in values]: over a tuple, as Triton has it.
class Comprehension final : public Expression {
 public:
  Comprehension(const cpu::Place* p, Target target, std::unique_ptr<Expression> all,
                std::unique_ptr<Expression> element)
      : Expression(p), target_(std::move(target)), all_(std::move(all)), element_(std::move(element)) {}
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;

 private:
  Target target_;
  std::unique_ptr<Expression> all_, element_;
};

// What f(*x) spreads: x is evaluated for each of its elements.
class Shared final : public Expression {
 public:
  explicit Shared(std::shared_ptr<const Expression> x) : Expression(x->place), x_(std::move(x)) {}
  Value value(Frame& frame) const override { return x_->value(frame); }
  Term emit(Emission& e) const override;
  void read(Slots& all) const override { x_->read(all); }
  const Value& look(Frame& frame, Value& made) const override { return x_->look(frame, made); }
  const Value* constant() const override { return x_->constant(); }
  const Value* parts() const override { return x_->parts(); }

 private:
  std::shared_ptr<const Expression> x_;
};

// x[:, None]
class Sliced final : public Expression {
 public:
  Sliced(const cpu::Place* p, std::unique_ptr<Expression> x, std::vector<char> is_new_axis)
      : Expression(p), x_(std::move(x)), is_new_axis_(std::move(is_new_axis)) {}
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;

 private:
  std::unique_ptr<Expression> x_;
  std::vector<char> is_new_axis_;
};

// x.shape[0]
class Indexed final : public Expression {
 public:
  Indexed(const cpu::Place* p, std::unique_ptr<Expression> x, std::unique_ptr<Expression> index, Value parts = {})
      : Expression(p), x_(std::move(x)), index_(std::move(index)), parts_(std::move(parts)) {}
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;
  const Value* parts() const override { return parts_.is_known() ? &parts_ : nullptr; }

 private:
  std::unique_ptr<Expression> x_, index_;
  Value parts_;
};

class Attribute final : public Expression {
 public:
  Attribute(const cpu::Place* p, std::unique_ptr<Expression> x, std::string name)
      : Expression(p), x_(std::move(x)), name_(std::move(name)) {}
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;

 private:
  std::unique_ptr<Expression> x_;
  std::string name_;
};
// x.dtype, t.element_ty, x.shape; unknown where there is none.
Value attribute_of(cpu::Context*, const Value&, std::string_view name, cpu::Location);

// A call's arguments in the order of the text.
struct CallArgument {
  std::string name;  // "" by position
  bool is_starred = false;
  std::unique_ptr<Expression> value;
};

// tl.load(..), x.sum(..): `op` null where a method depends on what x is.
class OpCall final : public Expression {
 public:
  OpCall(const cpu::Place* p, const cpu::Function* op, std::string method, std::vector<CallArgument> arguments)
      : Expression(p), op_(op), method_(std::move(method)), arguments_(std::move(arguments)) {
    if (op_) place_arguments();
  }
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;
  // acc + tl.dot(a, b): takes acc, and is the sum, if it is a dot without one.
  bool takes_addend(std::unique_ptr<Expression>& addend, const cpu::Place* sum);

 private:
  void place_arguments();
  std::vector<Term> placed(Emission&, const cpu::Function&, std::vector<Term>) const;
  Value called(Frame&, const cpu::Function&, const Value* self) const;  // self: null, or the first argument
  const cpu::Function* op_;
  std::string method_;  // "": a function; the first argument is what it is called on
  std::vector<CallArgument> arguments_;
  std::vector<std::size_t> parameters_;  // of each argument; empty: bound at each call
  std::unique_ptr<Expression> addend_;
  const cpu::Place* sum_ = nullptr;
};

// A helper of the text. Its arguments stand by its parameters; null: its default.
class RoutineCall final : public Expression {
 public:
  RoutineCall(const cpu::Place* p, const Routine& routine, Expressions arguments)
      : Expression(p), routine_(routine), arguments_(std::move(arguments)) {}
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;
  const Value* parts() const override { return routine_.result.is_known() ? &routine_.result : nullptr; }

 private:
  const Routine& routine_;
  Expressions arguments_;
};

// min(a, b), len(x.shape), print(f'..'): Python's, of what is known at run time.
class HostCall final : public Expression {
 public:
  HostCall(const cpu::Place* p, std::string name, std::vector<CallArgument> arguments)
      : Expression(p), name_(std::move(name)), arguments_(std::move(arguments)) {}
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;

 private:
  Value printed(Frame&, const std::vector<Value>&) const;
  Term printed(Emission&, const std::vector<Term>&) const;
  std::string name_;
  std::vector<CallArgument> arguments_;
};

// A function of constants that somebody else computes, of those that only the walk knows: _log2(x.shape[0]).
class ComputedCall final : public Expression {
 public:
  ComputedCall(const cpu::Place* p, const Callable& function, std::vector<CallArgument> arguments)
      : Expression(p), function_(function), arguments_(std::move(arguments)) {}
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;

 private:
  Value computed(const Frame&, const std::vector<Value>&) const;
  const Callable& function_;
  std::vector<CallArgument> arguments_;
};

// f'x = {x}': a tuple of its text with {} and the values.
class Format final : public Expression {
 public:
  Format(const cpu::Place* p, std::string text, Expressions values)
      : Expression(p), text_(std::move(text)), values_(std::move(values)) {}
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;

 private:
  std::string text_;
  Expressions values_;
};

// The function that tl.reduce and tl.associative_scan take.
class Combine final : public Expression {
 public:
  Combine(const cpu::Place* p, const Routine* routine, const cpu::Function* op)
      : Expression(p), routine_(routine), op_(op) {}
  Value value(Frame&) const override;
  Term emit(Emission&) const override;
  void read(Slots&) const override;

 private:
  const Routine* routine_;
  const cpu::Function* op_;
};

}  // namespace tl::triton
