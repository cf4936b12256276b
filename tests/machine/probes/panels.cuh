// What walk.cu and loops.cu have in common.
#pragma once

#include "probe.cuh"
#include "product_loop.cuh"

// The panels of a product on the GPU, what CTAs are to do with them, and what they stamp.
struct Panels {
  static constexpr int most = 16384;  // CTAs
  size_t bytes = size_t(1) << 30;
  char* a = device_array<char>(bytes);
  char* b = device_array<char>(bytes);
  __half* c = device_array<__half>(bytes / 2);
  Role* roles = device_array<Role>(most);
  unsigned* arrived = device_array<unsigned>(4);
  int* sm = device_array<int>(most);
  unsigned long long* stamps = device_array<unsigned long long>(size_t(most) * stamps_a_cta);
  unsigned long long* cycles = device_array<unsigned long long>(size_t(most) * stamps_a_cta);  // of the CTA's SM

  Panels() {
    fill<<<1024, 256>>>(reinterpret_cast<__half*>(a), bytes / 2);
    fill<<<1024, 256>>>(reinterpret_cast<__half*>(b), bytes / 2);
  }
  void set_roles(const std::vector<Role>& r) {
    CHECK(cudaMemcpy(roles, r.data(), r.size() * sizeof(Role), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(arrived, 0, 4));
    CHECK(cudaMemset(stamps, 0, size_t(most) * stamps_a_cta * 8));
  }
  // Of each CTA its SM and `count` stamps; and the cycles of its SM.
  std::string stamped(int ctas, int count, bool has_cycles = false) {
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
      for (int i = 0; i < ctas; ++i)
        text += (i ? "," : "") + std::to_string(static_cast<long long>(s[size_t(i) * stamps_a_cta + k] - first));
      text += "]";
    }
    text += "]";
    if (!has_cycles) return text;
    const auto c = to_host(cycles, size_t(ctas) * stamps_a_cta);
    text += ", \"cycles\": [";
    for (int k = 0; k < count; ++k) {
      text += k ? ",[" : "[";
      for (int i = 0; i < ctas; ++i)
        text += (i ? "," : "") + std::to_string(c[size_t(i) * stamps_a_cta + k] - c[size_t(i) * stamps_a_cta]);
      text += "]";
    }
    return text + "]";
  }
};
