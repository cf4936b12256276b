// How much longer the clock of each GPC of this very chip makes a step: chip DEVICE.json reads "sm_group" of a device file and prints the list that belongs into its
// "group_pace_ppm". Loops of a persistent product, in groups of rows, so that DRAM is at rest; with pauses, since launches that follow one another take all the
// chip's power, and then all clocks are equal.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include "probe.cuh"
#include "product_loop.cuh"
#include "tensor_map.cuh"
#include "persistent_loop.cuh"

// The list that follows a name in a device file; empty where there is none.
std::vector<int> list_of(const std::string& text, const std::string& name) {
  std::vector<int> list;
  size_t at = text.find("\"" + name + "\"");
  if (at == std::string::npos || (at = text.find('[', at)) == std::string::npos) return list;
  const size_t end = text.find(']', at);
  while (at < end) {
    char* after = nullptr;
    list.push_back(static_cast<int>(std::strtol(text.c_str() + at + 1, &after, 10)));
    at = text.find_first_of(",]", static_cast<size_t>(after - text.c_str()));
  }
  return list;
}

int main(int argc, char** argv) {
  std::ifstream in(argc > 1 ? argv[1] : "");
  const auto group = list_of({std::istreambuf_iterator<char>(in), {}}, "sm_group");
  cudaDeviceProp p{};
  CHECK(cudaGetDeviceProperties(&p, 0));
  if (group.size() != static_cast<size_t>(p.multiProcessorCount))
    return std::fprintf(stderr, "give a device file whose \"sm_group\" names the GPC of each of this GPU's %d SMs, as devices/h200.json does\n", p.multiProcessorCount), 2;
  constexpr int bn = 256, rows = 74, columns = 37, length = 148;
  const int ctas = p.multiProcessorCount, groups = *std::max_element(group.begin(), group.end()) + 1, tiles = rows * columns, waves = tiles / ctas;
  auto* a = device_array<__half>(size_t(rows) * 128 * length * 64);
  auto* b = device_array<__half>(size_t(columns) * bn * length * 64);
  auto* product = device_array<__half>(size_t(rows) * 128 * columns * bn);
  fill<<<1024, 256>>>(a, size_t(rows) * 128 * length * 64);
  fill<<<1024, 256>>>(b, size_t(columns) * bn * length * 64);
  auto* sm = device_array<int>(ctas);
  auto* stamps = device_array<unsigned long long>(size_t(ctas) * stamps_a_cta);
  auto* cycles = device_array<unsigned long long>(size_t(ctas) * stamps_a_cta);
  const auto of_a = map_of(a, length * 64, rows * 128, 64, 128, CU_TENSOR_MAP_SWIZZLE_128B), of_b = map_of(b, length * 64, columns * bn, 64, bn, CU_TENSOR_MAP_SWIZZLE_128B);
  const auto of_c = map_of(product, columns * bn, rows * 128, 128, 64, CU_TENSOR_MAP_SWIZZLE_NONE);
  const int shared = bulk_stages * (128 + bn) * 128 + 32768;
  CHECK(cudaFuncSetAttribute(probe_mapped<bn>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  std::vector<double> pace(groups);
  constexpr int orders[] = {10, 22}, rounds = 4;
  for (int round = 0; round < rounds; ++round)
    for (const int order : orders) {
      CHECK(cudaDeviceSynchronize());
      usleep(400000);
      probe_mapped<bn><<<ctas, 384, shared>>>(of_a, of_b, of_c, {rows, columns, length, order}, sm, stamps, cycles);
      CHECK(cudaGetLastError());
      const auto s = to_host(stamps, size_t(ctas) * stamps_a_cta), c = to_host(cycles, size_t(ctas) * stamps_a_cta);
      const auto where = to_host(sm, ctas);
      std::vector<double> sum(groups), count(groups);
      double all = 0;
      for (int i = 0; i < ctas; ++i) {
        const size_t first = size_t(i) * stamps_a_cta, last = first + waves - 1;
        const double of_cycle = double(s[last] - s[first]) / double(c[last] - c[first]);  // ns
        sum[group[where[i]]] += of_cycle, count[group[where[i]]] += 1, all += of_cycle / ctas;
      }
      for (int g = 0; g < groups; ++g) pace[g] += 1e6 * (sum[g] / count[g] / all - 1) / (rounds * std::size(orders));
    }
  std::printf("[");
  for (int g = 0; g < groups; ++g) std::printf("%s%.0f", g ? ", " : "", std::round(pace[g] / 100) * 100);
  std::printf("]\n");
}
