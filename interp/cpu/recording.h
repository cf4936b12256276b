// Writes an access record while programs run: a state that has one tells it of every op, and of variables.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "interp/cpu/loop.h"
#include "interp/cpu/state.h"
#include "interp/trace/access_builder.h"

namespace tl::cpu {

class Recording {
 public:
  // Where absent data comes from: a load, an atomic, a random number.
  struct Source {
    Op op;
    int tensor;  // -1: none
    Site site;
  };

  explicit Recording(State& state) : state_(state) {}

  void begin_program(trace::AccessBuilder& out, bool compresses_loops);
  bool was_misled() const {
    return is_misled_;
  }  // the program left a loop that ran out of order: it must be run again in full
  trace::AccessBuilder& out() { return *out_; }
  void prints() { has_printed_ = true; }
  bool has_printed() const { return has_printed_; }

  // Called by the executor.
  void op(const Where&, std::span<const Value* const> operands, std::span<const Value* const> results,
          const trace::Access*, std::string_view text);
  void assigned(Handle& h, Value* old, Value& now) {
    if (loop_) loop_->assigned(h, old, now);
  }
  void assigning(BlockPointer& p) {
    if (loop_) loop_->assigning(p);
  }
  void forgotten(const Handle& h) {
    if (loop_) loop_->forgotten(h);
  }
  void reads_address(const Value& d) {
    if (loop_ && loop_->is_unforeseeable(d)) loop_->fails();
  }
  void reads_bound(const Value& d) {
    if (loop_ && loop_->is_varying(d)) loop_->fails();
  }
  void reads_condition(const Value& d) {
    if (loop_ && (loop_->is_unforeseeable(d) || (loop_->is_varying(d) && d.dtype != DType::int1))) loop_->fails();
  }
  std::int64_t source_of(const Source&);
  const Source& source(std::int64_t number) const { return sources_[static_cast<std::size_t>(number)]; }

  // Null: the loop is to be run as it is.
  Loop* begin_loop(const Site&, long long lo, long long step, std::int64_t iterations);
  void end_loop(const AddressLoop&, bool was_out_of_order);

 private:
  LoopSite& loop_site(const Site&);

  State& state_;
  trace::AccessBuilder* out_ = nullptr;
  bool compresses_ = false, is_misled_ = false, has_printed_ = false;
  std::vector<Source> sources_;
  std::vector<std::unique_ptr<LoopSite>> loop_sites_;
  std::vector<std::unique_ptr<AddressLoop>> loops_;  // by depth; their memory is used again
  std::size_t depth_ = 0;
  AddressLoop* loop_ = nullptr;  // the innermost that compresses
  std::uint64_t stamps_ = 0;
};

}  // namespace tl::cpu
