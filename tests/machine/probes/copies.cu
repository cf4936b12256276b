// What an SM's copy engine keeps in flight, and how long copies take: one thread of a CTA an SM asks for tiles, `depth`
// at once, and waits for the oldest. Bulk copies and boxes of a tensor map, out of L2 and from DRAM, one SM alone, all
// SMs, and both kinds beside each other.
#include <algorithm>

#include "probe.cuh"
#include "tensor_map.cuh"

constexpr int most_slots = 12, slot_bytes = 16384;
constexpr long long run_cycles = 400000;

struct Role {
  int first, length, depth, bytes;  // tiles of slot_bytes; copies under way, none where the SM is idle; bytes of a copy
};
struct Seen {
  unsigned long long from, to;
  long long cycles, waited;  // of the whole; from asking for a copy to seeing it there, all copies together
  int copies, sm;
};

__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// All run for as long, of which the first quarter only warms up.
__global__ void __launch_bounds__(32) probe_copies(const char* data, const __grid_constant__ CUtensorMap map,
                                                   bool mapped, const Role* roles, unsigned* arrived, Seen* seen) {
  extern __shared__ __align__(1024) char ring[];
  __shared__ __align__(8) unsigned long long full[most_slots];
  __shared__ long long asked[most_slots];
  const Role role = roles[blockIdx.x];
  if (threadIdx.x == 0) {
    for (auto& f : full) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&f)));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  wait_for_all(arrived);
  if (threadIdx.x) return;
  Seen out = {0, 0, 0, 0, 0, static_cast<int>(sm_id())};
  int next = 0;
  const auto ask = [&](int slot) {
    const unsigned bar = shared_address(&full[slot]), to = shared_address(ring + slot * slot_bytes);
    const int tile = role.first + next++ % role.length;
    asked[slot] = clock64();
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(role.bytes) : "memory");
    if (mapped)
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
              "r"(to),
          "l"(&map), "r"(tile % 64 * 64), "r"(tile / 64 * 128), "r"(bar)
          : "memory");
    else
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                   "l"(data + size_t(tile) * slot_bytes), "r"(role.bytes), "r"(bar)
                   : "memory");
  };
  for (int i = 0; i < role.depth; ++i) ask(i);
  const long long begin = clock64() + run_cycles / 4, end = begin + run_cycles;
  long long start = 0;
  for (int slot = 0, phase = 0; role.depth > 0;) {
    asm volatile(
        "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra.uni done;\nbra.uni "
        "again;\ndone:\n}\n" ::"r"(shared_address(&full[slot])),
        "r"(phase)
        : "memory");
    const long long now = clock64();
    if (start) {
      out.waited += now - asked[slot];
      ++out.copies;
    } else if (now > begin) {
      start = now;
      out.from = now_ns();
    }
    ask(slot);
    if (now > end) {
      out.cycles = now - start;
      out.to = now_ns();
      break;
    }
    if (++slot == role.depth) {
      slot = 0;
      phase ^= 1;
    }
  }
  wait_cycles(20000);  // for what is still on its way
  seen[blockIdx.x] = out;
}

