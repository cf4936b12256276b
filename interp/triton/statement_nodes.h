// Statements as a walk meets them.
#pragma once

#include "interp/triton/code.h"

namespace tl::triton {

class Assignment final : public Statement {
 public:
  Assignment(const cpu::Place* p, std::vector<Target> targets, std::unique_ptr<Expression> value, bool is_weak)
      : Statement(p), targets_(std::move(targets)), value_(std::move(value)), is_weak_(is_weak) {}
  Flow run(Frame&) const override;
  Flow emit(Emission&) const override;
  Slots live(LiveWalk&, Slots after) const override;

 private:
  std::vector<Target> targets_;
  std::unique_ptr<Expression> value_;
  bool is_weak_;  // x: tl.constexpr = ..
};

class Evaluation final : public Statement {
 public:
  Evaluation(const cpu::Place* p, std::unique_ptr<Expression> value) : Statement(p), value_(std::move(value)) {}
  Flow emit(Emission&) const override;
  Slots live(LiveWalk&, Slots after) const override;
  Flow run(Frame& frame) const override {
    value_->value(frame);
    return Flow::next;
  }

 private:
  std::unique_ptr<Expression> value_;
};

// What Triton refuses, at this place of the text.
class Remark final : public Statement {
 public:
  Remark(const cpu::Place* p, std::string fact, std::string fix)
      : Statement(p), fact_(std::move(fact)), fix_(std::move(fix)) {}
  Flow emit(Emission&) const override { return Flow::next; }
  Slots live(LiveWalk&, Slots after) const override { return after; }
  Flow run(Frame& frame) const override {
    if (frame.course.refusals) tell_refusals(frame);
    return Flow::next;
  }
  void tell_refusals(Frame& frame) const override { frame.course.refusals->add(place, fact_, fix_); }

 private:
  std::string fact_, fix_;
};

// Statements, and the variables that they assign to.
struct Arm {
  Statements body;
  std::vector<std::size_t> assigned;
};

class Branch final : public Statement {
 public:
  Branch(const cpu::Place* p, std::unique_ptr<Expression> test, Arm then, Arm otherwise)
      : Statement(p), test_(std::move(test)), then_(std::move(then)), otherwise_(std::move(otherwise)) {}
  Flow run(Frame&) const override;
  Flow emit(Emission&) const override;
  Slots live(LiveWalk&, Slots after) const override;
  const Arm& then() const { return then_; }
  const Arm& otherwise() const { return otherwise_; }

 private:
  Flow run_noted(Frame&, bool yes) const;
  std::unique_ptr<Expression> test_;
  Arm then_, otherwise_;
};

// What loops share: numbers that the body assigns are tensors from before the first turn on.
class LoopStatement : public Statement {
 public:
  void tell_refusals(Frame&) const override;
  const Statements& body() const { return body_; }

 protected:
  LoopStatement(const cpu::Place* p, Statements body, std::vector<std::size_t> assigned)
      : Statement(p), body_(std::move(body)), assigned_(std::move(assigned)) {}
  void carry(Frame&) const;
  // Around the turns of a loop of the run, where refusals are noted: a variable keeps its type, and one that the body
  // makes is not known in the next turn, nor behind the loop.
  struct Turns {
    std::vector<std::string> types;  // of those assigned, before the first
    std::int64_t count = 0;
  };
  void begin_turn(Frame&, Turns&) const;
  void end_turns(Frame&, const Turns&) const;
  Statements body_;
  std::vector<std::size_t> assigned_;
};

class WhileLoop final : public LoopStatement {
 public:
  WhileLoop(const cpu::Place* p, std::unique_ptr<Expression> test, Statements body, std::vector<std::size_t> assigned)
      : LoopStatement(p, std::move(body), std::move(assigned)), test_(std::move(test)) {}
  Flow run(Frame&) const override;
  Flow emit(Emission&) const override;
  Slots live(LiveWalk&, Slots after) const override;

 private:
  std::unique_ptr<Expression> test_;
};

// Of tl.static_range. Throws Error: too many turns, a step of 0.
void check_unrolled(long long begin, long long end, long long step);

// for i in range(..), tl.range(..): a loop of a GPU; tl.static_range(..) and tuples: unrolled.
class ForLoop final : public LoopStatement {
 public:
  struct Bounds {
    bool is_static = false;
    std::unique_ptr<Expression> arg1, arg2, step, num_stages;
    const cpu::Place* place = nullptr;
  };
  ForLoop(const cpu::Place* p, Target target, Bounds bounds, Statements body, std::vector<std::size_t> assigned)
      : LoopStatement(p, std::move(body), std::move(assigned)),
        target_(std::move(target)),
        bounds_(std::move(bounds)) {}
  ForLoop(const cpu::Place* p, Target target, std::unique_ptr<Expression> all, Statements body)
      : LoopStatement(p, std::move(body), {}), target_(std::move(target)), all_(std::move(all)) {}
  Flow run(Frame&) const override;
  Flow emit(Emission&) const override;
  Slots live(LiveWalk&, Slots after) const override;

 private:
  Flow run_range(Frame&) const;
  Flow run_static(Frame&) const;
  Flow run_tuple(Frame&) const;
  Flow emit_range(Emission&) const;
  std::vector<Term> emitted_turns(Emission&) const;
  Target target_;
  Bounds bounds_;
  std::unique_ptr<Expression> all_;  // of a tuple
};

class Return final : public Statement {
 public:
  Return(const cpu::Place* p, std::unique_ptr<Expression> value) : Statement(p), value_(std::move(value)) {}
  bool has_value() const { return value_ != nullptr; }
  Flow run(Frame&) const override;
  Flow emit(Emission&) const override;
  Slots live(LiveWalk&, Slots after) const override;

 private:
  std::unique_ptr<Expression> value_;
};

class Jump final : public Statement {
 public:
  Jump(const cpu::Place* p, Flow flow) : Statement(p), flow_(flow) {}
  Flow run(Frame&) const override { return flow_; }
  Flow emit(Emission&) const override;
  Slots live(LiveWalk&, Slots after) const override;

 private:
  Flow flow_;
};

// assert x: of blocks tl.device_assert.
class Assertion final : public Statement {
 public:
  Assertion(const cpu::Place* p, std::unique_ptr<Expression> test, std::string message)
      : Statement(p), test_(std::move(test)), message_(std::move(message)) {}
  Flow run(Frame&) const override;
  Flow emit(Emission&) const override;
  Slots live(LiveWalk&, Slots after) const override;

 private:
  std::unique_ptr<Expression> test_;
  std::string message_;
};

}  // namespace tl::triton
