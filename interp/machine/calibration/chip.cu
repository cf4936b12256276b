// Which GPC each SM of this very chip belongs to, and how much longer the clock of each GPC makes a step: chip DEVICE.json reads "sm_group" of a device file and prints the
// lines that belong into its "sm_group", "sm_partition" (latency.cuh) and "group_pace_ppm". SMs of a GPC have one clock, to some tens of ppm: a TPC whose clock is another GPC's is that one's (the eight
// SMs that no cluster of 16 holds differ from chip to chip). Loops of a persistent product, in groups of rows, so that DRAM is at rest; with pauses, since launches that
// follow one another take all the chip's power, and then all clocks are equal.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include "probe.cuh"
#include "latency.cuh"
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

using Periods = std::vector<std::vector<double>>;  // of each launch, of each SM's clock: ppm, relative to the mean

double middle_of(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
  return v[v.size() / 2];
}

// Of each group, in a launch.
std::vector<double> middles_of(const std::vector<double>& periods, const std::vector<int>& group) {
  std::vector<double> middles(*std::max_element(group.begin(), group.end()) + 1);
  for (size_t g = 0; g < middles.size(); ++g) {
    std::vector<double> own;
    for (size_t sm = 0; sm < group.size(); ++sm)
      if (group[sm] == static_cast<int>(g)) own.push_back(periods[sm]);
    middles[g] = middle_of(own);
  }
  return middles;
}

// `group`, but for TPCs whose clock is clearly another group's in most launches.
std::vector<int> groups_of(const Periods& launches, const std::vector<int>& group) {
  std::vector<int> found = group;
  for (size_t tpc = 0; tpc + 1 < group.size(); tpc += 2) {
    std::vector<std::vector<double>> away;  // by group, by launch
    for (const auto& periods : launches) {
      const auto middles = middles_of(periods, group);
      away.resize(middles.size());
      for (size_t g = 0; g < middles.size(); ++g) away[g].push_back(std::abs((periods[tpc] + periods[tpc + 1]) / 2 - middles[g]));
    }
    std::vector<double> usual;
    for (const auto& a : away) usual.push_back(middle_of(a));
    const auto nearest = std::min_element(usual.begin(), usual.end());
    if (usual[group[tpc]] > 3 * *nearest + 200) found[tpc] = found[tpc + 1] = static_cast<int>(nearest - usual.begin());
  }
  return found;
}

// The half of L2 that each SM is near, 0 for SM 0's: lines that are near one SM are near those of its half, and far from the others.
std::vector<int> partitions_of(int sms) {
  constexpr int lines = 96, stride_words = 4096, repeats = 40;
  auto* data = device_array<unsigned>(size_t(lines) * stride_words);
  auto* cycles = device_array<unsigned>(size_t(sms) * lines);
  auto* sm = device_array<int>(sms);
  CHECK(cudaFuncSetAttribute(probe_latency, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  probe_latency<<<sms, 32, 227 * 1024>>>(data, lines, stride_words, repeats, sm, cycles);
  CHECK(cudaGetLastError());
  const auto where = to_host(sm, sms);
  const auto seen = to_host(cycles, size_t(sms) * lines);
  std::vector<std::vector<double>> later(sms, std::vector<double>(lines));  // than on average, of the line and of the SM
  std::vector<double> of_line(lines);
  for (int i = 0; i < sms; ++i) {
    double mean = 0;
    for (int l = 0; l < lines; ++l) mean += double(seen[size_t(i) * lines + l]) / lines;
    for (int l = 0; l < lines; ++l) later[where[i]][l] = double(seen[size_t(i) * lines + l]) - mean, of_line[l] += later[where[i]][l] / sms;
  }
  std::vector<int> partition(sms);
  for (int i = 0; i < sms; ++i) {
    double alike = 0;
    for (int l = 0; l < lines; ++l) alike += (later[i][l] - of_line[l]) * (later[0][l] - of_line[l]);
    partition[i] = alike < 0;
  }
  return partition;
}

template <class T>
void print_line(const char* name, const std::vector<T>& list) {
  std::printf("\"%s\": [", name);
  for (size_t i = 0; i < list.size(); ++i) std::printf("%s%.0f", i ? ", " : "", double(list[i]));
  std::printf("],\n");
}

int main(int argc, char** argv) {
  std::ifstream in(argc > 1 ? argv[1] : "");
  const auto group = list_of({std::istreambuf_iterator<char>(in), {}}, "sm_group");
  cudaDeviceProp p{};
  CHECK(cudaGetDeviceProperties(&p, 0));
  if (group.size() != static_cast<size_t>(p.multiProcessorCount))
    return std::fprintf(stderr, "give a device file whose \"sm_group\" names the GPC of each of this GPU's %d SMs, as devices/h200.json does\n", p.multiProcessorCount), 2;
  constexpr int bn = 256, rows = 74, columns = 37, length = 148;
  const int ctas = p.multiProcessorCount, tiles = rows * columns, waves = tiles / ctas;
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
  Periods launches;
  constexpr int orders[] = {10, 22}, rounds = 4;
  for (int round = 0; round < rounds; ++round)
    for (const int order : orders) {
      CHECK(cudaDeviceSynchronize());
      usleep(400000);
      probe_mapped<bn><<<ctas, 384, shared>>>(of_a, of_b, of_c, {rows, columns, length, order}, sm, stamps, cycles);
      CHECK(cudaGetLastError());
      const auto s = to_host(stamps, size_t(ctas) * stamps_a_cta), c = to_host(cycles, size_t(ctas) * stamps_a_cta);
      const auto where = to_host(sm, ctas);
      std::vector<double> periods(ctas);
      double mean = 0;
      for (int i = 0; i < ctas; ++i) {
        const size_t first = size_t(i) * stamps_a_cta, last = first + waves - 1;
        periods[where[i]] = double(s[last] - s[first]) / double(c[last] - c[first]), mean += periods[where[i]] / ctas;
      }
      for (double& period : periods) period = 1e6 * (period / mean - 1);
      launches.push_back(periods);
    }
  const auto found = groups_of(launches, group);
  std::vector<double> pace(*std::max_element(found.begin(), found.end()) + 1);
  for (const auto& periods : launches) {
    const auto middles = middles_of(periods, found);
    for (size_t g = 0; g < pace.size(); ++g) pace[g] += middles[g] / double(launches.size());
  }
  for (double& of_group : pace) of_group = std::round(of_group / 100) * 100 + 0.0;
  print_line("sm_group", found);
  print_line("sm_partition", partitions_of(ctas));
  print_line("group_pace_ppm", pace);
}
