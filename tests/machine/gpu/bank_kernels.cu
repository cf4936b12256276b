// Stores to, or reads from, shared memory and nothing else: first the textbook's transpose of a 32 x 32 tile, then the
// requests that bank_cases prints. Run under ncu --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}.sum;
// launches come in this order: for none, padded, xor: textbook_store, textbook_read; then one launch a case. nvcc
// -arch=sm_90 -std=c++17 -O2 bank_kernels.cu -o bank_kernels; ./bank_kernels < cases
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

enum Placement { none, padded, xored };

template <Placement P>
__device__ int place(int row, int col) {
  return P == padded ? row * 33 + col : row * 32 + (P == xored ? col ^ row : col);
}

// 32 x 8 threads store the tile row by row.
template <Placement P>
__global__ void textbook_store() {
  __shared__ float tile[32 * 33];
  volatile float* t = tile;
  for (int row = threadIdx.y; row < 32; row += 8) t[place<P>(row, threadIdx.x)] = row;
}
// ... and read it column by column.
template <Placement P>
__global__ void textbook_read(float* out) {
  __shared__ float tile[32 * 33];
  volatile float* t = tile;
  float sum = 0;
  for (int col = threadIdx.y; col < 32; col += 8) sum += t[place<P>(threadIdx.x, col)];
  out[threadIdx.y * 32 + threadIdx.x] = sum;
}

template <int Bytes>
__device__ void store_at(uint32_t a, uint32_t v) {
  if (Bytes == 1) asm volatile("st.shared.u8 [%0], %1;" ::"r"(a), "r"(v) : "memory");
  if (Bytes == 2) asm volatile("st.shared.u16 [%0], %1;" ::"r"(a), "h"((uint16_t)v) : "memory");
  if (Bytes == 4) asm volatile("st.shared.u32 [%0], %1;" ::"r"(a), "r"(v) : "memory");
  if (Bytes == 8) asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(a), "r"(v) : "memory");
  if (Bytes == 16) asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(a), "r"(v) : "memory");
}
template <int Bytes>
__device__ uint32_t load_at(uint32_t a) {
  uint32_t v = 0, w, x, y;
  uint16_t h;
  if (Bytes == 1) asm volatile("ld.shared.u8 %0, [%1];" : "=r"(v) : "r"(a));
  if (Bytes == 2) {
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(h) : "r"(a));
    v = h;
  }
  if (Bytes == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(a));
  if (Bytes == 8) {
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "r"(a));
    v += w;
  }
  if (Bytes == 16) {
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "r"(a));
    v += w + x + y;
  }
  return v;
}

// One warp makes the requests one after the other.
template <int Bytes, bool Store>
__global__ void requests(const int* address, int count, uint32_t* out) {
  extern __shared__ unsigned char memory[];
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(memory);
  uint32_t sum = 0;
  for (int i = 0; i < count; ++i) {
    const int a = address[i * 32 + threadIdx.x];
    if (a < 0) continue;
    if (Store) store_at<Bytes>(base + a, i);
    else sum += load_at<Bytes>(base + a);
  }
  if (!Store) out[threadIdx.x] = sum;
}

template <bool Store>
void launch(int bytes, const int* address, int count, uint32_t* out) {
  const int shared = 96 * 1024;
#define TL_CASE(B)                                                                                 \
  if (bytes == B) {                                                                                \
    cudaFuncSetAttribute(requests<B, Store>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared); \
    requests<B, Store><<<1, 32, shared>>>(address, count, out);                                    \
  }
  TL_CASE(1) TL_CASE(2) TL_CASE(4) TL_CASE(8) TL_CASE(16)
#undef TL_CASE
}

int main() {
  float* out;
  int* address;
  cudaMalloc(&out, 4096);
  cudaMalloc(&address, 1 << 22);
  const dim3 block(32, 8);
  textbook_store<none><<<1, block>>>();
  textbook_read<none><<<1, block>>>(out);
  textbook_store<padded><<<1, block>>>();
  textbook_read<padded><<<1, block>>>(out);
  textbook_store<xored><<<1, block>>>();
  textbook_read<xored><<<1, block>>>(out);
  char word[16];
  int bytes, count, cases = 0;
  while (std::scanf("%15s %d %d", word, &bytes, &count) == 3) {
    std::vector<int> list(count * 32);
    for (int& a : list)
      if (std::scanf("%d", &a) != 1) return 1;
    cudaMemcpy(address, list.data(), list.size() * 4, cudaMemcpyHostToDevice);
    if (std::string(word) == "store") launch<true>(bytes, address, count, (uint32_t*)out);
    else launch<false>(bytes, address, count, (uint32_t*)out);
    ++cases;
  }
  const cudaError_t e = cudaDeviceSynchronize();
  std::fprintf(stderr, "%d cases: %s\n", cases, cudaGetErrorString(e));
  return e != cudaSuccess;
}
