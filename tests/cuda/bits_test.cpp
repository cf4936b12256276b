// The GPU's results and the interpreter's, bit by bit: products on tensor cores and sums.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "interp/cpu/facts.h"
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
  REQUIRE(cuda::run(instance.launches, cpu::facts_of, {.fused_multiply_add = fused_multiply_add}).faults.empty());
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

// Where the tests run on another machine than the build's, the variable names the folder.
std::string tensor_cases() {
  const char* moved = std::getenv("TILESCOPE_TENSOR_CASES");
  return moved ? moved : TILESCOPE_TENSOR_CASES;
}

// A launch of the kernels of tests/cuda/tensor, and its outputs.
struct BitsCase {
  Launch launch;
  std::vector<Tensor> outputs;
};

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

BitsCase sums_of(int m, int n, int warps) {
  const Tensor x = random("x", DType::float32, {m, n}, 5), rows = make_tensor("rows", DType::float32, {m}),
               cols = make_tensor("cols", DType::float32, {n}), all = make_tensor("all", DType::float32, {1}),
               running = make_tensor("running", DType::float32, {m, n});
  return {make_launch<kernels::sums_kernel>("kernels/bits_cases.h", {}, {.num_warps = warps}, TensorArgument{x},
                                            TensorArgument{rows}, TensorArgument{cols}, TensorArgument{all},
                                            TensorArgument{running}, ConstantArgument{m}, ConstantArgument{n}),
          {rows, cols, all, running, x}};
}
BitsCase two_dots_of(DType dtype, int m, int n, int d, int warps) {
  const Tensor q = random("q", dtype, {m, d}, 1), k = random("k", dtype, {n, d}, 2), v = random("v", dtype, {n, d}, 3),
               o = make_tensor("o", DType::float32, {m, d}), sum = make_tensor("sum", DType::float32, {m});
  return {make_launch<kernels::two_dots_kernel>(
              "kernels/bits_cases.h", {}, {.num_warps = warps}, TensorArgument{q}, TensorArgument{k}, TensorArgument{v},
              TensorArgument{o}, TensorArgument{sum}, ConstantArgument{m}, ConstantArgument{n}, ConstantArgument{d}),
          {o, sum}};
}
const std::vector<std::pair<int, int>> sums_shapes = {{1, 1024}, {4, 256}, {64, 16}, {128, 64}, {256, 1}, {8, 1024}};
const std::vector<std::tuple<int, int, int, int>> two_dots_shapes = {
    {64, 64, 64, 4}, {128, 64, 64, 8}, {64, 64, 64, 8}, {32, 32, 16, 1}};

void check_case(const BitsCase& c, const std::string& name) {
  for (const Tensor& output : c.outputs) {
    problems::Instance one;
    one.launches = {c.launch};
    one.outputs = {output};
    const Bits bits = bits_of(one, false);
    CHECK_MESSAGE(bits.equal == bits.all, name << ", " << output.name << ": " << bits.text());
  }
}

// What threads hold of a row-major block of f32, four neighbours each: register, lane and warp of an element are bits
// of its index, lowest first: two of the register, five of the lane, those of the warp, the register's others.
struct Holder {
  int reg, lane, warp;
};
Holder holder_of(int flat, int warps) {
  return {flat % 4 + flat / (128 * warps) * 4, flat / 4 % 32, flat / 128 % warps};
}

// The sum of elements, by their indices, as the threads compute it: reduce.h, thread by thread.
float summed_by_threads(const float* x, const std::vector<int>& elements, int warps) {
  std::vector<std::vector<std::vector<std::pair<int, float>>>> held(
      warps, std::vector<std::vector<std::pair<int, float>>>(32));
  for (const int flat : elements) {
    const Holder h = holder_of(flat, warps);
    held[h.warp][h.lane].emplace_back(h.reg, x[flat]);
  }
  std::vector<float> of_warps;
  for (auto& lanes : held) {
    std::vector<float> sums;  // of the lanes that hold any, in their order
    for (auto& registers : lanes) {
      if (registers.empty()) continue;
      std::sort(registers.begin(), registers.end());
      std::vector<float> chains;
      for (std::size_t n = 0; n < registers.size(); ++n)
        n < 4 ? chains.push_back(registers[n].second) : void(chains[n % 4] += registers[n].second);
      float sum = chains[0];
      for (std::size_t c = 1; c < chains.size(); ++c) sum += chains[c];
      sums.push_back(sum);
    }
    for (std::size_t bit = 1; bit < sums.size(); bit *= 2) {
      std::vector<float> next;
      for (std::size_t l = 0; l < sums.size(); ++l) next.push_back(sums[l] + sums[l ^ bit]);
      sums = next;
    }
    if (!sums.empty()) of_warps.push_back(sums[0]);
  }
  float total = of_warps[0];
  for (std::size_t w = 1; w < of_warps.size(); ++w) total += of_warps[w];
  return total;
}

