// The drawings of real kernels: golden texts, figures known from elsewhere, stepping there and back.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/viz/recorded_run.h"
#include "tests/viz/shapes_of.h"
#include "viz/model/sheet.h"

using namespace tl;
using namespace tl::viz;

TEST_CASE("offsets: three programs on the same two elements, four never written") {
  debug::Session session = recorded_run("copy_wrong_offsets", {"n=6", "block=2"});
  go_to_end(session, 2);
  Scene scene{.session = session};
  const Drawing d = draw_offsets(scene, {});
  CHECK(plain_text(d) == golden("offsets.txt"));
  CHECK(count(d, Hatch::crossed, "cell/") == 2);
  CHECK(std::count_if(d.shapes.begin(), d.shapes.end(),
                      [](const Shape& s) { return s.kind == Kind::rect && s.text == "?"; }) == 4);
}

TEST_CASE("offsets: lanes beyond the end drop off, each with a cross") {
  debug::Session session = recorded_run("add", {"n=6", "block=4"});
  go_to_end(session, 1);
  Scene scene{.session = session};
  const Drawing d = draw_offsets(scene, {});
  CHECK(std::count_if(d.shapes.begin(), d.shapes.end(),
                      [](const Shape& s) { return s.kind == Kind::cross && s.id.starts_with("drop/"); }) == 2);
}

TEST_CASE("offsets: of two axes they are a picture over the image, where lanes beyond its edges are masked off") {
  debug::Session session = recorded_run("grey", {"h=40", "w=50", "block_h=16", "block_w=16"});
  go_to_end(session, 11);  // of 4 x 3: the lower right corner
  Scene scene{.session = session};
  const Drawing d = draw_offsets(scene, {});
  CHECK(std::ranges::count_if(d.shapes, [](const Shape& s) { return s.id.starts_with("tile/"); }) == 12);
  CHECK(std::ranges::count_if(d.shapes, [](const Shape& s) { return s.id.starts_with("lane/"); }) == 256);
  // 8 of its rows and 2 of its columns are left
  CHECK(count(d, Hatch::single, "lane/") == 256 - 8 * 2);
}

TEST_CASE(
    "block: every variable of a product is drawn, those of the next statement first, pointers with their strides") {
  debug::Session session = recorded_run("matmul", {"m=256", "n=256", "k=128", "bm=64", "bn=64", "bk=32"});
  session.go({0, 40});
  Scene scene{.session = session};
  const Drawing d = draw_block(scene, {});
  std::map<std::string, float> y;
  std::set<std::string> texts;
  for (const Shape& s : d.shapes) {
    if (s.id.starts_with("variable/")) y[s.id.substr(9)] = s.y;
    texts.insert(s.text);
  }
  for (const char* name : {"pid", "offs_m", "offs_n", "offs_k", "a_ptrs", "b_ptrs", "a_mask", "b_mask", "acc"})
    CHECK_MESSAGE(y.contains(name), name);
  CHECK(y["a_ptrs"] < y["pid"]);  // line 30 uses the one and not the other
  CHECK(texts.contains("into a, 64 x 32"));
  CHECK(texts.contains("8064"));  // row 63 of rows 128 apart
}

TEST_CASE("memory: tensors are drawn in their shape, all with cells of one size") {
  debug::Session session = recorded_run("matmul", {"m=256", "n=192", "k=128", "bm=64", "bn=64", "bk=32"});
  Scene scene{.session = session};
  std::map<std::string, std::pair<float, float>> size;
  for (const Shape& s : draw_memory(scene, {}).shapes)
    if (s.kind == Kind::image) size[s.id] = {s.w, s.h};
  REQUIRE(size.size() == 3);
  const float cell = size["cell/0"].first / 128;
  CHECK(size["cell/0"].second == doctest::Approx(256 * cell));
  CHECK(size["cell/1"].first == doctest::Approx(192 * cell));
  CHECK(size["cell/1"].second == doctest::Approx(128 * cell));
  CHECK(size["cell/2"].second == doctest::Approx(256 * cell));
}

