// Who runs where and when, distinct loads, and what L2 and DRAM move: against the lecture's counts and what an infinite
// or tiny cache must do.
#include "interp/machine/schedule/schedule.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <set>

#include "interp/lang/error.h"
#include "interp/machine/access/product_loads.h"
#include "interp/machine/schedule/baselines.h"
#include "interp/machine/schedule/dispatch.h"
#include "interp/machine/schedule/schedule_series.h"
#include "tests/machine/records.h"

using namespace tl::machine;
using tl::trace::AccessRecord;

namespace {

Schedule on_h200(const Product& p, std::int64_t ctas = 2, std::int64_t first_programs = 0, bool by_lines = false) {
  ScheduleOptions o;
  o.ctas_per_sm = ctas;
  o.first_programs = first_programs;
  o.by_lines = by_lines;
  return simulate(product(p), find_device("h200"), o);
}

}  // namespace

TEST_CASE(
    "distinct loads: 9 x 9 blocks, 9 programs: row-major 9 + 81, groups of 3 27 + 27, axis 0 down the rows 81 + 9") {
  const Schedule row_major = on_h200({}, 2, 9);
  CHECK(row_major.distinct_after_programs == 90);
  CHECK(row_major.tensors[0].distinct_after_programs == 9);
  CHECK(row_major.tensors[1].distinct_after_programs == 81);
  const Schedule grouped = on_h200({.group = 3}, 2, 9);
  CHECK(grouped.distinct_after_programs == 54);
  CHECK(grouped.tensors[0].distinct_after_programs == 27);
  const Schedule lecture = on_h200({.axis0_is_rows = true}, 2, 9);
  CHECK(lecture.tensors[0].distinct_after_programs == 81);
  CHECK(lecture.tensors[1].distinct_after_programs == 9);
}

TEST_CASE("schedule: the first layer gives each SM one program, the second begins when all have one") {
  const Schedule s = on_h200({.m = 2048, .n = 2048, .k = 256}, 2);
  std::set<int> first, second;
  for (std::size_t p = 0; p < 256; ++p) {
    (p < 132 ? first : second).insert(s.programs[p].sm);
    CHECK(s.programs[p].slot == (p < 132 ? 0 : 1));
  }
  CHECK(first.size() == 132);
  CHECK(second.size() == 124);
  CHECK(s.waves == doctest::Approx(256.0 / 264));
}

TEST_CASE("schedule: SMs of a small part of a GPC wait less in DRAM's queue, as an H200's did") {
  const auto device = find_device("h200");
  const SmMap map = sm_map_of(device);
  double rates = 0;
  for (const double turn : map.queue_share) rates += 1 / turn;
  CHECK(rates == doctest::Approx(132));
  // probes/results/copies.json, twelve copies of 16 KiB each under way: 45.5 bytes a ns where four SMs share a
  // part, 35.0 in the mean of all, so 32.7 where six do.
  CHECK(std::ranges::count_if(map.queue_share, [](double turn) { return turn < 0.9; }) == 24);
  CHECK(std::ranges::min(map.queue_share) == doctest::Approx(35.0 / 45.5).epsilon(0.07));
  CHECK(std::ranges::max(map.queue_share) == doctest::Approx(35.0 / 32.7).epsilon(0.03));
}

// What a step more of each program takes, once DRAM's load is known.
double step_ns(Device d, Product p) {
  ScheduleOptions o;
  o.ctas_per_sm = 1;
  o.stages = 4;
  const auto ms = [&](std::int64_t k) { return p.k = k, simulate(product(p), d, o).model_ms; };
  return 1e6 * (ms(65536) - ms(32768)) / 512;
}

