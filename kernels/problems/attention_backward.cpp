// dq, dk and dv of attention, heads one below the other: all of it is [batch * heads * seq, head_dim].
#include "kernels/attention_backward.h"

#include <cmath>

#include "kernels/problems/build.h"
#include "kernels/reference/attention.h"

namespace tl::problems {
namespace {

struct GradientSizes {
  std::int64_t heads, seq, head_dim, bm, bn;  // heads: of all batches
  bool causal;
  std::int64_t rows() const { return heads * seq; }
};

void check_steps(const GradientSizes& z) {
  if (z.causal && z.bm > z.bn)
    throw Error("bm=" + std::to_string(z.bm) + " is more than bn=" + std::to_string(z.bn) +
                    ": causal attention walks the diagonal block of keys in steps of bm queries",
                "choose bm=" + std::to_string(z.bn));
}

// Of sums over queries or keys of p x, and of ds x, where |x| <= 1. Scores scale q k have a deviation of at most 1 (all
// inputs 1 or -1), so that weights p sum to at most e^(1/2), and their squares to e^2 / keys; ds / p has a deviation of
// 1.4. What is rounded to the inputs' dtype, p or ds, has errors of random sign, of which we take 6 deviations; the
// error of a score is taken at its worst, times the sum of the weights.
struct GradientErrors {
  double p, ds;
};
GradientErrors gradient_errors(DType in, const GradientSizes& z) {
  const double keys = static_cast<double>(z.seq), score = dot_error(z.head_dim, true) / std::sqrt(z.head_dim);
  const double weights = 1.65, squares = 7.4 / keys;
  const double rounded =
      6 / std::sqrt(3) * (unit_roundoff(in) * std::sqrt(squares) + half_subnormal(in) * std::sqrt(keys));
  const double truncated = keys / 16 * 0x1p-23 * std::sqrt(squares);
  return {rounded + weights * (score + 4e-6) + truncated, 1.4 * rounded + weights * 6 * (score + 4e-6) + truncated};
}

// What the forward pass keeps is log2 of each row's sum. Any number makes weights of scores; these make them about
// 1 / seq in every row, and no two rows alike, so that a row of little weight, as a causal one of few keys would make
// of all others, hides no mistake.
Tensor log2_sums(const GradientSizes& z, std::uint64_t seed) {
  const Tensor u = uniform_tensor("m", DType::float32, {z.heads, z.seq}, seed, 5);
  const Tensor m = make_tensor("m", DType::float32, {z.heads, z.seq});
  const float least = std::log2(static_cast<float>(z.seq));
  for (std::int64_t row = 0; row < z.rows() && m.holds_data; ++row)
    m.as<float>()[row] = least + 0.5F + 0.5F * u.as<float>()[row];
  return m;
}

Instance make_attention_backward(const Settings& s, std::uint64_t seed) {
  const GradientSizes z{s.integer("batch") * s.integer("heads"),
                        s.integer("seq"),
                        s.integer("head_dim"),
                        s.integer("bm"),
                        s.integer("bn"),
                        s.boolean("causal")};
  check_steps(z);
  const auto [heads, seq, head_dim, bm, bn, causal] = z;
  const DType in = s.dtype("dtype");
  const auto input = [&, head_dim = head_dim](const char* name, std::uint64_t stream) {
    return uniform_tensor(name, in, {z.rows(), head_dim}, seed, stream);
  };
  const auto output = [&, head_dim = head_dim](const char* name) {
    return make_tensor(name, in, {z.rows(), head_dim});
  };
  const Tensor q = input("q", 0), k = input("k", 1), v = input("v", 2), o = input("o", 3), d_o = input("do", 4),
               m = log2_sums(z, seed);
  const Tensor delta = make_tensor("delta", DType::float32, {heads, seq}), dq = output("dq"), dk = output("dk"),
               dv = output("dv");
  const float scale = 1 / std::sqrt(static_cast<float>(head_dim));
  const auto tiles = [head_dim = head_dim](const Tensor& t, std::int64_t rows) {
    return DescriptorArgument{t, {static_cast<int>(rows), static_cast<int>(head_dim)}};
  };
  const std::string source = "kernels/attention_backward.h";
  const LaunchOptions options{bn >= 128 ? 8 : 4, stages_or(s, 2)};
  constexpr std::int64_t rows_of_delta = 16;
  Instance instance;
  instance.inputs = {q, k, v, o, d_o};  // m is no free one: it makes weights of scores
  instance.outputs = {delta, dk, dv, dq};
  instance.launches = {
      make_launch<kernels::attention_delta_kernel>(source, {cdiv(z.rows(), rows_of_delta)}, {}, TensorArgument{o},
                                                   TensorArgument{d_o}, TensorArgument{delta}, integer(z.rows()),
                                                   constant(rows_of_delta), constant(head_dim)),
      make_launch<kernels::attention_dkdv_kernel>(
          source, {heads * cdiv(seq, bn)}, options, tiles(q, bm), tiles(k, bn), tiles(v, bn), tiles(d_o, bm),
          TensorArgument{m}, TensorArgument{delta}, TensorArgument{dk}, TensorArgument{dv}, integer(seq),
          FloatArgument{scale}, constant(bm), constant(bn), constant(head_dim), flag(causal)),
      make_launch<kernels::attention_dq_kernel>(source, {heads * cdiv(seq, bn)}, options, tiles(q, bn), tiles(k, bn),
                                                tiles(v, bn), tiles(d_o, bn), TensorArgument{m}, TensorArgument{delta},
                                                TensorArgument{dq}, integer(seq), FloatArgument{scale}, constant(bn),
                                                constant(bn), constant(head_dim), flag(causal))};
  instance.accumulates = DType::float32;
  const GradientErrors errors = gradient_errors(in, z);
  const double u = unit_roundoff(in);
  instance.tolerances = {{dot_error(head_dim, false), 0},
                         stored_as(in, {errors.ds, u}),
                         stored_as(in, {errors.p, u}),
                         stored_as(in, {errors.ds, u})};
  const Widened wide_q(q), wide_k(k), wide_v(v), wide_o(o), wide_do(d_o);
  instance.reference_at = reference_by_row(
      {1, head_dim, head_dim, head_dim}, [=, seq = seq, head_dim = head_dim, causal = causal](std::int64_t row) {
        const std::int64_t head = row / seq, first = head * seq * head_dim;
        const reference::AttentionBackward a = reference::attention_backward(
            {wide_q.data() + first, wide_k.data() + first, wide_v.data() + first, wide_o.data() + first,
             wide_do.data() + first, m.as<float>() + head * seq, seq, head_dim, static_cast<double>(scale), causal},
            row % seq);
        return Rows{{a.delta}, a.dk, a.dv, a.dq};
      });
  const double square = static_cast<double>(heads) * static_cast<double>(seq) * static_cast<double>(seq);
  instance.flops = 10 * square * static_cast<double>(head_dim) *
                   (causal ? 0.5 : 1);  // five products, as is the custom: two are made twice
  instance.bytes =
      static_cast<double>(z.rows() * head_dim) * 8 * size_in_bytes(in) + 12.0 * static_cast<double>(z.rows());
  return complete(std::move(instance));
}

// The fastest on an H100: what fills two warpgroups' registers.
std::vector<NamedValue> fast_steps(const Settings& s) {
  if (s.integer("seq") < 128) return {};
  return {{"bm", s.integer("head_dim") > 64 ? "64" : "128"}, {"bn", "128"}};
}

}  // namespace

Problem attention_backward() {
  return tuned(
      {"attention_backward",
       "flash attention, backward: dk and dv by blocks of keys, dq by blocks of queries",
       "kernels/attention_backward.h",
       {{"batch", "1", Setting::Kind::integer, "sequences", 1, 65536},
        {"heads", "2", Setting::Kind::integer, "heads a sequence", 1, 65536},
        {"seq", "256", Setting::Kind::integer, "queries and keys", 1, 1 << 20},
        {"head_dim", "64", Setting::Kind::integer, "elements of a query; a power of two", 16, 128, true},
        {"causal", "true", Setting::Kind::boolean, "whether a query sees only the keys up to its own"},
        {"bm", "64", Setting::Kind::integer, "queries a step of dk and dv; a power of two", 16, 128, true},
        {"bn", "64", Setting::Kind::integer, "keys a program of dk and dv, queries one of dq; a power of two", 16, 128,
         true},
        {"dtype", "f16", Setting::Kind::dtype, "of all but m and delta, which are f32", 0, 0, false, {"f16", "bf16"}},
        stages_setting()},
       make_attention_backward,
       {},
       fast_steps},
      tuned_by("bm=64,128 bn=64,128 stages=2,3"));
}

}  // namespace tl::problems
