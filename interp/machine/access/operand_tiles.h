// The tiles that a kernel's dots and transposes keep in shared memory, and the cost of reading them the other way
// round.
#pragma once

#include "interp/machine/access/banks.h"
#include "interp/machine/device.h"

namespace tl::machine {

struct OperandTile {
  std::string place;       // kernels/transposed_matmul.h:26
  std::string what;        // a, b, x
  int rows = 0, cols = 0;  // as stored
  DType dtype = DType::float32;
  bool transposed = false;              // read down its columns
  bool is_left = false;                 // the dot's left side
  std::int64_t times = 0;               // that a program stores it
  int dot_m = 0, dot_n = 0, dot_k = 0;  // of the dot that reads it; 0: no dot
};

// Observes one program. A launch that begins anew, now with values, is observed anew.
class OperandTiles : public trace::Observer {
 public:
  void launch_begins(const trace::LaunchInfo& launch) override {
    launch_ = &launch;
    tiles_.clear();
    transposed_.clear();
    loaded_.clear();
    is_first_ = true;
  }
  trace::Keep program_begins(ProgramId) override;
  void op(const trace::OpEvent& event) override;
  const std::vector<OperandTile>& tiles() const { return tiles_; }

 private:
  void add(const trace::OpEvent& event, const std::string& what, Sizes stored, DType dtype, bool transposed, Sizes mnk);
  void add_exchange(const trace::OpEvent& event);
  const trace::LaunchInfo* launch_ = nullptr;
  std::vector<OperandTile> tiles_;
  std::vector<std::pair<Sizes, int>> loaded_;            // blocks with their axis of neighbours in memory
  std::map<trace::ValueId, trace::ValueId> transposed_;  // a transposed block -> what it was
  bool is_first_ = true;
};

// One step of a dot by multiply-adds. Its right-hand side is read along its rows or, as in C = A trans(B), down its
// columns.
//   multiply_cycles = m n k / lanes of the SM that multiply
//   shared_cycles   = wavefronts x 128 bytes / bytes a clock: both tiles stored once; a's read by the warps that share
//                     its rows, b's by every warp
struct DotStep {
  Placement placement = Placement::none;
  double multiply_cycles = 0, store_wavefronts = 0, read_wavefronts = 0;
  double cycles_a_wavefront = 1;
  double shared_cycles() const { return (store_wavefronts + read_wavefronts) * cycles_a_wavefront; }
  double overlapped() const {
    return std::max(multiply_cycles, shared_cycles());
  }  // enough warps to hide one behind the other
  double in_turn() const { return multiply_cycles + shared_cycles(); }  // each warp waits for its operands
};
DotStep dot_step(const OperandTile& right, int num_warps, Placement placement, const Device& device);

// Cycles of an SM's shared memory a flop of a program's dots by multiply-adds, which wait for them.
double shared_cycles_a_flop(const std::vector<OperandTile>& tiles, int num_warps, Placement placement,
                            const Device& device);

}  // namespace tl::machine
