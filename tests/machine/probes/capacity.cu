// What L2 keeps: a set of W bytes read again and again, in order or at random, by all SMs or each its own part; and
// written, then read.
#include "probe.cuh"

enum Mode { cyclic_shared = 0, random_shared = 1, cyclic_private = 2, random_private = 3 };

// Reads 4 KiB pieces, 16 bytes a thread. Each CTA reads `pieces` of them a pass: of the whole set (shared: its own
// share of the order, rotated, so that all SMs see all of it) or of its own part.
__global__ void probe_capacity(const uint4* data, long long set_pieces, long long reads, int mode, unsigned* sink) {
  unsigned long long state = blockIdx.x * 0x9E3779B97F4A7C15ull + 88172645463325252ull;
  unsigned x = 0;
  const long long part = set_pieces / gridDim.x;
  for (long long i = 0; i < reads; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    long long piece;
    if (mode == cyclic_shared) piece = (i * gridDim.x + blockIdx.x) % set_pieces;
    else if (mode == random_shared) piece = static_cast<long long>((state >> 11) % set_pieces);
    else if (mode == cyclic_private) piece = blockIdx.x * part + i % part;
    else piece = blockIdx.x * part + static_cast<long long>((state >> 11) % part);
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(data + piece * 256 + threadIdx.x));
    x ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  if (x == 0x12345678u) sink[0] = x;
}

// Writes W bytes, then (after all CTAs have) reads the last R of them: what write-back keeps. stores: 16 bytes a
// thread, whole sectors.
__global__ void probe_write(uint4* data, long long pieces, long long read_pieces, unsigned* arrived, unsigned* sink) {
  for (long long i = blockIdx.x; i < pieces; i += gridDim.x)
    data[i * 256 + threadIdx.x] = make_uint4(1, 2, 3, static_cast<unsigned>(i));
  wait_for_all(arrived);
  unsigned x = 0;
  for (long long i = pieces - read_pieces + blockIdx.x; i < pieces; i += gridDim.x) {
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(data + i * 256 + threadIdx.x));
    x ^= v.x ^ v.w;
  }
  if (x == 0x12345678u) sink[0] = x;
}

// A set of W bytes read at random while a stream of new lines is written past it: does a written line take a read
// line's place?
__global__ void probe_mixed(const uint4* data, long long set_pieces, uint4* out, long long reads, int write_every,
                            unsigned* sink) {
  unsigned long long state = blockIdx.x * 0x9E3779B97F4A7C15ull + 88172645463325252ull;
  unsigned x = 0;
  long long written = blockIdx.x;
  for (long long i = 0; i < reads; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(data + static_cast<long long>((state >> 11) % set_pieces) * 256 + threadIdx.x));
    x ^= v.x ^ v.w;
    if (i % write_every == 0) {
      out[written * 256 + threadIdx.x] = v;
      written += gridDim.x;
    }
  }
  if (x == 0x12345678u) sink[0] = x;
}

int main() {
  const long long mib = 256;  // pieces of 4 KiB
  auto* data = device_array<uint4>(size_t(512) << 16);
  auto* out = device_array<uint4>(size_t(2048) << 16);
  auto* sink = device_array<unsigned>(4);
  auto* arrived = device_array<unsigned>(4);
  const int ctas = 132 * 4;
  const auto report = [](const std::string& kind, double w, double requested) {
    print_launch("{\"kind\": \"" + kind + "\", \"mib\": " + std::to_string(w) +
                 ", \"requested_bytes\": " + std::to_string(requested) + "}");
  };
  const char* names[] = {"cyclic_shared", "random_shared", "cyclic_private", "random_private"};
  for (int mode = 0; mode < 4; ++mode)
    for (int w : {8, 16, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 72, 80, 96, 128}) {
      if (mode != random_shared && (w == 28 || w == 52 || w == 44)) continue;
      const long long pieces = w * mib / ctas * ctas, reads = 8 * pieces / ctas;
      probe_capacity<<<ctas, 256>>>(data, pieces, reads, mode, sink);
      report(names[mode], static_cast<double>(pieces) / mib, static_cast<double>(reads) * ctas * 4096);
    }
  for (int w : {8, 16, 24, 32, 48, 64, 128, 256}) {
    CHECK(cudaMemset(arrived, 0, 4));
    probe_write<<<264, 256>>>(data, w * mib, 0, arrived, sink);
    report("write", w, 0);
  }
  for (int w : {8, 16, 24, 32, 40, 48, 64}) {
    CHECK(cudaMemset(arrived, 0, 4));
    probe_write<<<264, 256>>>(data, 128 * mib, w * mib, arrived, sink);
    report("write_128_read_last", w, static_cast<double>(w) * 1048576);
  }
  for (int every : {2, 4, 8, 16})
    for (int w : {16, 32}) {
      probe_mixed<<<ctas, 256>>>(data, w * mib, out, 12 * w * mib / ctas, every, sink);
      report("mixed_1_write_in_" + std::to_string(every), w, 12.0 * w * 1048576);
    }
  CHECK(cudaDeviceSynchronize());
}
