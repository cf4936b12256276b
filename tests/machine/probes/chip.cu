// The SMs and the clocks of the very chip at hand. `chip DEVICE.json` reads "sm_group" of a device file and prints
// lines for its "sm_group", "sm_partition" and "group_pace_ppm".
//   sm_group        SMs of a GPC have one clock, to some tens of ppm: a TPC whose clock is another GPC's belongs to
//   that
//                   one. (The eight SMs that no cluster of 16 holds differ from chip to chip.)
//   group_pace_ppm  how much longer each GPC's clock makes a step, from a persistent product in groups of rows, so that
//                   DRAM is at rest. With pauses: launches that follow one another take all the chip's power, and then
//                   all clocks are equal.
//   sm_partition    which GPCs are near one half of L2: where DRAM is busy the two halves of the chip drift apart.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "persistent_loop.cuh"
#include "probe.cuh"
#include "product_loop.cuh"
#include "tensor_map.cuh"

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

double median_of(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
  return v[v.size() / 2];
}

// Of each group, in a launch.
std::vector<double> medians_of(const std::vector<double>& periods, const std::vector<int>& group) {
  std::vector<double> medians(*std::max_element(group.begin(), group.end()) + 1);
  for (size_t g = 0; g < medians.size(); ++g) {
    std::vector<double> own;
    for (size_t sm = 0; sm < group.size(); ++sm)
      if (group[sm] == static_cast<int>(g)) own.push_back(periods[sm]);
    medians[g] = median_of(own);
  }
  return medians;
}

// `group`, but for TPCs whose clock is clearly another group's in most launches.
std::vector<int> groups_of(const Periods& launches, const std::vector<int>& group) {
  std::vector<int> found = group;
  for (size_t tpc = 0; tpc + 1 < group.size(); tpc += 2) {
    std::vector<std::vector<double>> away;  // by group, by launch
    for (const auto& periods : launches) {
      const auto medians = medians_of(periods, group);
      away.resize(medians.size());
      for (size_t g = 0; g < medians.size(); ++g)
        away[g].push_back(std::abs((periods[tpc] + periods[tpc + 1]) / 2 - medians[g]));
    }
    std::vector<double> usual;
    for (const auto& a : away) usual.push_back(median_of(a));
    const auto nearest = std::min_element(usual.begin(), usual.end());
    if (usual[group[tpc]] > 3 * *nearest + 200) found[tpc] = found[tpc + 1] = static_cast<int>(nearest - usual.begin());
  }
  return found;
}

// How many tiles each SM has ended when 0.3, 0.5 and 0.7 of the launch's time are over.
std::vector<std::vector<double>> progress_of(const std::vector<unsigned long long>& stamps,
                                             const std::vector<int>& where, size_t waves) {
  unsigned long long begun = ~0ull, ended = ~0ull;
  for (size_t i = 0; i < where.size(); ++i) {
    begun = std::min(begun, stamps[i * stamps_a_cta]);
    ended = std::min(ended, stamps[i * stamps_a_cta + waves - 1]);
  }
  std::vector<std::vector<double>> places;
  for (const double part : {0.3, 0.5, 0.7}) {
    const double at = double(begun) + part * double(ended - begun);
    places.emplace_back(where.size());
    for (size_t i = 0; i < where.size(); ++i) {
      const auto* own = &stamps[i * stamps_a_cta];
      const size_t next =
          std::max<size_t>(1, std::lower_bound(own, own + waves, static_cast<unsigned long long>(at)) - own);
      places.back()[where[i]] = double(next) - (double(own[next]) - at) / double(own[next] - own[next - 1]);
    }
  }
  return places;
}

