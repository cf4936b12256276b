// The chip's film: who holds what, and that its page needs nothing from elsewhere.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "interp/rules/config.h"
#include "interp/rules/mma_operands.h"
#include "viz/export/film_page.h"
#include "viz/model/film/launch.h"
#include "viz/model/film/look.h"
#include "viz/model/film/nodes.h"
#include "viz/model/sheet.h"
#include "viz/scene/film_case.h"

using namespace tl;
using namespace tl::viz;

namespace {

std::shared_ptr<const film::Film> small_product() {
  return film_of_case({.kernel = "grouped_matmul", .settings = {"m=256", "n=256", "k=128"}}, "h200", 1,
                      Compiling::never);
}

}  // namespace

TEST_CASE("film: registers of wgmma are those of the PTX ISA's figure") {
  // PTX ISA, wgmma.mma_async, D of m64nNk16: row = 16 (thread / 32) + thread / 4 % 8, and 8 more for registers 2 and 3
  // of four; column = 2 (thread % 4), with the register's odd bit, and 8 a further four registers.
  film::Film film;
  film.nodes.resize(1);
  film::ValueInRegisters v{"acc", "", 1, DType::float32, {64, 32}, rules::wgmma(64, 32, 4), "wgmma"};
  const int node = film::add_registers_node(film, v);
  const film::Map& held = film.nodes[node].maps[1];
  for (int thread = 0; thread < 128; ++thread)
    for (int ptx = 0; ptx < 16; ++ptx) {
      const int row = 16 * (thread / 32) + thread / 4 % 8 + 8 * (ptx / 2 % 2),
                column = 2 * (thread % 4) + ptx % 2 + 8 * (ptx / 4);
      // sorted by the element's index: columns before rows
      const int sorted = ptx % 2 + ptx / 4 * 2 + ptx / 2 % 2 * 8;
      CHECK(held.element[thread * 16 + sorted] == row * 32 + column);
    }
}

TEST_CASE("film: operands of mma.sync are those of the PTX ISA's figures, for elements of 1, 2 and 4 bytes") {
  for (const int bytes : {1, 2, 4}) {
    // PTX ISA, fragments of m16n8k(32 / bytes): group = lane / 4, t = lane % 4; register r holds 4 / bytes neighbours.
    // A: row = group + 8 (r % 2), k = (t + 4 (r / 2)) * 4 / bytes + ...; B: k = (t + 4 r) * 4 / bytes + ..., column =
    // group.
    const int each = 4 / bytes, k = 8 * each;
    const rules::Layout a = rules::mma_sync_left(16, 8, k, bytes, 1), b = rules::mma_sync_right(16, 8, k, bytes, 1);
    REQUIRE(a.register_count() == 4 * each);
    REQUIRE(b.register_count() == 2 * each);
    for (int lane = 0; lane < 32; ++lane) {
      std::set<int> of_a, of_b, right_a, right_b;
      for (int i = 0; i < 4 * each; ++i) {
        of_a.insert(a.of_thread(lane) | a.of_register(i));
        right_a.insert((lane / 4 + 8 * (i / each % 2)) * k + (lane % 4 + 4 * (i / each / 2)) * each + i % each);
      }
      for (int i = 0; i < 2 * each; ++i) {
        of_b.insert(b.of_thread(lane) | b.of_register(i));
        right_b.insert(((lane % 4 + 4 * (i / each)) * each + i % each) * 8 + lane / 4);
      }
      CHECK(of_a == right_a);
      CHECK(of_b == right_b);
    }
  }
}

TEST_CASE(
    "film: where a chip has no wgmma, the operands of a dot are in registers, each element as often as warps need it") {
  const auto film = film_of_case({.kernel = "grouped_matmul", .settings = {"m=256", "n=256", "k=128"}}, "a100_80", 1,
                                 Compiling::never);
  int operands = 0;
  for (const film::Node& n : film->nodes) operands += n.name.ends_with(" in dot");
  CHECK(operands == 2);
}

TEST_CASE("film: every program has its place, and each ends before the film does") {
  const auto film = small_product();
  CHECK(film->programs.size() == 16);
  for (const film::ProgramAt& p : film->programs) {
    CHECK(p.portal >= 0);
    CHECK(p.rows > 0);
    CHECK(double(p.end_us) <= film->end_us + 1e-3);
  }
}

