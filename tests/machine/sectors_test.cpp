// Parts of lines: small tiles, rows that begin anywhere, stores of parts of sectors, atomics: against what an H200 counted (calibration/results/sectors.json).
#include <doctest/doctest.h>

#include "interp/machine/schedule.h"
#include "interp/machine/tiles.h"
#include "tests/machine/records.h"

using namespace tl;
using namespace tl::machine;

namespace {

// Program p touches `width` floats from p * pitch on.
trace::AccessRecord streams(trace::AccessKind kind, std::int64_t programs, std::int64_t width, std::int64_t pitch) {
  trace::AccessRecord r;
  r.kernel = "streams", r.grid[0] = programs;
  r.tensors.push_back({"x", DType::float32, {programs * pitch}, {1}, programs * pitch, false, {}});
  r.patterns = {tile(kind, trace::Route::registers, 0, 1, width, width)};
  for (std::int64_t p = 0; p < programs; ++p) {
    r.programs.push_back({{p, 0, 0}, static_cast<std::uint32_t>(p), 1});
    r.accesses.push_back({0, p * pitch, 0});
    r.segments.push_back({static_cast<std::uint32_t>(p), 1, 1, 0, static_cast<double>(width)});
  }
  return r;
}

Schedule on_h200(const trace::AccessRecord& record) { return simulate(record, find_device("h200"), {.ctas_per_sm = 16}); }

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
  CHECK(on_h200(streams(trace::AccessKind::load, 10000, 8, 16)).dram_read_bytes == doctest::Approx(2 * bytes(10000, 8)));
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
