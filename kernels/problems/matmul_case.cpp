// What all matrix multiplications share.
#include "kernels/problems/matmul_case.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/peers/peers.h"
#include "kernels/problems/chip.h"
#include "kernels/reference/dot.h"

namespace tl::problems {
namespace {

// B by columns, as floats: what an exact inner product walks along. Made at the first use.
class Columns {
 public:
  Columns(Tensor b, bool b_is_nk) : b_(b), b_is_nk_(b_is_nk) {}
  const float* column(std::int64_t j, std::int64_t k) const {
    if (b_is_nk_) return b_.data() + j * k;
    return transposed().data() + j * k;
  }
  void prepare(std::int64_t k, std::int64_t n) const {
    if (b_is_nk_) {
      b_.data();
      return;
    }
    std::vector<float>& t = transposed();
    if (!t.empty()) return;
    t.resize(static_cast<std::size_t>(k * n));
    peers::transpose(b_.data(), t.data(), k, n, 0);
  }

 private:
  std::vector<float>& transposed() const { return *transposed_; }
  Widened b_;
  bool b_is_nk_;
  std::shared_ptr<std::vector<float>> transposed_ = std::make_shared<std::vector<float>>();
};

double error_of(DType in, Precision precision, std::int64_t k) {
  if (in != DType::float32) return dot_error(k, true);
  return precision == Precision::ieee ? dot_error(k, false) : tf32_dot_error(k);
}

}  // namespace

std::vector<Setting> matmul_settings(const MatmulDefaults& d) {
  const auto size = [](const char* name, std::int64_t value, const char* help) {
    return Setting{name, std::to_string(value), Setting::Kind::integer, help, 1, 1 << 20};
  };
  const auto block = [](const char* name, std::int64_t value, const char* help) {
    return Setting{name, std::to_string(value), Setting::Kind::integer, help, 1, 512, true};
  };
  return {
      size("m", d.m, "rows of A and C"),
      size("n", d.n, "columns of B and C"),
      size("k", d.k, "columns of A, rows of B"),
      block("bm", d.bm, "rows of C a program computes; a power of two"),
      block("bn", d.bn, "columns of C a program computes; a power of two"),
      block("bk", d.bk, "length of a step along k; a power of two"),
      {"group_size", std::to_string(d.group_size), Setting::Kind::integer,
       "rows of blocks that neighbouring programs share; of grouped kernels", 1, 1 << 20},
      {"stages", std::to_string(d.stages), Setting::Kind::integer,
       std::string("blocks of A and B in flight (GPU)") +
           (d.stages == 0 ? "; 0: 4, or as many as an SM's shared memory holds" : ""),
       d.stages == 0 ? 0.0 : 1.0, 8},
      {"warps", std::to_string(d.warps), Setting::Kind::integer, "warps a program (GPU); a power of two", 1, 16, true},
      {"dtype",
       "f16",
       Setting::Kind::dtype,
       "of A, B and C (C of fp8 inputs is f16); accumulated in f32",
       0,
       0,
       false,
       {"f16", "bf16", "f32", "f8e4nv", "f8e5"}},
      out_setting("of C alone; without one, as dtype says")};
}

std::vector<NamedValue> fast_tiles(const Settings& s, Precision precision, TileNeeds needs) {
  struct Tile {
    std::int64_t bm, bn, bk, warps, stages;  // bk: of fp16
    double tflop_per_s;
  };
  // Those of 64 x 32 are estimated: the fastest at 512^3, where latency counts and not a full chip's rate.
  static constexpr Tile by_tensor_cores[] = {{128, 256, 64, 8, 4, 620},
                                             {128, 128, 64, 8, 4, 445},
                                             {128, 64, 128, 4, 4, 400},
                                             {64, 64, 128, 4, 3, 312},
                                             {64, 32, 128, 4, 3, 180}};
  static constexpr Tile by_multiply_adds[] = {{128, 64, 128, 4, 2, 41.6}, {64, 64, 128, 4, 2, 35.8}};
  static constexpr Tile by_words[] = {
      {256, 128, 64, 8, 3, 205}, {128, 128, 64, 8, 4, 167}, {128, 64, 128, 4, 4, 103}, {64, 32, 128, 4, 4, 60}};
  const int bytes = size_in_bytes(s.dtype("dtype"));
  const bool is_exact = bytes == 4 && precision == Precision::ieee;
  const std::span<const Tile> tiles = is_exact                               ? std::span<const Tile>(by_multiply_adds)
                                      : bytes == 4 && needs.copies_b_n_major ? std::span<const Tile>(by_words)
                                                                             : by_tensor_cores;
  const auto rate = [&](const Tile& t) {
    if (t.bm * t.bn * needs.accumulators > 128 * 32 * t.warps) return 0.0;  // registers of a thread
    const auto programs = static_cast<double>(cdiv(s.integer("m"), t.bm) * cdiv(s.integer("n"), t.bn));
    const auto sms = static_cast<double>(chip().sms);
    const double filled = programs / (std::ceil(programs / sms) * sms);
    return t.tflop_per_s * filled / (programs * static_cast<double>(t.bm * t.bn));  // of the product, not of padding
  };
  const Tile& best = *std::ranges::max_element(tiles, {}, rate);
  return {{"bm", std::to_string(best.bm)},
          {"bn", std::to_string(best.bn)},
          {"bk", std::to_string(best.bk * 2 / bytes)},
          {"warps", std::to_string(best.warps)},
          {"stages", std::to_string(best.stages)}};
}

Tuning matmul_tuning(bool grouped) {
  const std::string group = grouped ? " group_size=8" : "";
  std::string words;
  for (const char* tile : {"bm=128 bn=256 bk=64 stages=3 warps=8", "bm=64 bn=256 bk=32 stages=4 warps=4",
                           "bm=128 bn=128 bk=32 stages=4 warps=4", "bm=128 bn=64 bk=32 stages=4 warps=4",
                           "bm=64 bn=128 bk=32 stages=4 warps=4", "bm=128 bn=32 bk=32 stages=4 warps=4",
                           "bm=64 bn=32 bk=32 stages=5 warps=2", "bm=32 bn=64 bk=32 stages=5 warps=2",
                           "bm=128 bn=256 bk=64 stages=4 warps=8", "bm=128 bn=128 bk=64 stages=4 warps=8",
                           "bm=128 bn=64 bk=64 stages=4 warps=4", "bm=64 bn=64 bk=128 stages=4 warps=4",
                           "bm=32 bn=32 bk=32,64 stages=4 warps=2,4", "bm=16 bn=16 bk=32,64 stages=4 warps=1,2"})
    words += tile + group + "; ";
  return tuned_by(words);
}

Instance make_matmul(const Settings& s, std::uint64_t seed, Precision precision, bool b_is_nk,
                     const std::function<Launch(const MatmulCase&)>& launch) {
  MatmulCase c{s.integer("m"),
               s.integer("n"),
               s.integer("k"),
               s.integer("bm"),
               s.integer("bn"),
               s.integer("bk"),
               s.integer("group_size"),
               {static_cast<int>(s.integer("warps")), static_cast<int>(s.integer("stages"))},
               b_is_nk,
               {},
               {},
               {}};
  const DType in = s.dtype("dtype"), out = out_or(s, is_fp8(in) ? DType::float16 : in);
  const std::int64_t m = c.m, n = c.n, k = c.k;
  check_indexable("c", m * n);
  c.a = uniform_tensor("a", in, {m, k}, seed, 0);
  c.b = uniform_tensor("b", in, b_is_nk ? std::vector{n, k} : std::vector{k, n}, seed, 1);
  c.c = make_tensor("c", out, {m, n});
  Instance instance;
  instance.inputs = {c.a, c.b};
  instance.outputs = {c.c};
  instance.launches = {launch(c)};
  instance.accumulates = DType::float32;
  instance.tolerances = {stored_as(out, {error_of(in, precision, k), 0})};
  if (in == DType::float32 && precision == Precision::tf32)
    instance.truncated_tolerances = {stored_as(out, {truncated_tf32_dot_error(k), 0})};
  if (is_fp8(in)) instance.truncated_tolerances = {stored_as(out, {fp8_dot_error(k), 0})};
  const Widened rows(c.a);
  const Columns columns(c.b, b_is_nk);
  instance.reference_at = [=](std::size_t, std::span<const std::int64_t> offsets) {
    rows.data();
    columns.prepare(k, n);
    return reference_by_element([&](std::int64_t i) {
      return reference::dot(rows.data() + i / n * k, columns.column(i % n, k), k);
    })(0, offsets);
  };
  const double m_ = static_cast<double>(m), n_ = static_cast<double>(n), k_ = static_cast<double>(k);
  instance.flops = 2 * m_ * n_ * k_;
  instance.bytes = (m_ * k_ + k_ * n_) * size_in_bytes(in) + m_ * n_ * size_in_bytes(out);
  if (peers::supports(in) && out == in)
    instance.cpu_peer = eigen_peer("Eigen", [=, a = c.a, b = c.b, peer_c = clone(c.c)](int threads) {
      peers::matmul(in, a.data(), b.data(), b_is_nk, peer_c.data(), m, n, k, threads);
    });
  if (out == in || out == DType::float32 || is_fp8(in))  // what cuBLAS has, or says that it lacks
    instance.cuda_peer = {CudaPeer::Kind::gemm,        m, n, k, b_is_nk, in, out, instance.bytes,
                          precision == Precision::ieee};
  return complete(std::move(instance));
}

}  // namespace tl::problems
