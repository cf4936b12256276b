// The lecture's wrong copy, event by event; expected values from the lecture.
#include "interp/trace/recorder.h"

#include <doctest/doctest.h>

#include "interp/trace/memory.h"
#include "tests/debug/fake_run.h"

using namespace tl::trace;

TEST_CASE("recorder: programs, steps, values and accesses arrive in order") {
  const RecordedTrace t = fake::wrong_copy();
  REQUIRE(t.programs.size() == 3);
  CHECK(t.launches.at(0).kernel == "tl::kernels::copy_wrong_offsets_kernel");
  const RecordedProgram& p = t.programs[1];
  REQUIRE(p.steps.size() == 7);
  CHECK(p.steps[1].op == Op::arange);
  CHECK(p.steps[1].site.line == 4);
  const RecordedValue& offs = p.values[static_cast<std::size_t>(p.results(p.steps[1])[0])];
  CHECK((element_as_int(offs, 0) == 0 && element_as_int(offs, 1) == 1));
  CHECK(p.accesses.size() == 2);
  CHECK(p.accesses[1].writes());
}

TEST_CASE("recorder: offset blocks and constant blocks take a few bytes, whatever their size") {
  fake::Run run("k", "tl.arange tl.zeros");
  run.begin(0);
  std::vector<std::int32_t> ramp(4096);
  for (std::size_t i = 0; i < ramp.size(); ++i)
    ramp[i] = 7 + 3 * static_cast<std::int32_t>(i % 64) + 100 * static_cast<std::int32_t>(i / 64);
  const fake::Value offsets = run.make(tl::DType::int32, ramp, {64, 64});
  run.at("tl.arange").op(Op::arange, {}, {&offsets});
  const fake::Value zeros = run.make(tl::DType::float32, std::vector<float>(4096, 0.5f), {64, 64});
  run.at("tl.zeros").op(Op::zeros, {}, {&zeros});
  run.end(0);
  const RecordedTrace t = run.take();
  CHECK(t.programs[0].values[0].form == Form::affine);
  CHECK(t.programs[0].values[1].form == Form::splat);
  for (std::int64_t i : {0, 1, 63, 64, 4095})
    CHECK(element_as_int(t.programs[0].values[0], i) == ramp[static_cast<std::size_t>(i)]);
  CHECK(element_as_double(t.programs[0].values[1], 4095) == 0.5);
}

TEST_CASE("recorder: programs outside the condition keep loads and stores only, and the recording says so") {
  RecorderOptions options;
  options.values = tl::PidCondition::parse("=1");
  const RecordedTrace t = fake::wrong_copy(options);
  CHECK(t.programs[0].keep == Keep::accesses);
  CHECK(t.programs[1].keep == Keep::values);
  CHECK(t.programs[0].values.empty());
  CHECK(t.programs[0].accesses.size() == 2);
  REQUIRE(t.notes.size() == 1);
  CHECK(t.notes[0].find("2 programs kept what they loaded and stored") != std::string::npos);
}

TEST_CASE("recorder: a budget that runs out drops values, keeps what there is, and says so") {
  RecorderOptions options;
  options.budget_bytes = 900;
  const RecordedTrace t = fake::wrong_copy(options);
  CHECK(t.programs.size() < 3);
  REQUIRE_FALSE(t.notes.empty());
  CHECK(t.notes[0].find("budget") != std::string::npos);
}

TEST_CASE("memory: any moment of the run, forwards and backwards") {
  const RecordedTrace t = fake::wrong_copy();
  Memory m(t);
  const auto z = [&](Moment at) {
    m.seek(at);
    std::string cells;
    for (int i = 0; i < 6; ++i) cells += std::to_string(static_cast<int>(m.element(1, i)));
    return cells;
  };
  CHECK(z({0, 0}) == "000000");
  CHECK(z({0, 6}) == "000000");
  CHECK(z({0, 7}) == "120000");
  CHECK(m.is_written(1, 0));
  CHECK_FALSE(m.is_written(1, 2));
  CHECK(z({2, 7}) == "120000");
  CHECK(z({0, 6}) == "000000");
  CHECK_FALSE(m.is_written(1, 0));
}

TEST_CASE("memory: two lanes of one store on one cell are undone in order") {
  fake::Run run("k", "tl.store");
  run.add_tensor("z", {5, 6});
  run.begin(0);
  run.at("tl.store").store(0, {0, 0, 1}, {}, {7, 8, 9});
  run.end(0);
  const RecordedTrace t = run.take();
  Memory m(t);
  m.seek({0, 1});
  CHECK((m.element(0, 0) == 8 && m.element(0, 1) == 9));
  m.seek({0, 0});
  CHECK((m.element(0, 0) == 5 && m.element(0, 1) == 6));
}

