// Follows programs while the interpreter runs them, and keeps for each access its offset and mask as formulas of ids,
// sizes, lanes and turns of loops, with the branches that lead to it.
//
// A loop is followed for three turns: from the first two follows by how much each variable moves in a turn; the third
// is run with a turn k of which only 0 <= k < turns is known, and must move the variables on by the same: so do all.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interp/cpu/loop.h"
#include "interp/cpu/symbols.h"
#include "interp/prove/formula.h"

namespace tl::prove {

// What a value is, as far as formulas know.
struct Known {
  std::optional<Number> number;  // of a pointer: its offset
  ConditionPtr condition;        // of a bool
  std::set<int> needs;           // of Follower::needs: else the GPU's number is another
};

// An op whose result must lie within its dtype.
struct Need {
  ConditionPtr holds;
  Site site;
  std::string text;  // i32 wraps
};

struct FoundAccess {
  Site site;
  Op op;
  int tensor = 0;
  std::vector<std::int64_t> extents;  // of lanes l0, l1, ..
  Number offset;
  ConditionPtr mask, path;
  std::set<int> needs, mask_needs;
  std::string unknown;  // why there is no formula
};

// A turn of a loop, by its name: 0 <= name, lo + name * step < hi.
struct Turn {
  Number lo, hi;
  std::int64_t step;
};

class Follower final : public cpu::Symbols {
 public:
  // arguments: of the launch's numbers, by their place among its arguments; null: unknown.
  Follower(const Launch& launch, std::vector<std::optional<Number>> arguments);
  ~Follower() override;

  void begins_program() override;
  void program_id(cpu::Value&, int axis) override;
  void num_programs(cpu::Value&, int axis) override;
  void argument(cpu::Value&, const IntArgument&, int tensors_before) override;
  void op(const cpu::Where&, std::span<const cpu::Value* const> operands, std::span<const cpu::Value* const> results,
          std::span<const trace::LiteralOperand> literals, const trace::Access*) override;
  void branches(const cpu::Value& condition, bool taken) override;
  void range(const cpu::Operand& lo, const cpu::Operand& hi, const cpu::Operand& step) override;
  cpu::Loop* begin_loop(const Site&, long long lo, long long step, long long turns) override;
  void assigned(cpu::Handle&, cpu::Value* old, cpu::Value& now) override;
  void forgotten(const cpu::Handle&) override;

  void end_path();  // of the last program, too

  // After the run.
  std::vector<FoundAccess> accesses;
  std::vector<Need> needs;
  std::map<std::string, Turn> turns;
  std::vector<ConditionPtr> paths;  // that programs took
  std::set<std::string> gaps;       // what was not followed

 private:
  class Induction;
  friend class Induction;
  struct RangeBounds {
    Known lo, hi, step;
  };

  Known known(const cpu::Value*) const;
  Known operand(std::span<const cpu::Value* const> operands, std::size_t i,
                std::span<const trace::LiteralOperand> literals, const cpu::Value& result) const;
  Known computed(const cpu::Where&, std::span<const cpu::Value* const> operands, const cpu::Value& result,
                 std::span<const trace::LiteralOperand> literals);
  void learn(const cpu::Value&, Known);
  void access(const cpu::Where&, std::span<const cpu::Value* const> operands, const trace::Access&);
  int need(Need);
  bool is_muted() const;

  const Launch& launch_;
  std::vector<std::optional<Number>> arguments_;
  std::vector<int> tensors_before_;
  std::map<trace::ValueId, Known> known_;
  trace::ValueId last_id_ = 0;
  RangeBounds bounds_;
  std::vector<std::unique_ptr<Induction>> loops_;  // under way
  std::vector<std::unique_ptr<Induction>> ended_;
  std::map<std::pair<int, int>, std::string> turn_names_;  // by place
  ConditionPtr path_;
  std::set<std::string> seen_, seen_paths_;
  std::map<std::string, int> need_numbers_;
  std::int64_t programs_ = 0;
};

}  // namespace tl::prove
