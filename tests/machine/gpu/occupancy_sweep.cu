// CTAs an SM by cudaOccupancyMaxActiveBlocksPerMultiprocessor over registers, shared memory and threads: one JSON
// object. nvcc -arch=sm_90 -std=c++17 -O2 occupancy_sweep.cu -o occupancy_sweep
#include <cstdio>

// About so many values live at once.
template <int Live>
__global__ void hungry(float* p) {
  float v[Live];
#pragma unroll
  for (int i = 0; i < Live; ++i) v[i] = p[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Live; ++i) p[(Live - 1 - i) * 1024 + threadIdx.x] = v[i] * v[(i * 7 + 3) % Live];
}

bool first = true;
template <int Live>
void sweep() {
  cudaFuncAttributes a{};
  if (cudaFuncGetAttributes(&a, hungry<Live>) != cudaSuccess) return;
  int most = 0;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  cudaFuncSetAttribute(hungry<Live>, cudaFuncAttributeMaxDynamicSharedMemorySize, most - (int)a.sharedSizeBytes);
  for (int threads : {32, 64, 96, 128, 160, 256, 384, 512, 768, 1024}) {
    if (threads > a.maxThreadsPerBlock) continue;
    for (int shared :
         {0, 1, 127, 1024, 5000, 10240, 20480, 32000, 49152, 65536, 98304, 115712, 131072, 163840, 232448}) {
      if (shared > most) continue;
      int ctas = -1;
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, hungry<Live>, threads, shared);
      std::printf("%s\n  [%d, %d, %d, %d]", first ? "" : ",", a.numRegs, (int)a.sharedSizeBytes + shared, threads,
                  ctas);
      first = false;
    }
  }
}

int main() {
  cudaDeviceProp d{};
  if (cudaGetDeviceProperties(&d, 0) != cudaSuccess) return 1;
  std::printf(
      "{\"device\": \"%s\", \"columns\": [\"registers\", \"shared_bytes\", \"threads\", \"ctas_per_sm\"], \"rows\": [",
      d.name);
  sweep<4>();
  sweep<16>();
  sweep<24>();
  sweep<32>();
  sweep<40>();
  sweep<48>();
  sweep<64>();
  sweep<80>();
  sweep<96>();
  sweep<112>();
  sweep<128>();
  sweep<152>();
  sweep<176>();
  sweep<200>();
  sweep<224>();
  sweep<240>();
  std::printf("\n]}\n");
}