TEST_CASE("compare: what rounding allows is right, what is beyond it has a cross") {
  debug::Session session = recorded_run("copy", {"n=4", "block=4"});
  Scene scene{.session = session, .output = "z", .output_shape = {4}};
  const std::vector<Outcome> outcomes = {
      {.name = "interpreter", .values = {1, 2.009, 3.02, NAN}, .note = ""},
      {.name = "reference", .values = {1, 2, 3, 4}, .note = "", .allowed_absolute = 0.01}};
  scene.outcomes = outcomes;
  const Drawing d = draw_compare(scene, {});
  std::set<std::string> crosses;
  for (const Shape& s : d.shapes)
    if (s.kind == Kind::cross && s.id.starts_with("wrong/")) crosses.insert(s.id);
  CHECK(crosses == std::set<std::string>{"wrong/2", "wrong/3"});
  CHECK(text_of_shape(d, "verdict/interpreter") == "2 of 4 elements wrong");
}

TEST_CASE("compare: NaN is right where the reference says NaN") {
  debug::Session session = recorded_run("copy", {"n=4", "block=4"});
  Scene scene{.session = session, .output = "z", .output_shape = {4}};
  const std::vector<Outcome> outcomes = {{.name = "interpreter", .values = {1, NAN, NAN, INFINITY}, .note = ""},
                                         {.name = "reference", .values = {1, NAN, 3, INFINITY}, .note = ""}};
  scene.outcomes = outcomes;
  CHECK(text_of_shape(draw_compare(scene, {}), "verdict/interpreter") == "1 of 4 elements wrong");
}

TEST_CASE("compare: a GPU has its own picture of errors, its own tolerance and its own time") {
  debug::Session session = recorded_run("copy", {"n=4", "block=4"});
  Scene scene{.session = session, .output = "z", .output_shape = {4}};
  const std::vector<Outcome> outcomes = {
      {.name = "interpreter", .values = {1, 2, 3, 4}, .ms = 2, .note = ""},
      {.name = "GPU", .values = {1, 2.5, 3, 6}, .ms = 0.02, .note = "just now; once, cold", .allowed_absolute = 1},
      {.name = "reference", .values = {1, 2, 3, 4}, .note = "", .allowed_absolute = 0.01}};
  scene.outcomes = outcomes;
  const Drawing d = draw_compare(scene, {});
  CHECK(text_of_shape(d, "verdict/interpreter") == "right: equal everywhere");
  CHECK(text_of_shape(d, "verdict/GPU") == "1 of 4 elements wrong");  // 2.5 is within 1 of 2, 6 is not of 4
  CHECK(std::ranges::count(d.shapes, std::string("time/GPU"), &Shape::id) == 1);
}

TEST_CASE("compare: an output of three axes shows its planes, and names an element by all three indices") {
  debug::Session session = recorded_run("copy", {"n=12", "block=4"});
  const std::vector<Outcome> outcomes = {
      {.name = "reference", .values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, .note = ""}};
  Scene scene{.session = session, .outcomes = outcomes, .output = "z", .output_shape = {2, 2, 3}};
  const Drawing d = draw_compare(scene, {});
  CHECK(std::ranges::count(d.shapes, std::string("z[1]"), &Shape::text) == 1);
  CHECK(std::ranges::any_of(d.shapes, [](const Shape& s) { return s.tooltip == "z[1, 0, 2] = 8"; }));
}

TEST_CASE("block: of a long list the reader may choose what a line uses, or a kind") {
  debug::Session session = recorded_run("attention", {"seq=32", "head_dim=16", "bm=16", "bn=16", "heads=1"});
  session.go({0, 28});
  const auto names = [&](std::int64_t chosen) {
    Scene scene{.session = session, .settings = {{"show", chosen}}};
    std::set<std::string> found;
    for (const Shape& s : draw_block(scene, {}).shapes)
      if (s.id.starts_with("variable/")) found.insert(s.id.substr(9));
    return found;
  };
  const auto all = names(0), next_line = names(1), scalars = names(2), places = names(3), values = names(4);
  CHECK(next_line.size() < all.size());
  CHECK(scalars.size() + places.size() + values.size() == all.size());
  CHECK(places.contains("offs_m"));
  CHECK(values.contains("m_i"));
}

