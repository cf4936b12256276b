// The GPU's results and the interpreter's, bit by bit: products on tensor cores and sums.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "interp/cpu/launch.h"
#include "interp/cuda/host/gpu.h"
#include "interp/cuda/host/run.h"
#include "interp/report/numbers.h"
#include "interp/run/execute.h"
#include "tests/cuda/environment.h"
#include "tests/cuda/gpu.h"
#include "tests/cuda/tensor/kernels/bits_cases.h"

using namespace tl;

namespace {

struct Bits {
  std::int64_t all = 0, equal = 0;
  double most = 0;  // how far apart the others are
  std::string text() const {
    return report::percent_text(static_cast<double>(equal) / static_cast<double>(all)) + " of " +
           report::count_text(all) + " are bit-equal, the others differ by at most " + report::error_text(most);
  }
};

// The modelled chip is the one at hand, as far as there is a model of it.
run::Arithmetic arithmetic() {
  const auto arch = cuda::the_gpu().info.arch();
  return run::Arithmetic(arch == "sm_80" ? "a100_80" : arch == "sm_89" ? "rtx4090" : "h200");
}

// The GPU runs first: how it was compiled says which instruction multiplies.
Bits bits_of(const problems::Instance& instance, bool fused_multiply_add) {
  if (instance.reset) instance.reset();
  REQUIRE(cuda::run(instance.launches, {.fused_multiply_add = fused_multiply_add}).faults.empty());
  std::vector<Tensor> gpu;
  for (const Tensor& t : instance.outputs) gpu.push_back(clone(t));
  if (instance.reset) instance.reset();
  REQUIRE(run::run_on_cpu(instance, {}, arithmetic()).ok());
  Bits bits;
  for (std::size_t o = 0; o < gpu.size(); ++o)
    for (std::int64_t i = 0; i < gpu[o].elems(); ++i) {
      const double x = get(gpu[o], i), y = get(instance.outputs[o], i);
      ++bits.all;
      if ((x == y && std::signbit(x) == std::signbit(y)) || (std::isnan(x) && std::isnan(y))) ++bits.equal;
      else bits.most = std::max(bits.most, std::abs(x - y));
    }
  return bits;
}

void check_all(const std::string& kernel, const std::vector<std::string>& settings, bool fused_multiply_add = true) {
  std::string name = kernel;
  for (const std::string& s : settings) name += " " + s;
  const Bits bits = bits_of(run::make_case({kernel, settings}).instance, fused_multiply_add);
  CHECK_MESSAGE(bits.equal == bits.all, name << ": " << bits.text());
}

// The kernels of tests/cuda/tensor, with the project's own text of everything else.
template <class K, class... A>
void check_case(int warps, const std::vector<Tensor>& outputs, A... arguments) {
  const char* moved = std::getenv("TILESCOPE_TENSOR_CASES");  // where the tests run on another machine than the build's
  const test::SourcesFrom kernels(moved ? moved : TILESCOPE_TENSOR_CASES);
  problems::Instance instance;
  instance.outputs = outputs;
  instance.launches = {make_launch<K>("kernels/bits_cases.h", {}, {.num_warps = warps}, arguments...)};
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    problems::Instance one = instance;
    one.outputs = {outputs[o]};
    const Bits bits = bits_of(one, false);
    CHECK_MESSAGE(bits.equal == bits.all,
                  instance.launches[0].kernel << ", " << warps << " warps, " << outputs[o].name << ": " << bits.text());
  }
}

Tensor random(const char* name, DType dtype, std::vector<std::int64_t> shape, unsigned seed) {
  const Tensor t = make_tensor(name, dtype, std::move(shape));
  std::mt19937 numbers(seed);
  std::normal_distribution<double> normal;
  for (std::int64_t i = 0; i < t.elems(); ++i) set(t, i, normal(numbers));
  return t;
}

std::vector<std::string> with(std::vector<std::string> settings, const std::string& dtype) {
  settings.insert(settings.end(), {"dtype=" + dtype, "out=f32"});
  return settings;
}

// Which instruction multiplies is decided by the warps: wgmma wants four or a multiple.
const std::vector<std::vector<std::string>> by_warpgroups = {{"m=64", "n=64", "k=64", "bm=64", "bn=64", "warps=4"},
                                                             {"m=256", "n=128", "k=1024", "warps=8", "bk=128"},
                                                             {"m=200", "n=136", "k=328", "warps=8"}};
