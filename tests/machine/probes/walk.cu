// How far CTAs drift apart over a whole product: the loop of one over all of its panels, in the order of rows or of
// groups of rows; and how the CTAs of an SM share it for other tiles. Sizes and groups that no kernel is judged on.
#include <algorithm>

#include "panels.cuh"
#include "probe.cuh"
#include "product_loop.cuh"
#include "staged_loop.cuh"

struct Walks : Panels {
  template <int BM, int BN, int BK, int WARPS>
  void staged(const Order& o, int layers) {
    for (const int index_work : {8, 16})
      staged<BM, BN, BK, WARPS>(o, layers, BM * BN > 128 * 128 ? index_work + 8 : index_work);
  }
  template <int BM, int BN, int BK, int WARPS>
  void staged(const Order& o, int layers, int index_work) {
    const auto kernel = probe_matrices<BM, BN, BK, WARPS, 3>;
    auto r = roles_of(o);
    const int shared = std::max(3 * (BM + BN) * BK * 2, (226 / layers) * 1024 - 1024);
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    int fit = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, WARPS * 32, shared));
    set_roles(r);
    kernel<<<static_cast<int>(r.size()), WARPS * 32, shared>>>(a, b, c, o.length * BK * 2ll, o.columns * BN * 2ll,
                                                               index_work, roles, sm, stamps, cycles);
    report("walk", index_work, BM, BN, BK, WARPS, fit, o, double(r.size()) * o.length * (BM + BN) * BK * 2,
           stamped(static_cast<int>(r.size()), 2, true));
  }
  // Resident CTAs, each its own tiles out of L2: how an SM is shared.
  template <int BM, int BN, int BK, int WARPS>
  void own(int layers) {
    const auto kernel = probe_staged<BM, BN, BK, WARPS, 3>;
    const int shared = std::max(3 * (BM + BN) * BK * 2, (226 / layers) * 1024 - 1024), every = 64, iterations = 1024;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    int fit = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, WARPS * 32, shared));
    std::vector<Role> r;
    for (int i = 0; i < 132 * fit; ++i) r.push_back({2 * i, 2 * i, 2, iterations});
    set_roles(r);
    kernel<<<132 * fit, WARPS * 32, shared>>>(a, b, roles, true, arrived, sm, stamps, every);
    report("own", 0, BM, BN, BK, WARPS, fit, {0, 0, iterations, 0}, double(r.size()) * iterations * (BM + BN) * BK * 2,
           stamped(132 * fit, iterations / every));
  }
  void report(const char* kind, int index_work, int bm, int bn, int bk, int warps, int layers, const Order& o,
              double requested, const std::string& rest) {
    print_launch(std::string("{\"kind\": \"") + kind +
                 "\", \"route\": \"staged\", \"index_work\": " + std::to_string(index_work) + ", \"tile\": [" +
                 std::to_string(bm) + "," + std::to_string(bn) + "," + std::to_string(bk) +
                 "], \"warps\": " + std::to_string(warps) + ", \"layers\": " + std::to_string(layers) +
                 ", \"rows\": " + std::to_string(o.rows) + ", \"columns\": " + std::to_string(o.columns) +
                 ", \"length\": " + std::to_string(o.length) + ", \"group\": " + std::to_string(o.group) +
                 ", \"requested_bytes\": " + std::to_string(requested) + rest + "}");
  }
};

int main() {
  Walks w;
  for (int n : {52, 57, 62, 65, 68, 71, 75, 84, 100}) w.staged<128, 128, 64, 8>({n, n, 2 * n, 1}, 2);
  w.staged<128, 128, 64, 8>({50, 74, 90, 1}, 2), w.staged<128, 128, 64, 8>({90, 62, 70, 1}, 2),
      w.staged<128, 128, 64, 8>({48, 42, 260, 1}, 2);
  for (int group : {5, 12, 28})
    w.staged<128, 128, 64, 8>({68, 68, 136, group}, 2), w.staged<128, 128, 64, 8>({100, 100, 200, group}, 2);
  for (int n : {36, 39, 42, 45, 48, 51, 54, 57, 60}) w.staged<128, 256, 64, 8>({2 * n, n, 4 * n, 1}, 1);
  w.staged<128, 256, 64, 8>({70, 66, 200, 1}, 1);
  for (int group : {5, 20, 36}) w.staged<128, 256, 64, 8>({108, 54, 216, group}, 1);
  w.staged<64, 128, 64, 4>({100, 50, 100, 1}, 3), w.staged<64, 128, 64, 4>({66, 33, 130, 1}, 3),
      w.staged<64, 128, 64, 4>({140, 70, 140, 1}, 3), w.staged<64, 128, 64, 4>({100, 50, 100, 10}, 3);
  w.staged<128, 128, 32, 8>({60, 60, 240, 1}, 2), w.staged<128, 128, 32, 8>({60, 60, 240, 12}, 2);
  w.staged<128, 64, 32, 4>({50, 100, 200, 6}, 4), w.staged<64, 256, 64, 8>({120, 30, 120, 1}, 1);
  w.own<64, 128, 64, 4>(3), w.own<64, 128, 64, 4>(2), w.own<128, 128, 32, 8>(2), w.own<128, 64, 32, 4>(4),
      w.own<64, 64, 64, 4>(4), w.own<128, 128, 64, 8>(2);
  CHECK(cudaDeviceSynchronize());
}
