// What is fetched and written for parts of lines: reads of single sectors, rows that begin anywhere, stores of parts of
// sectors, atomic additions.
#include <tuple>

#include "probe.cuh"

// A warp reads `sectors` sectors (8 lanes each, 4 bytes a lane) of every `stride` bytes.
__global__ void probe_read_strided(const char* data, long long chunks, int sectors, int stride, unsigned* sink) {
  unsigned x = 0;
  const long long warps = gridDim.x * (blockDim.x / 32);
  const int lane = threadIdx.x % 32, chunks_a_warp = 4 / sectors;
  for (long long c = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * chunks_a_warp; c < chunks;
       c += warps * chunks_a_warp) {
    unsigned v;
    const char* at = data + (c + lane / (8 * sectors)) * stride + lane % (8 * sectors) * 4;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at));
    x ^= v;
  }
  if (x == 0x12345678u) sink[0] = x;
}

// Rows of `columns` words, `pitch` words apart; a CTA reads a row in stretches of 32 words a warp.
__global__ void probe_read_rows(const unsigned* data, int rows, int columns, int pitch, int shift, unsigned* sink) {
  unsigned x = 0;
  for (int r = blockIdx.x; r < rows; r += gridDim.x)
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
      unsigned v;
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(data + shift + size_t(r) * pitch + c));
      x ^= v;
    }
  if (x == 0x12345678u) sink[0] = x;
}

// Of every `stride` words the first `words` are written.
__global__ void probe_store(unsigned* data, long long words_all, int words, int stride) {
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < words_all;
       i += static_cast<long long>(gridDim.x) * blockDim.x)
    data[i / words * stride + i % words] = static_cast<unsigned>(i);
}

__global__ void probe_add(unsigned* data, long long words, int stride, int passes) {
  for (int p = 0; p < passes; ++p)
    for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < words;
         i += static_cast<long long>(gridDim.x) * blockDim.x)
      atomicAdd(data + i * stride, 1u);
}
__global__ void probe_add_returning(unsigned* data, long long words, unsigned* sink) {
  unsigned x = 0;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < words;
       i += static_cast<long long>(gridDim.x) * blockDim.x)
    x ^= atomicAdd(data + i, 1u);
  if (x == 0x12345678u) sink[0] = x;
}

int main() {
  auto* data = device_array<unsigned>(size_t(512) << 20);  // 2 GiB
  auto* sink = device_array<unsigned>(4);
  const int ctas = 132 * 8;
  const long long mib = 1 << 20;
  const auto report = [](const std::string& what, double useful) {
    CHECK(cudaGetLastError());
    print_launch("{" + what + ", \"requested_bytes\": " + std::to_string(useful) + "}");
  };
  for (auto [sectors, stride] :
       {std::pair{1, 64}, {1, 128}, {1, 256}, {2, 128}, {2, 256}, {4, 128}, {4, 256}, {1, 96}, {2, 96}}) {
    const long long chunks = 256 * mib / stride * 2;
    probe_read_strided<<<ctas, 256>>>(reinterpret_cast<const char*>(data), chunks, sectors, stride, sink);
    report("\"kind\": \"read_strided\", \"sectors\": " + std::to_string(sectors) +
               ", \"stride\": " + std::to_string(stride),
           double(chunks) * sectors * 32);
  }
  for (auto [columns, pitch, shift] : {std::tuple{4096, 4096, 0},
                                       {4096, 4096, 8},
                                       {4096, 4096, 16},
                                       {4096, 4096, 4},
                                       {1024, 1032, 0},
                                       {1024, 1028, 0},
                                       {1000, 1001, 0},
                                       {250, 250, 0},
                                       {90, 90, 0}}) {
    const int rows = static_cast<int>(64 * mib / pitch);
    probe_read_rows<<<ctas, 256>>>(data, rows, columns, pitch, shift, sink);
    report("\"kind\": \"read_rows\", \"columns\": " + std::to_string(columns) +
               ", \"pitch\": " + std::to_string(pitch) + ", \"shift\": " + std::to_string(shift),
           double(rows) * columns * 4);
  }
  for (auto [words, stride] : {std::pair{8, 8}, {8, 16}, {4, 8}, {6, 8}, {1, 8}, {4, 32}, {7, 7}, {24, 32}, {20, 24}}) {
    const long long all = 128 * mib / stride * words;
    probe_store<<<ctas, 256>>>(data, all, words, stride);
    report("\"kind\": \"store\", \"words\": " + std::to_string(words) + ", \"stride\": " + std::to_string(stride),
           double(all) * 4);
  }
  for (auto [words, stride, passes] :
       {std::tuple{64 * mib, 1, 1}, {16 * mib, 8, 1}, {2 * mib, 1, 4}, {16 * mib, 16, 1}}) {
    probe_add<<<ctas, 256>>>(data, words, stride, passes);
    report("\"kind\": \"add\", \"stride\": " + std::to_string(stride) + ", \"passes\": " + std::to_string(passes),
           double(words) * passes * 4);
  }
  probe_add_returning<<<ctas, 256>>>(data, 64 * mib, sink);
  report("\"kind\": \"add_returning\"", 64. * mib * 4);
  CHECK(cudaDeviceSynchronize());
}