// Running sums of a row as the threads compute them: each holds neighbours along the row, as many as the block's
// elements give it; then shuffles from below, then the warps before.
std::vector<float> scanned_by_threads(const float* row, int n, int elements, int warps) {
  const int run = std::clamp(elements / (32 * warps), 1, n), threads = n / run, lanes = std::min(32, threads);
  std::vector<float> y(row, row + n), totals;
  for (int i = 0; i < n; ++i)
    if (i % run) y[i] = y[i - 1] + y[i];
  for (int t = 0; t < threads; ++t) totals.push_back(y[t * run + run - 1]);
  for (int d = 1; d < lanes; d *= 2) {
    const std::vector<float> shuffled = totals;
    for (int t = 0; t < threads; ++t)
      if (t % lanes >= d) totals[t] = shuffled[t - d] + totals[t];
  }
  for (int t = 1; t < threads; ++t) {
    const int warp = t / lanes;
    float below = totals[lanes - 1];
    for (int w = 1; w < warp; ++w) below += totals[w * lanes + lanes - 1];
    const float before = totals[t - 1], offset = t % lanes == 0 ? below : warp == 0 ? before : below + before;
    for (int e = 0; e < run; ++e) y[t * run + e] = offset + y[t * run + e];
  }
  return y;
}

}  // namespace

TEST_CASE("sums: the interpreter adds as the threads that hold a row-major block do") {
  const test::SourcesFrom kernels(tensor_cases());
  for (const auto& shape : {std::pair(1, 4096), {8, 512}, {128, 32}, {16, 256}})
    for (const int warps : {1, 4, 8}) {
      const int m = shape.first, n = shape.second;
      const BitsCase c = sums_of(m, n, warps);
      const Tensor &rows = c.outputs[0], &cols = c.outputs[1], &all = c.outputs[2], &running = c.outputs[3],
                   &x = c.outputs[4];
      cpu::RunOptions options;
      run::Arithmetic().apply(options, c.launch);
      REQUIRE(cpu::run(c.launch, options).faults.empty());
      const auto* in = x.as<float>();
      std::vector<int> every, wrong;
      for (int i = 0; i < m * n; ++i) every.push_back(i);
      for (int i = 0; i < m; ++i)
        if (rows.as<float>()[i] != summed_by_threads(in, {every.begin() + i * n, every.begin() + (i + 1) * n}, warps))
          wrong.push_back(i);
      for (int j = 0; j < n; ++j) {
        std::vector<int> column;
        for (int i = 0; i < m; ++i) column.push_back(i * n + j);
        if (cols.as<float>()[j] != summed_by_threads(in, column, warps)) wrong.push_back(j);
      }
      for (int i = 0; i < m; ++i) {
        const auto row = scanned_by_threads(in + i * n, n, m * n, warps);
        if (!std::equal(row.begin(), row.end(), running.as<float>() + i * n)) wrong.push_back(i);
      }
      CAPTURE(m);
      CAPTURE(warps);
      CHECK(wrong.size() == 0);
      CHECK(all.as<float>()[0] == summed_by_threads(in, every, warps));
    }
}

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

