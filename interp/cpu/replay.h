// A program's ops, captured while it runs and replayed for other programs of the launch without the kernel's C++, as a
// CUDA graph is.
//
// Values that are the same in every program are kept as they are. Ints and pointers that follow from tl.program_id are
// numbers: one step each, exact in 64 bits. The kernel may branch on nothing else, and a comparison of numbers counts
// as known: its step requires that it comes out as in the captured program, as the step of an address requires that it
// is inside its tensor. Where a step fails, nothing has been done yet, and the program runs as ever. What is computed
// from tensors is work: the loops of the ops, on the addresses that the captured program's values had. Ops that are
// none of this end the capture.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "interp/cpu/lanes.h"
#include "interp/cpu/loops.h"

namespace tl::cpu {

class Replay {
 public:
  explicit Replay(State& state) : state_(state) {}
  ~Replay() { clear(); }
  Replay(const Replay&) = delete;

  // Around a program that runs: is it to be captured?
  void begin_program();
  void end_program(bool ok);
  // Runs a program as the captured one ran; false: it has not been touched.
  bool run(std::int64_t x, std::int64_t y, std::int64_t z);

  // Of the program that is captured.
  void on_op(const Where&, std::span<const Value* const> operands, std::span<const Value* const> results,
             const trace::Access*, bool rounds_to_tf32);
  void on_literal(unsigned position, const Literal& l) {
    if (position < 3) literals_[position] = l, given_ |= 1u << position;
  }
  void on_program_id(const Value&, int axis);
  void on_range(const Operand& lo, const Operand& hi, const Operand& step, std::int64_t first, std::int64_t end,
                std::int64_t by);
  void decides(const Value& v) {  // what the kernel does next
    if (v.id) fails();
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
  // Elements that may lie elsewhere in each program.
  struct Address {
    std::byte* at = nullptr;
    Number number = 0;  // the first is always 0
    int size = 0;       // of an element
    std::byte* in(const std::int64_t* numbers) const { return at + numbers[number] * size; }
  };
  // What the loops of an op go over: the result first, then the operands. Of a dot: m, n, k, and each matrix's rows.
  struct Geometry {
    int rank = 0;
    std::int64_t dims[max_rank] = {};
    View views[4] = {};
  };
  enum class Kind : unsigned char { unary, binary, select, fma, reduce, dot, transpose, round, load, store };
  struct Call {
    Kind kind;
    bool flat = false;  // once
    int geometry = -1, tile = -1;
    union {
      UnaryLoop unary = nullptr;
      BinaryLoop binary;
      SelectLoop select;
      FmaLoop fma;
      ReduceLoop reduce;
      DotLoop dot;
    };
    Address at[4] = {};  // the result, the operands
    std::int64_t n = 0, steps[4] = {};
  };
  // A call as it is captured.
  struct Work : Call {
    trace::ValueId ids[4] = {};      // of the values whose elements these are
    const Tensor* in_place[4] = {};  // whose elements they are
  };
  // A value that differs from program to program.
  struct Known {
    Number number = none;      // else work made it
    int load = -1;             // of works_: it is the lanes of a load, all of them active
    trace::ValueId whole = 0;  // the value whose elements it shows
  };
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  struct Tile {
    Lanes lanes;
    Number base;
    alignas(8) std::byte fill[8] = {};
    View view = {};  // of what is stored
  };
  // An op on the lanes of a load: it may read them where they lie in the tensor, by these strides.
  struct Use {
    int load, work, operand;
    bool may;
    std::int64_t strides[max_rank];
  };

  void capture(const Where&, std::span<const Value* const> operands, std::span<const Value* const> results,
               const trace::Access*, bool rounds_to_tf32);
  // What the next program will likely touch by a call, if programs lie side by side: asked of memory in time.
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
  bool put(Work&, int i, const Value&, int rank, std::int64_t* strides);  // an operand, or the result
  void add(Work, int operands, const Value* const* values, const Value& result);
  void on_elementwise(const Where&, std::span<const Value* const> operands, const Value& result);
  void on_where(const Where&, std::span<const Value* const> operands, const Value& result);
  void on_reduction(const Where&, const Value& x, const Value& result);
  void on_dot(const Where&, std::span<const Value* const> operands, const Value& result, bool rounds_to_tf32);
  const Value* matrix(const Where&, const Value*, DType, bool rounds, int slot);
  int tile(const Value* pointer, const trace::Access&);
  void on_load(std::span<const Value* const> operands, const Value& result, const trace::Access&);
  void on_store(const Where&, std::span<const Value* const> operands, const trace::Access&);

  void read_in_place();
  void fetch_ahead();
  void write_in_place();
  bool write_in_place(Work& from, const Work& store);
  static void flatten(Call&, const Geometry&);
  void run(const Call&);

  State& state_;
  bool captures_ = false, failed_ = false, ready_ = false;
  bool is_at_an_edge_ = false;  // the program failed because of a mask that others may not have
  int captures_made_ = 0, failures_ = 0, misses_ = 0;

  std::vector<std::int64_t> numbers_;
  std::vector<int> made_by_;  // step of a number; -1: none
  std::vector<Step> steps_;
  Number ids_[3] = {none, none, none};
  std::vector<Known> known_;
  std::vector<Ref> kept_;
  std::vector<std::pair<Ref, std::unique_ptr<Line[]>>> copies_;
  std::vector<std::pair<int, Ref>> scratch_;
  std::vector<Work> works_;
  std::vector<Call> calls_;  // the same, close together
  std::vector<Range> fetched_;
  std::vector<Geometry> geometries_;
  std::deque<Tile> tiles_;
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
