// The chip's film: who holds what, and that its page needs nothing from elsewhere.
#include <doctest/doctest.h>

#include "interp/cuda/rules/config.h"
#include "viz/export/film_page.h"
#include "viz/model/film/look.h"
#include "viz/model/film/nodes.h"
#include "viz/scene/film_case.h"

using namespace tl;
using namespace tl::viz;

namespace {

std::shared_ptr<const film::Film> small_product() {
  return film_of_case({.kernel = "grouped_matmul", .settings = {"m=256", "n=256", "k=128"}}, "h200", 1, false);
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

TEST_CASE("film: the page has nothing from elsewhere, and no tag within its data") {
  const auto film = small_product();
  const std::vector<std::shared_ptr<const film::Film>> films{film};
  const std::vector<std::string> names{"as given"};
  const std::string page = film::page(films, names, Theme());
  for (const char* outside : {"http:", "https:", "src=", "@import", "//cdn"})
    CHECK_MESSAGE(page.find(outside) == std::string::npos, outside);
  CHECK(page.find("<canvas") != std::string::npos);
}
