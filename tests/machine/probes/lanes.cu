// What counts as a hit where a warp's request is less than what a miss fetches: lanes that load 1 to 16 bytes, by who
// asks for the neighbouring request and when, at strides, and across rows; and what such a load costs an SM in time.
#include "probe.cuh"

enum Order {
  by_grid,   // warp w takes request w, then w + warps ...: neighbours in a CTA ask at about the same time
  by_warp,   // a warp takes four requests side by side, one after the other
  by_halves  // the lower half of the CTAs takes even requests, the upper half odd ones
};

template <int W, bool CA>
__device__ inline unsigned load(const char* at) {
  unsigned x = 0, y = 0, z = 0, w = 0;
  if constexpr (W == 1 && CA) asm volatile("ld.global.ca.u8 %0, [%1];" : "=r"(x) : "l"(at));
  if constexpr (W == 1 && !CA) asm volatile("ld.global.cg.u8 %0, [%1];" : "=r"(x) : "l"(at));
  if constexpr (W == 2 && CA)
    asm volatile("{.reg .u16 h; ld.global.ca.u16 h, [%1]; cvt.u32.u16 %0, h;}" : "=r"(x) : "l"(at));
  if constexpr (W == 2 && !CA)
    asm volatile("{.reg .u16 h; ld.global.cg.u16 h, [%1]; cvt.u32.u16 %0, h;}" : "=r"(x) : "l"(at));
  if constexpr (W == 4 && CA) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(at));
  if constexpr (W == 4 && !CA) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(at));
  if constexpr (W == 8) asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(at));
  if constexpr (W == 16)
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(at));
  return x ^ y ^ z ^ w;
}

// Request r: 32 lanes, `stride` bytes apart, from r * 32 * stride on. Four are under way at a time.
template <int W, bool CA>
__global__ void __launch_bounds__(256)
    probe_lanes(const char* data, long long requests, int stride, int order, int passes, unsigned* sink) {
  unsigned x = 0;
  const long long warps = gridDim.x * (blockDim.x / 32ll), warp = blockIdx.x * (blockDim.x / 32ll) + threadIdx.x / 32,
                  half = warps / 2;
  const int lane = threadIdx.x % 32;
  for (int p = 0; p < passes; ++p)
    for (long long first = 0; first < requests; first += 4 * warps) {
      const char* at[4];
      unsigned v[4];
      for (int u = 0; u < 4; ++u) {
        long long r = first + u * warps + warp;
        if (order == by_warp) r = first + warp * 4 + u;
        if (order == by_halves) r = first + 2 * (u * half + warp % half) + warp / half;
        at[u] = data + (r * 32 + lane) * stride;
      }
      for (int u = 0; u < 4; ++u) v[u] = load<W, CA>(at[u]);
      for (int u = 0; u < 4; ++u) x ^= v[u];
    }
  if (x == 0x12345678u) sink[0] = x;
}

// Tiles of 128 rows x 64 elements of W bytes out of rows `pitch` elements apart, a lane an element, eight under way,
// into shared memory: the time of such a step.
template <int W, int T>
__global__ void __launch_bounds__(T) probe_tiles(const char* data, int pitch, int steps, int rows, unsigned* sink) {
  __shared__ unsigned char tile[128 * 64 * W];
  unsigned x = 0;
  const int row0 = static_cast<int>(blockIdx.x % (rows / 128)) * 128;
  for (int s = 0; s < steps; ++s) {
    for (int i = threadIdx.x; i < 128 * 64; i += 8 * T) {
      unsigned v[8];
      for (int u = 0; u < 8; ++u) {
        const int e = i + u * T;
        v[u] = load<W, true>(data + ((row0 + e / 64) * static_cast<long long>(pitch) + s * 64 + e % 64) * W);
      }
      for (int u = 0; u < 8; ++u)
        for (int b = 0; b < W && b < 4; ++b) tile[(i + u * T) * W + b] = static_cast<unsigned char>(v[u] >> 8 * b);
    }
    __syncthreads();
    x += tile[(threadIdx.x * 37 + s) % (128 * 64 * W)];
    __syncthreads();
  }
  if (x == 0x12345678u) sink[0] = x;
}

