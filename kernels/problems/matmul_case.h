// What all matrix multiplications share: settings, tensors, reference, tolerance, peers. A file adds its kernel, grid
// and arguments.
#pragma once

#include "kernels/problems/build.h"

namespace tl::problems {

struct MatmulCase {
  std::int64_t m = 0, n = 0, k = 0, bm = 0, bn = 0, bk = 0, group_size = 1;
  LaunchOptions options;
  bool b_is_nk = false;  // B stored n x k
  Tensor a, b, c;

  std::int64_t blocks_m() const { return cdiv(m, bm); }
  std::int64_t blocks_n() const { return cdiv(n, bn); }
};

enum class Precision { tf32, ieee };  // how the kernel multiplies f32

// m, n, k, bm, bn, bk, group_size, stages, warps, dtype with their defaults: `size` for m, n, k; `block` for bm, bn,
// bk. Of 0 stages the kernel's file makes what fits.
struct MatmulDefaults {
  std::int64_t m = 256, n = 256, k = 256, bm = 64, bn = 64, bk = 32, group_size = 8;
  int warps = 4, stages = 3;
};
std::vector<Setting> matmul_settings(const MatmulDefaults& defaults = {});

// Row by row each row of blocks reads all 64 MiB of B again; tiles are so large that DRAM sets the time.
inline std::vector<std::string> products_beyond_l2() {
  return {"m=2048", "n=16384", "k=2048", "bm=128", "bn=128", "bk=128", "warps=8"};
}

// What a kernel asks of its tile.
struct TileNeeds {
  int accumulators = 1;  // blocks of bm x bn that a program holds at once: two of the largest tile fit no registers
  bool copies_b_n_major = false;  // by cp.async: f32 goes by four bytes then, so that a narrow tile of b is faster
};
// bm, bn, bk, warps, stages for a Hopper GPU: of a few tiles the one whose programs fill the chip best, by what each
// reaches where they fill it (H200).
std::vector<NamedValue> fast_tiles(const Settings& s, Precision precision, TileNeeds needs = {});

// The lecture's eight configs, tiles of `fast_tiles`, and small ones for small matrices.
Tuning matmul_tuning(bool grouped = false);

Instance make_matmul(const Settings& s, std::uint64_t seed, Precision precision, bool b_is_nk,
                     const std::function<Launch(const MatmulCase&)>& launch);

}  // namespace tl::problems
