// Runs the programs of a launch on the interpreter.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <optional>
#include <vector>

#include "interp/cpu/sums.h"
#include "interp/lang/launch.h"
#include "interp/rules/dot.h"
#include "interp/trace/event.h"

namespace tl::cpu {

// The order of programs. `parallel`: each thread begins with a share of its own, then helps the others.
enum class Order { parallel, sequential, reversed, shuffled };

// Checks beyond bounds, which are always on. Each costs time and memory beside the tensors.
struct Checks {
  bool uninitialized = false;   // reads of elements that nothing wrote (poisoned outputs count as unwritten)
  bool race = false;            // two programs touching one element, one of them writing, without atomics
  bool undefined_lane = false;  // a masked-off lane without `other` whose value reaches a store
  bool hints = true;            // multiple_of, assume
  bool nan = false;             // a NaN that an op made out of none and that a store or a branch meets
  bool differences = false;  // what torch, NumPy or Triton do otherwise: a maximum that passes over NaN, a descriptor
                             // with a stride that Triton refuses
};

// Told of each number in the text that an op takes, by its place among the operands, before an observer of values is
// told of the op.
class LiteralListener {
 public:
  virtual void literal(unsigned char position, double) = 0;

 protected:
  ~LiteralListener() = default;
};

// Beside an observer: programs that wait for each other take turns before it, and it is told whose turn it is. Without
// one, observed programs run one after the other.
class TurnListener {
 public:
  virtual void program_goes_on(ProgramId) = 0;  // it has begun before, and others have run since

 protected:
  ~TurnListener() = default;
};

class Symbols;

struct RunOptions {
  Order order = Order::parallel;
  std::uint64_t seed = 0;  // of `shuffled`
  int threads = 0;         // 0: all
  Checks checks;
  trace::Observer* observer = nullptr;
  LiteralListener* literals = nullptr;
  TurnListener* turns = nullptr;
  Symbols* symbols = nullptr;               // interp/cpu/symbols.h; of programs that run one after the other
  const std::atomic<bool>* stop = nullptr;  // set from a signal handler: the run ends with FaultKind::stopped
  // Likewise, once the process has taken so much processor time: on a busy machine a run comes as far as on an idle
  // one.
  std::optional<std::clock_t> deadline = {};
  std::int64_t op_limit = 0;              // ops a program may take; 0: no limit
  std::int64_t poll_limit = 1'000'000;    // in parallel: reads of one element by a program while all others wait, too
  std::int64_t programs_at_once = 2112;   // that the chip holds where programs wait for each other
  rules::DotArithmetic dots = {};         // what tl.dot computes; by itself plain sums
  std::shared_ptr<const SumOrders> sums;  // how tl.sum and its like add; null: in an order of the interpreter's own
  bool only_watched = false;              // programs that the observer wants nothing of do not run
  bool is_over() const;
};

struct RunResult {
  std::vector<Fault> faults;  // in the order found; empty when all went well
  std::int64_t programs = 0;  // that ran to their end
  double wall_ms = 0;
  std::clock_t processor_time = 0;  // of each of the threads that ran at once
  // Under Checks::race, of several programs: an atomic on a single cell, by which they may have an order. Another order
  // may race.
  std::optional<Site> ordered_at;
};

RunResult run(const Launch& launch, const RunOptions& options = {});

}  // namespace tl::cpu
