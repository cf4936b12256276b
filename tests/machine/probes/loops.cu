// Loops as kernels have them, over all the panels of a product as in walk.cu, of sizes and orders that nothing is
// judged on: by tensor maps and wgmma, a CTA writing its tile out while the next panels are on their way; and by loads
// to registers. What L2 and DRAM counted, and how CTAs kept in step.
#include <algorithm>

#include "panels.cuh"
#include "persistent_loop.cuh"
#include "probe.cuh"
#include "product_loop.cuh"
#include "tensor_map.cuh"

struct Loops : Panels {
  template <class Kernel>
  int resident(Kernel kernel, int threads, int shared) {
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    int fit = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, shared));
    return fit;
  }
  template <int BN>
  void mapped(const Order& o) {
    const int tiles = o.rows * o.columns, ctas = 132, shared = bulk_stages * (128 + BN) * 128 + 32768;
    const int fit = resident(probe_mapped<BN>, 384, shared);
    set_roles({});
    const auto of_a = map_of(a, o.length * 64, o.rows * 128, 64, 128, CU_TENSOR_MAP_SWIZZLE_128B),
               of_b = map_of(b, o.length * 64, o.columns * BN, 64, BN, CU_TENSOR_MAP_SWIZZLE_128B);
    const auto of_c = map_of(c, o.columns * BN, o.rows * 128, 128, 64, CU_TENSOR_MAP_SWIZZLE_NONE);
    probe_mapped<BN><<<ctas, 384, shared>>>(of_a, of_b, of_c, o, sm, stamps, cycles);
    report("walk", "mapped", 128, BN, 64, 8, fit, o, double(tiles) * o.length * (128 + BN) * 128, ctas,
           std::min(tiles / ctas, stamps_a_cta), true);
  }
  template <int BM, int BN, int BK, int WARPS>
  void registers(const Order& o, int layers) {
    const int shared = (226 / layers) * 1024 - 1024,
              fit = resident(probe_registers<BM, BN, BK, WARPS>, WARPS * 32, shared);
    auto r = roles_of(o);
    set_roles(r);
    probe_registers<BM, BN, BK, WARPS>
        <<<static_cast<int>(r.size()), WARPS * 32, shared>>>(a, b, roles, false, arrived, sm, stamps, o.length - 1);
    report("walk", "registers", BM, BN, BK, WARPS, fit, o, double(r.size()) * o.length * (BM + BN) * BK * 2,
           static_cast<int>(r.size()), 2);
  }
  // All resident from the start: CTA i reads A's panel i % rows and B's panel i / rows.
  void together(int rows, int layers) {
    const int shared = (226 / layers) * 1024 - 1024, fit = resident(probe_registers<128, 128, 64, 8>, 256, shared),
              ctas = 132 * fit;
    std::vector<Role> r;
    for (int i = 0; i < ctas; ++i) r.push_back({i % rows * 512ll, i / rows * 512ll, 512, 512});
    set_roles(r);
    probe_registers<128, 128, 64, 8><<<ctas, 256, shared>>>(a, b, roles, true, arrived, sm, stamps, 8);
    report("rows", "registers", 128, 128, 64, 8, fit, {rows, 0, 512, 0}, double(ctas) * 512 * 32768, ctas, 64);
  }
  void report(const char* kind, const char* route, int bm, int bn, int bk, int warps, int layers, const Order& o,
              double requested, int ctas, int count, bool has_cycles = false) {
    print_launch(std::string("{\"kind\": \"") + kind + "\", \"route\": \"" + route + "\", \"tile\": [" +
                 std::to_string(bm) + "," + std::to_string(bn) + "," + std::to_string(bk) +
                 "], \"warps\": " + std::to_string(warps) + ", \"layers\": " + std::to_string(layers) +
                 ", \"rows\": " + std::to_string(o.rows) + ", \"columns\": " + std::to_string(o.columns) +
                 ", \"length\": " + std::to_string(o.length) + ", \"group\": " + std::to_string(o.group) +
                 ", \"requested_bytes\": " + std::to_string(requested) + stamped(ctas, count, has_cycles) + "}");
  }
};

int main() {
  Loops l;
  for (int n : {25, 29, 33, 37, 41, 46, 52, 59}) l.mapped<256>({2 * n, n, 4 * n, 1});
  l.mapped<256>({60, 46, 90, 1});
  l.mapped<256>({90, 22, 90, 1});
  l.mapped<256>({50, 40, 240, 1});
  for (int group : {3, 10, 22}) l.mapped<256>({74, 37, 148, group});
  for (int group : {2, 5, 14, 30}) l.mapped<256>({118, 59, 236, group});
  for (int n : {46, 58, 74}) l.mapped<128>({n, n, 2 * n, 1});
  for (int group : {5, 20}) l.mapped<128>({74, 74, 148, group});
  for (int layers : {1, 2}) {
    for (int n : {27, 38, 54}) l.registers<128, 128, 64, 8>({n, n, 2 * n, 1}, layers);
    for (int group : {3, 6, 13}) l.registers<128, 128, 64, 8>({54, 54, 108, group}, layers);
    for (int rows : {4, 8, 16, 32}) l.together(rows, layers);
  }
  l.registers<128, 128, 32, 8>({46, 46, 184, 1}, 2), l.registers<128, 128, 32, 8>({46, 46, 184, 9}, 2);
  l.registers<64, 128, 64, 4>({90, 45, 90, 1}, 3), l.registers<64, 128, 64, 4>({90, 45, 90, 6}, 3);
  l.registers<64, 64, 64, 4>({70, 70, 70, 1}, 4), l.registers<64, 64, 64, 4>({70, 70, 70, 8}, 4);
  CHECK(cudaDeviceSynchronize());
}