TEST_CASE("film: at its end every tile of the result is stored, at its beginning none") {
  const auto film = small_product();
  film::Projector projector(*film);
  for (const film::Cells& c : film->nodes[0].cells)
    if (c.name == "tile of c") {
      for (const auto s : projector.states_at(c, film->end_us).states) CHECK(c.states[s].label == "stored");
      for (const auto s : projector.states_at(c, -1).states) CHECK(c.states[s].label == "not yet touched");
    }
}

TEST_CASE("film: no tile of the result is in L2 before it is stored") {
  const auto film = small_product();
  std::map<std::uint32_t, float> stored;
  for (const film::Cells& c : film->nodes[0].cells)
    for (std::size_t e = 0; e < c.at.size() && c.name == "tile of c"; ++e) stored[c.cell[e]] = c.at[e];
  REQUIRE(stored.size() == 16);
  int there = 0;
  for (const film::Cells& c : film->nodes[0].cells)
    for (std::size_t e = 0; e < c.at.size() && c.name.starts_with("half ") && c.name.ends_with("tile of c");
         ++e, ++there)
      CHECK(c.at[e] >= stored.at(c.cell[e]));
  CHECK(there >= 16);
}

TEST_CASE("film: tiles as wide as their tensor are as many rows as the block has, not one long row") {
  const auto film =
      film_of_case({.kernel = "attention", .settings = {"heads=2", "seq=1024", "head_dim=64", "bm=128", "bn=64"}},
                   "h200", 1, Compiling::never);
  for (const auto& [name, cells] : {std::pair("tile of q", 2 * 1024 / 128), std::pair("tile of k", 2 * 1024 / 64)}) {
    const auto found = std::ranges::find(film->nodes[0].cells, name, &film::Cells::name);
    REQUIRE(found != film->nodes[0].cells.end());
    std::set<std::uint32_t> touched(found->cell.begin(), found->cell.end());
    CHECK(std::ssize(touched) == cells);
  }
}

TEST_CASE("film: no row of softmax is stored before it is loaded") {
  const auto film =
      film_of_case({.kernel = "softmax", .settings = {"rows=512", "cols=781"}}, "h200", 1, Compiling::never);
  std::map<std::string, std::map<std::uint32_t, float>> there;  // when a row of a tensor came to its last state
  for (const film::Cells& c : film->nodes[0].cells)
    for (std::size_t e = 0; e < c.at.size(); ++e) there[c.name][c.cell[e]] = c.at[e];
  REQUIRE(there["tile of output"].size() == 512);
  for (const auto& [row, at] : there["tile of output"]) CHECK(at > there["tile of input"].at(row));
}

TEST_CASE("film: of a launch with more steps than are kept, too, every tile of the result is stored at the end") {
  const auto film =
      film_of_case({.kernel = "grouped_matmul", .settings = {"m=4096", "n=4096", "k=8192", "bm=64", "bn=64", "bk=32"}},
                   "h200", 1, Compiling::never);
  REQUIRE(
      std::ranges::any_of(film->facts, [](const auto& f) { return f.find("more steps than are kept") < f.size(); }));
  film::Projector projector(*film);
  for (const film::Cells& c : film->nodes[0].cells)
    if (c.name == "tile of c") {
      const auto& half = projector.states_at(c, film->end_us / 2).states;
      const auto stored = std::ranges::count_if(half, [&](auto s) { return c.states[s].label == "stored"; });
      CHECK(stored > 0.4 * double(half.size()));
      CHECK(stored < 0.6 * double(half.size()));
      for (const auto s : projector.states_at(c, film->end_us).states) CHECK(c.states[s].label == "stored");
    }
}

TEST_CASE("film: at little more than half its size a program says what its rows are, and its text can be read") {
  const auto film =
      film_of_case({.kernel = "grouped_matmul", .settings = {"m=256", "n=256", "k=128"}}, "h200", 1, Compiling::never);
  film::Projector projector(*film);
  const Canvas canvas{900, 580};
  const Drawing d =
      projector.look({.us = film->end_us / 2, .camera = film::camera_on(*film, {0}, canvas), .canvas = canvas});
  const auto is_written = [&](const std::string& words) { return std::ranges::count(d.shapes, words, &Shape::text); };
  for (const char* words : {"load a", "load b", "dots", "waits", "store c", "producers: cp.async", "DRAM"})
    CHECK_MESSAGE(is_written(words) == 1, words);
  CHECK(std::ranges::any_of(d.shapes, [](const Shape& s) { return s.is_mono && s.text.find("tl.dot(") < 40; }));
  for (const Shape& s : d.shapes)
    if (s.kind == Kind::text && s.is_mono) CHECK(s.size >= 11);
}

