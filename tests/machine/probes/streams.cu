// CTAs that stream tiles through a ring of shared memory, some of them the same tiles: which requests are merged before
// L2 (by distance of the SMs and by delay), and whether followers keep up with their leader (by delay, sharing and
// compute time).
#include <cstring>

#include "probe.cuh"

constexpr int tile_bytes = 16384, stages = 3, threads = 256;

struct Role {
  long long first_tile;  // of the panel
  int tiles, loops;      // the panel, read so many times
  long long delay;       // cycles after all have met
  int active;
};

__device__ inline void copy_tile(char* to, const char* from) {
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  for (int at = threadIdx.x * 16; at < tile_bytes; at += threads * 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared + at), "l"(from + at) : "memory");
}

// Work that takes the tensor cores, which the CTAs of an SM share: `count` products of 16x8x16 a warp.
__device__ inline void multiply(int count, float (&sum)[4]) {
  const unsigned a = 0x3c003c00u + threadIdx.x, b = 0x38003800u;
  for (int i = 0; i < count; ++i)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a), "r"(b));
}

// by_sm: roles belong to SMs, else to CTAs. `compute`: cycles a tile is worked on; negative: products a warp. Stamps:
// the time at every stamp_every-th tile.
__global__ void __launch_bounds__(threads)
    probe_stream(const char* data, const Role* roles, int by_sm, long long compute, unsigned* arrived, int* sm,
                 unsigned long long* stamps, int stamp_every, int stamps_a_cta) {
  extern __shared__ __align__(128) char ring[];
  const Role role = roles[by_sm ? sm_id() : blockIdx.x];
  if (threadIdx.x == 0) sm[blockIdx.x] = static_cast<int>(sm_id());
  wait_for_all(arrived);
  if (!role.active) return;
  wait_cycles(role.delay);
  const int total = role.tiles * role.loops;
  float sum[4] = {0, 0, 0, 0};
  const auto tile = [&](int k) { return data + (role.first_tile + k % role.tiles) * tile_bytes; };
  for (int s = 0; s < stages - 1; ++s) {
    if (s < total) copy_tile(ring + s * tile_bytes, tile(s));
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  for (int k = 0; k < total; ++k) {
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2) : "memory");
    __syncthreads();
    if (stamp_every && threadIdx.x == 0 && k % stamp_every == 0)
      stamps[size_t(blockIdx.x) * stamps_a_cta + k / stamp_every] = now_ns();
    const int next = k + stages - 1;
    if (next < total) copy_tile(ring + next % stages * tile_bytes, tile(next));
    asm volatile("cp.async.commit_group;" ::: "memory");
    if (compute > 0) wait_cycles(compute);
    if (compute < 0) multiply(static_cast<int>(-compute), sum);
  }
  if (sum[0] == 12345.f) sm[0] = 1;
}

struct Probe {
  char* data = device_array<char>(size_t(5) << 30);
  Role* roles = device_array<Role>(1024);
  unsigned* arrived = device_array<unsigned>(4);
  int* sm = device_array<int>(1024);
  unsigned long long* stamps = device_array<unsigned long long>(1024 * 64);

