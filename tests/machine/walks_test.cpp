// The model on the synthetic products that its pace shares and jitters are fitted to: as near as it was.
#include "tests/machine/walks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "interp/machine/schedule/schedule.h"

using namespace tl;
using namespace tl::test;

namespace {

// Over the smaller of the products that travel so: the median of the relative errors.
struct Medians {
  double dram = 0, tex = 0, shown = 0, time = 0;  // shown: points of group_pace_ppm
};
Medians medians_of(trace::Route route) {
  const auto device = machine::find_device("h200");
  std::vector<double> dram, tex, shown, time;
  for (const Walk& w : recorded_walks(PROBE_RESULTS)) {
    if (w.route != route || (!w.shared_rows && w.rows * w.columns * w.length > 500'000)) continue;
    // Which products keep step is chance where cp.async brings the tiles: one seed's median is 0.03 to 0.035.
    for (const std::uint64_t seed : {1, 2, 3})
      for (const WalkError& e : errors_of(w, device, seed)) {
        dram.push_back(std::abs(e.dram - 1));
        tex.push_back(std::abs(e.tex - 1));
        shown.push_back(std::abs(e.shown));
        time.push_back(std::abs(e.time - 1));
      }
  }
  REQUIRE(dram.size() > 5);
  const auto middle = [](std::vector<double> v) { return std::ranges::sort(v), v[v.size() / 2]; };
  return {middle(dram), middle(tex), middle(shown), middle(time)};
}

}  // namespace

TEST_CASE(
    "walks: products of the probes by cp.async are read from DRAM as often as an H200 read them, its GPCs as far "
    "apart") {
  const Medians m = medians_of(trace::Route::staged);
  CHECK(m.dram < 0.033);
  CHECK(m.tex < 0.04);
  CHECK(m.shown < 0.2);  // of how much of the GPCs' clocks an H200's CTAs showed: 0 to 0.9
}

TEST_CASE(
    "walks: products of the probes by tensor maps are read from DRAM as often as an H200 read them, in as much time") {
  const Medians m = medians_of(trace::Route::descriptor);
  CHECK(m.dram < 0.04);
  CHECK(m.tex < 0.06);
  CHECK(m.time < 0.05);
}

TEST_CASE("walks: products of the probes by registers ask DRAM and L2 for what they asked an H200's") {
  const Medians m = medians_of(trace::Route::registers);
  CHECK(m.dram < 0.01);
  CHECK(m.tex < 0.15);
}

TEST_CASE("walks: a walk's record has the tiles of its product, each as often as an H200's SMs asked for them") {
  const auto device = machine::find_device("h200");
  for (const Walk& w : recorded_walks(PROBE_RESULTS)) {
    if (w.shared_rows || w.rows * w.columns > 2000) continue;
    double bytes = 0;
    const auto record = record_of(w, device);
    for (const auto& s : record.segments)
      for (std::uint32_t a = s.first; a < s.first + s.size; ++a)
        if (const auto& p = record.patterns[record.accesses[a].pattern]; p.kind == trace::AccessKind::load)
          bytes += 2.0 * double(p.active_lanes() * s.iterations);
    INFO(w.name);
    CHECK(bytes == doctest::Approx(w.requested_bytes));
  }
}

TEST_CASE("walks: where chance decides whether a loop by cp.async stays in step, its schedule says so") {
  const auto device = machine::find_device("h200");
  const auto says_chance = [&](trace::Route route, std::int64_t columns) {
    Walk w;
    w.route = route;
    w.bn = 256;
    w.rows = 2 * columns;
    w.columns = columns;
    w.length = 4 * columns;
    machine::ScheduleOptions options;
    options.ctas_per_sm = 1;
    options.stages = 3;
    const auto notes = machine::simulate(record_of(w, device), device, options).notes;
    return std::ranges::any_of(notes,
                               [](const std::string& note) { return note.find("is chance") != std::string::npos; });
  };
  CHECK(says_chance(trace::Route::staged, 46));        // H200s read 9.3 and 18.3 GB for 11776^3
  CHECK_FALSE(says_chance(trace::Route::staged, 32));  // 8192^3: in step on each of seven
  CHECK_FALSE(says_chance(trace::Route::descriptor, 46));
}