// The half of the chip that each GPC is in, 0 for the first one's: the two sets of GPCs whose distance explains most of
// all distances, over all `moments` (of each, how far each GPC is). Which half leads differs from launch to launch.
std::vector<int> halves_of(const std::vector<std::vector<double>>& moments) {
  const size_t groups = moments.front().size();
  unsigned best = 1;
  double most = -1;
  for (unsigned set = 1; set < 1u << groups; set += 2) {                                 // the first GPC is in it
    if (std::abs(2 * __builtin_popcount(set) - static_cast<int>(groups)) > 1) continue;  // halves, as near as may be
    double part = 0;
    for (const auto& places : moments) {
      double mean = 0, apart = 0, all = 0;
      for (const double place : places) mean += place / double(groups);
      for (size_t g = 0; g < groups; ++g) {
        apart += (set >> g & 1 ? 1 : -1) * (places[g] - mean);
        all += (places[g] - mean) * (places[g] - mean);
      }
      part += apart * apart / double(groups) / all;
    }
    if (part > most) {
      most = part;
      best = set;
    }
  }
  std::vector<int> half;
  for (size_t g = 0; g < groups; ++g) half.push_back(!(best >> g & 1));
  std::fprintf(stderr, "halves: %.2f of all distances between GPCs\n", most / double(moments.size()));
  return half;
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
    return std::fprintf(stderr,
                        "give a device file whose \"sm_group\" names the GPC of each of this GPU's %d SMs, as "
                        "devices/h200.json does\n",
                        p.multiProcessorCount),
           2;
  constexpr int bn = 256, rows = 104, columns = 52,
                length = 208;  // the larger of two products, in whose order of rows DRAM is busy all the time
  const int ctas = p.multiProcessorCount;
  auto* a = device_array<__half>(size_t(rows) * 128 * length * 64);
  auto* b = device_array<__half>(size_t(columns) * bn * length * 64);
  auto* product = device_array<__half>(size_t(rows) * 128 * columns * bn);
  fill<<<1024, 256>>>(a, size_t(rows) * 128 * length * 64);
  fill<<<1024, 256>>>(b, size_t(columns) * bn * length * 64);
  auto* sm = device_array<int>(ctas);
  auto* stamps = device_array<unsigned long long>(size_t(ctas) * stamps_a_cta);
  auto* cycles = device_array<unsigned long long>(size_t(ctas) * stamps_a_cta);
  const auto of_a = map_of(a, length * 64, rows * 128, 64, 128, CU_TENSOR_MAP_SWIZZLE_128B),
             of_b = map_of(b, length * 64, columns * bn, 64, bn, CU_TENSOR_MAP_SWIZZLE_128B);
  const auto of_c = map_of(product, columns * bn, rows * 128, 128, 64, CU_TENSOR_MAP_SWIZZLE_NONE);
  const int shared = bulk_stages * (128 + bn) * 128 + 32768;
  CHECK(cudaFuncSetAttribute(probe_mapped<bn>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  std::vector<unsigned long long> s, c;
  std::vector<int> where;
  const auto launch = [&](const Order& order) {  // how many tiles the first CTAs have
    CHECK(cudaDeviceSynchronize());
    usleep(400000);
    probe_mapped<bn><<<ctas, 384, shared>>>(of_a, of_b, of_c, order, sm, stamps, cycles);
    CHECK(cudaGetLastError());
    s = to_host(stamps, size_t(ctas) * stamps_a_cta);
    c = to_host(cycles, size_t(ctas) * stamps_a_cta);
    where = to_host(sm, ctas);
    return static_cast<size_t>(order.rows * order.columns / ctas);
  };
  Periods launches;
  constexpr int orders[] = {10, 22}, rounds = 4;
  for (int round = 0; round < rounds; ++round)
    for (const int order : orders) {
      const size_t waves = launch({74, 37, 148, order});
      std::vector<double> periods(ctas);
      double mean = 0;
      for (int i = 0; i < ctas; ++i) {
        const size_t first = size_t(i) * stamps_a_cta, last = first + waves - 1;
        periods[where[i]] = double(s[last] - s[first]) / double(c[last] - c[first]);
        mean += periods[where[i]] / ctas;
      }
      for (double& period : periods) period = 1e6 * (period / mean - 1);
      launches.push_back(periods);
    }
  const auto found = groups_of(launches, group);
  std::vector<double> pace(*std::max_element(found.begin(), found.end()) + 1);
  for (const auto& periods : launches) {
    const auto medians = medians_of(periods, found);
    for (size_t g = 0; g < pace.size(); ++g) pace[g] += medians[g] / double(launches.size());
  }
  for (double& of_group : pace) of_group = std::round(of_group / 100) * 100 + 0.0;
  std::vector<std::vector<double>> moments;
  for (int round = 0; round < 2 * rounds; ++round) {
    const size_t waves = launch({rows, columns, length, 1});
    for (const auto& places : progress_of(s, where, waves)) moments.push_back(medians_of(places, found));
  }
  const auto half = halves_of(moments);
  std::vector<int> partition;
  for (const int g : found) partition.push_back(half[g]);
  print_line("sm_group", found);
  print_line("sm_partition", partition);
  print_line("group_pace_ppm", pace);
}
