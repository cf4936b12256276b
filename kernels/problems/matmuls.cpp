// Matrix multiplications by pointers: they differ in their kernel, their grid and in how f32 is multiplied.
#include "kernels/block_pointer_matmul.h"
#include "kernels/grouped_matmul.h"
#include "kernels/lecture_grouped_matmul.h"
#include "kernels/lecture_matmul.h"
#include "kernels/matmul.h"
#include "kernels/matmul_unmasked.h"
#include "kernels/problems/matmul_case.h"
#include "kernels/transposed_matmul.h"

namespace tl::problems {
namespace {

struct Product {
  std::string name, summary;
  Precision precision = Precision::tf32;
  int grid_axes = 2;  // 1: programs row by row of blocks
  bool b_is_nk = false;
  MatmulDefaults defaults = {};
  TileNeeds needs = {};
};
constexpr MatmulDefaults lecture_sizes{.m = 64, .n = 64, .k = 64, .bm = 16, .bn = 16, .bk = 16};

// The kernel's parameters: a, b, c, m, n, k, the strides of each, BM, BN, BK and what `More` names.
template <class Kernel, std::int64_t MatmulCase::*... More>
Problem product(const Product& p) {
  const std::string source = "kernels/" + p.name + ".h";
  const auto launch = [source, axes = p.grid_axes](const MatmulCase& c) {
    const Grid grid = axes == 1 ? Grid{c.blocks_m() * c.blocks_n()} : Grid{c.blocks_m(), c.blocks_n()};
    return make_launch<Kernel>(source, grid, c.options, TensorArgument{c.a}, TensorArgument{c.b}, TensorArgument{c.c},
                               integer(c.m), integer(c.n), integer(c.k), integer(c.k), integer(1),
                               integer(c.b_is_nk ? c.k : c.n), integer(1), integer(c.n), integer(1), constant(c.bm),
                               constant(c.bn), constant(c.bk), constant(c.*More)...);
  };
  return tuned(
      {.name = p.name,
       .summary = p.summary,
       .source = source,
       .settings = matmul_settings(p.defaults),
       .make = [p, launch](const Settings& s,
                           std::uint64_t seed) { return make_matmul(s, seed, p.precision, p.b_is_nk, launch); },
       .fast_on_gpu = [p](const Settings& s) { return fast_tiles(s, p.precision, p.needs); },
       .beyond_l2 = products_beyond_l2()},
      matmul_tuning(sizeof...(More) > 0));
}

}  // namespace

Problem block_pointer_matmul() {
  return product<kernels::block_pointer_matmul_kernel>(
      {.name = "block_pointer_matmul", .summary = "Z = X Y by block pointers", .needs = {.copies_b_n_major = true}});
}

Problem grouped_matmul() {
  return product<kernels::grouped_matmul_kernel, &MatmulCase::group_size>(
      {.name = "grouped_matmul",
       .summary = "C = A B, programs in groups that share L2; f32 is multiplied as tf32",
       .grid_axes = 1,
       .needs = {.copies_b_n_major = true}});
}

Problem lecture_grouped_matmul() {
  return product<kernels::lecture_grouped_matmul_kernel, &MatmulCase::group_size>(
      {.name = "lecture_grouped_matmul",
       .summary = "C = A B as the lecture's faster version writes it",
       .precision = Precision::ieee,
       .defaults = lecture_sizes});
}

Problem lecture_matmul() {
  return product<kernels::lecture_matmul_kernel>({.name = "lecture_matmul",
                                                  .summary = "C = A B as the lecture writes it, loads masked",
                                                  .precision = Precision::ieee,
                                                  .defaults = lecture_sizes});
}

Problem matmul() {
  return product<kernels::matmul_kernel>(
      {.name = "matmul",
       .summary = "C = A B, programs in row-major order; f32 is multiplied exactly (ieee)",
       .precision = Precision::ieee,
       .grid_axes = 1});
}

// On the lecture's own 3 x 4 by 4 x 5 example: blocks of 16 stick out and read beyond the tensors.
Problem matmul_unmasked() {
  Problem problem = product<kernels::matmul_unmasked_kernel>(
      {.name = "matmul_unmasked",
       .summary = "wrong on purpose: the lecture's loads without masks read outside A and B",
       .precision = Precision::ieee,
       .defaults = {.m = 3, .n = 5, .k = 4, .bm = 16, .bn = 16, .bk = 16}});
  problem.fast_on_gpu = {};
  problem.make = [make = problem.make](const Settings& s, std::uint64_t seed) {
    Instance instance = make(s, seed);
    const auto fits = [&](const char* size, const char* block) { return s.integer(size) % s.integer(block) == 0; };
    instance.wrong_on_purpose = !fits("m", "bm") || !fits("n", "bn") || !fits("k", "bk");
    return instance;
  };
  return problem;
}

Problem transposed_matmul() {
  return product<kernels::transposed_matmul_kernel>(
      {.name = "transposed_matmul",
       .summary = "Z = X Y by block pointers, Y stored transposed and turned back for the dot",
       .b_is_nk = true});
}

}  // namespace tl::problems
