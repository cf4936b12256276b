// Follows programs while the interpreter runs them, and keeps for each access its offset and mask as formulas of ids,
// sizes, lanes and turns of loops, with the branches that lead to it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interp/cpu/loop.h"
#include "interp/cpu/symbols.h"
#include "interp/prove/case_formulas.h"
#include "interp/prove/known.h"

namespace tl::prove {

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
  Follower(const Launch& launch, const CaseFormulas& formulas);
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
  std::uint64_t tile(const cpu::Value& base, std::span<const cpu::Operand> entries, int rank) override;
  std::uint64_t advanced(std::uint64_t tile, std::span<const cpu::Operand> by) override;
  void goes_through(std::uint64_t tile, std::span<const cpu::Operand> at, unsigned checked) override;
  void assigned(const void* variable, std::uint64_t old_tile, std::uint64_t tile) override;
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

  // A block pointer or a descriptor: an entry an axis.
  struct Tile {
    Known base;
    std::vector<Known> shape, strides, offsets;
  };
  struct Through {
    std::uint64_t tile;
    std::vector<Known> at;
    unsigned checked;
  };

  Tile& tile_of(std::uint64_t number) { return tiles_[number - 1]; }
  void reach(FoundAccess&, const Through&) const;
  std::vector<Known> all_known(std::span<const cpu::Operand>) const;
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
  std::vector<Tile> tiles_, whole_tensors_;  // by number; of the launch's tensors
  std::optional<Through> through_;           // of the access that is told next
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
