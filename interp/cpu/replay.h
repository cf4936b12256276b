// A program's ops, captured while it runs and replayed for other programs of the launch without the kernel's C++, as a
// CUDA graph is.
//
// A value that is the same in every program is kept. Ints and pointers that follow from tl.program_id are numbers, each
// computed by one step, exact in 64 bits. The kernel may branch on them, since the step of a comparison requires the
// outcome it had in the captured program, as the step of an address requires that it is inside its tensor. If a step
// fails, the program has touched nothing yet, and runs by the kernel's C++ as usual. What is computed from tensors
// becomes calls of the ops' loops, on the buffers of the captured program's values. Any other op ends the capture.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "interp/cpu/lanes.h"
#include "interp/cpu/loops.h"

namespace tl::cpu {

class Replay {
 public:
  // Whether a launch's programs can be replayed, as far as its threads know: one tries first, and the others run a few
  // programs meanwhile.
  enum class Verdict { untried, tried, yes, no };
  static Verdict at_first(std::int64_t programs, int threads, const RunOptions&);

  Replay(State& state, std::atomic<Verdict>& verdict) : state_(state), verdict_(verdict) {}
  Replay(const Replay&) = delete;

  // Before and after a program that the kernel's C++ runs; it is captured if that may pay.
  void begin_program();
  void end_program(bool ok);
  // Runs a program as the captured one ran; false: it cannot, and nothing has been done.
  bool run(std::int64_t x, std::int64_t y, std::int64_t z);
  // The same of an address run: visit(access, has_undefined_lanes) of each load and store.
  template <class Visit>
  bool follow(std::int64_t x, std::int64_t y, std::int64_t z, Visit visit) {
    if (!take_steps(x, y, z)) return false;
    for (Tile& t : tiles_) {
      t.lanes.base = numbers_[static_cast<std::size_t>(t.base)];
      visit(t.lanes, t.has_undefined_lanes);
    }
    return true;
  }

  // What the captured program does.
  void on_op(const Where&, std::span<const Value* const> operands, std::span<const Value* const> results,
             const trace::Access*, bool rounds_to_tf32);
  void on_literal(unsigned position, const Literal& l) {
    if (position < 3) {
      literals_[position] = l;
      given_ |= 1u << position;
    }
  }
  void on_program_id(const Value&, int axis);
  void on_range(const Operand& lo, const Operand& hi, const Operand& step, std::int64_t first, std::int64_t end,
                std::int64_t by);
  void decides(const Value& v) {  // the kernel's C++ reads it
    if (v.id) fails();
  }
  void branches(const Value& v) {  // the kernel's C++ branches by it
    v.id ? fails() : void(is_special_ = true);
  }
  void fails() { failed_ = true; }

 private:
  using Number = int;  // index of numbers_
  static constexpr Number none = -1;

  // numbers[to] = a op b, which must lie in [lo, hi].
  struct Step {
    Op op;
    Number a, b, to;
    std::int64_t lo, hi;
  };
  // Where elements lie, which a number may move from program to program.
  struct Address {
    std::byte* at = nullptr;
    Number number = 0;  // numbers[0] is always 0
    int size = 0;       // of an element
    std::byte* in(const std::int64_t* numbers) const { return at + numbers[number] * size; }
  };
  // The lanes that an op's loops go over: views of the result, then of the operands. A dot's dims are m, n, k.
  struct Geometry {
    int rank = 0;
    std::int64_t dims[max_rank] = {};
    View views[4] = {};
    ChipDot chip = {};  // of a dot
  };
  enum class Kind : unsigned char { unary, binary, select, fma, reduce, dot, transpose, round, load, store };
  struct Call {
    Kind kind;
    bool flat = false;  // the loop is called once, for all lanes
    int geometry = -1, tile = -1;
    union {
      UnaryLoop unary = nullptr;
      BinaryLoop binary;
      SelectLoop select;
      FmaLoop fma;
      ReduceLoop reduce;
      DotLoop dot;
      RoundLoop round;
      OrderedSumLoop ordered;
    };
    Address at[4] = {};  // the result, the operands
    std::int64_t n = 0, steps[4] = {};
    const OrderedSum* order = nullptr;  // of a sum that follows one
  };
  // A call, and what only the capture needs to know of it.
  struct Work : Call {
    trace::ValueId ids[4] = {};      // the values
    const Tensor* in_place[4] = {};  // the tensors whose elements are read where they lie
  };
  // A value that differs from program to program.
  struct Known {
    Number number = none;      // none: a call made it
    int load = -1;             // the load in works_ that made it, if all its lanes are active
    trace::ValueId whole = 0;  // the value that it is a view of, or itself
  };
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  struct Tile {
    Lanes lanes;
    Number base;
    alignas(8) std::byte fill[8] = {};
    View view = {};  // the value that is stored
    bool has_undefined_lanes = false;
  };
  // An operand that a load made. If it may, the call reads it from the tensor itself, by these strides.
  struct Use {
    int load, work, operand;
    bool may;
    std::int64_t strides[max_rank];
  };