  void run(const std::string& what, const std::vector<Role>& r, bool by_sm, int ctas, int layers, long long compute,
           bool stamped) {
    CHECK(cudaMemcpy(roles, r.data(), r.size() * sizeof(Role), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(arrived, 0, 4));
    int tiles = 0;
    double requested = 0;
    for (const Role& role : r)
      if (role.active) {
        requested += double(role.tiles) * role.loops * tile_bytes;
        tiles = role.tiles * role.loops;
      }
    const int every = stamped ? (tiles + 31) / 32 : 0;
    probe_stream<<<ctas, threads, (216 / layers - 1) * 1024>>>(data, roles, by_sm, compute, arrived, sm, stamps, every,
                                                               64);
    CHECK(cudaGetLastError());
    std::string extra;
    if (stamped) {
      const auto s = to_host(stamps, size_t(ctas) * 64);
      const auto where = to_host(sm, ctas);
      extra = ", \"sm\": [";
      for (int i = 0; i < ctas; ++i) extra += (i ? "," : "") + std::to_string(where[i]);
      unsigned long long first = s[0];
      for (int i = 0; i < ctas; ++i) first = s[size_t(i) * 64] < first ? s[size_t(i) * 64] : first;
      extra += "], \"stamp_every\": " + std::to_string(every) + ", \"stamps_ns\": [";
      const int kept[] = {0, 1, 4, 16, 31};
      for (int k : kept) {
        if (k * every >= tiles) break;
        extra += (k ? ",[" : "[");
        for (int i = 0; i < ctas; ++i) extra += (i ? "," : "") + std::to_string(s[size_t(i) * 64 + k] - first);
        extra += "]";
      }
      extra += "]";
    }
    print_launch("{" + what + ", \"compute\": " + std::to_string(compute) +
                 ", \"requested_bytes\": " + std::to_string(requested) + extra + "}");
  }
};

int main(int argc, char** argv) {
  CHECK(cudaFuncSetAttribute(probe_stream, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  Probe probe;
  std::mt19937 random(7);
  const int sms = 132;
  const bool pairs = argc < 2 || !std::strcmp(argv[1], "pairs"), many = argc < 2 || !std::strcmp(argv[1], "streams");
  // Hot: 1 MiB again and again, so L2 hits; cold: every tile once, so DRAM answers.
  const auto role = [&](bool hot, long long first, long long delay) {
    return hot ? Role{first, 64, 16, delay, 1} : Role{first, 1024, 1, delay, 1};
  };
  if (pairs) {
    for (bool hot : {true, false})
      for (int other : {1, 2, 4, 6, 8, 14, 16, 18, 32, 48, 64, 66, 67, 90, 120, 131}) {  // SM 0 and this one, at once
        std::vector<Role> r(sms, Role{0, 1, 1, 0, 0});
        r[0] = role(hot, 0, 0);
        r[other] = role(hot, 0, 0);
        probe.run("\"kind\": \"pair\", \"hot\": " + std::to_string(hot) + ", \"sm\": " + std::to_string(other) +
                      ", \"delay\": 0",
                  r, true, sms, 1, 1000, false);
      }
    for (bool hot : {true, false})
      for (int sharers : {4, 16, 132})  // the first SMs, each at a random time within `delay` cycles
        for (int delay : {0, 100, 200, 400, 800, 1600, 3200, 12800}) {
          std::vector<Role> r(sms, Role{0, 1, 1, 0, 0});
          for (int i = 0; i < sharers; ++i) r[i] = role(hot, 0, delay ? random() % delay : 0);
          probe.run("\"kind\": \"within\", \"hot\": " + std::to_string(hot) +
                        ", \"sharers\": " + std::to_string(sharers) + ", \"delay\": " + std::to_string(delay),
                    r, true, sms, 1, 2000, false);
        }
  }
  if (many) {
    const auto streams = [&](int sharing, bool consecutive, long long compute, long long delay, int layers) {
      const int ctas = sms * layers, panels = (ctas + sharing - 1) / sharing, tiles = 512;
      std::vector<Role> r;
      for (int i = 0; i < ctas; ++i)
        r.push_back({static_cast<long long>(consecutive ? i / sharing : i % panels) * tiles, tiles, 1,
                     delay ? static_cast<long long>(random() % delay) : 0, 1});
      probe.run("\"kind\": \"streams\", \"sharing\": " + std::to_string(sharing) +
                    ", \"consecutive\": " + std::to_string(consecutive) + ", \"layers\": " + std::to_string(layers) +
                    ", \"delay\": " + std::to_string(delay),
                r, false, ctas, layers, compute, true);
    };
    for (int sharing : {2, 4, 8, 16, 33, 66})
      for (bool consecutive : {true, false})
        for (int compute : {0, 1000, 2000}) streams(sharing, consecutive, compute, 2000, 2);
    for (int sharing : {4, 16})
      for (bool consecutive : {true, false})
        for (long long delay : {20000, 100000, 400000})
          for (int compute : {0, 1000}) streams(sharing, consecutive, compute, delay, 2);
    for (int sharing : {4, 16, 132})
      for (int compute : {0, 500, 1000}) streams(sharing, true, compute, 2000, 1);
  }
  CHECK(cudaDeviceSynchronize());
}