TEST_CASE(
    "bits on the GPU: f32 tiles that are turned as they are copied, by pointers, block pointers and descriptors") {
  if (test::no_gpu()) return;
  for (const auto& sizes : {std::vector<std::string>{"m=100", "n=77", "k=60", "bm=64", "bn=32", "bk=16", "warps=4"},
                            {"m=128", "n=192", "k=512", "bm=64", "bn=128", "bk=64", "warps=4"},
                            {"m=300", "n=260", "k=36", "bm=128", "bn=256", "bk=32", "warps=8"}}) {
    for (const char* kernel : {"grouped_matmul", "block_pointer_matmul"}) check_all(kernel, with(sizes, "f32"));
    auto along_n = with(sizes, "f32");
    along_n.push_back("b=kn");
    check_all("persistent_matmul", along_n);
  }
}

// Without CUDA's contraction of a * b + c, which the text does not ask for.
TEST_CASE("bits on the GPU: sums along each axis, over all, and running, in the layout's order") {
  if (test::no_gpu()) return;
  const test::SourcesFrom kernels(tensor_cases());
  for (const auto& [m, n] : sums_shapes)
    for (const int warps : {1, 4, 8})
      check_case(sums_of(m, n, warps),
                 std::to_string(m) + " x " + std::to_string(n) + ", " + std::to_string(warps) + " warps");
}

TEST_CASE("bits on the GPU: layernorm") {
  if (test::no_gpu()) return;
  for (const char* dtype : {"f16", "bf16", "f32"})
    for (const char* cols : {"cols=100", "cols=781", "cols=4096"})
      check_all("layernorm", {"rows=64", cols, std::string("dtype=") + dtype}, false);
}

TEST_CASE("bits on the GPU: two dots, the second of what the first gave, and its row sums") {
  if (test::no_gpu()) return;
  const test::SourcesFrom kernels(tensor_cases());
  for (const DType dtype : {DType::float16, DType::bfloat16})
    for (const auto& [m, n, d, warps] : two_dots_shapes)
      check_case(two_dots_of(dtype, m, n, d, warps),
                 std::string("two dots of ") + name_of(dtype) + ", m=" + std::to_string(m));
}

namespace {

std::shared_ptr<const cuda::Compiled> compiled_for(const Launch& launch, const std::string& arch) {
  return cuda::compile(launch, launch.on_cpu ? cpu::facts_of(launch) : test::with_dots, {.arch = arch});
}

}  // namespace

TEST_CASE("bits compile: the cases' kernels, for Hopper and for Ampere") {
  if (test::no_toolkit()) return;
  const test::SourcesFrom kernels(tensor_cases());
  for (const char* arch : {"sm_90a", "sm_80"}) {
    for (const auto& [m, n] : sums_shapes) CHECK_NOTHROW(compiled_for(sums_of(m, n, 4).launch, arch));
    for (const auto& [m, n, d, warps] : two_dots_shapes)
      CHECK_NOTHROW(compiled_for(two_dots_of(DType::float16, m, n, d, warps).launch, arch));
  }
}

TEST_CASE(
    "bits compile: f32 tiles that lie along n are turned as they are copied, where no other tile looks like them") {
  if (test::no_toolkit()) return;
  const auto compiled = [](const char* kernel, const std::vector<std::string>& tile) {
    return compiled_for(run::make_case({kernel, with(tile, "f32")}).instance.launches[0], "sm_90a");
  };
  for (const auto& [kernel, b] : {std::pair("grouped_matmul", ""), {"persistent_matmul", "b=kn"}}) {
    std::vector<std::string> tile = {"bm=64", "bn=32", "bk=64", "warps=4"}, square = {"bm=64", "bn=64", "bk=64"};
    if (*b) {
      tile.push_back(b);
      square.push_back(b);
    }
    const auto turned = compiled(kernel, tile);
    CHECK(turned->uses_wgmma);
    CHECK_FALSE(turned->tensor_maps);
    CHECK(turned->notes.empty());
    const auto as_they_lie = compiled(kernel, square);
    CHECK(as_they_lie->tensor_maps == (*b != 0));
    CHECK(as_they_lie->uses_wgmma == (*b != 0));
    CHECK(as_they_lie->notes.empty() == (*b != 0));
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
      MESSAGE(std::string("attention ") << std::string(seq) << ", " << std::string(dtype) << ": " << bits.text());
      CHECK(2 * bits.equal > bits.all);
    }
}
