// How far CTAs drift apart over a whole product: the loop of one over all of its panels, in the order of rows or of groups of rows; and how the CTAs of an SM
// share it for other tiles. Sizes and groups that no kernel is judged on.
#include <algorithm>

#include "probe.cuh"
#include "product_loop.cuh"

struct Walks {
  static constexpr int most = 16384;
  size_t bytes = size_t(1) << 30;
  char* a = device_array<char>(bytes);
  char* b = device_array<char>(bytes);
  Role* roles = device_array<Role>(most);
  unsigned* arrived = device_array<unsigned>(4);
  int* sm = device_array<int>(most);
  unsigned long long* stamps = device_array<unsigned long long>(size_t(most) * stamps_a_cta);

  Walks() {
    fill<<<1024, 256>>>(reinterpret_cast<__half*>(a), bytes / 2);
    fill<<<1024, 256>>>(reinterpret_cast<__half*>(b), bytes / 2);
  }
  void give(const std::vector<Role>& r) {
    CHECK(cudaMemcpy(roles, r.data(), r.size() * sizeof(Role), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(arrived, 0, 4));
    CHECK(cudaMemset(stamps, 0, size_t(most) * stamps_a_cta * 8));
  }
  // Of each CTA its SM and `count` stamps.
  std::string stamped(int ctas, int count) {
    CHECK(cudaGetLastError());
    const auto s = to_host(stamps, size_t(ctas) * stamps_a_cta);
    const auto where = to_host(sm, ctas);
    unsigned long long first = ~0ull;
    for (int i = 0; i < ctas; ++i) first = std::min(first, s[size_t(i) * stamps_a_cta]);
    std::string text = ", \"sm\": [";
    for (int i = 0; i < ctas; ++i) text += (i ? "," : "") + std::to_string(where[i]);
    text += "], \"stamps_ns\": [";
    for (int k = 0; k < count; ++k) {
      text += k ? ",[" : "[";
      for (int i = 0; i < ctas; ++i) text += (i ? "," : "") + std::to_string(static_cast<long long>(s[size_t(i) * stamps_a_cta + k] - first));
      text += "]";
    }
    return text + "]";
  }

  template <int BM, int BN, int BK, int WARPS>
  void staged(const Order& o, int layers) {
    const auto kernel = probe_staged<BM, BN, BK, WARPS, 3>;
    auto r = roles_of(o);
    const int shared = std::max(3 * (BM + BN) * BK * 2, (226 / layers) * 1024 - 1024);
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    int fit = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, WARPS * 32, shared));
    give(r);
    kernel<<<static_cast<int>(r.size()), WARPS * 32, shared>>>(a, b, roles, false, arrived, sm, stamps, o.length - 1);
    say("walk", false, BM, BN, BK, WARPS, fit, o, double(r.size()) * o.length * (BM + BN) * BK * 2, stamped(static_cast<int>(r.size()), 2));
  }
  template <int BN>
  void bulk(const Order& o) {
    auto r = roles_of(o);
    const int tiles = static_cast<int>(r.size()), ctas = 132, waves = (tiles + ctas - 1) / ctas, shared = 4 * (128 + BN) * 128;
    for (int i = 0; i < ctas; ++i) r[i].iterations = o.length * ((tiles - i + ctas - 1) / ctas);
    CHECK(cudaFuncSetAttribute(probe_bulk<BN>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    give(r);
    probe_bulk<BN><<<ctas, 384, shared>>>(a, b, roles, false, arrived, sm, stamps, o.length);
    say("walk", true, 128, BN, 64, 8, 1, o, double(tiles) * o.length * (128 + BN) * 128, stamped(ctas, std::min(waves, stamps_a_cta)));
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
    give(r);
    kernel<<<132 * fit, WARPS * 32, shared>>>(a, b, roles, true, arrived, sm, stamps, every);
    say("own", false, BM, BN, BK, WARPS, fit, {0, 0, iterations, 0}, double(r.size()) * iterations * (BM + BN) * BK * 2, stamped(132 * fit, iterations / every));
  }
  void say(const char* kind, bool bulk, int bm, int bn, int bk, int warps, int layers, const Order& o, double requested, const std::string& rest) {
    launched(std::string("{\"kind\": \"") + kind + "\", \"bulk\": " + std::to_string(bulk) + ", \"tile\": [" + std::to_string(bm) + "," + std::to_string(bn) + "," + std::to_string(bk) +
             "], \"warps\": " + std::to_string(warps) + ", \"layers\": " + std::to_string(layers) + ", \"rows\": " + std::to_string(o.rows) + ", \"columns\": " +
             std::to_string(o.columns) + ", \"length\": " + std::to_string(o.length) + ", \"group\": " + std::to_string(o.group) + ", \"requested_bytes\": " +
             std::to_string(requested) + rest + "}");
  }
};

int main() {
  Walks w;
  for (int n : {52, 68, 84, 100}) w.staged<128, 128, 64, 8>({n, n, 2 * n, 1}, 2);
  for (int group : {5, 12, 28}) w.staged<128, 128, 64, 8>({68, 68, 136, group}, 2), w.staged<128, 128, 64, 8>({100, 100, 200, group}, 2);
  for (int n : {36, 52}) w.staged<128, 256, 64, 8>({2 * n, n, 4 * n, 1}, 1);
  for (int group : {5, 20, 36}) w.staged<128, 256, 64, 8>({104, 52, 208, group}, 1);
  for (int n : {28, 35, 42, 52, 60}) w.bulk<256>({2 * n, n, 4 * n, 1});
  for (int group : {5, 20, 36}) w.bulk<256>({70, 35, 140, group}), w.bulk<256>({120, 60, 240, group});
  for (int n : {44, 70}) w.bulk<128>({n, n, 2 * n, 1});
  for (int group : {6, 24, 36}) w.bulk<128>({70, 70, 140, group});
  w.staged<64, 128, 64, 4>({100, 50, 100, 1}, 3), w.staged<64, 128, 64, 4>({100, 50, 100, 10}, 3);
  w.staged<128, 128, 32, 8>({60, 60, 240, 1}, 2), w.staged<128, 128, 32, 8>({60, 60, 240, 12}, 2);
  w.staged<128, 64, 32, 4>({50, 100, 200, 6}, 4), w.staged<64, 256, 64, 8>({120, 30, 120, 1}, 1);
  w.own<64, 128, 64, 4>(3), w.own<64, 128, 64, 4>(2), w.own<128, 128, 32, 8>(2), w.own<128, 64, 32, 4>(4), w.own<64, 64, 64, 4>(4), w.own<128, 128, 64, 8>(2);
  CHECK(cudaDeviceSynchronize());
}
