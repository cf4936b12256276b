// How evenly CTAs advance: the loop of a product (tiles through a ring of shared memory into the tensor cores), without
// the order of one. Which tiles a CTA reads is given: its own few, again and again, out of L2; or panels that it shares
// with others, out of DRAM. Stamps report how far each CTA is; counters, which requests were merged on the way.
#include "probe.cuh"
#include "product_loop.cuh"

int main(int argc, char** argv) {
  const bool with_stamps = argc < 2;  // an argument: under ncu, without stamps in the report
  const size_t bytes = size_t(3) << 30;
  auto* a = device_array<char>(bytes);
  auto* b = device_array<char>(bytes);
  fill<<<1024, 256>>>(reinterpret_cast<__half*>(a), bytes / 2);
  fill<<<1024, 256>>>(reinterpret_cast<__half*>(b), bytes / 2);
  auto* roles = device_array<Role>(1024);
  auto* arrived = device_array<unsigned>(4);
  auto* sm = device_array<int>(1024);
  auto* stamps = device_array<unsigned long long>(1024 * stamps_a_cta);
  const auto run = [&](const std::string& what, bool bulk, int bn, int layers, const std::vector<Role>& r) {
    const int ctas = 132 * layers, iterations = r[0].iterations, every = (iterations + stamps_a_cta - 1) / stamps_a_cta;
    CHECK(cudaMemcpy(roles, r.data(), r.size() * sizeof(Role), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(arrived, 0, 4));
    constexpr int a_bytes = 16384;
    const int shared = bulk ? 4 * (a_bytes + bn * 128) : layers > 1 ? (226 / layers) * 1024 : 3 * (a_bytes + bn * 128);
    const auto launch = [&](auto kernel) {
      CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
      kernel<<<ctas, bulk ? 384 : 256, shared>>>(a, b, roles, true, arrived, sm, stamps, every);
    };
    if (bulk) bn == 256 ? launch(probe_bulk<256>) : launch(probe_bulk<128>);
    else bn == 256 ? launch(probe_staged<128, 256, 64, 8, 3>) : launch(probe_staged<128, 128, 64, 8, 3>);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::string extra;
    if (with_stamps) {
      const auto s = to_host(stamps, size_t(ctas) * stamps_a_cta);
      const auto where = to_host(sm, ctas);
      extra = ", \"every\": " + std::to_string(every) + ", \"sm\": [";
      for (int i = 0; i < ctas; ++i) extra += (i ? "," : "") + std::to_string(where[i]);
      unsigned long long first = s[0];
      for (int i = 0; i < ctas; ++i) first = s[size_t(i) * stamps_a_cta] < first ? s[size_t(i) * stamps_a_cta] : first;
      extra += "], \"stamps_ns\": [";
      for (int k = 0; k * every < iterations; ++k) {
        extra += k ? ",[" : "[";
        for (int i = 0; i < ctas; ++i)
          extra += (i ? "," : "") + std::to_string(s[size_t(i) * stamps_a_cta + k] - first);
        extra += "]";
      }
      extra += "]";
    }
    print_launch("{\"kind\": \"pace\", \"roles\": \"" + what + "\", \"bulk\": " + std::to_string(bulk) +
                 ", \"bn\": " + std::to_string(bn) + ", \"layers\": " + std::to_string(layers) +
                 ", \"iterations\": " + std::to_string(iterations) + ", \"requested_bytes\": " +
                 std::to_string(double(ctas) * iterations * (16384 + bn * 128)) + extra + "}");
  };
  struct Kind {
    bool bulk;
    int bn, layers;
  };
  for (const Kind k :
       {Kind{false, 128, 2}, Kind{false, 128, 1}, Kind{false, 256, 1}, Kind{true, 128, 1}, Kind{true, 256, 1}}) {
    const int ctas = 132 * k.layers;
    for (int iterations : {512, 8192}) {
      std::vector<Role> own, same;
      for (int i = 0; i < ctas; ++i) {
        own.push_back({2 * i, 2 * i, 2, iterations});
        same.push_back({0, 0, 2, iterations});
      }
      run("own", k.bulk, k.bn, k.layers, own);
      if (with_stamps || iterations == 512) run("same", k.bulk, k.bn, k.layers, same);
      // panels shared as a product's first wave shares them, `rows` to a column: CTA i reads A's panel i % rows and B's
      // panel i / rows
      for (int rows : {4, 8, 16, 32}) {
        const int columns = (ctas + rows - 1) / rows;
        const int length = std::min<long long>(
            iterations, static_cast<long long>(bytes) / (16384 * std::max(rows, columns * k.bn / 128)));
        std::vector<Role> r;
        for (int i = 0; i < ctas; ++i)
          r.push_back({static_cast<long long>(i % rows) * length, static_cast<long long>(i / rows) * length, length,
                       iterations});
        run("rows_" + std::to_string(rows), k.bulk, k.bn, k.layers, r);
      }
    }
  }
}
