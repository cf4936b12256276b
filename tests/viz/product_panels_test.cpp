// The drawings of products and of softmax: orders, matmul, attention, rows that come in blocks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "tests/viz/recorded_run.h"
#include "tests/viz/shapes_of.h"
#include "viz/model/sheet.h"
#include "viz/scene/default_moment.h"

using namespace tl;
using namespace tl::viz;

TEST_CASE("order: after 9 programs on 9 x 9 blocks, 90 blocks row by row and 54 in groups of 3") {
  debug::Session session =
      recorded_run("grouped_matmul", {"m=144", "n=144", "k=144", "bm=16", "bn=16", "bk=16", "group_size=3"});
  Scene scene{.session = session, .settings = {{"first_n", 9}}};
  const Drawing d = draw_order(scene, {});
  CHECK(text_of_shape(d, "rows/sum") == "9 of A + 81 of B = 90 blocks loaded");
  CHECK(text_of_shape(d, "grouped/sum") == "27 of A + 27 of B = 54 blocks loaded");
}

TEST_CASE("order: a 2-D grid is drawn in its own order, axis 0 fastest: 81 blocks of A and 9 of B") {
  for (const auto& [kernel, sum] : {std::pair("lecture_matmul", "81 of A + 9 of B = 90 blocks loaded"),
                                    std::pair("transposed_matmul", "81 of A + 9 of B = 90 blocks loaded")}) {
    debug::Session session = recorded_run(kernel, {"m=144", "n=144", "k=144", "bm=16", "bn=16", "bk=16"});
    Scene scene{.session = session, .settings = {{"first_n", 9}}};
    const Drawing d = draw_order(scene, {});
    CHECK(text_of_shape(d, "rows/sum") == "9 of A + 81 of B = 90 blocks loaded");
    CHECK(text_of_shape(d, "grouped/sum") == sum);
    CHECK(d.facts.front().find("axis 0 runs fastest: program 1 is (1, 0)") != std::string::npos);
  }
}

TEST_CASE("order: the numbers of 5 x 4 blocks in groups of 3 are swizzle2d's") {
  debug::Session session = recorded_run("swizzle", {"blocks_m=5", "blocks_n=4", "group_size=3"});
  Scene scene{.session = session};
  CHECK(plain_text(draw_order(scene, {})) == golden("order.txt"));
}

TEST_CASE("matmul: A is what dot takes first, whatever the compiler loads first") {
  debug::Session session = recorded_run("matmul", {"m=32", "n=48", "k=64", "bm=16", "bn=16", "bk=16"});
  session.go({4, static_cast<std::uint32_t>(session.trace().programs[4].steps.size())});
  Scene scene{.session = session};
  const Drawing d = draw_matmul(scene, {});
  CHECK(d.subtitle.starts_with("a (32 x 64) on the left, b (64 x 48) above, c (32 x 48) in the corner"));
  CHECK(d.title == "program 4: block of c at rows 16.., columns 16.., k step 4 of 4");
}

TEST_CASE("matmul: a step is done when its dot is, not when its tiles are loaded") {
  debug::Session session = recorded_run("matmul", {"m=32", "n=48", "k=64", "bm=16", "bn=16", "bk=16"});
  std::uint32_t loads = 0, step = 0;
  for (const AccessStep& a : accesses_of(session.trace(), 0))
    if (++loads == 4) step = a.step + 1;  // two turns' tiles are there
  session.go({0, step});
  Scene scene{.session = session};
  CHECK(draw_matmul(scene, {}).title.ends_with("k step 1 of 4"));
}

TEST_CASE("matmul: a persistent program's blocks are whole, though stored in halves, and B is drawn as dot takes it") {
  debug::Session session = recorded_run(
      "persistent_matmul", {"m=64", "n=96", "k=32", "bm=32", "bn=32", "bk=16", "programs=1", "b=nk", "group_size=2"});
  go_to_end(session, 0);
  Scene scene{.session = session};
  const Drawing d = draw_matmul(scene, {});
  CHECK(d.title == "program 0: block of c at rows 32.., columns 64.., k step 2 of 2");
  CHECK(d.subtitle.starts_with("a (64 x 32) on the left, b (32 x 96, stored as 96 x 32) above, c (64 x 96)"));
  CHECK(std::ranges::count_if(d.shapes, [](const Shape& s) {
          return s.id.starts_with("mine/") && s.tooltip.ends_with(": stored by this program");
        }) == 5);
}

