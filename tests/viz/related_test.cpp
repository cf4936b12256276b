// What lights up: a lane and its cell, a cell and who touched it, a cell of C with its row of A and its column of B; a
// cell's history.
#include "viz/model/related.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/viz/recorded_run.h"

using namespace tl;
using namespace tl::viz;

namespace {

About cell(int tensor, std::int64_t element) {
  About about;
  about.launch = 0;
  about.tensor = tensor;
  about.first = about.last = element;
  return about;
}

Selection hovering(Scene& scene, const About& about) { return {about, {}, related_to(scene, about)}; }

}  // namespace

TEST_CASE("hovering a cell lights the programs that touched it, their lanes and their lines") {
  debug::Session session = recorded_run("copy_wrong_offsets", {"n=6", "block=2"});
  Scene scene{.session = session};
  const Selection s = hovering(scene, cell(1, 1));  // z[1], which all three programs store
  for (std::int64_t program = 0; program < 3; ++program) CHECK(s.lights({.launch = 0, .program = program}));
  CHECK(s.lights({.launch = 0, .program = 2, .lane = 1}));
  CHECK_FALSE(s.lights({.launch = 0, .program = 2, .lane = 0}));
  CHECK_FALSE(hovering(scene, cell(1, 4)).lights({.launch = 0, .program = 2}));
}

TEST_CASE("hovering a lane lights the cell that it touches at this step") {
  debug::Session session = recorded_run("add", {"n=12", "block=4"});
  go_to_end(session, 1);
  Scene scene{.session = session};
  const Selection s = hovering(scene, {.launch = 0, .program = 1, .lane = 2});
  CHECK(s.lights(cell(2, 6)));  // z, stored last
  CHECK_FALSE(s.lights(cell(2, 5)));
}

TEST_CASE("hovering a lane as CUDA lays it out lights the block's lanes whose elements it takes") {
  debug::Session session = recorded_run("add", {"n=12", "block=8"});
  go_to_end(session, 0);
  Scene scene{.session = session};
  const About store = about_of(session, *access_here(session));
  About warp_lane = store;  // four floats of z from z[4] on
  warp_lane.first = 4;
  warp_lane.last = 7;
  warp_lane.lane = 4;
  const Selection s = hovering(scene, warp_lane);
  for (std::int64_t lane = 4; lane < 8; ++lane) CHECK(s.lights({.launch = 0, .program = 0, .lane = lane}));
  CHECK_FALSE(s.lights({.launch = 0, .program = 0, .lane = 3}));
  CHECK(s.lights(cell(2, 7)));
}

TEST_CASE("runs of elements go forwards: lanes that repeat an element or go backwards stand alone") {
  const std::int64_t offsets[] = {3, 3, 5, 7, 6, 0};
  trace::RecordedAccess access;
  access.shape = trace::Extents(std::vector<std::int64_t>{6});
  access.is_tile = false;
  access.offsets = offsets;
  access.active = 6;
  std::vector<std::int64_t> firsts, counts;
  for_each_run(access, [&](std::int64_t first, std::int64_t count, std::int64_t stride, std::int64_t) {
    CHECK(stride > 0);
    firsts.push_back(first);
    counts.push_back(count);
  });
  CHECK(firsts == std::vector<std::int64_t>{3, 3, 6, 0});
  CHECK(counts == std::vector<std::int64_t>{1, 3, 1, 1});
}

TEST_CASE("hovering a cell of C lights the row of A and the column of B that make it") {
  debug::Session session = recorded_run("matmul", {"m=32", "n=48", "k=64", "bm=16", "bn=16", "bk=16"});
  go_to_end(session, 0);
  Scene scene{.session = session};
  const Selection s = hovering(scene, cell(2, 5 * 48 + 7));
  CHECK(s.lights(cell(0, 5 * 64)));
  CHECK(s.lights(cell(0, 5 * 64 + 63)));
  CHECK_FALSE(s.lights(cell(0, 6 * 64)));
  CHECK(s.lights(cell(1, 63 * 48 + 7)));
  CHECK_FALSE(s.lights(cell(1, 63 * 48 + 8)));
}

TEST_CASE("memory: a chosen cell tells its history, who wrote it last, and that three programs race for it") {
  debug::Session session = recorded_run("copy_wrong_offsets", {"n=6", "block=2"});
  go_to_end(session, 2);
  Scene scene{.session = session, .chosen = cell(1, 0)};
  const Drawing d = draw_memory(scene, {});
  const auto rows = std::count_if(d.shapes.begin(), d.shapes.end(), [](const Shape& s) { return s.goes_there; });
  CHECK(rows == 3);
  CHECK(std::any_of(d.facts.begin(), d.facts.end(),
                    [](const std::string& f) { return f.starts_with("3 programs write z[0]"); }));
  CHECK(plain_text(d).find("program 2") != std::string::npos);
}

TEST_CASE("memory: a tensor stored by columns is shown by its shape") {
  debug::Session session = recorded_run("transpose", {"m=8", "n=4"});
  Scene scene{.session = session};
  const Cells by_columns{8, 4, 1, 8};
  CHECK(by_columns.cell_of(8 * 3 + 5) == std::pair<std::int64_t, std::int64_t>{5, 3});
  const Cells padded{2, 3, 5, 1};
  CHECK(padded.cell_of(7) == std::pair<std::int64_t, std::int64_t>{1, 2});
  CHECK(padded.cell_of(8).first == -1);
}

TEST_CASE("a scrubber reaches every step of every program by one number") {
  debug::Session session = recorded_run("add", {"n=12", "block=4"});
  Findings findings(session.trace());
  for (std::int64_t n = 0; n < findings.moments(); ++n) CHECK(findings.number_of(findings.moment_of(n)) == n);
  CHECK(findings.moment_of(findings.moments() - 1).program == 2);
}
