// o = softmax(scale q k^T) v, causal or full, heads one below the other: q, k, v and o are [batch * heads * seq,
// head_dim].
#include "kernels/attention.h"

#include <cmath>

#include "kernels/peers/peers.h"
#include "kernels/problems/build.h"
#include "kernels/problems/chip.h"
#include "kernels/reference/attention.h"

namespace tl::problems {
namespace {

struct Sizes {
  std::int64_t heads, seq, head_dim, bm, bn;  // heads: of all batches
  bool causal;
};

void check_fit(const Sizes& z) {
  if (z.causal && z.bm % z.bn)
    throw Error("bm=" + std::to_string(z.bm) + " is not a multiple of bn=" + std::to_string(z.bn) +
                    ": causal attention walks the diagonal block in steps of bn",
                "choose bn=" + std::to_string(z.bm));
}

// What may differ: scores by `score` (in units of log2), p and v by a relative `rounding` each. o is a mean of v, |v|
// <= 1, weighted by p, so it moves by at most ln 2 * 2 * score + 2 * rounding, beside what f32 loses on the way.
struct Errors {
  double score, rounding;
  double o() const { return 2 * 0.694 * score + 2 * rounding + 1e-5; }
};
Errors errors_of(DType in, std::int64_t head_dim, Tf32 tf32) {
  const double to_log2 = 1.4427 / std::sqrt(static_cast<double>(head_dim));
  // f32 goes through tf32 on its way into the products; narrower inputs are exact there, and p is rounded to their
  // dtype
  if (in == DType::float32 && tf32 == Tf32::truncated)
    return {truncated_tf32_dot_error(head_dim) * to_log2, tf32_truncation};
  if (in == DType::float32) return {tf32_dot_error(head_dim) * to_log2, tf32_roundoff};
  return {dot_error(head_dim, true) * to_log2 + 1e-6, unit_roundoff(in) / 2};  // only p is rounded
}

Instance make_attention(const Settings& s, std::uint64_t seed) {
  const Sizes z{s.integer("batch") * s.integer("heads"),
                s.integer("seq"),
                s.integer("head_dim"),
                s.integer("bm"),
                s.integer("bn"),
                s.boolean("causal")};
  check_fit(z);
  const auto [heads, seq, head_dim, bm, bn, causal] = z;
  const DType dtype = s.dtype("dtype"), in = is_fp8(dtype) ? DType::float16 : dtype, out = out_or(s, dtype);
  const std::vector<std::int64_t> shape{heads * seq, head_dim};
  const Tensor q = uniform_tensor("q", in, shape, seed, 0), k = uniform_tensor("k", in, shape, seed, 1),
               v = uniform_tensor("v", in, shape, seed, 2);
  const Tensor m = make_tensor("m", DType::float32, {heads, seq}), o = make_tensor("o", out, shape);
  const float scale = 1 / std::sqrt(static_cast<float>(head_dim));
  const auto tile = [head_dim = head_dim](std::int64_t rows) {
    return std::vector<int>{static_cast<int>(rows), static_cast<int>(head_dim)};
  };
  const std::int64_t tiles = cdiv(seq, bm) * heads, programs = s.integer("programs");
  Instance instance;
  instance.inputs = {q, k, v};
  instance.outputs = {m, o};
  instance.launches = {make_launch<kernels::attention_kernel>(
      "kernels/attention.h", {programs ? std::min(programs, tiles) : tiles},
      {bm >= 256   ? 16
       : bm >= 128 ? 8
                   : 4,
       stages_or(s, head_dim > 64 || bm >= 256 ? 2 : 3)},
      DescriptorArgument{q, tile(bm)}, DescriptorArgument{k, tile(bn)}, DescriptorArgument{v, tile(bn)},
      TensorArgument{m}, DescriptorArgument{o, tile(bm)}, TensorArgument{o}, integer(heads), integer(seq),
      FloatArgument{scale}, constant(bm), constant(bn), constant(head_dim), flag(causal),
      flag(seq % bm == 0 && seq % bn == 0 && head_dim <= 128))};
  instance.accumulates = DType::float32;
  const auto tolerances = [&, head_dim = head_dim](Tf32 tf32) {
    const Errors errors = errors_of(in, head_dim, tf32);
    return std::vector<Tolerance>{{errors.score + 1e-5, 1e-6}, stored_as(out, {errors.o(), 0})};
  };
  instance.tolerances = tolerances(Tf32::rounded);
  if (in == DType::float32) instance.truncated_tolerances = tolerances(Tf32::truncated);
  const Widened wide_q(q), wide_k(k), wide_v(v);
  instance.reference_at =
      reference_by_row({1, head_dim}, [=, seq = seq, head_dim = head_dim, causal = causal](std::int64_t row) {
        const std::int64_t head = row / seq, first = head * seq * head_dim;
        const reference::Attention a =
            reference::attention(wide_q.data() + row * head_dim, wide_k.data() + first, wide_v.data() + first,
                                 causal ? row % seq + 1 : seq, head_dim, static_cast<double>(scale));
        return Rows{{a.log2_sum}, a.o};
      });
  const double square = static_cast<double>(heads) * static_cast<double>(seq) * static_cast<double>(seq);
  instance.flops = 4 * square * static_cast<double>(head_dim) * (causal ? 0.5 : 1);
  instance.bytes = static_cast<double>(heads * seq * head_dim) * (3 * size_in_bytes(in) + size_in_bytes(out)) +
                   4.0 * static_cast<double>(heads * seq);
  if (peers::supports(out) && out == in)
    instance.cpu_peer = eigen_peer("Eigen", [=, heads = heads, seq = seq, head_dim = head_dim, causal = causal,
                                             peer_o = clone(o)](int threads) {
      peers::attention(in, q.data(), k.data(), v.data(), peer_o.data(), heads, seq, head_dim, scale, causal, threads);
    });
  return complete(std::move(instance));
}

// On Hopper: warpgroups of 64 queries each, four where the registers hold their rows, and programs that go on to the
// next block while the last one is stored; but for long causal rows of two warpgroups, whose blocks differ so much that
// the chip does better to hand them out one by one.
std::vector<NamedValue> fast_settings(const Settings& s) {
  if (s.dtype("dtype") == DType::float32 || s.integer("seq") < 128) return {};
  if (s.integer("head_dim") <= 64 && s.integer("seq") >= 256)
    return {{"bm", "256"}, {"bn", "64"}, {"programs", std::to_string(chip().sms)}};
  const bool persistent = !s.boolean("causal") || s.integer("seq") <= 4096;
  return {{"bm", "128"},
          {"bn", s.integer("head_dim") > 128 ? "64" : "128"},
          {"programs", std::to_string(persistent ? chip().sms : 0)}};
}

// As many programs as share the blocks of queries best; and what causal attention walks evenly.
Tuning attention_tuning() {
  Tuning tuning = tuned_by("bm=64,128 bn=32,64,128 stages=2,3,4 warps=4,8; bm=256 bn=32,64 stages=2,3 warps=16");
  tuning.top_k = 16;  // the model does not know how well four warpgroups hide each other's waits
  tuning.heuristics = {{"programs", [](const Settings& s) {
                          const bool persistent =
                              !s.boolean("causal") || s.integer("seq") <= 4096 || s.integer("bm") >= 256;
                          return std::to_string(persistent ? chip().sms : 0);
                        }}};
  tuning.refuse = [](const Settings& s) -> std::string {
    if (!s.boolean("causal") || s.integer("bm") % s.integer("bn") == 0) return "";
    return "causal attention walks the diagonal block in steps of bn, and bm=" + s.text("bm") +
           " is not a multiple of bn=" + s.text("bn");
  };
  return tuning;
}

}  // namespace

Problem attention() {
  return tuned({"attention",
                "flash attention, forward: online softmax over key blocks",
                "kernels/attention.h",
                {{"batch", "1", Setting::Kind::integer, "sequences", 1, 65536},
                 {"heads", "2", Setting::Kind::integer, "heads a sequence", 1, 65536},
                 {"seq", "256", Setting::Kind::integer, "queries and keys", 1, 1 << 20},
                 {"head_dim", "64", Setting::Kind::integer, "elements of a query; a power of two", 1, 256, true},
                 {"causal", "true", Setting::Kind::boolean, "whether a query sees only the keys up to its own"},
                 {"bm", "64", Setting::Kind::integer, "queries a program; a power of two", 1, 256, true},
                 {"bn", "64", Setting::Kind::integer, "keys a step; a power of two", 1, 256, true},
                 {"programs", "0", Setting::Kind::integer, "that share the blocks of queries; 0: one each", 0, 1 << 20},
                 {"dtype",
                  "f16",
                  Setting::Kind::dtype,
                  "of q, k, v and o; fp8: of o alone, the rest f16",
                  0,
                  0,
                  false,
                  {"f16", "bf16", "f32", "f8e4nv", "f8e5"}},
                 out_setting("of o alone; without one, as dtype says"),
                 stages_setting()},
                make_attention,
                {},
                fast_settings},
               attention_tuning());
}

}  // namespace tl::problems