struct Probe {
  char* data = device_array<char>(size_t(256) << 20);
  unsigned* sink = device_array<unsigned>(4);

  template <int W, bool CA>
  void lanes(int ctas, double mib, int stride, int order, int passes, int shift = 0) {
    const long long warps = ctas * 8ll, rounds = static_cast<long long>(mib * 1048576) / (32 * stride) / (4 * warps),
                    requests = (rounds > 0 ? rounds : 1) * 4 * warps;
    probe_lanes<W, CA><<<ctas, 256>>>(data + shift, requests, stride, order, passes, sink);
    CHECK(cudaGetLastError());
    const char* names[] = {"grid", "warp", "halves"};
    print_launch("{\"kind\": \"lanes\", \"width\": " + std::to_string(W) + ", \"ca\": " + std::to_string(CA) +
                 ", \"ctas\": " + std::to_string(ctas) + ", \"stride\": " + std::to_string(stride) + ", \"order\": \"" +
                 names[order] + "\", \"shift\": " + std::to_string(shift) + ", \"passes\": " + std::to_string(passes) +
                 ", \"requests\": " + std::to_string(requests * passes) +
                 ", \"span_bytes\": " + std::to_string(requests * 32 * stride) + "}");
  }
  template <int W, int T>
  void tiles(int pitch, int steps, int ctas) {
    const int rows = 1024;
    probe_tiles<W, T><<<ctas, T>>>(data, pitch, steps, rows, sink);
    CHECK(cudaGetLastError());
    print_launch("{\"kind\": \"tiles\", \"width\": " + std::to_string(W) + ", \"threads\": " + std::to_string(T) +
                 ", \"pitch\": " + std::to_string(pitch) + ", \"steps\": " + std::to_string(steps) +
                 ", \"ctas\": " + std::to_string(ctas) + ", \"lanes\": " + std::to_string(8192ll * steps * ctas) + "}");
  }
  template <int W>
  void width() {
    for (int order : {by_grid, by_warp, by_halves}) {
      lanes<W, true>(1056, 128, W, order, 1);
      lanes<W, true>(1056, 16, W, order, 2);
    }
    lanes<W, true>(1, 2, W, by_grid, 1);
    lanes<W, true>(2, 2, W, by_halves, 1);
    lanes<W, true>(1056, 64, W, by_grid, 1, 16);
  }
};

int main() {
  Probe p;
  p.width<1>();
  p.width<2>();
  p.width<4>();
  p.width<8>();
  p.width<16>();
  p.lanes<1, false>(1056, 64, 1, by_grid, 1), p.lanes<2, false>(1056, 64, 2, by_grid, 1),
      p.lanes<4, false>(1056, 64, 4, by_grid, 1), p.lanes<4, false>(1056, 64, 4, by_warp, 1);
  p.lanes<1, true>(1056, 64, 1, by_grid, 1, 1), p.lanes<2, true>(1056, 64, 2, by_grid, 1, 2),
      p.lanes<4, true>(1056, 64, 4, by_grid, 1, 4), p.lanes<2, true>(1056, 64, 2, by_warp, 1, 2);
  p.lanes<1, true>(1056, 64, 2, by_grid, 1), p.lanes<1, true>(1056, 128, 3, by_grid, 1),
      p.lanes<2, true>(1056, 128, 4, by_grid, 1), p.lanes<2, true>(1056, 128, 8, by_grid, 1);
  p.lanes<4, true>(1056, 128, 8, by_grid, 1), p.lanes<4, true>(1056, 128, 12, by_grid, 1),
      p.lanes<4, true>(1056, 128, 16, by_grid, 1), p.lanes<4, true>(1056, 128, 32, by_grid, 1);
  p.lanes<4, true>(1056, 128, 64, by_grid, 1), p.lanes<1, true>(1056, 128, 32, by_grid, 1);
  p.tiles<2, 256>(4099, 64, 132), p.tiles<2, 256>(4099, 64, 264), p.tiles<2, 128>(4099, 64, 132),
      p.tiles<1, 256>(4099, 64, 132), p.tiles<4, 256>(4099, 64, 132);
  p.tiles<2, 256>(65537, 1000, 132), p.tiles<2, 256>(65537, 1000, 264);
  CHECK(cudaDeviceSynchronize());
}
