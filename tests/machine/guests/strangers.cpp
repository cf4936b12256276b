// The strangers as problems.
#include "tests/machine/guests/strangers.h"

#include "tests/machine/guests/guest.h"

namespace tl::test {

namespace {

using namespace tl::problems;
using namespace tl::kernels;
using T = TensorArgument;
using V = std::vector<Tensor>;

constexpr const char* strangers_file = "tests/machine/guests/strangers.h";

const std::vector<Guest> strangers_table = {
    {"embedding_bag", "bags=8192 length=24 cols=192 vocab=200000 block=256 dtype=f16",
     [](const Settings& s, V& v) {
       const auto bags = s.integer("bags"), length = s.integer("length"), cols = s.integer("cols"),
                  b = s.integer("block");
       const Tensor t = zeros(v, "table", s.dtype("dtype"), {s.integer("vocab"), cols}),
                    i = indices(v, bags * length, s.integer("vocab"), true, DType::int64),
                    o = zeros(v, "out", s.dtype("dtype"), {bags, cols});
       return make_launch<embedding_bag_kernel>(strangers_file, {bags, cdiv(cols, b)}, {}, T{t}, T{i}, T{o},
                                                integer(cols), integer(length), constant(b));
     }},
    {"small_products", "batch=3000 m=48 n=80 k=32 bm=16 bn=32 dtype=f16",
     [](const Settings& s, V& v) {
       const auto z = s.integer("batch"), m = s.integer("m"), n = s.integer("n"), k = s.integer("k"),
                  bm = s.integer("bm"), bn = s.integer("bn");
       const Tensor a = zeros(v, "a", s.dtype("dtype"), {z, m, k}), b = zeros(v, "b", s.dtype("dtype"), {z, k, n}),
                    c = zeros(v, "c", DType::float16, {z, m, n});
       return make_launch<small_products_kernel>(strangers_file, {cdiv(n, bn), cdiv(m, bm), z}, {}, T{a}, T{b}, T{c},
                                                 integer(m), integer(n), constant(bm), constant(bn), constant(k));
     }},
    {"chunk_scan", "n=30000001 block=2048 dtype=f32",
     [](const Settings& s, V& v) {
       const auto n = s.integer("n"), b = s.integer("block");
       const Tensor x = zeros(v, "x", s.dtype("dtype"), {n}), t = zeros(v, "totals", DType::float32, {cdiv(n, b)}),
                    y = zeros(v, "y", s.dtype("dtype"), {n});
       return make_launch<chunk_scan_kernel>(strangers_file, {cdiv(n, b)}, {}, T{x}, T{y}, T{t}, integer(n),
                                             constant(b));
     }},
    {"group_norm", "images=32 channels=320 pixels=4096 group=8 block=256 dtype=f16",
     [](const Settings& s, V& v) {
       const auto images = s.integer("images"), channels = s.integer("channels"), pixels = s.integer("pixels"),
                  group = s.integer("group");
       const Tensor x = zeros(v, "x", s.dtype("dtype"), {images, channels, pixels}),
                    w = zeros(v, "w", DType::float32, {channels}),
                    y = zeros(v, "y", s.dtype("dtype"), {images, channels, pixels});
       return make_launch<group_norm_kernel>(strangers_file, {channels / group, images}, {}, T{x}, T{w}, T{y},
                                             integer(channels), integer(pixels), constant(group),
                                             constant(s.integer("block")));
     }},
    {"top_mask", "rows=20000 cols=1000 k=4",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), c = s.integer("cols");
       const Tensor x = zeros(v, "x", DType::float32, {r, c}), y = zeros(v, "y", DType::uint8, {r, c});
       return make_launch<top_mask_kernel>(strangers_file, {r}, {}, T{x}, T{y}, integer(c), constant(s.integer("k")),
                                           constant(next_power_of_2(c)));
     }},
    {"mean_pool", "rows=7000 cols=6000 br=8 bc=128 dtype=f32",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), c = s.integer("cols"), br = s.integer("br"), bc = s.integer("bc");
       const Tensor x = zeros(v, "x", s.dtype("dtype"), {r, c}), y = zeros(v, "y", s.dtype("dtype"), {r / 2, c / 2});
       return make_launch<mean_pool_kernel>(strangers_file, {cdiv(c / 2, bc), cdiv(r / 2, br)}, {}, T{x}, T{y},
                                            integer(r), integer(c), constant(br), constant(bc));
     }},
    {"swiglu", "rows=4096 d=11008 block=1024 dtype=bf16",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), d = s.integer("d"), b = s.integer("block");
       const Tensor x = zeros(v, "x", s.dtype("dtype"), {r, 2 * d}), y = zeros(v, "y", s.dtype("dtype"), {r, d});
       return make_launch<swiglu_kernel>(strangers_file, {cdiv(d, b), r}, {}, T{x}, T{y}, integer(d), constant(b));
     }},
    {"take_rows", "rows=100000 cols=129 vocab=1000000 dtype=f16",
     [](const Settings& s, V& v) {
       const auto rows = s.integer("rows"), cols = s.integer("cols");
       const Tensor t = zeros(v, "table", s.dtype("dtype"), {s.integer("vocab"), cols}),
                    i = indices(v, rows, s.integer("vocab"), false, DType::int64),
                    o = zeros(v, "out", s.dtype("dtype"), {rows, cols});
       return make_launch<take_rows_kernel>(strangers_file, {rows}, {}, T{t}, T{i}, T{o}, integer(cols),
                                            constant(next_power_of_2(cols)));
     }},
    {"float_histogram", "n=3000000 bins=1000 block=512",
     [](const Settings& s, V& v) {
       const auto n = s.integer("n"), b = s.integer("block");
       const Tensor x = zeros(v, "x", DType::float32, {n}), h = zeros(v, "bins", DType::int32, {s.integer("bins")});
       for (std::int64_t i = 0; i < n; ++i)
         x.as<float>()[i] =
             static_cast<float>(static_cast<double>(random_bits(9, static_cast<std::uint64_t>(i)) >> 40) * 0x1p-24);
       return make_launch<float_histogram_kernel>(strangers_file, {cdiv(n, b)}, {}, T{x}, T{h}, integer(n),
                                                  integer(s.integer("bins")), constant(b));
     }},
    {"nearest_centre", "n=1000000 k=64 d=32 block=128 dtype=f16",
     [](const Settings& s, V& v) {
       const auto n = s.integer("n"), k = s.integer("k"), d = s.integer("d"), b = s.integer("block");
       const Tensor p = zeros(v, "points", s.dtype("dtype"), {n, d}), c = zeros(v, "centres", s.dtype("dtype"), {k, d}),
                    w = zeros(v, "norms", DType::float32, {k}), y = zeros(v, "nearest", DType::int32, {n});
       return make_launch<nearest_centre_kernel>(strangers_file, {cdiv(n, b)}, {}, T{p}, T{c}, T{w}, T{y}, integer(n),
                                                 constant(b), constant(k), constant(d));
     }},
    {"interleave", "n=25000000 block=1024 dtype=f32",
     [](const Settings& s, V& v) {
       const auto n = s.integer("n"), b = s.integer("block");
       const Tensor a = zeros(v, "a", s.dtype("dtype"), {n}), c = zeros(v, "b", s.dtype("dtype"), {n}),
                    y = zeros(v, "y", s.dtype("dtype"), {2 * n});
       return make_launch<interleave_kernel>(strangers_file, {cdiv(n, b)}, {}, T{a}, T{c}, T{y}, integer(n),
                                             constant(b));
     }},
    {"planes", "n=20000000 block=1024 dtype=uint8",
     [](const Settings& s, V& v) {
       const auto n = s.integer("n"), b = s.integer("block");
       const Tensor x = zeros(v, "x", s.dtype("dtype"), {n, 3}), y = zeros(v, "y", s.dtype("dtype"), {3, n});
       return make_launch<planes_kernel>(strangers_file, {cdiv(n, b)}, {}, T{x}, T{y}, integer(n), constant(b));
     }},
    {"column_softmax", "rows=500 cols=40000 bc=32",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), c = s.integer("cols"), bc = s.integer("bc");
       const Tensor x = zeros(v, "x", DType::float32, {r, c}), y = zeros(v, "y", DType::float32, {r, c});
       return make_launch<column_softmax_kernel>(strangers_file, {cdiv(c, bc)}, {}, T{x}, T{y}, integer(r), integer(c),
                                                 constant(next_power_of_2(r)), constant(bc));
     }},
    {"adam", "n=20000000 block=1024",
     [](const Settings& s, V& v) {
       const auto n = s.integer("n"), b = s.integer("block");
       const Tensor g = zeros(v, "g", DType::bfloat16, {n}), m = zeros(v, "m", DType::float32, {n}),
                    u = zeros(v, "v", DType::float32, {n}), w = zeros(v, "w", DType::float32, {n});
       return make_launch<adam_kernel>(strangers_file, {cdiv(n, b)}, {}, T{g}, T{m}, T{u}, T{w}, integer(n),
                                       constant(b));
     }},
    {"quantize_rows", "rows=20000 cols=4000",
     [](const Settings& s, V& v) {
       const auto r = s.integer("rows"), c = s.integer("cols");
       const Tensor x = zeros(v, "x", DType::bfloat16, {r, c}), w = zeros(v, "scale", DType::float32, {r}),
                    q = zeros(v, "q", DType::uint8, {r, c});
       return make_launch<quantize_rows_kernel>(strangers_file, {r}, {}, T{x}, T{q}, T{w}, integer(c),
                                                constant(next_power_of_2(c)));
     }},
    {"causal_conv", "steps=16384 channels=3072 bt=16 bc=128 dtype=bf16",
     [](const Settings& s, V& v) {
       const auto t = s.integer("steps"), c = s.integer("channels"), bt = s.integer("bt"), bc = s.integer("bc");
       const Tensor x = zeros(v, "x", s.dtype("dtype"), {t, c}), w = zeros(v, "w", s.dtype("dtype"), {4, c}),
                    y = zeros(v, "y", s.dtype("dtype"), {t, c});
       return make_launch<causal_conv_kernel>(strangers_file, {cdiv(c, bc), cdiv(t, bt)}, {}, T{x}, T{w}, T{y},
                                              integer(t), integer(c), constant(bt), constant(bc));
     }},
};

}  // namespace

std::vector<Guest> strangers() { return strangers_table; }

}  // namespace tl::test