TEST_CASE(
    "schedule: tiles that TMA brings take as long as an SM's share of L2 needs, and longer while DRAM takes power; "
    "those of cp.async do not") {
  Device d = find_device("h200");
  d.group_pace_ppm.clear();
  d.tma_full_late_ns = d.power_dram_share = 0;
  const Product by_tma{.m = 1408, .n = 1536, .persistent = 132, .route = tl::trace::Route::descriptor},
      by_cp_async{.m = 1408, .n = 1536};
  CHECK(step_ns(d, by_tma) == doctest::Approx(32768 / 92.0).epsilon(0.01));  // probes/loops.cu: 356 ns
  const double staged = step_ns(d, by_cp_async);
  d.power_dram_share = 0.5;  // t ns a step, in which DRAM sends 23 tiles of 16 KiB at 4238 bytes a ns: t = 356 / (1 -
                             // 0.5 x 23 x 16384 / 4238 / t), so t = 356 + 44
  CHECK(step_ns(d, by_tma) == doctest::Approx(32768 / 92.0 + 0.5 * 23 * 16384 / (4800 * 0.883)).epsilon(0.02));
  CHECK(step_ns(d, by_cp_async) == staged);
}

TEST_CASE(
    "schedule: beyond the load from which clocks fall each step of a loop by cp.async takes longer by as much as the "
    "load is larger") {
  Device d = find_device("h200");
  d.group_pace_ppm.clear();
  d.pace_load_from = 0;
  d.pace_load_slower = 0;
  const Product p{.m = 1408, .n = 1536};
  const double ns = step_ns(d, p);
  d.pace_load_slower =
      1;  // L2 gives 132 SMs 32 KiB a step of `ns`, DRAM 23 tiles of 16 KiB a step as long as it is now
  const double slower = step_ns(d, p), l2 = 132 * 32768 / 8700.0, dram = 0.8 * 23 * 16384 / (4800 * 0.883);
  CHECK(slower == doctest::Approx(ns + l2 + dram * ns / slower).epsilon(0.02));
}

TEST_CASE(
    "schedule: the half of the chip that waits longer for DRAM in loops by TMA is the one whose clocks are slower") {
  Device d = find_device("h200");
  CHECK(sm_map_of(d).slow_half ==
        1);  // GPCs 1, 2, 3 and 7: 4.5 in a thousand slower in the mean, the others as much faster
  for (auto& pace : d.group_pace_ppm) pace = -pace;
  CHECK(sm_map_of(d).slow_half == 0);
}

TEST_CASE("schedule: no place holds two programs at once, and waves count its programs") {
  const Schedule s = on_h200({.m = 4096, .n = 4096, .k = 256}, 2);
  std::vector<std::vector<const ProgramRun*>> places(264);
  for (const ProgramRun& p : s.programs) places[static_cast<std::size_t>(p.sm * 2 + p.slot)].push_back(&p);
  for (const auto& place : places)
    for (std::size_t i = 1; i < place.size(); ++i) {
      CHECK(place[i]->start_us >= place[i - 1]->end_us);
      CHECK(place[i]->wave == static_cast<int>(i));
    }
}

TEST_CASE("schedule: programs that load and store nothing run, and move nothing") {
  tl::trace::AccessRecord record;
  record.grid[0] = 3;
  for (std::int64_t p = 0; p < 3; ++p) record.programs.push_back({{p, 0, 0}, 0, 0});
  const Schedule s = simulate(record, find_device("h200"), {.ctas_per_sm = 1});
  CHECK(s.programs.size() == 3);
  CHECK(s.dram_read_bytes == 0);
}

TEST_CASE("traffic: what fits in L2 is read from DRAM once") {
  const Schedule s = on_h200({.m = 1024, .n = 1024, .k = 1024});
  CHECK(s.dram_read_bytes == 2 * 2 * 1024 * 1024);
  CHECK(s.reads.requested * 32 == doctest::Approx(2.0 * 64 * 16 * 128 * 64 * 2));
}

