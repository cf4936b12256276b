// A drawing of each panel, of a small run: its text and, of four, its picture, against files in golden/ that a person
// reads and opens. After a wanted change TILESCOPE_WRITE_GOLDEN=1 build/viz_tests writes them anew; look at each before
// you keep it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "tests/viz/recorded_run.h"
#include "viz/export/export.h"

using namespace tl;
using namespace tl::viz;

namespace {

struct Case {
  const char *panel, *kernel;
  std::vector<std::string> settings;
  std::size_t program;
  std::map<std::string, std::int64_t> controls = {};
};

const std::string golden_pictures[] = {"offsets", "matmul", "memory", "tuning"};

// Small runs at a program's end: compilers order the ops of one statement as they like.
const std::vector<Case> cases = {
    {"offsets", "copy_wrong_offsets", {"n=6", "block=2"}, 2},
    {"grid", "transpose", {"m=4", "n=6", "block_m=2", "block_n=2"}, 2},
    {"source", "copy", {"n=6", "block=4"}, 1},
    {"matmul", "matmul", {"m=32", "n=32", "k=32", "bm=16", "bn=16", "bk=16"}, 3},
    {"order", "swizzle", {"blocks_m=5", "blocks_n=4", "group_size=3"}, 0},
    {"softmax", "softmax", {"rows=2", "cols=5"}, 0},
    {"attention", "attention", {"heads=1", "seq=64", "head_dim=16", "causal=true", "bm=16", "bn=16", "dtype=f32"}, 2},
    {"random", "dropout", {"n=20", "block=16", "seed=7"}, 1},
    {"coalesce", "copy", {"n=30", "block=32"}, 0},
    {"banks", "copy", {"n=4", "block=4"}, 0, {{"rows", 8}, {"cols", 8}}},
    {"compare", "copy", {"n=6", "block=4"}, 1},
    {"block", "copy", {"n=6", "block=4"}, 1},
    {"mask", "matmul", {"m=24", "n=24", "k=16", "bm=16", "bn=16", "bk=16"}, 3},
    {"memory", "copy", {"n=6", "block=4"}, 1},
    {"limits", "copy", {"n=8", "block=2"}, 1},
    {"code", "copy", {"n=8", "block=2"}, 1},
    {"tuning", "copy", {"n=8", "block=2"}, 1},
    {"timeline", "copy", {"n=8", "block=2"}, 1}};

// Of an SM with room for four programs, whose launch does 2 flops a byte where 8 would keep the units busy.
ModelRun small_model() {
  ModelRun model;
  model.own = small_schedule();
  model.own.model_ms = 0.001;
  Limits limits;
  limits.occupancy.ctas = 4;
  limits.occupancy.warps = 16;
  limits.occupancy.max_warps = 64;
  limits.occupancy.limited_by = "registers";
  limits.occupancy.limits = {{"registers", 4, 16384, 65536, "registers"}, {"threads", 16, 128, 2048, "threads"}};
  limits.roofline.resources.resize(2);
  limits.roofline.resources[0].resource = "DRAM";
  limits.roofline.resources[0].ms = 0.0005;
  limits.roofline.resources[1].resource = "FP32 units";
  limits.roofline.resources[1].ms = 0.0001;
  limits.roofline.flops = 2e6;
  limits.roofline.dram_bytes = 1e6;
  limits.roofline.peak_flops = 1e13;
  limits.roofline.limit = limits.cause = "DRAM";
  limits.ridge = 8;
  model.limits = std::move(limits);
  return model;
}

CodeRun small_code(const std::string& settings, int loads) {
  CodeRun code;
  code.kernel = "copy";
  code.arch = "sm_90a";
  code.settings = settings;
  code.registers = 12;
  code.threads = 128;
  code.source = {"struct copy {", "  auto x = tl.load(x_ptr + offs);", "  tl.store(z_ptr + offs, x);", "};"};
  code.ptx = {{"ld.param.u64 %rd1, [x]", 0, 0}};
  for (int i = 0; i < loads; ++i) code.ptx.push_back({"ld.global.f32 %f1, [%rd1]", 2, 2 + i});
  code.ptx.push_back({"st.global.f32 [%rd1], %f1", 3, 3});
  return code;
}

// Of three configs one is open, one was not measured.
TuningRun small_tuning() {
  const auto dot = [](const char* block, double model_ms, double measured_ms, const char* limit, bool is_open) {
    return TuningDot{.config = {{"block", block}},
                     .model_ms = model_ms,
                     .measured_ms = measured_ms,
                     .waves = 1.5,
                     .ctas_per_sm = 4,
                     .limited_by = limit,
                     .is_open = is_open};
  };
  return {.key = "n=8",
          .measured_on = "a GPU",
          .dots = {dot("2", 0.004, 0.006, "latency", true), dot("4", 0.002, 0.0025, "DRAM", false),
                   dot("8", 0.003, NAN, "DRAM", false)},
          .refused = {"block=16: too wide"}};
}

void compare(const std::string& name, const std::string& text) {
  if (std::getenv("TILESCOPE_WRITE_GOLDEN")) std::ofstream(std::string(GOLDEN_DIR) + "/" + name) << text;
  else CHECK_MESSAGE(text == golden(name), name << " is no longer what golden/" << name << " holds");
}

}  // namespace

TEST_CASE("panels: their texts and four pictures are the golden ones, and every picture shows all that it says") {
  for (const Case& c : cases) {
    debug::Session session = recorded_run(c.kernel, c.settings);
    go_to_end(session, c.program);
    Scene scene{.session = session, .settings = c.controls};
    if (std::string(c.panel) == "compare") {
      scene.output = "z", scene.output_shape = {4};
      static const std::vector<Outcome> outcomes = {
          {.name = "interpreter", .values = {1, 2, 3, 4.5}, .ms = 2, .note = ""},
          {.name = "reference", .values = {1, 2, 3.02, 4}, .note = "", .allowed_absolute = 0.1}};
      scene.outcomes = outcomes;
    }
    const ModelRun model = small_model();
    if (std::string(c.panel) == "timeline" || std::string(c.panel) == "limits") scene.model = &model;
    const CodeRun code = small_code("n=8 block=2", 1), beside = small_code("n=8 block=4", 2);
    if (std::string(c.panel) == "code") {
      scene.code = &code;
      scene.code_beside = &beside;
    }
    const TuningRun tuning = small_tuning();
    if (std::string(c.panel) == "tuning") scene.tuning = &tuning;
    const Drawing d = find_panel(c.panel)->draw(scene, {});
    compare(std::string(c.panel) + ".txt", plain_text(d));
    const std::string picture = svg(d, Theme());
    if (std::ranges::count(golden_pictures, c.panel)) compare(std::string(c.panel) + ".svg", picture);
    CHECK(d.shapes.size() >= 10);
    for (const Shape& shape : d.shapes)
      if (!shape.text.empty()) CHECK_MESSAGE(picture.find(escaped(shape.text)) != std::string::npos, shape.text);
  }
}

TEST_CASE("panels: each has its golden files") {
  for (const Panel& panel : panels())
    CHECK_MESSAGE(std::ranges::count(cases, panel.name, &Case::panel) == 1, panel.name);
}
