// The panels: a name, a summary, whether this run has such a picture, and the drawing itself.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "viz/model/code_run.h"
#include "viz/model/drawing.h"
#include "viz/model/findings.h"
#include "viz/model/model_run.h"
#include "viz/model/moment.h"
#include "viz/model/tuning_run.h"

namespace tl::viz {

// A result to compare with: of another executor, or of the reference.
struct Outcome {
  std::string name;                                   // interpreter, NVIDIA H200, reference
  bool is_model = false;                              // predicted
  std::vector<double> values;                         // of the output compared, row-major; empty: no values
  double ms = 0;                                      // 0: not timed
  std::string note;                                   // recorded on ...
  double allowed_absolute = 0, allowed_relative = 0;  // error of a right value; the reference's: the default
};

struct Scene {
  debug::Session& session;
  std::map<std::string, std::int64_t> settings = {};  // of controls, by name
  const ModelRun* model = nullptr;                    // the launch as the machine model runs it
  std::span<const Outcome> outcomes = {};             // compare; the reference among them
  std::string output = {};                            // compare: which tensor
  std::vector<std::int64_t> output_shape = {};
  std::string no_gpu = {};  // compare: why there is none
  About chosen = {};        // pinned by the reader: the memory panel shows the history of a pinned cell
  bool is_live = false;     // in the window, where a control may change the moment
  std::vector<Control> kernel_controls = {};  // settings of the kernel that may be changed
  const CodeRun* code = nullptr;              // as CUDA compiles the kernel
  const CodeRun* code_beside = nullptr;       // another variant
  std::string no_code = {};                   // why there is none
  const TuningRun* tuning = nullptr;          // its configs
  std::string no_tuning = {};                 // why there are none
  std::shared_ptr<Findings> findings = {};    // of session.trace(), kept from drawing to drawing; null: found anew

  Findings& found() {
    if (!findings) findings = std::make_shared<Findings>(session.trace());
    return *findings;
  }
  const machine::Schedule* schedule() const { return model ? &model->own : nullptr; }
  // Those of the kernel's settings that have these names, in this order.
  std::vector<Control> controls_named(const std::vector<std::string>& names) const;
  // The value of a control, where the reader has set it.
  std::int64_t setting(const std::string& name, std::int64_t otherwise) const {
    const auto it = settings.find(name);
    return it == settings.end() ? otherwise : it->second;
  }
};

struct PanelTraits {
  bool follows_steps = true;    // the moment changes it; else a control does, or nothing
  bool follows_choice = false;  // what is pinned changes it
  bool is_modelled = false;     // drawn from addresses and the model: needs no values
  bool comes_later = false;     // needs results that may arrive after the recording
  bool shows_sectors = false;   // by the plans of the kernel's lines
  bool needs_outcomes = false;  // of whole runs of the kernel
  bool needs_code = false;      // compiled by CUDA's toolkit
  bool needs_tuning = false;    // the kernel's configs, ranked
};
struct Panel {
  std::string name, summary;
  std::string (*missing)(Scene& scene);  // why this run has no such picture; "": it has
  Drawing (*draw)(Scene& scene, const Canvas& canvas);
  PanelTraits traits = {};
};

const std::vector<Panel>& panels();
const Panel* find_panel(const std::string& name);
// The panel's drawing; if a little of it would be cut off at the bottom, its picture is made lower by as much.
Drawing draw_fitting(const Panel& panel, Scene& scene, const Canvas& canvas);

Drawing draw_offsets(Scene& scene, const Canvas& canvas);
Drawing draw_block(Scene& scene, const Canvas& canvas);
Drawing draw_mask(Scene& scene, const Canvas& canvas);
Drawing draw_memory(Scene& scene, const Canvas& canvas);
Drawing draw_grid(Scene& scene, const Canvas& canvas);
Drawing draw_source(Scene& scene, const Canvas& canvas);
Drawing draw_matmul(Scene& scene, const Canvas& canvas);
Drawing draw_order(Scene& scene, const Canvas& canvas);
Drawing draw_timeline(Scene& scene, const Canvas& canvas);
Drawing draw_softmax(Scene& scene, const Canvas& canvas);
Drawing draw_attention(Scene& scene, const Canvas& canvas);
Drawing draw_random(Scene& scene, const Canvas& canvas);
Drawing draw_coalesce(Scene& scene, const Canvas& canvas);
Drawing draw_banks(Scene& scene, const Canvas& canvas);
Drawing draw_compare(Scene& scene, const Canvas& canvas);
Drawing draw_limits(Scene& scene, const Canvas& canvas);
Drawing draw_code(Scene& scene, const Canvas& canvas);
Drawing draw_tuning(Scene& scene, const Canvas& canvas);

std::string missing_access(Scene& scene);
std::string missing_grid(Scene& scene);
std::string missing_mask(Scene& scene);
std::string missing_matmul(Scene& scene);
std::string missing_order(Scene& scene);
std::string missing_timeline(Scene& scene);
std::string missing_softmax(Scene& scene);
std::string missing_attention(Scene& scene);
std::string missing_random(Scene& scene);
std::string missing_compare(Scene& scene);
std::string missing_limits(Scene& scene);
std::string missing_code(Scene& scene);
std::string missing_tuning(Scene& scene);

}  // namespace tl::viz