TEST_CASE("traffic: every sector is requested, and found in exactly one place") {
  const Schedule s = on_h200({.m = 2048, .n = 2048, .k = 2048, .group = 8});
  const Sectors& r = s.reads;
  CHECK(r.l1_hits + r.merged + r.near_hits + r.far_hits + r.misses == doctest::Approx(r.requested));
  CHECK(s.dram_read_bytes == doctest::Approx(32 * r.misses));
  CHECK(s.dram_write_bytes + s.dirty_bytes_left == doctest::Approx(2.0 * 2048 * 2048));
}

TEST_CASE("traffic: a chip without merging and with an L2 of four tiles reads most tiles again and again") {
  Device d = find_device("t4");
  d.l2_bytes = 65536;
  ScheduleOptions o;
  o.ctas_per_sm = 1;
  const Schedule s = simulate(product({.m = 2048, .n = 2048, .k = 512}), d, o);
  CHECK(s.dram_read_bytes > 4 * 2.0 * (2048 * 512 * 2));
  CHECK(s.reads.merged == 0);
}

TEST_CASE("traffic: followed line by line, DRAM reads agree with whole tiles") {
  const Product p{.m = 4096, .n = 4096, .k = 4096, .bn = 256, .group = 4};
  const double tiles = on_h200(p, 1).dram_read_bytes, lines = on_h200(p, 1, 0, true).dram_read_bytes;
  CHECK(lines == doctest::Approx(tiles).epsilon(0.005));
}

TEST_CASE("traffic: an output whose rows begin within sectors is written once, too") {
  const std::int64_t n =
      16 * 47;  // 1504 bytes a row: 47 sectors, so that blocks of 16 columns begin on sectors, and blocks of 8 do not
  for (const std::int64_t bn : {16, 8}) {
    const Schedule s = on_h200({.m = 512, .n = n, .k = 64, .bm = 64, .bn = bn, .bk = 32});
    CHECK(s.dram_write_bytes + s.dirty_bytes_left == doctest::Approx(2.0 * 512 * n).epsilon(0.001));
  }
}

TEST_CASE("traffic: the same seed gives the same schedule") {
  const Product p{.m = 2048, .n = 2048, .k = 1024};
  const Schedule a = on_h200(p), b = on_h200(p);
  CHECK(a.dram_read_bytes == b.dram_read_bytes);
  CHECK(a.model_ms == b.model_ms);
}

TEST_CASE("schedule: a beginning is what the whole launch begins with, and ends where its steps do") {
  const AccessRecord record = product({.m = 2048, .n = 2048, .k = 1024});
  ScheduleOptions o;
  o.ctas_per_sm = 1;
  o.step_limit = 1000;
  const Schedule whole = simulate(record, find_device("h200"), o);
  o.only_beginning = true;
  const Schedule beginning = simulate(record, find_device("h200"), o);
  CHECK(whole.steps_cut);
  CHECK_FALSE(whole.is_beginning);
  REQUIRE(beginning.is_beginning);
  REQUIRE(beginning.steps.size() == 1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    CHECK(beginning.steps[i].program == whole.steps[i].program);
    CHECK(beginning.steps[i].data_us == whole.steps[i].data_us);
  }
  const auto begun = std::ranges::count_if(beginning.programs, [](const ProgramRun& p) { return p.sm >= 0; });
  CHECK(begun == 132);  // one an SM: none has ended after eight steps
  CHECK(end_of(beginning) < 0.2 * end_of(whole));
}

TEST_CASE("time: stretches of the launch add up to what DRAM sent, and none is faster than DRAM") {
  for (const auto& p :
       {Product{.m = 2048, .n = 2048, .k = 512},
        Product{.m = 2048, .n = 4096, .k = 512, .persistent = 132, .route = tl::trace::Route::descriptor}}) {
    ScheduleOptions o;
    o.ctas_per_sm = 1;
    o.step_limit = 1 << 20;
    const Schedule s = simulate(product(p), find_device("h200"), o);
    double sent = 0;
    for (const TimeBin& b : time_bins(s, 20)) {
      sent += b.dram_read_bytes;
      CHECK(b.dram_read_bytes <= 1.1 * 4800 * 0.883 * 1e3 * (b.end_us - b.start_us));
    }
    CHECK(sent == doctest::Approx(s.dram_read_bytes));
  }
}

