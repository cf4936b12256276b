// How fast SMs advance and how evenly, by how busy DRAM is: every CTA multiplies tiles of its own, so that nothing
// holds one to another. Of some CTAs the tiles of A come from DRAM, of the others out of L2. Loops by TMA, by cp.async,
// and by registers.
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "probe.cuh"
#include "product_loop.cuh"

int main(int argc, char**) {
  const bool rested = argc > 1;  // an argument: a pause before each launch, as there is between launches under a
                                 // profiler; else one after the other, until the chip's power limits its clocks
  const size_t bytes = size_t(2200) << 20;
  auto* a = device_array<char>(bytes);
  auto* b = device_array<char>(bytes / 8);
  fill<<<1024, 256>>>(reinterpret_cast<__half*>(a), bytes / 2);
  fill<<<1024, 256>>>(reinterpret_cast<__half*>(b), bytes / 16);
  auto* roles = device_array<Role>(1024);
  auto* arrived = device_array<unsigned>(4);
  auto* sm = device_array<int>(1024);
  auto* stamps = device_array<unsigned long long>(1024 * stamps_a_cta);
  // `quarters` of four CTAs of an SM's neighbourhood read A from DRAM: panels that are read again long after they left
  // L2.
  const auto run = [&](const char* route, auto kernel, int bm, int bn, int bk, int threads, int layers, int shared,
                       int quarters, int iterations) {
    const int ctas = 132 * layers, length = 512 / layers, every = iterations / stamps_a_cta;
    std::vector<Role> r;
    for (int i = 0; i < ctas; ++i) {
      const bool from_dram = (i / 4 + i % 4) % 4 < quarters;
      r.push_back({static_cast<long long>(i) * length, 2 * i, from_dram ? length : 2, iterations, 2});
    }
    CHECK(cudaMemcpy(roles, r.data(), r.size() * sizeof(Role), cudaMemcpyHostToDevice));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    cudaEvent_t from, to;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    for (int round = rested; round < 2; ++round) {  // the first warms up
      if (rested) usleep(150000);
      CHECK(cudaMemset(arrived, 0, 4));
      CHECK(cudaEventRecord(from));
      kernel<<<ctas, threads, shared>>>(a, b, roles, true, arrived, sm, stamps, every);
      CHECK(cudaEventRecord(to));
      CHECK(cudaGetLastError());
      CHECK(cudaDeviceSynchronize());
    }
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, from, to));
    const auto s = to_host(stamps, size_t(ctas) * stamps_a_cta);
    const auto where = to_host(sm, ctas);
    double streaming = 0;
    for (const Role& role : r) streaming += role.length > 2;
    // Of each CTA: ns a step from stamp 8 to the last; and the spread (sd) of its stretches between stamps, ns a
    // stretch.
    std::string steps, spreads, places, roles_text;
    for (int i = 0; i < ctas; ++i) {
      const auto at = [&](int k) { return static_cast<double>(s[size_t(i) * stamps_a_cta + k]); };
      const int last = stamps_a_cta - 1, n = last - 8;
      const double mean = (at(last) - at(8)) / n;
      double squares = 0;
      for (int k = 8; k < last; ++k) squares += (at(k + 1) - at(k) - mean) * (at(k + 1) - at(k) - mean);
      char text[32];
      std::snprintf(text, sizeof text, "%s%.2f", i ? "," : "", mean / every), steps += text;
      std::snprintf(text, sizeof text, "%s%.0f", i ? "," : "", std::sqrt(squares / n)), spreads += text;
      places += (i ? "," : "") + std::to_string(where[i]),
          roles_text += (i ? "," : "") + std::to_string(r[i].length > 2);
    }
    print_launch(std::string("{\"kind\": \"busy\", \"rested\": " + std::to_string(rested) + ", \"route\": \"") + route +
                 "\", \"tile\": [" + std::to_string(bm) + "," + std::to_string(bn) + "," + std::to_string(bk) +
                 "], \"layers\": " + std::to_string(layers) + ", \"quarters\": " + std::to_string(quarters) +
                 ", \"iterations\": " + std::to_string(iterations) + ", \"every\": " + std::to_string(every) +
                 ", \"ms\": " + std::to_string(ms) +
                 ", \"dram_gb_per_s\": " + std::to_string(streaming * iterations * bm * bk * 2 / ms * 1e-6) +
                 ", \"sm\": [" + places + "], \"streams\": [" + roles_text + "], \"step_ns\": [" + steps +
                 "], \"spread_ns\": [" + spreads + "]}");
  };
  for (int quarters = 0; quarters < 5; quarters += 1 + rested) {
    run("tma", probe_bulk<256>, 128, 256, 64, 384, 1, 4 * 48 * 1024, quarters, 8192);
    run("tma", probe_bulk<128>, 128, 128, 64, 384, 1, 4 * 32 * 1024, quarters, 8192);
    run("staged", probe_staged<128, 256, 64, 8, 3>, 128, 256, 64, 256, 1, 3 * 48 * 1024, quarters, 4096);
    run("staged", probe_staged<128, 128, 64, 8, 3>, 128, 128, 64, 256, 2, 112 * 1024, quarters, 4096);
    run("staged", probe_staged<64, 256, 64, 8, 3>, 64, 256, 64, 256, 1, 216 * 1024, quarters, 4096);
    run("staged", probe_staged<64, 128, 64, 4, 3>, 64, 128, 64, 128, 3, 74 * 1024, quarters, 4096);
    run("registers", probe_registers<128, 128, 64, 8>, 128, 128, 64, 256, 1, 216 * 1024, quarters, 4096);
    run("registers", probe_registers<128, 128, 64, 8>, 128, 128, 64, 256, 2, 112 * 1024, quarters, 4096);
    run("registers", probe_registers<128, 128, 32, 8>, 128, 128, 32, 256, 1, 216 * 1024, quarters, 4096);
  }
}
