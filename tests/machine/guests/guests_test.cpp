// Kernels of kinds that the model was not made for, against what an H200's counters said of them after it had predicted them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include "interp/cli/counters/measured.h"
#include "interp/cli/counters/predicted.h"
#include "interp/cli/machine/cuda_config.h"
#include "interp/cpu/addresses.h"
#include "tests/machine/guests/problems.h"

using namespace tl;

namespace {

Launch launch_of(const std::string& run) {
  std::istringstream words(run);
  std::string name;
  std::vector<std::string> settings;
  words >> name;
  for (std::string word; words >> word;) settings.push_back(word);
  const auto& all = test::guests();
  const auto guest = std::ranges::find(all, name, &problems::Problem::name);
  REQUIRE(guest != all.end());
  const ShapesOnly no_data;  // but for what decides addresses
  return guest->make(problems::parse(*guest, settings), 1).launches.front();
}

struct Errors {
  std::vector<double> dram, sectors, points;
};

Errors errors_of(const cli::Measurements& m) {
  const auto device = *cli::device_like(m.device);
  Errors e{std::vector<double>(m.runs.size()), std::vector<double>(m.runs.size()), std::vector<double>(m.runs.size())};
  std::vector<std::string> lines(m.runs.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < m.runs.size(); ++i) {
    const auto& measured = m.runs[i].launches.front();
    const Launch launch = launch_of(m.runs[i].run);
    auto record = cpu::record_accesses(launch);
    cli::route_as_compiled(record, launch, device, false);
    const auto model = cli::predict(record, launch.options.num_stages, device, measured.programs_per_sm, measured.threads);
    e.dram[i] = model.dram_read_bytes / *measured.get("dram_read_bytes") - 1, e.sectors[i] = model.tex_sectors / *measured.get("tex_sectors") - 1;
    e.points[i] = 100 * (model.logical_hit_rate - *measured.logical_hit_rate());
    lines[i] = fmt::format("{:<84} DRAM {:7.1f} MB {:+6.1f} %  sectors {:+6.1f} %  hit rate {:.1f} % {:+6.1f} points\n", m.runs[i].run, *measured.get("dram_read_bytes") * 1e-6, 100 * e.dram[i],
                           100 * e.sectors[i], 100 * *measured.logical_hit_rate(), e.points[i]);
  }
  for (const auto& line : lines) fmt::print("{}", line);
  return e;
}

double ranked(std::vector<double> errors, double share) {
  for (double& x : errors) x = std::abs(x);
  std::ranges::sort(errors);
  return errors[static_cast<std::size_t>(std::ceil(share * static_cast<double>(errors.size()))) - 1];
}

}  // namespace

TEST_CASE("guests: what 36 kernels of other kinds read is as an H200 counted it, as nearly as it was when they were measured") {
  std::ifstream in(TILESCOPE_GUEST_COUNTERS);
  REQUIRE(in);
  const Errors e = errors_of(cli::parse_measurements({std::istreambuf_iterator<char>(in), {}}));
  double points = 0;
  for (const double p : e.points) points += std::abs(p) / static_cast<double>(e.points.size());
  fmt::print("DRAM bytes read: median {:.1f} %, 90th percentile {:.1f} %; sectors that reach L2: {:.1f} and {:.1f} %; hit rate: {:.1f} points in the mean\n", 100 * ranked(e.dram, 0.5),
             100 * ranked(e.dram, 0.9), 100 * ranked(e.sectors, 0.5), 100 * ranked(e.sectors, 0.9), points);
  CHECK(ranked(e.dram, 0.5) <= 0.005);
  CHECK(ranked(e.dram, 0.9) <= 0.03);
  CHECK(ranked(e.sectors, 0.5) <= 0.02);
  CHECK(points <= 5.5);
}