TEST_CASE("matmul: before its first dot and between two blocks a persistent program shows the block to come") {
  debug::Session session = recorded_run(
      "persistent_matmul", {"m=64", "n=96", "k=32", "bm=32", "bn=32", "bk=16", "programs=1", "group_size=2"});
  std::vector<std::uint32_t> dots;
  const auto& steps = session.program().steps;
  for (std::uint32_t s = 0; s < steps.size(); ++s)
    if (steps[s].op == trace::Op::dot) dots.push_back(s);
  REQUIRE(dots.size() == 12);  // two for each of six blocks
  Scene scene{.session = session};
  const auto shows = [&](std::uint32_t step, const char* title, std::uint32_t first_dot) {
    session.go({0, step});
    const Drawing d = draw_matmul(scene, {});
    CHECK(d.title == title);
    const std::string to_come = "to come: the first dot of this block is step " + std::to_string(first_dot);
    CHECK(std::ranges::any_of(d.facts, [&](const auto& f) { return f.starts_with(to_come); }) == (step <= first_dot));
  };
  shows(0, "program 0: block of c at rows 0.., columns 0.., k step 0 of 2", dots[0]);
  shows(dots[1] + 1, "program 0: block of c at rows 0.., columns 0.., k step 2 of 2", dots[0]);  // not stored yet
  shows(dots[2], "program 0: block of c at rows 32.., columns 0.., k step 0 of 2", dots[2]);
  shows(dots[2] + 1, "program 0: block of c at rows 32.., columns 0.., k step 1 of 2", dots[2]);
}

TEST_CASE("matmul: attention has two products, of which the scores are never in memory") {
  debug::Session session =
      recorded_run("attention", {"heads=1", "seq=128", "head_dim=16", "causal=false", "bm=32", "bn=32", "dtype=f32"});
  go_to_end(session, 1);
  Scene scene{.session = session};
  const Drawing scores = draw_matmul(scene, {});
  CHECK(scores.subtitle.find("k (16 x 128, stored as 128 x 16) above") != std::string::npos);
  CHECK(scores.subtitle.find("(128 x 128, never in memory) in the corner") != std::string::npos);
  scene.settings["product"] = 1;
  const Drawing out = draw_matmul(scene, {});
  CHECK(out.title.ends_with("k step 4 of 4"));
  CHECK(out.subtitle.find("(128 x 128, never in memory) on the left, v (128 x 16) above, o (128 x 16)") !=
        std::string::npos);
}

TEST_CASE("matmul: hovering a block of C lights one row of A and one column of B") {
  debug::Session session = recorded_run("matmul", {"m=32", "n=48", "k=64", "bm=16", "bn=16", "bk=16"});
  Scene scene{.session = session};
  const Drawing d = draw_matmul(scene, {});
  Selection selection;
  selection.hovered.program = 4;
  std::set<std::string> lit;
  for (const Shape& s : d.shapes)
    if ((s.id.starts_with("row/") || s.id.starts_with("column/")) && is_lit(d, s, selection)) lit.insert(s.id);
  CHECK(lit == std::set<std::string>{"row/16", "column/16"});
}

TEST_CASE("order: of persistent programs it counts tiles, as there are fewer programs") {
  debug::Session session = recorded_run(
      "persistent_matmul", {"m=128", "n=96", "k=32", "bm=32", "bn=32", "bk=16", "programs=5", "group_size=2"});
  Scene scene{.session = session};
  const Drawing d = draw_order(scene, {});
  CHECK(d.title.ends_with("of 12 tiles"));
  CHECK(std::ranges::count(d.facts, "5 persistent programs make these 12 tiles, each several, one after the other") ==
        1);
}

