// Op by op: CUDA gives what the interpreter gives, bit for bit where nothing is approximate; without a GPU the ops
// compile for every chip.
#include "tests/cuda/ops/ops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <span>

#include "interp/cpu/facts.h"
#include "interp/cpu/launch.h"
#include "interp/cpu/run.h"
#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/device.h"
#include "interp/cuda/host/run.h"
#include "interp/lang/error.h"
#include "tests/cuda/environment.h"
#include "tests/cuda/gpu.h"

using namespace tl;

namespace {

// The kernels' text is not among the sources that the program holds. On another machine than the build's
// TILESCOPE_SOURCES names the folder.
void add_ops() {
  static const auto once = std::filesystem::is_directory(TILESCOPE_ROOT) ? sources::use_sources_from(TILESCOPE_ROOT)
                                                                         : std::vector<std::string>();
}

TensorArgument arg(const Tensor& t) { return {t}; }
IntArgument arg(int v) { return {v}; }
ConstantArgument constant(std::int64_t v, bool is_bool = false) { return {v, is_bool}; }

Tensor filled(DType dtype, std::vector<std::int64_t> shape, double value = 0) {
  Tensor t = make_tensor("out", dtype, std::move(shape));
  for (std::int64_t i = 0; i < t.storage_elems; ++i) set(t, i, value);
  return t;
}

// Reproducible: integers in [-100, 100), floats in [-4, 4), and their special values.
Tensor random(DType dtype, std::vector<std::int64_t> shape, unsigned seed, bool special = false) {
  Tensor t = make_tensor("x", dtype, std::move(shape));
  const double odd[] = {NAN,  INFINITY, -INFINITY, 0.0,   -0.0, 448, 57344, 65504, 65520,
                        1e-7, -3.5,     2.5,       255.7, -1,   3e9, -3e9,  1e20};
  for (std::int64_t i = 0; i < t.storage_elems; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const double u = (seed >> 8) / 8388608.0 - 1;
    set(t, i,
        special && i < 17 ? (is_float(dtype) ? odd[i] : std::floor(u * 3e5))
        : is_float(dtype) ? u * 4
                          : std::floor(u * 100) + (dtype == DType::uint8 ? 100 : 0));
  }
  return t;
}

// Compiles for the chips we serve; on a GPU runs, and holds the outputs against the interpreter's.
void agree(Launch launch, const std::vector<Tensor>& outputs, double ulps = 0, bool generic = false) {
  CAPTURE(launch.kernel);
  launch.source = "tests/cuda/ops/ops.h";
  add_ops();
  std::string why_not;
  if (!cuda::toolkit_available(&why_not)) {
    MESSAGE("skipped: " << why_not);
    return;
  }
  try {
    if (!cuda::available(&why_not)) {
      static std::map<std::string, int> compiled;  // two of a kernel's launches show that it compiles
      if (++compiled[launch.kernel] > 2) return;
      MESSAGE("compiled only: " << why_not);
      for (const char* arch : {"sm_90a", "sm_80"}) {
        const auto r = cuda::compile(launch, cpu::facts_of(launch), {.arch = arch, .generic = generic})->resources;
        CHECK(r.stack_bytes + r.spill_store_bytes ==
              (launch.kernel == "tl::kernels::control_kernel" ? r.stack_bytes : 0));  // an assertion prints
      }
      return;
    }
    std::vector<Tensor> before, expected;
    for (const auto& t : outputs) before.push_back(clone(t));
    const auto interpreted = cpu::run(launch);
    REQUIRE_MESSAGE(interpreted.faults.empty(), (interpreted.faults.empty() ? "" : interpreted.faults[0].headline));
    for (const auto& t : outputs) expected.push_back(clone(t));
    for (std::size_t o = 0; o < outputs.size(); ++o)
      std::copy_n(before[o].data(), before[o].storage_bytes(), outputs[o].data());
    const auto ran = cuda::run(std::span(&launch, 1), cpu::facts_of, {.generic = generic, .fused_multiply_add = false});
    REQUIRE_MESSAGE(ran.faults.empty(), (ran.faults.empty() ? "" : ran.faults[0].headline));
    for (std::size_t o = 0; o < outputs.size(); ++o)
      for (std::int64_t i = 0; i < outputs[o].storage_elems; ++i) {
        const double e = get(expected[o], i), g = get(outputs[o], i);
        if (std::isnan(e) && std::isnan(g)) continue;
        const double step = std::abs(static_cast<double>(std::nextafterf(static_cast<float>(e), INFINITY)) - e);
        const bool same = e == g || std::abs(e - g) <= ulps * step;
        REQUIRE_MESSAGE(same, "output ", o, " element ", i, ": interpreter ", e, ", GPU ", g);
      }
  } catch (const Error& error) {
    FAIL(std::string(error.what()).substr(0, 2000));
  }
}

}  // namespace

