// Softmax of each row. One block holds a row, and persistent programs, as many as the chip holds at once, take several
// rows each; where the row is wider than the block, a program a row loops over its blocks.
#include "kernels/softmax.h"

#include "kernels/online_softmax.h"

#include "kernels/peers/peers.h"
#include "kernels/problems/build.h"
#include "kernels/problems/chip.h"
#include "kernels/reference/rows.h"

namespace tl::problems {
namespace {

// The fastest of 4, 8, 16 and 32 on an H200, at 1024 to 32768 columns.
int warps_for(std::int64_t block) { return block <= 4096 ? 4 : block <= 8192 ? 8 : 16; }

// Registers a thread of the compiled kernel (`tilescope compile softmax cols=... --arch sm_90a`, NVRTC 13.0), recorded
// so that the interpreter launches the grid that the GPU would.
std::int64_t recorded_registers(std::int64_t block, int warps) {
  const std::int64_t a_thread = block / (32 * warps);  // elements
  if (a_thread < 1) return 22;
  if (a_thread <= 4) return 26;
  if (a_thread <= 8) return 32;
  if (a_thread <= 16) return 40;
  return a_thread <= 32 ? 64 : 128;
}

constexpr std::int64_t widest_block = 32768;  // as many columns as a program has registers for

std::int64_t block_of(const Settings& s) {
  const std::int64_t wanted = s.integer("block");
  return wanted ? wanted : std::min(next_power_of_2(s.integer("cols")), widest_block);
}

Instance make_softmax(const Settings& s, std::uint64_t seed) {
  const std::int64_t rows = s.integer("rows"), cols = s.integer("cols"), block = block_of(s);
  const bool loops = block < cols;
  const Tensor x = uniform_tensor("input", DType::float32, {rows, cols}, seed, 0),
               y = make_tensor("output", DType::float32, {rows, cols});
  const int warps = warps_or(s, warps_for(block)), stages = stages_or(s, 4);
  const std::int64_t programs =
      programs_or(s, loops ? rows : resident_programs(chip(), recorded_registers(block, warps), warps), rows);
  Instance instance;
  instance.inputs = {x};
  instance.outputs = {y};
  instance.launches = {
      loops ? make_launch<kernels::online_softmax_kernel>("kernels/online_softmax.h", {programs}, {.num_warps = warps},
                                                          TensorArgument{y}, TensorArgument{x}, integer(cols),
                                                          integer(cols), integer(rows), integer(cols), constant(block))
            : make_launch<kernels::softmax_kernel>("kernels/softmax.h", {programs}, {warps, stages}, TensorArgument{y},
                                                   TensorArgument{x}, integer(cols), integer(cols), integer(rows),
                                                   integer(cols), constant(block), constant(stages))};
  instance.accumulates = DType::float32;
  // Every y is positive: exp of numbers in [-2, 0], a sum of positive terms, a quotient, each within a few ulp; of a
  // loop each step rounds the sum three times.
  instance.tolerances = {{1e-30, 1e-5 + static_cast<double>(loops ? cdiv(cols, block) : 0) * 3 / (1 << 24)}};
  instance.reference_at = reference_by_row(
      {cols}, [=](std::int64_t row) { return Rows{reference::softmax(x.as<float>() + row * cols, cols).y}; });
  const double elems = static_cast<double>(rows * cols);
  instance.flops = 5 * elems;
  instance.bytes = 2 * 4 * elems;
  const Tensor peer_y = clone(y);
  instance.cpu_peer =
      eigen_peer("Eigen", [=](int threads) { peers::softmax(x.as<float>(), peer_y.as<float>(), rows, cols, threads); });
  instance.cuda_peer = {.kind = CudaPeer::Kind::copy, .bytes = instance.bytes};
  return complete(std::move(instance));
}

std::vector<Config> configs(const Settings& s) {
  const std::int64_t cols = s.integer("cols");
  std::string words = cols <= widest_block ? "warps=4,8,16,32 stages=1,2,4" : "warps=8,16";
  for (std::int64_t block = 4096; block < std::min(cols, widest_block); block *= 2)
    words += "; block=" + std::to_string(block) + " warps=8,16";
  return tuned_by(words).configs(s);
}

}  // namespace

Problem softmax() {
  return tuned({"softmax",
                "softmax of each row, fused: a block holds a row, or a loop goes over a wider one",
                "kernels/softmax.h",
                {{"rows", "1823", Setting::Kind::integer, "rows", 1, 1 << 24},
                 {"cols", "781", Setting::Kind::integer, "columns", 1, 1 << 24},
                 {"block", "0", Setting::Kind::integer,
                  "columns a program holds at once, a power of two; it loops over blocks of a wider row; 0: all, or "
                  "32768 of more",
                  0, static_cast<double>(widest_block), true},
                 programs_setting(),
                 warps_setting(),
                 stages_setting()},
                make_softmax},
               {.configs = configs});
}

}  // namespace tl::problems