TEST_CASE("film: in a block that one has entered no name of what is around it is left") {
  const auto film = small_product();
  const auto& portals = film->nodes[film::placement_of(*film, {0}).node].portals;
  const auto acc = std::ranges::find(portals, "acc", &film::Portal::name);
  REQUIRE(acc != portals.end());
  film::Projector projector(*film);
  const Canvas canvas{900, 580};
  const film::Path path{0, static_cast<int>(acc - portals.begin())};
  const Drawing d = projector.look({.us = 1, .camera = film::camera_on(*film, path, canvas), .canvas = canvas});
  CHECK(std::ranges::count(d.shapes, "acc", &Shape::text) == 1);  // over the map
  CHECK(std::ranges::count(d.shapes, "wgmma", &Shape::text) == 0);
}

TEST_CASE("film: at its end every tile of a picture's planes was read, also where neighbours' lines brought it") {
  const auto film = film_of_case({.kernel = "grey", .settings = {}}, "h200", 1, Compiling::never);
  film::Projector projector(*film);
  const auto& cells = film->nodes[0].cells;
  const auto x = std::ranges::find(cells, "tile of x", &film::Cells::name);
  REQUIRE(x != cells.end());
  CHECK(x->rows * x->columns == 3 * 5 * 8);
  for (const auto s : projector.states_at(*x, film->end_us).states) CHECK(x->states[s].label != "not yet touched");
}

TEST_CASE("film: its clock ends where the launch's total says, and nothing flows after the last program") {
  const auto film = small_product();
  CHECK(film->end_us == doctest::Approx(film->totals.front().value * 1e3));
  const film::Series& loads = film->nodes[0].series.back();
  for (const int column : loads.columns) CHECK(film->tables[loads.table].columns[column].back() == 0);
}

TEST_CASE("film: of a case of several launches each can be played") {
  const auto film =
      film_of_case({.kernel = "attention_backward", .settings = {}}, "h200", 1, Compiling::never, nullptr, {}, 2);
  CHECK(film->launches.size() == 3);
  CHECK(film->launch == 2);
  CHECK(film->kernel.find("launch 3 of 3, " + film->launches[2]) != std::string::npos);
}

TEST_CASE("film: Enter goes to where a program runs") {
  const auto film = film_of_case({.kernel = "attention", .settings = {}}, "h200", 1, Compiling::never);
  const int sm = film::busy_portal(*film, {}, film->end_us / 4);
  CHECK(std::ranges::count(film->programs, sm, &film::ProgramAt::portal) > 0);
}

TEST_CASE("film: of a launch that takes long to simulate its beginning is there first") {
  std::shared_ptr<const film::Film> beginning;
  const auto whole = film_of_case({.kernel = "grouped_matmul", .settings = {"m=2048", "n=2048", "k=4096"}}, "h200", 1,
                                  Compiling::never, nullptr, [&](auto film) { beginning = film; });
  REQUIRE(beginning);
  CHECK(beginning->is_beginning);
  CHECK_FALSE(whole->is_beginning);
  CHECK(beginning->end_us < 0.5 * whole->end_us);
  CHECK(beginning->nodes[0].portals.size() == whole->nodes[0].portals.size());
  const auto computed = [](const film::Film& f) {
    film::Projector projector(f);
    for (const film::Cells& c : f.nodes[0].cells)
      if (c.name == "tile of c")
        return std::ranges::count_if(projector.states_at(c, f.end_us).states, [&](auto s) { return s > 0; });
    return std::ptrdiff_t{0};
  };
  CHECK(computed(*beginning) >= 132);  // every SM is at work
  CHECK(computed(*beginning) < 32 * 32);
  CHECK(computed(*whole) == 32 * 32);
}

TEST_CASE("film: a persistent program's tiles follow one another, and all together are those of C") {
  const auto film = film_of_case({.kernel = "persistent_matmul",
                                  .settings = {"m=512", "n=384", "k=2048", "bm=128", "bn=128", "bk=64", "programs=5"}},
                                 "h200", 1, Compiling::never);
  CHECK(film->programs.size() == 5);
  std::size_t tiles = 0;
  for (const film::ProgramAt& p : film->programs) {
    const film::Table& t = film->tables[p.table + 2];
    tiles += t.rows();
    for (std::size_t r = 0; r < t.rows(); ++r) {
      CHECK(t.columns[film::tile_starts][r] < t.columns[film::tile_ends][r]);
      if (r > 0) CHECK(t.columns[film::tile_starts][r] >= t.columns[film::tile_ends][r - 1]);
      CHECK(t.columns[film::tile_ends][r] <= p.end_us * 1.0001f);
    }
  }
  CHECK(tiles == 4 * 3);
}

