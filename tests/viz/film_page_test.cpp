// The chip's page in a real browser, where one is installed: it plays, steps, zooms and compares, and shows the states
// that the film has.
#include "viz/export/film_page.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "viz/model/film/look.h"
#include "viz/scene/film_case.h"

using namespace tl;
using namespace tl::viz;

namespace {

std::string browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (std::system(fmt::format("command -v {} > /dev/null 2>&1", name).c_str()) == 0) return name;
  return "";
}

std::string output_of(const std::string& command) {
  std::string out;
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 65536> part;
  for (std::size_t n = 0; pipe && (n = fread(part.data(), 1, part.size(), pipe)) > 0;) out.append(part.data(), n);
  if (pipe) pclose(pipe);
  return out;
}

// What the page's script is asked to do, at its end; the answers as JSON in an element of its own.
const char* const questions = R"js(
const said = {errors: []};
addEventListener("error", e => said.errors.push(e.message));
const films = data.films, canvas = document.querySelector("canvas");
const press = key => dispatchEvent(new KeyboardEvent("keydown", {key, cancelable: true}));
const mouseAt = (kind, x, y) => { const r = canvas.getBoundingClientRect(); canvas.dispatchEvent(new MouseEvent(kind, {clientX: r.left + x, clientY: r.top + y, bubbles: true})); };
const colours = () => { const d = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data, seen = new Set(); for (let i = 0; i < d.length; i += 64) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return seen.size; };
const hash = now => { let h = 0; for (let i = 0; i < now.length; i++) h = (h * 31 + now[i]) % 1000003; return h; };
const button = name => [...document.querySelectorAll("button")].find(b => b.textContent === name);
film_now();
press("Home"); said.start = film_at().t;
press("n"); said.first_tile = film_at().t;
press("End"); said.end = film_at().t;
film_now(); said.colours = colours();
const b = film_box([3]), down = films.length > 1 ? 24 : 0;
mouseAt("mousemove", b[0] + b[2] / 2, down + b[1] + b[3] / 2); mouseAt("mousedown", 0, 0); mouseAt("mouseup", 0, 0);
const whole = film_at().scale; film_now();
said.zoom = film_at().scale / whole; said.path = film_at().path; said.crumbs = document.querySelector(".crumbs").textContent;
press("Escape"); said.out = film_at().path.length;
said.totals = document.querySelector("table").textContent;
const time = document.querySelector("[type=range]"); time.value = 250; time.dispatchEvent(new Event("input")); said.scrubbed = film_at().t / film_at().end;
press(" "); press(" "); said.pauses = !film_at().playing; button("whole launch").click(); film_now();
mouseAt("mousemove", canvas.clientWidth / 4, canvas.clientHeight / 2); const near = film_at().scale;
canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: -400, cancelable: true})); said.wheel = film_at().scale / near;
said.states = [];
for (const part of [0.25, 0.5, 1]) for (const f of data.films) for (const c of f.nodes[0].cells) said.states.push(hash(film_states(f, c, part * f.end)));
press("t"); said.tour = [film_at().told, film_at().playing]; press("ArrowRight"); said.second = [film_at().told, film_at().t - data.tour[1].us];
said.caption = document.querySelector(".caption p").textContent === data.tour[1].text; press("Escape"); said.tour_ends = film_at().told;
press("Home"); press(" "); said.plays = film_at().playing;
const from = film_at().frames;
setTimeout(() => { said.t_later = film_at().t; said.frames = film_at().frames - from; const out = document.createElement("pre"); out.id = "said"; out.textContent = JSON.stringify(said); document.body.append(out); }, 1500);
)js";

nlohmann::json asked(std::span<const std::shared_ptr<const film::Film>> films, std::span<const std::string> names) {
  std::string page = film::page(films, names, Theme());
  page.insert(page.rfind("</script>"), questions);
  const std::string stem = (std::filesystem::temp_directory_path() / fmt::format("film_page_{}", getpid())).string();
  std::ofstream(stem + ".html") << page;
  const std::string dom =
      output_of(fmt::format("timeout 120 {} --headless --no-sandbox --disable-gpu --user-data-dir={}.profile "
                            "--window-size=1400,900 --virtual-time-budget=4000 --dump-dom file://{}.html 2>/dev/null",
                            browser(), stem, stem));
  std::filesystem::remove(stem + ".html");
  std::filesystem::remove_all(stem + ".profile");
  const auto at = dom.find("<pre id=\"said\">");
  REQUIRE_MESSAGE(at != std::string::npos, dom.substr(0, 300));
  return nlohmann::json::parse(dom.substr(at + 15, dom.find("</pre>", at) - at - 15));
}

std::shared_ptr<const film::Film> product(const char* group) {
  return film_of_case({.kernel = "grouped_matmul", .settings = {"m=512", "n=512", "k=256", group}}, "h200", 1,
                      Compiling::never);
}

}  // namespace

TEST_CASE("film: in a browser two launches play on one clock, step, zoom, and show the film's states") {
  if (browser().empty()) {
    MESSAGE("skipped: no browser (Debian's package chromium)");
    return;
  }
  const std::vector<std::shared_ptr<const film::Film>> films{product("group_size=8"), product("group_size=1")};
  const std::vector<std::string> names{"as given", "group_size=1"};
  const nlohmann::json said = asked(films, names);
  const double end = std::max(films[0]->end_us, films[1]->end_us);
  CHECK(said["start"] == 0);
  CHECK(said["first_tile"].get<double>() == doctest::Approx(double(films[0]->tiles_us.front())).epsilon(1e-3));
  CHECK(said["end"].get<double>() == doctest::Approx(end));
  std::vector<std::int64_t> hashes;
  for (const double part : {0.25, 0.5, 1.0})
    for (const auto& f : films) {
      film::Projector projector(*f);
      for (const film::Cells& c : f->nodes[0].cells) {
        std::int64_t h = 0;
        for (const auto s : projector.states_at(c, part * f->end_us).states) h = (h * 31 + s) % 1000003;
        hashes.push_back(h);
      }
    }
  CHECK(said["states"] == nlohmann::json(hashes));
  CHECK(said["colours"] > 5);
  CHECK(said["path"] == nlohmann::json({3}));
  CHECK(said["crumbs"].get<std::string>().find(films[0]->nodes[0].portals[3].name) != std::string::npos);
  CHECK(said["out"] == 0);
  CHECK(said["zoom"] > 5);          // an SM of 132 fills the canvas
  CHECK(said["scrubbed"] == 0.25);  // 250 of the slider's 1000
  CHECK(said["pauses"] == true);
  CHECK(said["wheel"].get<double>() == doctest::Approx(std::exp(0.6)));
  CHECK(said["totals"].get<std::string>().find("group_size=1") != std::string::npos);
  CHECK(said["tour"] == nlohmann::json::array({0, true}));
  CHECK(said["second"] == nlohmann::json::array({1, 0}));
  CHECK(said["caption"] == true);
  CHECK(said["tour_ends"] == -1);
  CHECK(said["plays"] == true);
  CHECK(said["t_later"].get<double>() > 0);
  CHECK(said["frames"] >= 1);
  CHECK(said["errors"].empty());
}
