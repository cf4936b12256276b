// How long an SM takes to copy a row of 128 bytes out of L2 where rows begin anywhere in a line: by TMA and by
// cp.async.
#include "probe.cuh"
#include "tensor_map.cuh"

constexpr int box_rows = 128, box_columns = 64, tile_bytes = box_rows * 128, depth = 6, copies = 2000, rows = 4096,
              threads = 128;

__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// CTAs walk along the rows of the same matrix, so many boxes apart.
__global__ void __launch_bounds__(threads)
    probe_rows(const char* data, const __grid_constant__ CUtensorMap map, int pitch, bool by_tma, int apart) {
  extern __shared__ __align__(1024) char ring[];
  __shared__ __align__(8) unsigned long long full[depth];
  const auto place = [&](int i) {
    const int tile = i + int(blockIdx.x) * 32 * apart;
    return int2{tile % 32 * box_columns, tile / 32 % (rows / box_rows) * box_rows};
  };
  if (by_tma) {
    if (threadIdx.x) return;
    for (auto& f : full) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&f)));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    const auto ask = [&](int i) {
      const unsigned bar = shared_address(&full[i % depth]), to = shared_address(ring + i % depth * tile_bytes);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(tile_bytes) : "memory");
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
              "r"(to),
          "l"(&map), "r"(place(i).x), "r"(place(i).y), "r"(bar)
          : "memory");
    };
    for (int i = 0; i < copies + depth; ++i) {
      if (i >= depth)
        asm volatile(
            "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra.uni "
            "done;\nbra.uni "
            "again;\ndone:\n}\n" ::"r"(shared_address(&full[i % depth])),
            "r"(i / depth - 1 & 1)
            : "memory");
      if (i < copies) ask(i);
    }
  } else {
    for (int i = 0; i < copies; ++i) {
      const char* from = data + size_t(place(i).y) * pitch + place(i).x * 2;
      const unsigned to = shared_address(ring + i % depth * tile_bytes);
      for (int chunk = threadIdx.x; chunk < tile_bytes / 16; chunk += threads)
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to + chunk * 16),
                     "l"(from + size_t(chunk / 8) * pitch + chunk % 8 * 16)
                     : "memory");
      asm volatile("cp.async.commit_group;\ncp.async.wait_group %0;" ::"n"(depth - 1) : "memory");
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
  }
}

int main() {
  auto* data = device_array<char>(size_t(rows + 1) * 4352);
  CHECK(cudaFuncSetAttribute(probe_rows, cudaFuncAttributeMaxDynamicSharedMemorySize, depth * tile_bytes));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  const auto run = [&](const char* name, int ctas, int apart, bool by_tma) {
    for (const int pitch : {4096, 4112, 4128, 4144, 4160, 4192, 4224}) {
      // As the kernels ask: rows that begin within a sector cost more where 256 bytes are fetched.
      const CUtensorMap map =
          map_of(data, pitch / 2, rows, box_columns, box_rows, CU_TENSOR_MAP_SWIZZLE_128B,
                 pitch % 32 == 0 ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
      float ms = 0;
      for (int round = 0; round < 3; ++round) {
        CHECK(cudaEventRecord(begin));
        probe_rows<<<ctas, threads, depth * tile_bytes>>>(data, map, pitch, by_tma, apart);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
      }
      char text[160];
      std::snprintf(text, sizeof text, "{\"kind\": \"%s\", \"by\": \"%s\", \"pitch\": %d, \"ns_a_row\": %.3f}", name,
                    by_tma ? "tma" : "cp.async", pitch, double(ms) * 1e6 / (double(copies) * box_rows));
      print_launch(text);
    }
  };
  for (const bool by_tma : {true, false}) {
    run("alone", 1, 0, by_tma);
    run("apart", 132, 7, by_tma);
    run("together", 132, 0, by_tma);
  }
}
