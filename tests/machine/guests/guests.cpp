// The guests as problems: shapes and launches; what they compute is nobody's concern here, so tensors hold zeros and
// indices.
#include "tests/machine/guests/guests.h"

#include <string>

#include "tests/machine/guests/guest.h"
#include "tests/machine/guests/guest_products.h"
#include "tests/machine/guests/problems.h"

namespace tl::test {

namespace {

using namespace tl::problems;
using namespace tl::kernels;
using T = TensorArgument;

constexpr const char *file = "tests/machine/guests/guests.h", *products = "tests/machine/guests/guest_products.h";

using V = std::vector<Tensor>;

const std::vector<Guest> table = {
    {"gather_rows", "rows=65536 cols=300 vocab=100000 br=16 bc=64 skewed=0 dtype=f32",
     [](const Settings& s, V& v) {
       const auto rows = s.integer("rows"), cols = s.integer("cols"), br = s.integer("br"), bc = s.integer("bc");
       const Tensor t = zeros(v, "table", s.dtype("dtype"), {s.integer("vocab"), cols}),
                    i = indices(v, rows, s.integer("vocab"), s.integer("skewed") != 0),
                    o = zeros(v, "out", s.dtype("dtype"), {rows, cols});
       return make_launch<gather_rows_kernel>(file, {cdiv(rows, br), cdiv(cols, bc)}, {}, T{t}, T{i}, T{o},
                                              integer(cols), integer(rows), constant(br), constant(bc));
     }},
    {"scatter_rows", "rows=32768 cols=768 vocab=30000",
     [](const Settings& s, V& v) {
       const auto rows = s.integer("rows"), cols = s.integer("cols");
       const Tensor d = zeros(v, "dy", DType::float32, {rows, cols}), i = indices(v, rows, s.integer("vocab")),
                    g = zeros(v, "grad", DType::float32, {s.integer("vocab"), cols});
       return make_launch<scatter_rows_kernel>(file, {rows}, {}, T{d}, T{i}, T{g}, integer(cols),
                                               constant(next_power_of_2(cols)));
     }},
    {"histogram", "n=20000000 block=1024",
     [](const Settings& s, V& v) {
       const Tensor x = zeros(v, "x", DType::uint8, {s.integer("n")}), b = zeros(v, "bins", DType::int32, {256});
       for (std::int64_t i = 0; i < s.integer("n"); ++i)
         x.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(random_bits(5, static_cast<std::uint64_t>(i)));
       return make_launch<histogram_kernel>(file, {cdiv(s.integer("n"), s.integer("block"))}, {}, T{x}, T{b},
                                            integer(s.integer("n")), constant(s.integer("block")));
     }},
    {"matvec", "m=16384 k=8191 bm=32 bk=64 split=4",
     [](const Settings& s, V& v) {
       const auto m = s.integer("m"), k = s.integer("k"), bm = s.integer("bm"), bk = s.integer("bk"),
                  split = s.integer("split");
       const Tensor w = zeros(v, "w", DType::float16, {m, k}), x = zeros(v, "x", DType::float16, {k}),
                    y = zeros(v, "y", DType::float32, {m});
       return make_launch<matvec_kernel>(file, {cdiv(m, bm), split}, {}, T{w}, T{x}, T{y}, integer(m), integer(k),
                                         constant(bm), constant(bk), constant(split));
     }},
    {"rope_halves", "seq=8192 heads=16 d=128",
     [](const Settings& s, V& v) {
       const auto rows = s.integer("seq") * s.integer("heads"), d = s.integer("d");
       const Tensor x = zeros(v, "x", DType::float16, {rows, d}),
                    a = zeros(v, "angles", DType::float32, {s.integer("seq"), d / 2}),
                    y = zeros(v, "y", DType::float16, {rows, d});
       return make_launch<rope_halves_kernel>(file, {rows}, {}, T{x}, T{a}, T{y}, integer(s.integer("heads")),
                                              constant(d));
     }},
    {"conv1d", "n=40000000 block=1024 taps=5",
     [](const Settings& s, V& v) {
       const auto n = s.integer("n"), b = s.integer("block"), taps = s.integer("taps");
       const Tensor x = zeros(v, "x", DType::bfloat16, {n}), w = zeros(v, "w", DType::float32, {taps}),
                    y = zeros(v, "y", DType::bfloat16, {n});
       return make_launch<conv1d_kernel>(file, {cdiv(n, b)}, {}, T{x}, T{w}, T{y}, integer(n), constant(b),
                                         constant(taps));
     }},
    {"dequant_matmul", "m=2048 n=4096 k=4096 bm=64 bn=64 bk=32 dtype=uint8",
     [](const Settings& s, V& v) {
       const auto m = s.integer("m"), n = s.integer("n"), k = s.integer("k"), bm = s.integer("bm"),
                  bn = s.integer("bn"), bk = s.integer("bk");
       const Tensor a = zeros(v, "a", DType::float16, {m, k}), q = zeros(v, "q", s.dtype("dtype"), {k, n}),
                    sc = zeros(v, "scale", DType::float32, {n}), c = zeros(v, "c", DType::float16, {m, n});
       return make_launch<dequant_matmul_kernel>(products, {cdiv(m, bm), cdiv(n, bn)}, {}, T{a}, T{q}, T{sc}, T{c},
                                                 integer(m), integer(n), integer(k), constant(bm), constant(bn),
                                                 constant(bk));
     }},
    {"argmax_rows", "rows=30000 cols=1999",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), c = s.integer("cols");
       const Tensor x = zeros(v, "x", DType::float32, {r, c}), y = zeros(v, "y", DType::int32, {r});
       return make_launch<argmax_rows_kernel>(file, {r}, {}, T{x}, T{y}, integer(c), constant(next_power_of_2(c)));
     }},
    {"scan_rows", "rows=8192 cols=5000 br=4 bc=128",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), c = s.integer("cols"), br = s.integer("br");
       const Tensor x = zeros(v, "x", DType::float32, {r, c}), y = zeros(v, "y", DType::float32, {r, c});
       return make_launch<scan_rows_kernel>(file, {cdiv(r, br)}, {}, T{x}, T{y}, integer(r), integer(c), constant(br),
                                            constant(s.integer("bc")));
     }},
    {"stencil", "rows=6000 cols=7000 br=8 bc=128",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), c = s.integer("cols"), br = s.integer("br"), bc = s.integer("bc");
       const Tensor x = zeros(v, "x", DType::float32, {r, c}), y = zeros(v, "y", DType::float32, {r, c});
       return make_launch<stencil_kernel>(file, {cdiv(c, bc), cdiv(r, br)}, {}, T{x}, T{y}, integer(r), integer(c),
                                          constant(br), constant(bc));
     }},
    {"blur_rows", "rows=6000 cols=9001 block=1024",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), c = s.integer("cols"), b = s.integer("block");
       const Tensor x = zeros(v, "x", DType::uint8, {r + 2, c}), y = zeros(v, "y", DType::uint8, {r, c});
       return make_launch<blur_rows_kernel>(file, {cdiv(c, b), r}, {}, T{x}, T{y}, integer(c), constant(b));
     }},
    {"threshold", "n=100000000 block=4096",
     [](const Settings& s, V& v) {
       const auto n = s.integer("n"), b = s.integer("block");
       const Tensor x = zeros(v, "x", DType::uint8, {n}), y = zeros(v, "y", DType::uint8, {n});
       return make_launch<threshold_kernel>(file, {cdiv(n, b)}, {}, T{x}, T{y}, integer(n), constant(b));
     }},
    {"column_sum", "rows=20000 cols=5120 br=32 bc=32 dtype=f16",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), c = s.integer("cols"), br = s.integer("br"), bc = s.integer("bc");
       const Tensor x = zeros(v, "x", s.dtype("dtype"), {r, c}), y = zeros(v, "y", DType::float32, {c});
       return make_launch<column_sum_kernel>(file, {cdiv(c, bc)}, {}, T{x}, T{y}, integer(r), integer(c), constant(br),
                                             constant(bc));
     }},
    {"batched_matmul", "batch=24 m=1536 n=1024 k=512 bm=128 bn=64 bk=32 dtype=f16",
     [](const Settings& s, V& v) {
       const auto z = s.integer("batch"), m = s.integer("m"), n = s.integer("n"), k = s.integer("k"),
                  bm = s.integer("bm"), bn = s.integer("bn"), bk = s.integer("bk");
       const Tensor a = zeros(v, "a", s.dtype("dtype"), {z, m, k}), b = zeros(v, "b", s.dtype("dtype"), {z, k, n}),
                    c = zeros(v, "c", DType::float16, {z, m, n});
       return make_launch<batched_matmul_kernel>(products, {cdiv(n, bn), cdiv(m, bm), z}, {}, T{a}, T{b}, T{c},
                                                 integer(m), integer(n), integer(k), constant(bm), constant(bn),
                                                 constant(bk));
     }},
    {"split_k_matmul", "m=1024 n=1024 k=32768 split=8 bm=128 bn=128 bk=64 dtype=f16",
     [](const Settings& s, V& v) {
       const auto m = s.integer("m"), n = s.integer("n"), k = s.integer("k"), bm = s.integer("bm"),
                  bn = s.integer("bn"), bk = s.integer("bk"), split = s.integer("split");
       const Tensor a = zeros(v, "a", s.dtype("dtype"), {m, k}), b = zeros(v, "b", s.dtype("dtype"), {k, n}),
                    c = zeros(v, "c", DType::float32, {m, n});
       return make_launch<split_k_matmul_kernel>(products, {cdiv(n, bn), cdiv(m, bm), split}, {.num_warps = 8}, T{a},
                                                 T{b}, T{c}, integer(m), integer(n), integer(k), integer(k / split),
                                                 constant(bm), constant(bn), constant(bk));
     }},
    {"layernorm_backward", "rows=20000 cols=2000",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), c = s.integer("cols");
       const Tensor dy = zeros(v, "dy", DType::float16, {r, c}), x = zeros(v, "x", DType::float16, {r, c}),
                    w = zeros(v, "w", DType::float16, {c}), mean = zeros(v, "mean", DType::float32, {r}),
                    rstd = zeros(v, "rstd", DType::float32, {r}), dx = zeros(v, "dx", DType::float16, {r, c}),
                    dw = zeros(v, "dw", DType::float32, {c});
       return make_launch<layernorm_backward_kernel>(file, {r}, {}, T{dy}, T{x}, T{w}, T{mean}, T{rstd}, T{dx}, T{dw},
                                                     integer(c), constant(next_power_of_2(c)));
     }},
    {"power", "n=30000000 block=1024",
     [](const Settings& s, V& v) {
       const auto n = s.integer("n"), b = s.integer("block");
       const Tensor z = zeros(v, "z", DType::float32, {n, 2}), y = zeros(v, "y", DType::float32, {n});
       return make_launch<power_kernel>(file, {cdiv(n, b)}, {}, T{z}, T{y}, integer(n), constant(b));
     }},
    {"max_pool", "rows=8000 cols=9000 block=512",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), c = s.integer("cols"), b = s.integer("block");
       const Tensor x = zeros(v, "x", DType::float16, {r, c}), y = zeros(v, "y", DType::float16, {r / 2, c / 2});
       return make_launch<max_pool_kernel>(file, {cdiv(c / 2, b), r / 2}, {}, T{x}, T{y}, integer(c), constant(b));
     }},
    {"cross_entropy", "rows=2048 cols=50257 block=1024",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), c = s.integer("cols"), b = s.integer("block");
       const Tensor x = zeros(v, "x", DType::float16, {r, c}), l = indices(v, r, c),
                    y = zeros(v, "loss", DType::float32, {r});
       return make_launch<cross_entropy_kernel>(file, {r}, {}, T{x}, T{l}, T{y}, integer(c), constant(b));
     }},
    {"bias_gelu", "rows=9000 cols=6144 br=16 bc=128",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), c = s.integer("cols"), br = s.integer("br"), bc = s.integer("bc");
       const Tensor x = zeros(v, "x", DType::bfloat16, {r, c}), b = zeros(v, "bias", DType::bfloat16, {c}),
                    y = zeros(v, "y", DType::bfloat16, {r, c});
       return make_launch<bias_gelu_kernel>(file, {cdiv(r, br), cdiv(c, bc)}, {}, T{x}, T{b}, T{y}, integer(r),
                                            integer(c), constant(br), constant(bc));
     }},
    {"upsample", "rows=3000 cols=4000 block=1024 dtype=uint8",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), c = s.integer("cols"), b = s.integer("block");
       const Tensor x = zeros(v, "x", s.dtype("dtype"), {r, c}), y = zeros(v, "y", s.dtype("dtype"), {2 * r, 2 * c});
       return make_launch<upsample_kernel>(file, {cdiv(2 * c, b), 2 * r}, {}, T{x}, T{y}, integer(c), constant(b));
     }},
    {"turn", "m=8000 n=9000 bm=32 bn=128 dtype=uint8",
     [](const Settings& s, V& v) {
       const auto m = s.integer("m"), n = s.integer("n"), bm = s.integer("bm"), bn = s.integer("bn");
       const Tensor x = zeros(v, "x", s.dtype("dtype"), {m, n}), y = zeros(v, "y", s.dtype("dtype"), {n, m});
       return make_launch<turn_kernel>(file, {cdiv(m, bm), cdiv(n, bn)}, {}, T{x}, T{y}, integer(m), integer(n),
                                       constant(bm), constant(bn));
     }},
};

}  // namespace

const std::vector<Problem>& guests() {
  static const std::vector<Problem> problems = [] {
    std::vector<Problem> all;
    for (const Guest& g : table) all.push_back(problem_of(g));
    for (const Guest& g : strangers()) all.push_back(problem_of(g));
    return all;
  }();
  return problems;
}

}  // namespace tl::test