TEST_CASE("film: a line of the text is lit while its access is under way, a store's not while tiles are summed") {
  const auto film =
      film_of_case({.kernel = "grouped_matmul", .settings = {"m=256", "n=256", "k=2048"}}, "h200", 1, Compiling::never);
  const film::ProgramAt& p = film->programs.front();
  const film::Table& steps = film->tables[p.table];
  int lights = 0, stores = 0;
  for (const film::Node& n : film->nodes)
    for (const film::Now& now : n.nows) {
      if (!now.is_light) continue;
      ++lights;
      double lit = 0;
      for (std::uint32_t r = p.first_row; r < p.first_row + p.rows; ++r)
        lit += double(steps.columns[now.to][r] - steps.columns[now.from][r]);
      if (now.line == 37) {  // tl.store
        CHECK(lit < 0.2 * double(p.end_us - p.start_us));
        ++stores;
      }
      CHECK(lit > 0);
    }
  CHECK(lights == 4);  // two loads, the dot, the store
  CHECK(stores == 1);
}

TEST_CASE("film: at every size its words can be read, and none stands on another") {
  const auto film = small_product();
  film::Projector projector(*film);
  for (const Canvas canvas : {Canvas{480, 300}, Canvas{760, 320}, Canvas{1180, 700}, Canvas{1600, 1000}}) {
    film::View view{.us = film->end_us / 2, .camera = film::camera_on(*film, {}, canvas), .canvas = canvas};
    std::vector<film::Box> words;
    for (const Shape& s : projector.look(view).shapes) {
      if (s.kind != Kind::text || s.align == Align::centre) continue;  // centred: in a mark that has room for it
      CHECK_MESSAGE(s.size >= 11, s.text);
      const float w = text_width(s.text, s.size, s.is_mono, s.is_bold);
      words.push_back({s.align == Align::right ? s.x - w : s.x, s.y - 0.7f * s.size, w, 0.7f * s.size});
    }
    CHECK(words.size() >= 5);
    for (std::size_t i = 0; i < words.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        CHECK_FALSE((words[i].x < words[k].x + words[k].w && words[k].x < words[i].x + words[i].w &&
                     words[i].y < words[k].y + words[k].h && words[k].y < words[i].y + words[i].h));
  }
}

TEST_CASE("film: whatever room it has, no colour is without its key") {
  const auto f = small_product();
  film::Projector projector(*f);
  for (const Canvas canvas :
       {Canvas{1600, 1000}, Canvas{737, 560}, Canvas{512, 400}, Canvas{350, 300}, Canvas{760, 300}}) {
    const Drawing d = projector.look({f->end_us / 2, film::camera_on(*f, {}, canvas), canvas});
    for (const Shape& key : f->nodes[0].shapes) {
      if (key.kind != Kind::text || key.fill.role == Role::none) continue;
      const auto shown = std::ranges::find_if(d.shapes, [&](const Shape& s) { return s.text == key.text; });
      REQUIRE_MESSAGE(shown != d.shapes.end(), key.text << " at " << canvas.width << " x " << canvas.height);
      CHECK(shown->x + text_width(shown->text, shown->size) <= canvas.width);
      CHECK(shown->y <= canvas.height);
    }
  }
}

TEST_CASE("film: SMs load while DRAM sends, not for as long as their programs run") {
  const auto film =
      film_of_case({.kernel = "softmax", .settings = {"rows=1823", "cols=781"}}, "h200", 0, Compiling::never);
  const film::Table& t = film->tables[film->nodes[0].series[0].table];
  double asked_late = 0, asked = 0;  // of what comes from DRAM, all within the first two thirds
  for (std::size_t r = 0; r < t.rows(); ++r) {
    const double missed = double(t.columns[film->nodes[0].series[1].columns[0]][r]);
    asked += missed;
    if (double(t.columns[0][r]) > 0.67 * film->end_us) asked_late += missed;
  }
  CHECK(asked_late < 0.02 * asked);
}

TEST_CASE("film: the page has nothing from elsewhere, and no tag within its data") {
  const auto film = small_product();
  const std::vector<std::shared_ptr<const film::Film>> films{film};
  const std::vector<std::string> names{"as given"};
  const std::string page = film::page(films, names, Theme());
  for (const char* outside : {"http:", "https:", "src=", "@import", "//cdn"})
    CHECK_MESSAGE(page.find(outside) == std::string::npos, outside);
  CHECK(page.find("show_film(") != std::string::npos);
}
