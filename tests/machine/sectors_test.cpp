// Parts of lines: small tiles, rows that begin anywhere, stores of parts of sectors, atomics: against what an H200
// counted (probes/results/sectors.json).
#include <doctest/doctest.h>

#include "interp/machine/access/shared_sectors.h"
#include "interp/machine/access/tiles.h"
#include "interp/machine/schedule/schedule.h"
#include "tests/machine/records.h"

using namespace tl;
using namespace tl::machine;

namespace {

// Program p touches `width` floats from p * pitch on.
trace::AccessRecord streams(trace::AccessKind kind, std::int64_t programs, std::int64_t width, std::int64_t pitch) {
  trace::AccessRecord r;
  r.kernel = "streams";
  r.grid[0] = programs;
  r.tensors.push_back({"x", DType::float32, {programs * pitch}, {1}, programs * pitch, false, {}});
  r.patterns = {tile(kind, trace::Route::registers, 0, 1, width, width)};
  r.lane_works.push_back({{Op::add, DType::float32, static_cast<double>(width), 1}});
  for (std::int64_t p = 0; p < programs; ++p) {
    r.programs.push_back({{p, 0, 0}, static_cast<std::uint32_t>(p), 1});
    r.accesses.push_back({0, p * pitch, 0});
    r.segments.push_back({static_cast<std::uint32_t>(p), 1, 1, 0, 1});
  }
  return r;
}

Schedule on_h200(const trace::AccessRecord& record) {
  return simulate(record, find_device("h200"), {.ctas_per_sm = 16});
}

double bytes(std::int64_t programs, std::int64_t floats) { return 4.0 * static_cast<double>(programs * floats); }

}  // namespace

TEST_CASE("small stores: programs that write 64 bytes each write as many in all, not whole pieces of tiles") {
  const Schedule s = on_h200(streams(trace::AccessKind::store, 100000, 16, 16));
  CHECK(s.dram_write_bytes + s.dirty_bytes_left == doctest::Approx(bytes(100000, 16)));
  CHECK(s.dram_read_bytes == 0);
}

TEST_CASE("small stores: neighbours that write one float each complete each other's sectors") {
  const Schedule s = on_h200(streams(trace::AccessKind::store, 100000, 1, 1));
  CHECK(s.dram_write_bytes + s.dirty_bytes_left == doctest::Approx(bytes(100000, 1)));
}

TEST_CASE("stores of half a sector: the sector is read before it is written back, as an H200 does") {
  const Schedule s = on_h200(streams(trace::AccessKind::store, 4000000, 4, 8));
  CHECK(s.dram_write_bytes + s.dirty_bytes_left == doctest::Approx(bytes(4000000, 8)));
  CHECK(s.dram_read_bytes == doctest::Approx(s.dram_write_bytes));
}

TEST_CASE("reads of single sectors: DRAM gives pairs of them") {
  CHECK(on_h200(streams(trace::AccessKind::load, 10000, 8, 16)).dram_read_bytes ==
        doctest::Approx(2 * bytes(10000, 8)));
  CHECK(on_h200(streams(trace::AccessKind::load, 10000, 16, 16)).dram_read_bytes == doctest::Approx(bytes(10000, 16)));
}

TEST_CASE("rows that begin anywhere: each byte comes from DRAM once, what a neighbour fetched is hit") {
  const Schedule s = on_h200(streams(trace::AccessKind::load, 50000, 1001, 1001));
  CHECK(s.dram_read_bytes == doctest::Approx(bytes(50000, 1001)).epsilon(0.001));
  CHECK(s.reads.logical_hit_rate() == doctest::Approx(0.125).epsilon(0.2));  // 0.125 of them on an H200
}

TEST_CASE("atomics: what is added to is read from DRAM") {
  const Schedule s = on_h200(streams(trace::AccessKind::atomic, 100000, 16, 16));
  CHECK(s.dram_read_bytes == doctest::Approx(bytes(100000, 16)));
}

TEST_CASE("footprint: tiles of a line and more are followed whole, smaller ones line by line") {
  const Device d = find_device("h200");
  CHECK(!footprint_of(streams(trace::AccessKind::load, 10, 32, 32), d).by_lines);
  CHECK(footprint_of(streams(trace::AccessKind::load, 10, 16, 16), d).by_lines);
}

TEST_CASE(
    "requests: the later of two that ask for half a pair each finds it, one of 64 bytes finds nothing, as an H200 "
    "counted it") {
  CHECK(found_by_later_requests(find_device("h200"), 0, 4096, 32) / 128 ==
        doctest::Approx(0.46).epsilon(0.03));                             // of 128 sectors: lanes of one byte
  CHECK(found_by_later_requests(find_device("h200"), 0, 4096, 64) == 0);  // of two
  CHECK(found_by_later_requests(find_device("h200"), 32, 4128, 128) / 128 ==
        doctest::Approx(0.23).epsilon(0.03));  // rows that begin on 32: sectors.json, shift 8
  CHECK(found_by_later_requests(find_device("h200"), 16, 4112, 32) / 128 ==
        doctest::Approx(0.33).epsilon(0.03));  // requests that begin within a sector
}

TEST_CASE("strided loads: the odd and the even elements of pairs are one stream, read once") {
  auto r = streams(trace::AccessKind::load, 20000, 1024, 2048);
  auto& p = r.patterns[0];
  p.shape = p.hi = extents({1024});
  p.lo = extents({0});
  p.strides = extents({2});
  std::vector<trace::PlacedAccess> both;
  for (std::int64_t i = 0; i < 20000; ++i) {
    both.push_back({0, i * 2048, 0});
    both.push_back({0, i * 2048 + 1, 0});
    auto& segment = r.segments[static_cast<std::size_t>(i)];
    segment.first = static_cast<std::uint32_t>(2 * i);
    segment.size = 2;
  }
  r.accesses = both;
  const Schedule s = on_h200(r);
  CHECK(s.dram_read_bytes == doctest::Approx(bytes(20000, 2048)).epsilon(0.001));
  CHECK(s.reads.tex() == doctest::Approx(bytes(20000, 2048) / 32).epsilon(0.01));
}