TEST_CASE("attention: a causal mask skips the blocks above the diagonal and masks those on it") {
  for (const auto& [causal, skipped, masked] : {std::tuple("true", 6, 4), std::tuple("false", 0, 0)}) {
    debug::Session session = recorded_run("attention", {"heads=2", "seq=64", "head_dim=16", "bm=16", "bn=16",
                                                        "dtype=f32", std::string("causal=") + causal});
    go_to_end(session, 7);  // of 8: both heads' queries are done
    Scene scene{.session = session};
    const Drawing d = draw_attention(scene, {});
    const auto count = [&](const char* of) {
      return std::ranges::count_if(d.shapes, [&](const Shape& s) {
        return s.id.starts_with("block/") && s.tooltip.find(of) != std::string::npos;
      });
    };
    CHECK(count(": skipped") == skipped);
    CHECK(count("under a mask") == masked);
    CHECK(count("") == 16);
  }
}

TEST_CASE("attention: l is the sum of the weights that the maximum at the end gives, alpha rescales what came before") {
  debug::Session session =
      recorded_run("attention", {"heads=1", "seq=64", "head_dim=16", "bm=16", "bn=16", "dtype=f32", "causal=false"});
  go_to_end(session, 0);
  Scene scene{.session = session, .settings = {{"row", 3}}};
  const Drawing d = draw_attention(scene, {});
  REQUIRE(d.tables.size() == 1);
  const Table& t = d.tables.front();
  std::map<std::string, std::vector<double>> rows;
  for (const auto& row : t.rows)
    for (std::size_t i = 1; i < row.size(); ++i) rows[row[0]].push_back(std::stod(row[i]));
  REQUIRE(rows.at("m_i").size() == 4);
  // alpha = 2^(m before - m after)
  for (int i = 1; i < 4; ++i)
    CHECK(rows["alpha"][i] == doctest::Approx(std::exp2(rows["m_i"][i - 1] - rows["m_i"][i])).epsilon(0.02));
  for (int i = 1; i < 4; ++i) CHECK(rows["m_i"][i] >= rows["m_i"][i - 1]);
}

TEST_CASE("softmax: without the maximum, exp of a row moved by 100 is inf") {
  debug::Session session = recorded_run("softmax", {"rows=2", "cols=5"});
  go_to_end(session, 0);
  Scene scene{.session = session, .settings = {{"naive", 1}}};
  const Drawing d = draw_softmax(scene, {});
  CHECK(std::count_if(d.shapes.begin(), d.shapes.end(),
                      [](const Shape& s) { return s.kind == Kind::cross && s.id.starts_with("exp/"); }) == 5);
}

TEST_CASE("softmax: a row that comes in blocks shows the largest so far and the sum measured from it") {
  debug::Session session = recorded_run("softmax", {"rows=2", "cols=7", "block=2"});
  Scene scene{.session = session};
  session.go(default_moment(session, "softmax", ""));
  const Drawing d = draw_softmax(scene, {});
  CHECK(d.title == "Online softmax: a row in 4 blocks of 2 lanes");
  const trace::RecordedTensor& input = session.launch().tensors[1];
  REQUIRE(input.name == "input");
  REQUIRE(input.before.size() >= 7 * sizeof(float));
  std::vector<float> x(7);
  std::memcpy(x.data(), input.before.data(), 7 * sizeof(float));
  double largest = -INFINITY, sum = 0;
  for (std::size_t b = 0; b < 4; ++b) {
    for (std::size_t i = 2 * b; i < std::min<std::size_t>(7, 2 * b + 2); ++i) largest = std::max(largest, double(x[i]));
    sum = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(7, 2 * b + 2); ++i) sum += std::exp(double(x[i]) - largest);
    CHECK(d.tables.front().rows[0][b + 1] == short_number(largest, false));
    CHECK(d.tables.front().rows[3][b + 1] == short_number(sum, false));
  }
  session.go({0, 1});
  CHECK(draw_softmax(scene, {}).tables.front().rows[3][1] == "later");
}