TEST_CASE("random: the rounds end with the words that Random123 publishes for a counter and a key of zeros") {
  debug::Session session = recorded_run("dropout", {"n=20", "block=16", "seed=0"});
  go_to_end(session, 0);
  Scene scene{.session = session, .settings = {{"lane", 0}}};
  const Drawing d = draw_random(scene, {});
  const auto& rounds = d.tables.front().rows;
  REQUIRE(rounds.size() == 11);  // the counter, then ten rounds
  CHECK(rounds[0][1] == "00000000");
  const std::vector<std::string> words(rounds[10].begin() + 1, rounds[10].begin() + 5);
  CHECK(words == std::vector<std::string>{"6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"});
}

TEST_CASE("random: a lane is kept where its number exceeds p, as the kernel compared") {
  debug::Session session = recorded_run("dropout", {"n=64", "block=64", "seed=123", "p=0.5"});
  go_to_end(session, 0);
  Scene scene{.session = session};
  const Drawing d = draw_random(scene, {});
  int kept = 0;
  for (const Shape& s : d.shapes)
    if (s.id.starts_with("lane/")) {
      const double number = std::stod(s.tooltip.substr(s.tooltip.find(": ") + 2));
      CHECK((s.tooltip.find("True") != std::string::npos) == (number > 0.5));
      kept += number > 0.5;
    }
  CHECK(kept > 16);
  CHECK(kept < 48);
}

TEST_CASE("coalesce: 32 neighbouring floats need 4 sectors; a column of a matrix takes 32") {
  debug::Session row = recorded_run("add", {"n=64", "block=32"});
  go_to_end(row, 0);
  Scene scene{.session = row};
  CHECK(draw_coalesce(scene, {}).title.ends_with("32 lanes need 4 sectors, 4 are written"));
}

TEST_CASE("banks: a column takes 32 passes; a word of padding or XOR makes it one") {
  debug::Session session = recorded_run("copy", {"n=4", "block=4"});
  Scene scene{.session = session};
  CHECK(plain_text(draw_banks(scene, {})).find("rows as they are: up to 32 lanes want different words") !=
        std::string::npos);
  scene.settings = {{"placement", 0}};
  CHECK(draw_banks(scene, {}).title.ends_with("32 passes"));
  scene.settings = {{"placement", 1}};
  CHECK(draw_banks(scene, {}).title.ends_with("1 pass"));
  scene.settings = {{"placement", 2}};
  CHECK(draw_banks(scene, {}).title.ends_with("1 pass"));
}

// `tilescope banks grouped_matmul`: 64 x 32 f16, 16 bytes a lane; none 128, 4-way; padded 32; xor 32.
TEST_CASE("banks: a kernel's own tile stands as its code places it, beside the other placements") {
  debug::Session session = recorded_run("grouped_matmul", {});
  Scene scene{.session = session};
  const std::string text = plain_text(draw_banks(scene, {}));
  CHECK(text.find("rows as they are: 128, rows padded: 32, rows XORed, as CUDA's code has them: 32") !=
        std::string::npos);
  CHECK(text.find("rows as they are: up to 4 lanes want different words") != std::string::npos);
  CHECK(text.find("rows XORed: no lane waits") != std::string::npos);
}

TEST_CASE("offsets: an image's last tile is told without its padding") {
  // 10 x 10 in tiles of 8 x 8: program 3 has rows and columns 8 and 9, 4 lanes of 64.
  debug::Session session = recorded_run("matmul", {"m=10", "n=10", "k=8", "bm=8", "bn=8", "bk=8"});
  go_to_end(session, 3);
  Scene scene{.session = session};
  const Drawing d = draw_offsets(scene, {});
  CHECK(d.title.ends_with("stores c: rows 8 to 9, columns 8 to 9"));
  CHECK(text_of_shape(d, "fact/1").starts_with("4 lanes touch an element; 60 are padding"));
}

TEST_CASE("mask: where a block's axes are not those of a plane no image is claimed") {
  // 32 neighbours down a block over 4 planes of 5 x 8, as a convolution takes pixels in a line.
  auto trace = run::record(run::make_case({.kernel = "transpose", .settings = {"m=40", "n=4", "block_n=4"}}), {});
  for (trace::RecordedTensor& t : trace.launches.front().tensors)
    if (t.shape == std::vector<std::int64_t>{4, 40}) t.shape = {4, 5, 8}, t.strides = {40, 8, 1};
  debug::Session session(std::move(trace));
  go_to_end(session, 0);
  Scene scene{.session = session};
  CHECK(draw_mask(scene, {}).subtitle.ends_with("has no plane of such rows and columns."));
}
