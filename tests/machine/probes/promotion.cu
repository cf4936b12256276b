// What a tensor map's L2 promotion fetches ahead: CTAs stream boxes of 128 rows x 128 bytes, each its own rows, every
// byte once.
#include <cuda_runtime.h>

#include "probe.cuh"
#include "tensor_map.cuh"

constexpr int rows = 128, box_bytes = rows * 128, stages = 4;

__global__ void __launch_bounds__(32) probe_promotion(const __grid_constant__ CUtensorMap map, int boxes) {
  extern __shared__ __align__(1024) char ring[];
  __shared__ __align__(8) unsigned long long full[stages];
  if (threadIdx.x) return;
  const auto address = [](const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); };
  for (auto& f : full) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&f)));
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  const auto ask = [&](int k) {
    const unsigned bar = address(&full[k % stages]);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(box_bytes) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            address(ring + k % stages * box_bytes)),
        "l"(&map), "r"(k * 64), "r"(static_cast<int>(blockIdx.x) * rows), "r"(bar)
        : "memory");
  };
  for (int k = 0; k < stages && k < boxes; ++k) ask(k);
  for (int k = 0; k < boxes; ++k) {
    asm volatile(
        "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra.uni done;\nbra.uni "
        "again;\ndone:\n}\n" ::"r"(address(&full[k % stages])),
        "r"(k / stages & 1)
        : "memory");
    if (k + stages < boxes) ask(k + stages);
  }
}

int main() {
  auto* data = device_array<char>(size_t(2) << 30);
  CHECK(cudaFuncSetAttribute(probe_promotion, cudaFuncAttributeMaxDynamicSharedMemorySize, stages * box_bytes));
  for (const auto [name, promotion] : {std::pair{"none", CU_TENSOR_MAP_L2_PROMOTION_NONE},
                                       {"128", CU_TENSOR_MAP_L2_PROMOTION_L2_128B},
                                       {"256", CU_TENSOR_MAP_L2_PROMOTION_L2_256B}})
    for (int pitch_kib : {4, 16}) {
      const int ctas = 132;
      const CUtensorMap map =
          map_of(data, pitch_kib * 512, ctas * rows, 64, rows, CU_TENSOR_MAP_SWIZZLE_128B, promotion);
      probe_promotion<<<ctas, 32, stages * box_bytes>>>(map, pitch_kib * 8);
      CHECK(cudaGetLastError());
      print_launch(std::string("{\"kind\": \"promotion\", \"promotion\": \"") + name +
                   "\", \"pitch_kib\": " + std::to_string(pitch_kib) +
                   ", \"requested_bytes\": " + std::to_string(double(ctas) * pitch_kib * 8 * box_bytes) + "}");
    }
  CHECK(cudaDeviceSynchronize());
}
