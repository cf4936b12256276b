// A tl.range under way in an address run: some of its iterations are run, the others follow from them.
//
// Three iterations s, s + 1, s + 2 are run. Between them the state of the loop (its index and the variables that it
// assigns) is a vector v, and an iteration maps it: v' = F(v). Where the iterations s + 1 and s + 2 took the same ops,
// and every op on what varies is one of + - * by what does not vary, a view, a comparison of such ints or a logic op on
// the results, F is affine as long as the comparisons give what they gave. Then v(s+2) - v(s+1) = v(s+3) - v(s+2) = d
// proves that v moves by d for ever, and with it every address. The lanes for which a comparison holds grow or shrink
// with the iterations, so that equal masks in iterations s + 2 and J are equal masks between. So iteration J is run
// next, from the state predicted for it: when its ops, values and accesses are the predicted ones, s + 1 to J are one
// segment; else J is sought lower, by bisection. What varies otherwise (/, %, minimum, where, ...) is marked, and must
// not reach an address, a mask, a branch or the next iteration: then all iterations are run. Values without data cannot
// reach those at all.
#pragma once

#include <vector>

#include "interp/cpu/state.h"
#include "interp/trace/access_builder.h"

namespace tl::cpu {

class Recording;

// Values that move by one number: affine ints and pointers, and other pointers whose lanes all move by it.
inline std::int64_t& position_of(Value& d) { return d.form == Form::affine ? d.base : d.shift; }
inline std::int64_t position_of(const Value& d) { return d.form == Form::affine ? d.base : d.shift; }

// A tl.range of the text, over all programs.
struct LoopSite {
  Site site;
  bool has_tail = false;  // its last iteration differs from those before
  int failures = 0;       // times in a row that it was run in full in the end
  unsigned rest = 0;      // then it is tried only now and again
};

// A range under way.
class Loop {
 public:
  virtual ~Loop() = default;
  virtual long long next() = 0;  // an iteration has ended: the index of the one to run now
  virtual void leave() = 0;      // the range's iterator is gone
  virtual void varies(Value&) const {}
};

class AddressLoop final : public Loop {
 public:
  static constexpr std::int64_t fewest_iterations = 6;  // of a loop that is worth it

  explicit AddressLoop(Recording& recording) : recording_(recording) {}

  void begin(long long lo, long long step, std::int64_t iterations, LoopSite&, std::uint64_t& stamps);
  long long next() override;
  void leave() override;
  bool give_up();                   // runs what remains in full; false where iterations run out of order just now
  void fails() { failed_ = true; }  // what happens in this iteration cannot be predicted

  // Whether a value depends on the iteration, and in a way that is not affine.
  bool is_varying(const Value& d) const { return stamp_ != 0 && d.id >> 1 == stamp_; }
  bool is_unforeseeable(const Value& d) const { return is_varying(d) && (d.id & 1); }
  void varies(Value& d) const override {
    if (phase_ > Phase::first) d.id = stamp_ << 1;
  }

  void op(const Where&, std::span<const Value* const> operands, std::span<const Value* const> results, bool is_access);
  void assigned(Handle&, Value* old, Value& now);
  void assigning(BlockPointer&);
  void forgotten(const Handle&);

 private:
  enum class Phase { plain, first, second, third, probe };  // first, second, third: iterations s, s + 1, s + 2
  struct Tile {                                             // of a block pointer
    long long shape[max_rank], strides[max_rank], block[max_rank], offsets[max_rank];
  };
  // A block, pointer or block pointer that outlives the iterations and is assigned in them.
  struct Variable {
    Handle* handle;
    BlockPointer* block_pointer;  // null: none
    bool is_assigned;             // in this iteration
    bool is_new;                  // it was not in those before; `one` and `tile` are then what it held
    bool is_linear;               // else it stays as it is
    Ref one, two;                 // at the beginning of iterations s + 1 and s + 2
    Tile tile;                    // with `one`
    std::int64_t step;            // what the lanes gain an iteration
    std::int64_t tile_steps[max_rank];
  };

  void end_first();
  bool end_second();
  bool end_third();
  bool end_probe();
  static Tile tile_of(const BlockPointer&);
  void begin_variable(Variable&);                                           // iteration s has ended
  bool find_step(Variable&);                                                // iteration s + 1 has ended
  bool is_as_predicted(const Variable&, std::int64_t iterations_on) const;  // so many iterations after s + 1
  bool is_as_predicted(std::int64_t iterations_on) const;                   // the whole state
  bool place(std::int64_t iteration);  // puts the variables where they stand when it begins
  void undo();
  long long probe_next();
  long long close();  // the segment ends with iteration low_
  long long restart_at(std::int64_t iteration);
  long long index_of(std::int64_t iteration) const { return lo_ + iteration * step_; }
  // Whether the accesses between the marks are those of iteration s + 1, so many iterations on.
  bool has_moved_evenly(const trace::AccessBuilder::Mark& from, const trace::AccessBuilder::Mark& to,
                        std::int64_t iterations_on) const;
  long long give_up_attempt();
  void log_linear(std::int64_t value);
  void log_constant(std::int64_t value);
  void begin_iteration();

  Recording& recording_;
  Phase phase_ = Phase::plain;
  long long lo_ = 0, step_ = 1;
  std::int64_t count_ = 0, start_ = 0, at_ = 0;  // iterations; s; the one under way
  std::int64_t low_ = 0, high_ = 0;  // the last iteration known to follow, the first known not to (or `count_`)
  int attempts_ = 0, probes_ = 0;
  bool failed_ = false, setting_ = false;
  LoopSite* site_ = nullptr;
  std::uint64_t* stamps_ = nullptr;  // given out so far
  std::uint64_t stamp_ = 0;
  std::vector<Variable> variables_;

  // Iteration s + 1 writes these, s + 2 the steps; later ones are compared with them.
  std::uint64_t sequence_ = 0, first_sequence_ = 0;
  std::vector<std::int64_t> linear_, linear_steps_, constant_, access_steps_;
  std::size_t linear_at_ = 0, constant_at_ = 0;
  trace::AccessBuilder::Mark marks_[4];  // where s, s + 1, s + 2 begin, and s + 2 ends
};

}  // namespace tl::cpu