int main() {
  constexpr int ctas = 132, tiles = 1 << 18;  // 4 GiB
  auto* data = device_array<char>(size_t(tiles) * slot_bytes);
  auto* roles = device_array<Role>(ctas);
  auto* arrived = device_array<unsigned>(4);
  auto* seen = device_array<Seen>(ctas);
  const CUtensorMap map =
      map_of(data, 4096, tiles / 64 * 128, 64, 128, CU_TENSOR_MAP_SWIZZLE_128B);  // rows of 64 tiles
  CHECK(cudaFuncSetAttribute(probe_copies, cudaFuncAttributeMaxDynamicSharedMemorySize, most_slots * slot_bytes));
  // `streams` of 132 CTAs, spread evenly, read from DRAM, `residents` others out of L2.
  const auto run = [&](const char* kind, bool mapped, int streams, int residents, int depth, int resident_depth,
                       int bytes, int resident_bytes) {
    std::vector<Role> r;
    int streaming = 0, reading = 0;
    for (int i = 0; i < ctas; ++i) {
      const bool is_stream = streams * (i + 1) / ctas > streams * i / ctas;
      const bool is_resident = !is_stream && reading < residents;
      streaming += is_stream;
      reading += is_resident;
      const int many = 1920;  // 30 MB each, every one once
      if (is_stream) r.push_back({i * many, many, depth, bytes});
      else if (is_resident) r.push_back({ctas * many + i * 8, 8, resident_depth, resident_bytes});
      else r.push_back({0, 1, 0, bytes});
    }
    CHECK(cudaMemcpy(roles, r.data(), r.size() * sizeof(Role), cudaMemcpyHostToDevice));
    for (int round = 0; round < 2; ++round) {
      CHECK(cudaMemset(arrived, 0, 4));
      probe_copies<<<ctas, 32, most_slots * slot_bytes>>>(data, map, mapped, roles, arrived, seen);
      CHECK(cudaGetLastError());
      CHECK(cudaDeviceSynchronize());
    }
    const auto s = to_host(seen, ctas);
    unsigned long long first = ~0ull;
    for (int i = 0; i < ctas; ++i)
      if (r[i].depth) first = std::min(first, s[i].from);
    std::string sm, is_stream, rate, latency, from, to;
    for (int i = 0; i < ctas; ++i) {
      if (!r[i].depth) continue;
      const char* comma = sm.empty() ? "" : ",";
      char text[32];
      const double ns = double(s[i].to - s[i].from);
      sm += comma + std::to_string(s[i].sm), is_stream += comma + std::to_string(r[i].length > 8);
      std::snprintf(text, sizeof text, "%s%.2f", comma, double(s[i].copies) * r[i].bytes / ns);
      rate += text;
      std::snprintf(text, sizeof text, "%s%.0f", comma, double(s[i].waited) / s[i].copies * ns / double(s[i].cycles));
      latency += text;
      from += comma + std::to_string(s[i].from - first);
      to += comma + std::to_string(s[i].to - first);
    }
    print_launch(std::string("{\"kind\": \"") + kind + "\", \"mapped\": " + std::to_string(mapped) +
                 ", \"streams\": " + std::to_string(streams) + ", \"residents\": " + std::to_string(residents) +
                 ", \"depth\": " + std::to_string(depth) + ", \"resident_depth\": " + std::to_string(resident_depth) +
                 ", \"bytes\": " + std::to_string(bytes) + ", \"resident_bytes\": " + std::to_string(resident_bytes) +
                 ", \"sm\": [" + sm + "], \"stream\": [" + is_stream + "], \"bytes_a_ns\": [" + rate +
                 "], \"latency_ns\": [" + latency + "], \"from\": [" + from + "], \"to\": [" + to + "]}");
  };
  for (bool mapped : {false, true}) {
    for (int bytes : {128, 1024, 4096, 16384})
      if (!mapped || bytes == slot_bytes) run("alone", mapped, 0, 1, 1, 1, bytes, bytes);
    for (int depth : {2, 3, 4, 6, 9, 12}) {
      run("alone", mapped, 0, 1, depth, depth, slot_bytes, slot_bytes);
      run("all", mapped, 0, 132, depth, depth, slot_bytes, slot_bytes);
      run("all", mapped, 132, 0, depth, depth, slot_bytes, slot_bytes);
    }
    for (int streams : {33, 66, 99}) run("beside", mapped, streams, 132 - streams, 9, 9, slot_bytes, slot_bytes);
    for (int streams : {0, 16, 33, 50, 66, 83, 99, 116})
      run("beside", mapped, streams, 12, 9, 1, slot_bytes, mapped ? slot_bytes : 2048);
    for (int residents : {12, 33, 66, 99, 132}) run("beside", mapped, 0, residents, 9, 9, slot_bytes, slot_bytes);
  }
}
