// Softmax of each row by persistent programs: as many as the chip holds at once, so that each takes several rows.
#include "kernels/softmax.h"

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
  return a_thread < 1 ? 22 : a_thread <= 4 ? 26 : a_thread <= 8 ? 32 : a_thread <= 16 ? 40 : a_thread <= 32 ? 64 : 128;
}

Instance make_softmax(const Settings& s, std::uint64_t seed) {
  const std::int64_t rows = s.integer("rows"), cols = s.integer("cols"), block = next_power_of_2(cols);
  const Tensor x = uniform_tensor("input", DType::float32, {rows, cols}, seed, 0),
               y = make_tensor("output", DType::float32, {rows, cols});
  const int warps = warps_or(s, warps_for(block)), stages = stages_or(s, 4);
  const std::int64_t programs =
      programs_or(s, resident_programs(chip(), recorded_registers(block, warps), warps), rows);
  Instance instance;
  instance.inputs = {x};
  instance.outputs = {y};
  instance.launches = {make_launch<kernels::softmax_kernel>(
      "kernels/softmax.h", {programs}, {warps, stages}, TensorArgument{y}, TensorArgument{x}, integer(cols),
      integer(cols), integer(rows), integer(cols), constant(block), constant(stages))};
  instance.accumulates = DType::float32;
  instance.tolerances = {{1e-30, 1e-5}};  // every y is positive: exp of numbers in [-2, 0], a sum of positive terms, a
                                          // quotient, each within a few ulp
  instance.reference_at = reference_by_row(
      {cols}, [=](std::int64_t row) { return Rows{reference::softmax(x.as<float>() + row * cols, cols).y}; });
  const double elems = static_cast<double>(rows * cols);
  instance.flops = 5 * elems;
  instance.bytes = 2 * 4 * elems;
  const Tensor peer_y = clone(y);
  instance.cpu_peer = {"Eigen",
                       [=](int threads) { peers::softmax(x.as<float>(), peer_y.as<float>(), rows, cols, threads); }};
  instance.cuda_peer = {.kind = CudaPeer::Kind::copy, .bytes = instance.bytes};
  return complete(std::move(instance));
}

}  // namespace

Problem softmax() {
  return tuned({"softmax",
                "softmax of each row, fused, by persistent programs",
                "kernels/softmax.h",
                {{"rows", "1823", Setting::Kind::integer, "rows", 1, 1 << 24},
                 {"cols", "781", Setting::Kind::integer, "columns: one block holds a row", 1, 1 << 15},
                 programs_setting(),
                 warps_setting(),
                 stages_setting()},
                make_softmax},
               tuned_by("warps=4,8,16,32 stages=1,2,4"));
}

}  // namespace tl::problems
