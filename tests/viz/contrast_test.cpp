// Every text of every drawing reads on what lies beneath it, in each theme: WCAG 2 asks 4.5 to 1 of small text.
#include <doctest/doctest.h>

#include "tests/viz/recorded_run.h"
#include "viz/model/theme.h"

using namespace tl;
using namespace tl::viz;

namespace {

Rgba ground_of(const Drawing& d, std::size_t text, Point at, const Theme& theme) {
  Rgba ground = theme({Role::paper});
  for (std::size_t i = 0; i <= text; ++i) {
    const Shape& s = d.shapes[i];
    if (at.x < s.x || at.x >= s.x + s.w || at.y < s.y || at.y >= s.y + s.h) continue;
    if (s.kind == Kind::rect) ground = theme.solid(s.fill, ground);
    if (s.kind != Kind::image) continue;
    const Image& image = d.images[static_cast<std::size_t>(s.image)];
    const auto row = static_cast<std::int64_t>((at.y - s.y) / s.h * static_cast<float>(image.rows)),
               column = static_cast<std::int64_t>((at.x - s.x) / s.w * static_cast<float>(image.columns));
    ground =
        theme.solid(image.palette[image.texels[static_cast<std::size_t>(row * image.columns + column)]].colour, ground);
  }
  return ground;
}

Point middle(const Shape& s) {
  if (s.kind == Kind::rect) return {s.x + s.w / 2, s.y + s.h / 2};
  const float width = text_width(s.text, s.size, s.is_mono, s.is_bold), left = s.align == Align::left ? s.x
                                                                               : s.align == Align::centre
                                                                                   ? s.x - width / 2
                                                                                   : s.x - width;
  return {left + width / 2, s.y - s.size * 0.35f};
}

void check_texts(const Drawing& d) {
  for (const ThemeName name : {ThemeName::light, ThemeName::dark, ThemeName::contrast}) {
    const Theme theme(name);
    for (std::size_t i = 0; i < d.shapes.size(); ++i) {
      const Shape& s = d.shapes[i];
      if (s.text.empty()) continue;
      const Rgba ground = ground_of(d, i, middle(s), theme),
                 ink = theme(s.ink.role == Role::none ? Colour{Role::contrast} : s.ink,
                             s.kind == Kind::rect ? s.fill : s.over);
      CHECK_MESSAGE(contrast_ratio(ink, ground) >= 4.5,
                    d.panel << ", " << name_of(name) << ": \"" << s.text << "\" " << hex(ink) << " on " << hex(ground));
    }
  }
}

void check_panels(const std::string& kernel, const std::vector<std::string>& settings, double part) {
  debug::Session session = recorded_run(kernel, settings);
  const std::size_t program = session.trace().programs.size() / 2;
  session.go({program,
              static_cast<std::uint32_t>(part * static_cast<double>(session.trace().programs[program].steps.size()))});
  ModelRun model;
  model.own = small_schedule();
  Scene scene{.session = session, .model = &model};
  scene.output_shape = {2, 2}, scene.output = "z";
  const std::vector<Outcome> outcomes = {
      {.name = "interpreter", .values = {1, 2, 0, 4}, .ms = 3, .note = "measured"},
      {.name = "reference", .values = {1, 2, 3, 4.001}, .note = "in double precision", .allowed_absolute = 0.01}};
  scene.outcomes = outcomes;
  for (const Panel& panel : panels())
    if (panel.missing(scene).empty()) check_texts(panel.draw(scene, {}));
}

}  // namespace

TEST_CASE("contrast: three programs on the same elements") {
  check_panels("copy_wrong_offsets", {"n=6", "block=2"}, 1);
}
TEST_CASE("contrast: an image and its mask, halfway") { check_panels("grey", {}, 0.5); }
TEST_CASE("contrast: a product, halfway and at its end") {
  check_panels("matmul", {"m=32", "n=48", "k=64", "bm=16", "bn=16", "bk=16"}, 0.6);
  check_panels("matmul", {"m=32", "n=48", "k=64", "bm=16", "bn=16", "bk=16"}, 1);
}
TEST_CASE("contrast: softmax and an order of programs") {
  check_panels("softmax", {"rows=2", "cols=13"}, 1);
  check_panels("swizzle", {"blocks_m=5", "blocks_n=4", "group_size=3"}, 1);
}

TEST_CASE("contrast: every other kernel, at its end") {
  for (const std::vector<std::string>& run : std::vector<std::vector<std::string>>{
           {"copy", "n=30", "block=8"},
           {"sum", "n=300", "block=64"},
           {"transpose", "m=40", "n=40"},
           {"dropout", "n=64", "block=32"},
           {"layernorm", "rows=2", "cols=20"},
           {"attention", "seq=32", "head_dim=16", "bm=16", "bn=16", "heads=1"},
           {"block_pointer_matmul", "m=32", "n=32", "k=32", "bm=16", "bn=16", "bk=16"}})
    check_panels(run[0], {run.begin() + 1, run.end()}, 1);
}

TEST_CASE("timeline: SMs without a program share a row that says so") {
  debug::Session session = recorded_run("copy", {"n=8", "block=2"});
  ModelRun model;
  model.own = small_schedule();
  Scene scene{.session = session, .model = &model};
  const Drawing d = draw_timeline(scene, {});
  std::vector<std::string> labels;
  for (const Shape& s : d.shapes)
    if (s.text.starts_with("SM ") || s.id.starts_with("idle/")) labels.push_back(s.text);
  CHECK(labels == std::vector<std::string>{"3 SMs idle: no program for them", "SM 0", "SM 1..3", "SM 4"});
}
