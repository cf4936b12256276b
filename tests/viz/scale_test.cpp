// 65,536 programs, 16 M elements, 10,000 steps: a bounded number of shapes.
#include <doctest/doctest.h>

#include "viz/model/field.h"
#include "viz/model/panel.h"

using namespace tl;
using namespace tl::viz;

namespace {

trace::RecordedTrace big_trace() {
  constexpr std::int64_t programs = 65536, block = 256;
  trace::RecordedTrace t;
  trace::RecordedLaunch launch;
  launch.kernel = "tl::kernels::big_kernel";
  launch.grid[0] = programs;
  trace::RecordedTensor z;
  z.name = "z";
  z.shape = {programs * block}, z.strides = {1};
  z.storage_elems = programs * block;
  launch.tensors.push_back(z);
  t.launches.push_back(launch);
  for (std::int64_t p = 0; p < programs; ++p) {
    trace::RecordedProgram& program = t.programs.emplace_back();
    program.id.x = p;
    program.steps.resize(p == 0 ? 10000 : 1);
    program.steps.back().op = trace::Op::store;
    program.steps.back().access = 0;
    trace::RecordedAccess& a = program.accesses.emplace_back();
    a.kind = trace::AccessKind::store;
    a.tensor = 0;
    a.base = p * block;
    const std::int64_t shape[] = {block}, stride[] = {1}, lo[] = {0};
    a.shape = trace::Extents(shape);
    a.strides = trace::Extents(stride);
    a.lo = trace::Extents(lo);
    a.hi = trace::Extents(shape);
    a.count_lanes();
  }
  return t;
}

}  // namespace

TEST_CASE("a big run: every panel that it has stays below 60,000 shapes and four million texels") {
  debug::Session session(big_trace());
  session.go({65535, 1});
  for (const Panel& panel : panels()) {
    Scene scene{.session = session};
    if (!panel.missing(scene).empty()) continue;
    const Drawing d = panel.draw(scene, {1600, 1000});
    CHECK_MESSAGE(d.shapes.size() < 60000, panel.name << " has " << d.shapes.size() << " shapes");
    std::size_t texels = 0, rows = 0;
    for (const Image& i : d.images) texels += i.texels.size();
    for (const Table& t : d.tables) rows += t.rows.size();
    CHECK(texels < 4'000'000);
    CHECK(rows < 1000);
  }
}

TEST_CASE("a field beyond 50,000 cells is one texture; where cells merge, the highest state shows") {
  Field f;
  f.rows = 1000;
  f.columns = 1000;
  f.states = {{{Role::surface}, "no"}, {category(0), "yes"}};
  f.name = "x";
  f.width = f.height = 100;
  f.row_stride = 1000;
  FieldPainter painter(f);
  painter.set(505, 37, 1, 1);
  Sheet sheet("test", "a field", "", {});
  painter.draw(sheet, "field");
  const Drawing d = sheet.finish();
  REQUIRE(d.images.size() == 1);
  const Image& image = d.images[0];
  CHECK(image.texels.size() == 100 * 100);
  CHECK(image.texels[50 * 100 + 3] == 1);
  CHECK(image.tooltip_of(50, 3) == "x[500..509, 30..39]: yes");
  CHECK(image.about_of(50, 3).first == 500030);
}