const std::vector<std::vector<std::string>> by_warps = {
    {"m=16", "n=16", "k=64", "bm=16", "bn=16", "bk=32", "warps=1"},
    {"m=128", "n=128", "k=1024", "bm=32", "bn=64", "bk=64", "warps=2"},
    {"m=72", "n=40", "k=136", "bm=32", "bn=32", "bk=32", "warps=2"}};

}  // namespace

TEST_CASE("bits on the GPU: products of every dtype, by whole warpgroups") {
  if (test::no_gpu()) return;
  for (const char* dtype : {"f16", "bf16", "f32", "f8e4nv", "f8e5"})
    for (const auto& settings : by_warpgroups) check_all("persistent_matmul", with(settings, dtype));
}

TEST_CASE("bits on the GPU: products of every dtype, warp by warp") {
  if (test::no_gpu()) return;
  for (const char* dtype : {"f16", "bf16", "f32", "f8e4nv", "f8e5"})
    for (const auto& settings : by_warps) check_all("persistent_matmul", with(settings, dtype));
}

TEST_CASE("bits on the GPU: products of tiles loaded by pointers, f32 as it is") {
  if (test::no_gpu()) return;
  for (const char* dtype : {"f16", "bf16", "f32", "f8e4nv"})
    for (const auto& sizes : {std::vector<std::string>{"m=64", "n=64", "k=64", "bm=64", "bn=64", "bk=64"},
                              {"m=128", "n=192", "k=512", "bm=64", "bn=64", "bk=64", "warps=4"},
                              {"m=100", "n=77", "k=60", "bm=32", "bn=32", "bk=32", "warps=2"}})
      check_all("matmul", with(sizes, dtype));
}

// Without CUDA's contraction of a * b + c, which the text does not ask for.
TEST_CASE("bits on the GPU: sums along each axis, over all, and running, in the layout's order") {
  if (test::no_gpu()) return;
  for (const auto& [m, n] : {std::pair(1, 1024), {4, 256}, {64, 16}, {128, 64}, {256, 1}, {8, 4096}})
    for (const int warps : {1, 4, 8}) {
      const Tensor x = random("x", DType::float32, {m, n}, 1), rows = make_tensor("rows", DType::float32, {m}),
                   cols = make_tensor("cols", DType::float32, {n}), all = make_tensor("all", DType::float32, {1}),
                   running = make_tensor("running", DType::float32, {m, n});
      CAPTURE(m);
      CAPTURE(n);
      check_case<kernels::sums_kernel>(warps, {rows, cols, all, running}, TensorArgument{x}, TensorArgument{rows},
                                       TensorArgument{cols}, TensorArgument{all}, TensorArgument{running},
                                       ConstantArgument{m}, ConstantArgument{n});
    }
}

TEST_CASE("bits on the GPU: layernorm") {
  if (test::no_gpu()) return;
  for (const char* dtype : {"f16", "bf16", "f32"})
    for (const char* cols : {"cols=100", "cols=781", "cols=4096"})
      check_all("layernorm", {"rows=64", cols, std::string("dtype=") + dtype}, false);
}

TEST_CASE("bits on the GPU: two dots, the second of what the first gave, and its row sums") {
  if (test::no_gpu()) return;
  for (const DType dtype : {DType::float16, DType::bfloat16})
    for (const auto& [m, n, d, warps] : {std::tuple(64, 64, 64, 4), {128, 64, 64, 8}, {32, 32, 16, 1}}) {
      const Tensor q = random("q", dtype, {m, d}, 1), k = random("k", dtype, {n, d}, 2),
                   v = random("v", dtype, {n, d}, 3), o = make_tensor("o", DType::float32, {m, d}),
                   sum = make_tensor("sum", DType::float32, {m});
      CAPTURE(name_of(dtype));
      CAPTURE(m);
      check_case<kernels::two_dots_kernel>(warps, {o, sum}, TensorArgument{q}, TensorArgument{k}, TensorArgument{v},
                                           TensorArgument{o}, TensorArgument{sum}, ConstantArgument{m},
                                           ConstantArgument{n}, ConstantArgument{d});
    }
}

// Its exponentials are the chip's own, within 2 ulp: the products and sums around them are ours.
TEST_CASE("bits on the GPU: attention, but for its exponentials") {
  if (test::no_gpu()) return;
  for (const char* dtype : {"f16", "bf16"})
    for (const char* seq : {"seq=64", "seq=128", "seq=256"}) {
      const Bits bits = bits_of(
          run::make_case({"attention", {seq, "heads=2", "head_dim=64", std::string("dtype=") + dtype}}).instance,
          false);
      MESSAGE("attention " << seq << " " << dtype << ": " << bits.text());
      CHECK(2 * bits.equal > bits.all);
    }
}
