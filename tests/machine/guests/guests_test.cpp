// Kernels of kinds that the model was not made for, against what an H200's counters said of them after it had predicted
// them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include "interp/cpu/addresses.h"
#include "interp/machine/access/coalescing.h"
#include "interp/run/counters/measured.h"
#include "interp/run/counters/predicted.h"
#include "interp/run/cuda_config.h"
#include "interp/sources/sources.h"
#include "tests/machine/guests/problems.h"
#include "tests/machine/one_role.h"

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
  std::vector<double> dram, sectors, points, time;
  double mean_points() const {
    double sum = 0;
    for (const double p : points) sum += std::abs(p);
    return sum / static_cast<double>(points.size());
  }
};

run::Measurements measured(const char* file) {
  std::ifstream in(file);
  REQUIRE(in);
  return run::parse_measurements({std::istreambuf_iterator<char>(in), {}});
}

Errors errors_of(const run::Measurements& m) {
  sources::use_sources_from(TILESCOPE_ROOT);
  const auto device = *run::device_like(m.device);
  const std::vector<double> none(m.runs.size());
  Errors e{none, none, none, none};
  std::vector<std::string> lines(m.runs.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < m.runs.size(); ++i) {
    const auto& measured = m.runs[i].launches.front();
    const Launch launch = launch_of(m.runs[i].run);
    auto record = cpu::record_accesses(launch);
    test::route_as_measured(record, launch, device);
    const auto model = test::predicted(record, launch, device, measured);
    e.dram[i] = model.dram_read_bytes / *measured.get("dram_read_bytes") - 1;
    e.sectors[i] = model.tex_sectors / *measured.get("tex_sectors") - 1;
    e.points[i] = 100 * (model.logical_hit_rate - *measured.logical_hit_rate());
    e.time[i] = model.duration_ns / *measured.get("duration_ns") - 1;
    lines[i] = fmt::format(
        "{:<84} DRAM {:7.1f} MB {:+6.1f} %  sectors {:+6.1f} %  hit rate {:.1f} % {:+6.1f} points  time {:6.1f} us "
        "{:+6.1f} %\n",
        m.runs[i].run, *measured.get("dram_read_bytes") * 1e-6, 100 * e.dram[i], 100 * e.sectors[i],
        100 * *measured.logical_hit_rate(), e.points[i], *measured.get("duration_ns") * 1e-3, 100 * e.time[i]);
  }
  for (const auto& line : lines) fmt::print("{}", line);
  return e;
}

double ranked(std::vector<double> errors, double share) {
  for (double& x : errors) x = std::abs(x);
  std::ranges::sort(errors);
  return errors[static_cast<std::size_t>(std::ceil(share * static_cast<double>(errors.size()))) - 1];
}

void print(const Errors& e) {
  fmt::print(
      "DRAM bytes read: median {:.1f} %, 90th percentile {:.1f} %; sectors that reach L2: {:.1f} and {:.1f} %; hit "
      "rate: {:.1f} points in the mean; time: {:.0f} and {:.0f} %\n\n",
      100 * ranked(e.dram, 0.5), 100 * ranked(e.dram, 0.9), 100 * ranked(e.sectors, 0.5), 100 * ranked(e.sectors, 0.9),
      e.mean_points(), 100 * ranked(e.time, 0.5), 100 * ranked(e.time, 0.9));
}

// Of all lines that load, or store.
std::pair<std::int64_t, std::int64_t> requests_and_sectors(const std::vector<machine::LineCoalescing>& lines,
                                                           trace::AccessKind kind) {
  std::pair<std::int64_t, std::int64_t> sum;
  for (const auto& l : lines)
    if (l.key.kind == kind) {
      sum.first += l.cuda.requests;
      sum.second += l.cuda.sectors;
    }
  return sum;
}

}  // namespace

TEST_CASE(
    "guests: what 36 kernels of other kinds read is as an H200 counted it, as nearly as it was when they were "
    "measured") {
  const Errors e = errors_of(measured(TILESCOPE_GUEST_COUNTERS));
  print(e);
  CHECK(ranked(e.dram, 0.5) <= 0.005);
  CHECK(ranked(e.dram, 0.9) <= 0.03);
  CHECK(ranked(e.sectors, 0.5) <= 0.02);
  CHECK(e.mean_points() <= 4.7);
}

TEST_CASE(
    "guests: what 22 launches of later strangers read is as an H200 counted it, as nearly as it was when they were "
    "measured") {
  const Errors e = errors_of(measured(TILESCOPE_STRANGER_COUNTERS));
  print(e);
  CHECK(ranked(e.dram, 0.5) <= 0.001);
  CHECK(ranked(e.dram, 0.9) <= 0.005);
  CHECK(ranked(e.sectors, 0.5) <= 0.015);
  CHECK(e.mean_points() <= 4.7);
}

TEST_CASE("guests: their loads and stores make as many requests and sectors as the hardware counted") {
  sources::use_sources_from(TILESCOPE_ROOT);
  const auto device = machine::find_device("h200");
  for (const char* file : {TILESCOPE_GUEST_COUNTERS, TILESCOPE_STRANGER_COUNTERS})
    for (const auto& run : measured(file).runs) {
      const Launch launch = launch_of(run.run);
      const auto record = cpu::record_accesses(launch);
      const auto lines = machine::coalescing_of(
          record, machine::plans_of_launch(test::config_as_measured(launch, device), record,
                                           [&](trace::Observer& o) { cpu::watch_addresses(launch, o); }));
      const auto counted = [&](const char* requests, const char* sectors) {
        return std::pair(static_cast<std::int64_t>(*run.launches[0].get(requests)),
                         static_cast<std::int64_t>(*run.launches[0].get(sectors)));
      };
      INFO(run.run);
      CHECK(requests_and_sectors(lines, trace::AccessKind::load) == counted("load_requests", "load_sectors"));
      CHECK(requests_and_sectors(lines, trace::AccessKind::store) == counted("store_requests", "store_sectors"));
    }
}