TEST_CASE("ops: integer operators agree, in every integer type") {
  const int n = 300;
  for (const DType t : {DType::int32, DType::int64, DType::uint32}) {
    const Tensor x = random(t, {n}, 1), y = random(t, {n}, 2),
                 out = filled(t == DType::uint32 ? DType::int64 : t, {14, n});
    for (int i = 0; i < n; ++i)
      if (get(y, i) == 0) set(y, i, 3);
    agree(make_launch<kernels::int_operators_kernel>("", {2}, {}, arg(x), arg(y), arg(out), arg(n), constant(256)),
          {out});
  }
}

TEST_CASE("ops: float operators agree to the bit, in every float type") {
  const int n = 300;
  for (const DType t :
       {DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::float8e4nv, DType::float8e5}) {
    const Tensor x = random(t, {n}, 3), y = random(t, {n}, 4), out = filled(t, {10, n});
    agree(make_launch<kernels::float_operators_kernel>("", {2}, {}, arg(x), arg(y), arg(out), arg(n), constant(256)),
          {out});
  }
}

TEST_CASE("ops: casts agree, specials included") {
  for (int from = 1; from < dtype_count; ++from)
    for (int to = 0; to < dtype_count; ++to) {
      const Tensor x = random(DType(from), {300}, 5, true), out = filled(DType(to), {300});
      agree(make_launch<kernels::cast_kernel>("", {2}, {}, arg(x), arg(out), arg(300), constant(256)), {out});
    }
}

TEST_CASE("ops: every fp8 pattern and its neighbours round as the tables say") {
  const Tensor x = make_tensor("x", DType::float32, {1024}), out = filled(DType::float8e4nv, {1024});
  for (int i = 0; i < 1024; ++i) set(x, i, std::ldexp(1 + i % 32 / 32.0, i / 32 - 16));
  agree(make_launch<kernels::cast_kernel>("", {4}, {}, arg(x), arg(out), arg(1024), constant(256)), {out});
}

TEST_CASE("ops: elementary functions agree within 4 ulps") {
  const Tensor x = random(DType::float32, {300}, 6), out = filled(DType::float32, {10, 300});
  agree(make_launch<kernels::math_kernel>("", {2}, {}, arg(x), arg(out), arg(300), constant(256)), {out}, 4);
}

TEST_CASE("ops: split, join, reshape, permute and trans move what they should") {
  for (const auto& [m, n] : {std::pair{32, 64}, {64, 16}, {4, 4}}) {
    const Tensor x = random(DType::float32, {m, n}, 7), out = filled(DType::float32, {m, n}),
                 t = filled(DType::float32, {n, m});
    agree(make_launch<kernels::shapes_kernel>("", {}, {}, arg(x), arg(out), arg(t), constant(m), constant(n)),
          {out, t});
  }
}

TEST_CASE("ops: reductions and scans agree along both axes") {
  for (const auto& [m, n] : {std::pair{16, 64}, {128, 8}, {2, 4}})
    for (const DType t : {DType::int32, DType::float32}) {
      const Tensor x = random(t, {m, n}, 8), rows = filled(t, {4, m}), cols = filled(t, {3, n}),
                   all = filled(t, {1 + 2 * m * n});
      if (t == DType::float32)  // sums of these are exact in any order
        for (int i = 0; i < m * n; ++i) set(x, i, std::floor(get(x, i) * 8));
      agree(make_launch<kernels::reductions_kernel>("", {}, {}, arg(x), arg(rows), arg(cols), arg(all), constant(m),
                                                    constant(n)),
            {rows, cols, all});
    }
}

