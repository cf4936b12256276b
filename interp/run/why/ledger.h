// Everything that the programs of a run computed, in order: the ops, their values, what they touched. For the search of
// a wrong value's cause.
#pragma once

#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "interp/cpu/run.h"
#include "interp/trace/event.h"

namespace tl::run {

// A value as its op gave it.
struct LedgerValue {
  DType dtype = DType::float32;
  bool is_pointer = false;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;  // row-major; a pointer's are int64 offsets

  std::int64_t count() const;
  double real(std::int64_t lane) const;
  std::int64_t whole(std::int64_t lane) const;  // of an integer or a pointer
};

// A load, store or atomic, with lists of its own.
struct LedgerAccess : trace::Access {
  explicit LedgerAccess(const trace::Access&);
  LedgerAccess(const LedgerAccess&) = delete;
  const std::byte* data = nullptr;  // of the tensor: tells memory apart
  const trace::TensorInfo* of = nullptr;

 private:
  std::vector<std::int64_t> own_offsets_;
  std::vector<unsigned char> own_mask_;
};

struct LedgerStep {
  static constexpr int literal = -1;  // an operand that is a number in the text
  Op op;
  Site site;
  ProgramId program;
  std::vector<int> operands = {}, results = {};  // of Ledger::values
  std::vector<double> numbers = {};              // what operands that are literals hold, NaN where nobody said
  std::vector<trace::LiteralOperand> literals = {};
  std::unique_ptr<LedgerAccess> access = {};
  bool is_tf32 = false;

  // The axis of a reduction or scan.
  int axis() const { return literals.empty() ? 0 : static_cast<int>(literals[0].value); }
};

class Ledger : public trace::Observer, public cpu::LiteralListener, public cpu::TurnListener {
 public:
  // `only`: a launch, and the program of it that is kept. Beyond the budget nothing more is.
  Ledger(std::size_t budget_bytes, std::optional<std::pair<int, ProgramId>> only) : left_(budget_bytes), only_(only) {}

  std::vector<LedgerValue> values;
  std::vector<LedgerStep> steps;
  bool is_whole() const { return is_whole_; }

  void launch_begins(const trace::LaunchInfo&) override;
  trace::Keep program_begins(ProgramId) override;
  void program_goes_on(ProgramId id) override { program_ = id; }
  void op(const trace::OpEvent&) override;
  void program_ends(ProgramId) override { index_.erase({program_.x, program_.y, program_.z}); }
  void literal(unsigned char position, double) override;

 private:
  int keep(const trace::Value&);

  std::size_t left_;
  std::optional<std::pair<int, ProgramId>> only_;
  bool is_whole_ = true;
  std::deque<trace::LaunchInfo> launches_;
  ProgramId program_;
  std::map<std::array<std::int64_t, 3>, std::unordered_map<trace::ValueId, int>> index_;  // in each program under way
  std::unordered_map<trace::ValueId, int>& index() { return index_[{program_.x, program_.y, program_.z}]; }
  std::vector<std::pair<unsigned char, double>> numbers_;
};

}  // namespace tl::run