  bool take_steps(std::int64_t x, std::int64_t y, std::int64_t z);
  void capture(const Where&, std::span<const Value* const> operands, std::span<const Value* const> results,
               const trace::Access*, bool rounds_to_tf32);
  // Bytes to prefetch before a call: what the same call of the next program will likely touch.
  struct Range {
    int call;
    Address at;
    std::int64_t bytes;
    bool is_written;
  };

  const Known& known(const Value& v) const { return known_[v.id - 1]; }
  void clear();
  void learn(const Value&, Known);
  void share(const Value& view, const Value& of);

  // Numbers.
  Number constant(std::int64_t);
  Number step(Op, Number a, Number b, std::int64_t lo = INT64_MIN, std::int64_t hi = INT64_MAX);
  void require(Number, std::int64_t lo, std::int64_t hi);
  Number number_of(std::span<const Value* const> operands, std::size_t i);
  void on_numbers(const Where&, std::span<const Value* const> operands, const Value& result);
  void on_comparison(Op, std::span<const Value* const> operands, const Value& result);
  static bool compute(const Step&, std::int64_t* numbers);

  // Work.
  static bool is_counted(const Value& v) { return v.is_pointer || v.dtype == DType::int32 || v.dtype == DType::int64; }
  const Value* keep(Ref);
  std::byte* copy_of(const Value&);
  const Value* scratch(DType, int rank, const std::int64_t* dims, int slot);
  const Value* as(const Where&, const Value*, DType, int slot);
  const Value* operand(const Where&, std::span<const Value* const> operands, std::size_t i, DType);
  bool put(Work&, int i, const Value&, int rank, std::int64_t* strides);
  void add(Work, int operands, const Value* const* values, const Value& result);
  void on_elementwise(const Where&, std::span<const Value* const> operands, const Value& result);
  void on_where(const Where&, std::span<const Value* const> operands, const Value& result);
  void on_reduction(const Where&, const Value& x, const Value& result);
  void on_dot(const Where&, std::span<const Value* const> operands, const Value& result, bool rounds_to_tf32);
  const Value* matrix(const Where&, const Value*, DType, RoundLoop, int slot);
  int tile(const Value* pointer, const trace::Access&);
  void on_address(std::span<const Value* const> operands, std::span<const Value* const> results, const trace::Access&);
  void on_load(std::span<const Value* const> operands, const Value& result, const trace::Access&);
  void on_store(const Where&, std::span<const Value* const> operands, const trace::Access&);

  void read_in_place();
  void fetch_ahead();
  void write_in_place();
  bool write_in_place(Work& from, const Work& store);
  static void flatten(Call&, const Geometry&);
  void run(const Call&);

  State& state_;
  std::atomic<Verdict>& verdict_;
  bool captures_ = false, failed_ = false, ready_ = false;
  bool is_special_ = false;  // it branches, or is at an edge: where it fails, others may not
  int captures_made_ = 0, failures_ = 0, misses_ = 0, waits_ = 0;

  std::vector<std::int64_t> numbers_;
  std::vector<int> made_by_;  // the step that computes a number; -1: none
  std::vector<Step> steps_;
  Number ids_[3] = {none, none, none};
  std::vector<Known> known_;
  std::vector<Ref> kept_;
  std::vector<std::pair<Ref, std::unique_ptr<Line[]>>> copies_;
  std::vector<std::pair<int, Ref>> scratch_;
  std::vector<Work> works_;
  std::vector<Call> calls_;  // works_ without what only the capture needs, for the cache's sake
  std::vector<Range> fetched_;
  std::vector<Geometry> geometries_;
  std::vector<Tile> tiles_;
  std::vector<Use> uses_;
  Literal literals_[3] = {0, 0, 0};
  unsigned given_ = 0;
};

inline bool Replay::compute(const Step& s, std::int64_t* numbers) {
  const std::int64_t a = numbers[s.a], b = numbers[s.b];
  std::int64_t r = 0;
  switch (s.op) {
    case Op::add:
      if (__builtin_add_overflow(a, b, &r)) return false;
      break;
    case Op::sub:
      if (__builtin_sub_overflow(a, b, &r)) return false;
      break;
    case Op::mul:
      if (__builtin_mul_overflow(a, b, &r)) return false;
      break;
    case Op::minimum: r = std::min(a, b); break;
    case Op::maximum: r = std::max(a, b); break;
    default:
      if (b == 0 || b == -1) return false;
      r = s.op == Op::div ? a / b : a % b;
  }
  numbers[s.to] = r;
  return s.lo <= r && r <= s.hi;
}

}  // namespace tl::cpu