TEST_CASE(
    "time: DRAM sends in no stretch more than it can; what waits is sent in the next, or was before where none is "
    "left") {
  const auto bytes_of = [](std::vector<double> asked) {
    std::vector<TimeBin> bins;
    for (std::size_t i = 0; i < asked.size(); ++i)
      bins.push_back({.start_us = static_cast<double>(i),
                      .end_us = static_cast<double>(i + 1),
                      .reads = {},
                      .dram_read_bytes = asked[i]});
    level_dram(bins, 0.1);  // 100 bytes a microsecond
    for (std::size_t i = 0; i < asked.size(); ++i) asked[i] = bins[i].dram_read_bytes;
    return asked;
  };
  CHECK(bytes_of({50, 180, 0, 90}) == std::vector<double>{50, 100, 80, 90});
  CHECK(bytes_of({10, 20, 90, 150}) == std::vector<double>{10, 60, 100, 100});
}

TEST_CASE("time: f32 that is multiplied as it is takes the FP32 units' time at least, as tf32 the tensor cores'") {
  for (const auto& [device, fp32_tflops] : {std::pair{"h200", 66.9}, std::pair{"a100_80", 19.5}}) {
    auto record = product({.m = 4096, .n = 4096, .k = 1024});
    record.dot_dtype = tl::DType::float32;
    ScheduleOptions o;
    o.ctas_per_sm = 2;
    const double least_ms = 2.0 * 4096 * 4096 * 1024 / (fp32_tflops * 1e9);
    CHECK(simulate(record, find_device(device), o).model_ms > least_ms);
    record.multiplies_tf32 = true;
    CHECK(simulate(record, find_device(device), o).model_ms < least_ms);
  }
}

TEST_CASE("time: chips before sm_80 have no tensor cores for bf16") {
  auto record = product({.m = 2048, .n = 2048, .k = 1024});
  ScheduleOptions o;
  o.ctas_per_sm = 2;
  const double f16 = simulate(record, find_device("v100"), o).model_ms;
  record.dot_dtype = tl::DType::bfloat16;
  const double bf16 = simulate(record, find_device("v100"), o).model_ms;
  CHECK(bf16 > 2.0 * 2048 * 2048 * 1024 / 15.7e9);
  CHECK(f16 < bf16);
}

TEST_CASE("baselines: the wave count reads each wave's distinct tiles, 81 blocks in one wave every tile once") {
  CHECK(on_h200({}).wave_count_read_bytes == 2.0 * 1152 * 576 * 2);
}

TEST_CASE("naive product: M (K + 1) vectors for an M x K output") {
  const ProductLoads naive = product_loads_of(product({.m = 1024, .n = 512, .k = 256}));
  CHECK(naive.vectors == 1024 * 513);
  CHECK(naive.length == 256);
  CHECK(naive.tile_bytes == 8 * 4 * 4 * 2 * 128 * 64 * 2);
}

TEST_CASE("schedule: a launch without programs, or without room on an SM, is refused with the fix") {
  CHECK_THROWS_AS(on_h200({}, 0), tl::Error);
  ScheduleOptions one;
  one.ctas_per_sm = 1;
  CHECK_THROWS_AS(simulate({}, find_device("h200"), one), tl::Error);
}