// One program of several is recorded: it loads x[0] and stores z[1500], z[5000].
static RecordedTrace one_of_many() {
  RecorderOptions options;
  options.others = Keep::nothing;
  fake::Run run("k", "tl.load tl.store", options);
  run.add_tensor("x", std::vector<float>(3000, 1.0f));
  run.add_tensor("z", std::vector<float>(5001, 2.0f));
  run.begin(0);
  const fake::Value v = run.floats({1});
  run.at("tl.load").load(0, {0}, {}, v);
  run.at("tl.store").store(1, {1500, 5000}, {}, {7, 8});
  run.end(0);
  return run.take();
}

TEST_CASE("recorder: where only some programs are recorded, the pages that they touch are kept, as they were before") {
  const RecordedTrace t = one_of_many();
  CHECK(t.launches[0].tensors[0].pages == std::vector<std::int64_t>{0});
  CHECK(t.launches[0].tensors[1].pages == std::vector<std::int64_t>{1, 4});
  CHECK(t.launches[0].tensors[1].before.size() == 4 * (1024 + 5001 - 4096));
  Memory m(t);
  m.seek({0, 1});
  CHECK((m.element(1, 1500) == 2 && m.element(1, 5000) == 2 && m.element(1, 1024) == 2));
  m.seek({0, 2});
  CHECK((m.element(1, 1500) == 7 && m.element(1, 5000) == 8 && m.element(0, 0) == 1));
  m.seek({0, 0});
  CHECK(m.element(1, 1500) == 2);
}

TEST_CASE("memory: of a tensor kept in pages, the rest is not known") {
  const RecordedTrace t = one_of_many();
  const Memory m(t);
  CHECK_FALSE(m.is_known(1));
  CHECK((m.is_known(1, 1024) && m.is_known(1, 2047) && m.is_known(1, 5000)));
  CHECK_FALSE((m.is_known(1, 1023) || m.is_known(1, 2048) || m.is_known(0, 1024)));
}

TEST_CASE("memory: who touched a cell, in the order of the run") {
  const RecordedTrace t = fake::wrong_copy();
  const std::vector<Touch> touches = touches_of(t, 0, 1, 1, 1);
  REQUIRE(touches.size() == 3);
  for (std::size_t p = 0; p < 3; ++p) CHECK((touches[p].moment == Moment{p, 6} && touches[p].lane == 1));
  CHECK(touches_of(t, 0, 1, 2, 5).empty());
}

TEST_CASE("tiles: active lanes come in row-major order, bounds and strides respected") {
  const std::int64_t shape[] = {3, 4}, strides[] = {10, 1}, lo[] = {1, 0}, hi[] = {3, 2};
  RecordedAccess a;
  a.base = 100;
  a.shape = Extents(shape);
  a.strides = Extents(strides);
  a.lo = Extents(lo);
  a.hi = Extents(hi);
  a.count_lanes();
  std::vector<std::pair<std::int64_t, std::int64_t>> seen;
  for_each_active_lane(a, [&](std::int64_t lane, std::int64_t offset) { seen.push_back({lane, offset}); });
  CHECK(seen == std::vector<std::pair<std::int64_t, std::int64_t>>{{4, 110}, {5, 111}, {8, 120}, {9, 121}});
  CHECK((a.active == 4 && a.first == 110 && a.last == 121));
  CHECK(a.is_active(5));
  CHECK_FALSE(a.is_active(6));
  CHECK(a.offset(0) == 100);
}

TEST_CASE("cells are named by the tensor's shape, padding between rows by its element") {
  const RecordedTensor t{"out", tl::DType::float32, {3, 4}, {8, 1}, 24, false, {}};
  CHECK(cell_name(t, 19) == "out[2, 3]");
  CHECK(cell_name(t, 5) == "out[5]");
  CHECK(element_at(t, std::vector<std::int64_t>{2, 3}) == 19);
  CHECK_FALSE(element_at(t, std::vector<std::int64_t>{3, 0}));
}

TEST_CASE("recorder: names and scopes count, too: a loop without an op does not outgrow the budget") {
  RecorderOptions options;
  options.budget_bytes = 1 << 16;
  Recorder recorder(options);
  recorder.launch_begins({.kernel = "k", .source = "", .grid = {1, 1, 1}, .tensors = {}, .arguments = {}});
  recorder.program_begins({});
  for (int i = 0; i < 100'000; ++i) {
    recorder.scope_begins({}, {});
    recorder.scope_ends();
  }
  recorder.program_ends({});
  const RecordedTrace t = recorder.take();
  CHECK(t.programs[0].is_cut_short);
  CHECK(t.programs[0].scopes.size() < 10'000);
}
