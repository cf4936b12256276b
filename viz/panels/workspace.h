// The state that all panels share: the recorded run at its moment, the selection, the look, and requests to the window.
#pragma once

#include <imgui.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "interp/debug/debugger.h"
#include "viz/model/film/film.h"
#include "viz/model/panel.h"
#include "viz/model/selection.h"
#include "viz/model/theme.h"

namespace tl::viz {

struct ConsoleEntry {
  std::string command, output;  // no command: what the window itself has to say
};

struct Fonts {
  ImFont *sans = nullptr, *bold = nullptr, *mono = nullptr;
};

struct Workspace {
  std::shared_ptr<debug::Debugger> debugger;  // null while nothing is recorded
  std::uint64_t generation = 0;               // counts recordings: what was drawn from an older one is stale
  std::shared_ptr<Findings> findings;         // of this recording
  std::string kernel;                         // by name; "": a recording
  bool has_failed = false;                    // the run that is open did
  int fault_line = 0;                         // of the last run, open or not; 0: it went well
  std::string fault_text;
  std::vector<ConsoleEntry> console;

  // Beside the recording, as soon as they are there.
  std::shared_ptr<const ModelRun> model;
  std::shared_ptr<const film::Film> film;              // of the launch, before it was run
  std::string no_film;                                 // why there is none
  std::shared_ptr<const film::Film> baseline;          // plays beside it, on one clock
  std::shared_ptr<const CodeRun> code, code_baseline;  // as CUDA compiles the kernel; of the launch that is kept
  std::string no_code;                                 // why there is none
  std::shared_ptr<const TuningRun> tuning;             // its configs, ranked
  std::string no_tuning;                               // why there are none
  std::uint64_t answers = 0;                           // counts those that came, also such as say why not
  bool is_playing = false;                             // a picture moves by itself: frames are wanted
  std::vector<Outcome> outcomes;
  std::string output, no_gpu;
  std::vector<std::int64_t> output_shape;
  bool wants_outcomes = false;      // a panel that compares them was drawn: they take a whole run
  bool has_asked_outcomes = false;  // of this recording
  bool wants_code = false;          // a panel that shows it was drawn: it has to be compiled
  bool has_asked_code = false;      // of this recording
  bool wants_tuning = false;        // the same of its configs
  bool has_asked_tuning = false;

  std::vector<Control> kernel_controls;  // the open kernel's settings, for drawings that offer them

  Selection selection;  // shapes of the same thing light up in every panel
  About pointed_at;     // this frame's; it becomes selection.hovered at the frame's end

  Theme theme{ThemeName::dark};
  float scale = 1;
  Fonts fonts;

  // Filled in by the window.
  std::function<void(const std::string& line)> command;                  // as if typed in the console
  std::function<void(const About& there)> go_to;                         // the program and the step that it names
  std::function<void(const Control& control, std::int64_t value)> turn;  // a setting of the kernel's
  std::function<void(const std::vector<std::pair<std::string, std::string>>& settings)> take;  // several at once
  std::function<void(int number)> show_launch;  // on the chip, of the case's launches
  std::function<ImTextureID(std::int64_t width, std::int64_t height, const std::vector<std::uint32_t>& rgba)>
      make_texture;
  std::function<void(ImTextureID)> drop_texture;

  // Compares what is open with what comes next.
  void keep_beside(bool keeps) {
    baseline = keeps ? film : nullptr;
    code_baseline = keeps ? code : nullptr;
  }
  ImU32 colour(const Colour& colour, const Colour& over = {}) const {
    const Rgba c = theme(colour, over);
    return ImGui::ColorConvertFloat4ToU32({c.r, c.g, c.b, c.a});
  }
  ImU32 colour(Role role) const { return colour(Colour{role}); }
  // What a drawing is made from, at this moment. Only while a recording is open.
  Scene scene(const std::map<std::string, std::int64_t>& controls) {
    return {debugger->session(),
            controls,
            model.get(),
            outcomes,
            output,
            output_shape,
            no_gpu,
            selection.pinned,
            true,
            kernel_controls,
            code.get(),
            code_baseline.get(),
            no_code,
            tuning.get(),
            no_tuning,
            findings};
  }
  void point_at(const About& about, bool may_pin = true) {
    pointed_at = about;
    if (may_pin && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && ImGui::GetIO().MouseDragMaxDistanceSqr[0] < 16)
      selection.pinned = about;
  }
};

}  // namespace tl::viz