namespace {

// Programs that each add one tile of `columns` elements to the same place; none: programs that do nothing.
AccessRecord adders(std::int64_t programs, std::int64_t columns, tl::DType dtype) {
  AccessRecord r;
  r.kernel = "adders";
  r.grid[0] = programs;
  r.tensors.push_back({"sums", dtype, {32}, {1}, 32, false, {}});
  if (columns > 0) r.patterns = {tile(tl::trace::AccessKind::atomic, tl::trace::Route::registers, 0, 1, columns, 32)};
  for (std::int64_t p = 0; p < programs; ++p) {
    r.programs.push_back({{p, 0, 0}, static_cast<std::uint32_t>(r.segments.size()), columns > 0});
    if (columns == 0) continue;
    r.segments.push_back({static_cast<std::uint32_t>(r.accesses.size()), 1, 1, 0, 0});
    r.accesses.push_back({0, 0, 0});
  }
  return r;
}

double microseconds_of(const AccessRecord& record) {
  ScheduleOptions o;
  o.ctas_per_sm = 16;
  return 1e3 * simulate(record, find_device("h200"), o).model_ms;
}

}  // namespace

TEST_CASE("schedule: CTAs that do nothing take as long as an H200 took to start them") {
  CHECK(microseconds_of(adders(1, 0, tl::DType::int32)) ==
        doctest::Approx(1.5).epsilon(0.2));  // probes/results/launch.json
  CHECK(microseconds_of(adders(65536, 0, tl::DType::int32)) == doctest::Approx(41.0).epsilon(0.03));
  CHECK(microseconds_of(adders(262144, 0, tl::DType::int32)) == doctest::Approx(159.2).epsilon(0.03));
}

TEST_CASE("schedule: a place on an SM passes from one CTA to the next as fast as on an H200, whatever their size") {
  const Device d = find_device("h200");
  for (const auto& row : nlohmann::json::parse(std::ifstream(PROBE_RESULTS "/ctas.json"))) {
    if (row.at("kind") != "spin") continue;
    const double threads = row.at("threads"), per_sm = row.at("per_sm"), period = row.at("period_ns"),
                 lost = period - row.at("spin_ns").get<double>();
    if (period / (132 * per_sm) < 0.62) continue;  // the chip gives out no more of them
    CAPTURE(threads);
    CAPTURE(per_sm);
    // 55 ns of it are the way to the first request, which a CTA that waits has not.
    CHECK(std::abs(d.cta_launch_ns - 55 + d.cta_launch_thread_ns * threads - lost) < 20);
  }
}

TEST_CASE("schedule: additions to one line, and of floats to one sector, take as long as an H200's L2 took") {
  CHECK(microseconds_of(adders(16896, 32, tl::DType::int32)) ==
        doctest::Approx(41.5).epsilon(0.05));  // probes/results/atomics.json
  CHECK(microseconds_of(adders(54067, 1, tl::DType::float32)) == doctest::Approx(95.1).epsilon(0.05));
}

TEST_CASE("schedule: what L2 holds before: others' lines cost DRAM's time for their bytes, one's own save all reads") {
  const Device d = find_device("h200");
  const AccessRecord record = product({.m = 132 * 128, .n = 128, .k = 512});  // 17 MB, which fit twice
  for (const bool by_lines : {false, true}) {
    CAPTURE(by_lines);
    const auto run = [&](L2Before before) {
      ScheduleOptions o;
      o.ctas_per_sm = 2;
      o.by_lines = by_lines;
      o.l2_before = before;
      return simulate(record, d, o);
    };
    const Schedule empty = run(L2Before::empty), dirty = run(L2Before::dirty), warm = run(L2Before::warm);
    CHECK(empty.others_written_bytes == 0);
    CHECK(dirty.others_written_bytes > 0);
    CHECK(dirty.others_written_bytes <= static_cast<double>(d.flushed_dirty_bytes));
    const double their_ms = dirty.others_written_bytes / (d.dram_gb_per_s * d.dram_reachable) * 1e-6;
    CHECK(dirty.model_ms > empty.model_ms);
    CHECK(dirty.model_ms < empty.model_ms + 1.5 * their_ms);
    CHECK(dirty.dram_read_bytes == doctest::Approx(empty.dram_read_bytes).epsilon(0.01));
    CHECK(empty.dram_read_bytes > 15e6);
    CHECK(warm.dram_read_bytes == 0);
    CHECK(warm.model_ms < empty.model_ms);
  }
}
