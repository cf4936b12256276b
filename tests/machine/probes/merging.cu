// Which reads are merged before L2: SMs of one GPC stream the same tiles at a pace held by the clock, each a fixed time
// behind the first.
#include <cstring>

#include "probe.cuh"

constexpr int tile_bytes = 16384, stages = 3, threads = 256;

struct Role {
  long long first_tile;
  int active;
  long long delay;  // cycles behind the first
};

__device__ inline void copy_tile(char* to, const char* from) {
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  for (int at = threadIdx.x * 16; at < tile_bytes; at += threads * 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared + at), "l"(from + at) : "memory");
}

// The same by the tensor memory accelerator's engine: one thread asks for the whole tile.
__device__ inline void copy_tile_in_bulk(char* to, const char* from, unsigned long long* barrier) {
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to)),
                 bar = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(tile_bytes) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared),
               "l"(from), "r"(tile_bytes), "r"(bar)
               : "memory");
}

__device__ inline void wait_for(unsigned long long* barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra.uni done;\nbra.uni "
      "again;\ndone:\n}\n" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier))),
      "r"(parity)
      : "memory");
}

// Tile k is asked for at delay + k * pace cycles after a common moment. hot: of the first `tiles`, loaded into L2
// beforehand.
__global__ void __launch_bounds__(threads)
    probe_merge(const char* data, const Role* roles, int hot, int bulk, int tiles, int loops, long long pace,
                unsigned* arrived, volatile unsigned long long* start) {
  extern __shared__ __align__(128) char ring[];
  __shared__ unsigned long long full[stages];
  if (threadIdx.x == 0)
    for (auto& f : full)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(&f))));
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  const Role role = roles[sm_id()];
  if (hot && blockIdx.x == 0)
    for (int k = 0; k < tiles; ++k) {
      copy_tile(ring, data + (role.first_tile + k) * tile_bytes);
      asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
    }
  wait_for_all(arrived);
  if (blockIdx.x == 0 && threadIdx.x == 0) *start = now_ns() + 20000;
  if (!role.active) return;
  while (*start == 0) {
  }
  while (now_ns() < *start) {
  }
  __syncthreads();
  const long long zero = clock64();
  for (int k = 0; k < tiles * loops; ++k) {
    while (clock64() - zero < role.delay + k * pace) {
    }
    __syncthreads();
    if (bulk) {
      if (k >= stages) wait_for(&full[k % stages], (k / stages - 1) & 1);
      __syncthreads();
      if (threadIdx.x == 0)
        copy_tile_in_bulk(ring + k % stages * tile_bytes, data + (role.first_tile + k % tiles) * tile_bytes,
                          &full[k % stages]);
      continue;
    }
    copy_tile(ring + k % stages * tile_bytes, data + (role.first_tile + k % tiles) * tile_bytes);
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 1) : "memory");
  }
  if (bulk)
    for (int k = tiles * loops - stages; k < tiles * loops; ++k) wait_for(&full[k % stages], k / stages & 1);
}

int main(int argc, char** argv) {
  const bool bulk = argc > 1 && !std::strcmp(argv[1], "bulk");
  CHECK(cudaFuncSetAttribute(probe_merge, cudaFuncAttributeMaxDynamicSharedMemorySize, 216 * 1024));
  auto* data = device_array<char>(size_t(1) << 30);
  auto* roles = device_array<Role>(256);
  auto* arrived = device_array<unsigned>(4);
  auto* start = device_array<unsigned long long>(1);
  std::mt19937 random(11);
  const int sms = 132;
  const auto run = [&](const std::string& what, const std::vector<Role>& r, bool hot, long long pace) {
    CHECK(cudaMemcpy(roles, r.data(), r.size() * sizeof(Role), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(arrived, 0, 4));
    CHECK(cudaMemset(start, 0, 8));
    const int tiles = hot ? 64 : 512, loops = hot ? 8 : 1;
    double requested = hot ? double(tiles) * tile_bytes : 0;
    for (const Role& role : r)
      if (role.active) requested += double(tiles) * loops * tile_bytes;
    probe_merge<<<sms, threads, 215 * 1024>>>(data, roles, hot, bulk, tiles, loops, pace, arrived, start);
    CHECK(cudaGetLastError());
    print_launch("{" + what + ", \"bulk\": " + std::to_string(bulk) + ", \"hot\": " + std::to_string(hot) +
                 ", \"pace\": " + std::to_string(pace) + ", \"requested_bytes\": " + std::to_string(requested) + "}");
  };
  // SM ids of one GPC (it is found by dispatch.cu: clusters), TPC neighbours 2i and 2i + 1.
  const std::vector<int> gpc = {2, 18, 34, 50, 64, 78, 92, 106, 3, 19, 35, 51, 65, 79, 93, 107};
  const std::vector<Role> idle(sms, Role{0, 0, 0});
  for (bool hot : {true, false}) {
    for (int step : {0, 16, 32, 64, 128, 256, 512, 1024, 2048}) {
      for (int n : {2, 4, 8, 16}) {
        if ((n - 1) * step > 4000) continue;
        auto r = idle;
        for (int i = 0; i < n; ++i) r[gpc[i]] = {0, 1, i * static_cast<long long>(step)};
        run("\"kind\": \"behind\", \"sms\": " + std::to_string(n) + ", \"step\": " + std::to_string(step), r, hot,
            6000);
      }
      if (step > 2048) continue;
      auto r = idle;
      r[2] = {0, 1, 0}, r[3] = {0, 1, step};
      run("\"kind\": \"tpc\", \"sms\": 2, \"step\": " + std::to_string(step), r, hot, 6000);
    }
    for (int within : {250, 500, 1000, 2000, 4000}) {
      auto r = idle;
      for (int sm : gpc) r[sm] = {0, 1, static_cast<long long>(random() % within)};
      run("\"kind\": \"within\", \"sms\": 16, \"step\": " + std::to_string(within), r, hot, 6000);
    }
    // Every SM busy, those of a GPC (by id, roughly) the same tiles at once: does load change what is merged?
    for (long long pace : {250, 400, 600, 1000, 2000}) {
      auto r = idle;
      for (int sm = 0; sm < 124; ++sm) r[sm] = {(sm % 16 / 2) * 1024LL, 1, 0};
      run("\"kind\": \"loaded\", \"sms\": 124, \"step\": 0", r, hot, pace);
    }
  }
  CHECK(cudaDeviceSynchronize());
}