TEST_CASE("ops: offsets and masks of any form agree") {
  const Tensor x = random(DType::int32, {16, 40}, 9), out = filled(DType::int32, {7, 16, 32}, -9);
  agree(make_launch<kernels::indices_kernel>("", {}, {}, arg(x), arg(out), arg(13), arg(29), arg(40), constant(16),
                                             constant(32)),
        {out});
}

TEST_CASE("ops: random numbers agree; bits are Philox's, normals within 8 ulps of 1") {
  const Tensor bits = filled(DType::int32, {600}), out = filled(DType::float32, {2, 600});
  agree(make_launch<kernels::random_kernel>("", {3}, {}, arg(bits), arg(out), arg(0), arg(600), constant(256)),
        {bits, out}, 64);
  if (cuda::available()) {
    CHECK(static_cast<std::uint32_t>(bits.as<std::int32_t>()[0]) ==
          0x6627e8d5u);  // the published answer for seed 0, counter 0
    CHECK(static_cast<std::uint32_t>(bits.as<std::int32_t>()[1]) == 0xf8e4cca4u);
  }
}

TEST_CASE("ops: atomics add every lane once") {
  const Tensor x = random(DType::int32, {1000}, 10), counts = filled(DType::int32, {16}),
               total = filled(DType::int32, {1});
  for (int i = 0; i < 1000; ++i) set(x, i, i * 7 % 16);
  agree(make_launch<kernels::atomics_kernel>("", {4}, {}, arg(x), arg(counts), arg(total), arg(1000), constant(256)),
        {counts, total});
}

TEST_CASE("ops: block pointers and descriptors stop at the tensor's edge, aligned or not") {
  for (const auto& [m, n] : {std::pair{13, 61}, {16, 64}, {5, 96}}) {
    const Tensor x = random(DType::float32, {m, n}, 11), out = filled(DType::float32, {m, n});
    for (int i = 0; i < m * n; ++i) set(x, i, std::floor(get(x, i) * 8));
    agree(make_launch<kernels::block_pointers_kernel>("", {}, {}, arg(x), arg(out), arg(m), arg(n), arg(n),
                                                      constant(16), constant(32)),
          {out});
    const Tensor half = random(DType::float16, {m, n}, 12), wide = filled(DType::float32, {m, n});
    Launch launch = make_launch<kernels::descriptors_kernel>("", {}, {}, DescriptorArgument{half, {16, 32}},
                                                             DescriptorArgument{wide, {16, 32}}, arg(m), arg(n),
                                                             constant(16), constant(32));
    agree(launch, {wide}, 0, true);
  }
}

TEST_CASE("ops: conditions on scalars, loop-carried pointers and compile-time branches") {
  for (const bool twice : {false, true}) {
    const Tensor x = random(DType::int32, {500}, 13), out = filled(DType::int32, {65});
    agree(make_launch<kernels::control_kernel>("", {}, {}, arg(x), arg(out), arg(500), constant(64),
                                               constant(twice, true)),
          {out});
  }
}

TEST_CASE("ops: dot agrees for every dtype and shape, small ones included") {
  const DType types[] = {DType::float16, DType::bfloat16, DType::float8e4nv, DType::float8e5, DType::float64};
  for (const DType t : types)
    for (const auto& [m, n, k] : {std::array{64, 32, 32}, {16, 16, 16}, {2, 4, 8}, {128, 8, 64}}) {
      const Tensor a = random(t, {m, k}, 14), b = random(t, {k, n}, 15),
                   c = filled(t == DType::float64 ? t : DType::float32, {m, n});
      for (const auto& x : {a, b})  // products and sums are exact
        for (int i = 0; i < x.elems(); ++i) set(x, i, std::floor(get(x, i)));
      agree(make_launch<kernels::dot_kernel>("", {}, {}, arg(a), arg(b), arg(c), constant(m), constant(n), constant(k)),
            {c});
    }
}
