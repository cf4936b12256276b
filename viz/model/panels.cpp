#include "viz/model/panel.h"

#include "viz/model/sheet.h"

namespace tl::viz {

namespace {
std::string nothing_missing(Scene&) { return ""; }
}  // namespace

const std::vector<Panel>& panels() {
  static const std::vector<Panel> list = {
      {"offsets", "lanes above, memory below, a line a lane", missing_access, draw_offsets},
      {"block", "the variables at this step: offsets, masks, values, lane by lane", nothing_missing, draw_block},
      {"mask", "a matrix of offsets and its mask, from a column and a row", missing_mask, draw_mask},
      {"memory", "the tensors, by shape: who touched what", nothing_missing, draw_memory, {.follows_choice = true}},
      {"grid", "the programs of two axes or three, and how far each is", missing_grid, draw_grid},
      {"source", "the text with its traffic beside each line", nothing_missing, draw_source, {.shows_sectors = true}},
      {"matmul", "the tiles of A, B and C at this step", missing_matmul, draw_matmul},
      {"order",
       "two orders of programs side by side: what each has loaded",
       missing_order,
       draw_order,
       {.follows_steps = false, .is_modelled = true}},
      {"timeline",
       "which program ran on which SM when, as the model says",
       missing_timeline,
       draw_timeline,
       {.is_modelled = true, .comes_later = true}},
      {"softmax", "a row as bars, through maximum, subtraction, exp, sum, division", missing_softmax, draw_softmax},
      {"attention", "which blocks of scores are computed, and a row's softmax as keys pass", missing_attention,
       draw_attention},
      {"random", "a lane's random number: counter, key, Philox's rounds", missing_random, draw_random},
      {"coalesce",
       "32 lanes over memory cut in sectors of 32 bytes",
       missing_access,
       draw_coalesce,
       {.shows_sectors = true}},
      {"banks", "32 banks of shared memory: padding and XOR", nothing_missing, draw_banks, {.follows_steps = false}},
      {"compare",
       "interpreter, GPU and reference side by side, with the error",
       missing_compare,
       draw_compare,
       {.follows_steps = false, .comes_later = true, .needs_outcomes = true}},
      {"limits",
       "what an SM's resources allow, and the roofline",
       missing_limits,
       draw_limits,
       {.follows_steps = false, .is_modelled = true, .comes_later = true}},
      {"code",
       "PTX and SASS with the lines that they come from, live registers, two variants",
       missing_code,
       draw_code,
       {.follows_steps = false, .follows_choice = true, .comes_later = true, .needs_code = true}},
      {"tuning",
       "the kernel's configs, a dot each: the model's times, and what was measured",
       missing_tuning,
       draw_tuning,
       {.follows_steps = false, .is_modelled = true, .comes_later = true, .needs_tuning = true}},
  };
  return list;
}

std::vector<Control> Scene::controls_named(const std::vector<std::string>& names) const {
  std::vector<Control> result;
  for (const std::string& name : names)
    for (const Control& c : kernel_controls)
      if (c.name == name) result.push_back(c);
  return result;
}

const Panel* find_panel(const std::string& name) {
  for (const Panel& p : panels())
    if (p.name == name) return &p;
  return nullptr;
}

Drawing draw_fitting(const Panel& panel, Scene& scene, const Canvas& canvas) {
  Drawing drawing = panel.draw(scene, canvas);
  float height = canvas.height;
  if (drawing.height > 1.7f * canvas.height) return drawing;  // it is scrolled anyway
  for (int tries = 0; drawing.height > canvas.height && tries < 2; ++tries) {
    height -= drawing.height - canvas.height;
    if (Drawing lower = panel.draw(scene, {canvas.width, height}); lower.height < drawing.height)
      drawing = std::move(lower);
  }
  if (drawing.height > canvas.height)
    if (Drawing bare = panel.draw(scene, {canvas.width, bare_canvas - 1}); bare.height < drawing.height) return bare;
  return drawing;
}

}  // namespace tl::viz
