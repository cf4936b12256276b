#include "viz/cli/export_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "interp/cli/options.h"
#include "interp/lang/output_file.h"
#include "interp/machine/device.h"
#include "interp/report/exit_codes.h"
#include "interp/run/record.h"
#include "interp/trace/file.h"
#include "viz/cli/chip_export.h"
#include "viz/export/export.h"
#include "viz/scene/code_case.h"
#include "viz/scene/default_moment.h"
#include "viz/scene/film_case.h"
#include "viz/scene/panel_of.h"
#include "viz/scene/scene_case.h"
#include "viz/scene/story.h"
#include "viz/scene/tuning_case.h"

namespace tl::viz {

namespace {

struct Options {
  run::KernelOptions kernel;
  run::RecordingOptions recording;
  std::string panel, out, program, theme = "light", size, gpu = "h200";
  std::vector<std::string> set, compare;
  std::int64_t step = -1;
  std::int64_t resident = 0;
  double scale = 1;
};

constexpr std::size_t most_shapes = 400'000;  // of a page, in all its frames; those that stay are kept once

Canvas canvas_of(const std::string& size) {
  long width = 0, height = 0;
  char rest = 0;
  if (std::sscanf(size.c_str(), "%ldx%ld%c", &width, &height, &rest) != 2 || width < 320 || height < 240 ||
      width > 8000 || height > 8000)
    throw Error(fmt::format("--size cannot be \"{}\"", size),
                "write WIDTHxHEIGHT in pixels, 320x240 to 8000x8000, as 960x600");
  return {static_cast<float>(width), static_cast<float>(height)};
}

// Where the drawing is made: the moment that was asked for, or one at which there is something to see.
debug::Moment moment_of(Scene& scene, const Panel& panel, const Options& options) {
  const debug::Moment telling = default_moment(scene.session, panel.name, options.program);
  if (options.step < 0) return telling;
  const auto& program = scene.session.trace().programs[telling.program];
  const auto steps = static_cast<std::int64_t>(program.steps.size());
  if (options.step > steps)
    throw Error(fmt::format("{} has {} steps: step {} does not exist", program_text(scene.session.launch(), program.id),
                            steps, options.step),
                fmt::format("choose --step 0 to {}", steps));
  return {telling.program, static_cast<std::uint32_t>(options.step)};
}

void set_controls(Scene& scene, const std::vector<std::string>& words, const Panel& panel, const Canvas& canvas) {
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    char* end = nullptr;
    const std::int64_t value = equals == std::string::npos ? 0 : std::strtoll(word.c_str() + equals + 1, &end, 10);
    if (equals == std::string::npos || end == word.c_str() + equals + 1 || *end)
      throw Error(fmt::format("--set cannot be \"{}\"", word), "write --set NAME=NUMBER");
    scene.settings[word.substr(0, equals)] = value;
  }
  if (words.empty()) return;
  const auto controls = panel.draw(scene, canvas).controls;
  std::string names;
  for (const Control& c : controls)
    names += fmt::format("{}{} ({} to {}: {})", names.empty() ? "" : ", ", c.name, c.min, c.max, c.label);
  for (const auto& [name, value] : scene.settings) {
    const auto it = std::ranges::find(controls, name, &Control::name);
    if (it == controls.end())
      throw Error(fmt::format("the {} picture has nothing to set named \"{}\"", panel.name, name),
                  names.empty() ? "leave --set out" : "it has: " + names);
    if (value < it->min || value > it->max)
      throw Error(fmt::format("{} cannot be {}", name, value), fmt::format("choose {} to {}", it->min, it->max));
  }
}

std::string label_at(debug::Session& session) {
  const debug::Moment now = session.now();
  const auto& steps = session.program().steps;
  std::string out =
      fmt::format("{}, step {} of {}", program_text(session.launch(), session.program().id), now.step, steps.size());
  if (now.step < steps.size()) out += fmt::format(", before line {}", steps[now.step].site.line);
  return out;
}

int line_at(const debug::Session& session) {
  const auto& steps = session.program().steps;
  return session.now().step < steps.size() ? steps[session.now().step].site.line : 0;
}

// The moments a page walks: every op of every program; where these are too many, of the one in focus; else those after
// loads and stores, or some of them.
std::vector<debug::Moment> moments_of(debug::Session& session, bool one_program, std::size_t most_frames) {
  const auto& programs = session.trace().programs;
  const std::size_t focus = session.now().program;
  std::vector<debug::Moment> all, of_one, accesses;
  for (std::size_t p = one_program ? focus : 0; p <= (one_program ? focus : programs.size() - 1); ++p)
    for (std::uint32_t s = 0; s <= programs[p].steps.size(); ++s) {
      if (all.size() <= most_frames) all.push_back({p, s});
      if (p == focus) of_one.push_back({p, s});
      if (p == focus && s > 0 && programs[p].steps[s - 1].access >= 0) accesses.push_back({p, s});
    }
  if (all.size() <= most_frames) return all;
  if (of_one.size() <= most_frames) return of_one;
  if (accesses.empty()) return {session.now()};
  std::vector<debug::Moment> some;
  const std::size_t count = std::min(accesses.size(), most_frames);
  for (std::size_t i = 0; i < count; ++i)
    some.push_back(accesses[count == 1 ? 0 : i * (accesses.size() - 1) / (count - 1)]);
  return some;
}

// The kernel's text, from line 1 on.
std::vector<std::string> source_of(debug::Session& session) {
  std::vector<std::string> lines;
  if (const debug::SourceModel* const text = session.view().model_of_frame(session.frame()))
    for (int line = 1; line <= text->lines(); ++line) lines.emplace_back(text->line(line));
  return lines;
}

Walk walk_of(Scene& scene, const Panel& panel, const Canvas& canvas, const Options& options) {
  Walk walk{.name = "", .frames = {}, .start = 0, .source = source_of(scene.session)};
  const Drawing now = panel.draw(scene, canvas);
  const std::size_t most_frames =
      std::clamp<std::size_t>(most_shapes / std::max<std::size_t>(1, now.shapes.size()), 24, 2000);
  const auto add = [&](std::string label, Drawing drawing) {
    walk.frames.push_back({std::move(label), std::move(drawing), line_at(scene.session)});
  };
  if (panel.traits.follows_steps) {
    const debug::Moment here = scene.session.now();
    for (const debug::Moment m : moments_of(scene.session, !options.program.empty(), most_frames)) {
      scene.session.go(m);
      if (!panel.missing(scene).empty()) continue;
      if (m <= here) walk.start = walk.frames.size();
      add(label_at(scene.session), panel.draw(scene, canvas));
    }
    scene.session.go(here);
  } else if (!now.controls.empty()) {  // the first control is what a page walks
    const Control& c = now.controls.front();
    const std::int64_t every =
        std::max<std::int64_t>(1, (c.max - c.min + 1) / static_cast<std::int64_t>(most_frames) + 1);
    for (std::int64_t v = c.min; v <= c.max; v += every) {
      scene.settings[c.name] = v;
      if (v <= c.value) walk.start = walk.frames.size();
      add(fmt::format("{}: {}", c.label, c.choices.empty() ? fmt::format("{}", v) : c.choices[v]),
          panel.draw(scene, canvas));
    }
  }
  if (walk.frames.empty()) add(label_at(scene.session), now);
  return walk;
}

run::Case case_without_data(const run::KernelOptions& kernel) {
  const ShapesOnly no_data;
  return run::make_case(kernel);
}

// The result of `make`, where the panel shows it. A kernel that fails has no schedule; only some panels can do without.
template <class F>
std::optional<ModelRun> modelled(const Panel& panel, const Options& options, F make) {
  if (!panel.traits.is_modelled && !panel.traits.shows_sectors && panel.name != "grid") return std::nullopt;
  machine::find_device(options.gpu);
  try {
    return make();
  } catch (const std::exception& e) {
    if (panel.name == "timeline") throw;
    fmt::print(stderr, "without the machine model: {}\n",
               std::string(e.what()).substr(0, std::string(e.what()).find('\n')));
    return std::nullopt;
  }
}

trace::RecordedTrace chosen_steps(const Options& options) {
  trace::RecordedTrace steps = steps_of(options.kernel, options.gpu, condition_of(options.program));
  if (steps.programs.empty()) throw no_such_program(steps.launches.front(), options.program);
  return steps;
}

// Calls f(scene, name of the case) at the given moment; returns the name, with the case's settings.
template <class F>
std::string with_scene(const Options& options, const Panel& panel, F f) {
  const bool is_file = run::is_recording(options.kernel.kernel);
  if (is_file) run::require_recording(options.kernel.kernel, options.kernel.settings);
  run::Case c;
  if (!is_file) c = panel.traits.is_modelled ? case_without_data(options.kernel) : run::make_case(options.kernel);
  std::optional<ModelRun> model;
  if (!is_file)
    model = modelled(panel, options, [&] {
      if (!panel.traits.shows_sectors) return model_of(options.kernel, options.gpu, options.resident);
      ModelRun run;
      run.plans = line_plans_of(options.kernel, options.gpu);
      return run;
    });
  debug::Session session(
      is_file ? trace::load(options.kernel.kernel)
      : panel.traits.is_modelled && model
          ? chosen_steps(options)
          : run::record(panel.traits.is_modelled ? run::make_case(options.kernel) : c, options.recording));
  if (is_file) model = modelled(panel, options, [&] { return model_of(session.trace(), options.gpu); });
  Scene scene{.session = session, .model = model ? &*model : nullptr};
  Outcomes outcomes;  // the scene only refers to these
  CodeRun code, beside;
  if (panel.name == "compare" && !is_file) {
    outcomes = outcomes_of(c);
    scene.outcomes = outcomes.all;
    scene.output = outcomes.output;
    scene.no_gpu = outcomes.no_gpu;
    scene.output_shape = outcomes.shape;
  }
  if (panel.name == "code" && !is_file) {
    code = code_of(options.kernel, options.gpu);
    scene.code = &code;
    if (!options.compare.empty()) {
      beside = code_of(changed_by(options.kernel, options.compare.front()), options.gpu);
      scene.code_beside = &beside;
    }
  }
  TuningRun tuning;
  if (is_file) {
    scene.no_code = "code is of kernels that are compiled here, and this is a recording: name its kernel";
    scene.no_tuning = "configs are of kernels that run here, and this is a recording: name its kernel";
  }
  if (panel.traits.needs_tuning && !is_file) {
    tuning = TuningRanks().of(options.kernel, options.gpu);
    scene.tuning = &tuning;
  }
  session.go(moment_of(scene, panel, options));
  const std::string name = is_file ? options.kernel.kernel : c.problem->name;
  f(scene, name);
  return is_file ? name : fmt::format("{} {}", name, run::settings_text(*c.problem, c.settings));
}

int export_drawing(Options options) {
  const bool is_chip = options.panel == "chip";
  const Panel* const named = is_chip ? nullptr : &panel_of(options.panel);
  const Canvas canvas = canvas_of(!options.size.empty() ? options.size : is_chip ? "1600x1000" : "960x600");
  const auto theme_name = theme_named(options.theme);
  if (!theme_name) throw Error(fmt::format("--theme cannot be \"{}\"", options.theme), "write light, dark or contrast");
  std::string extension = options.out.empty() ? "" : std::filesystem::path(options.out).extension().string();
  if (extension.empty() && options.out.starts_with("/dev/"))
    extension = ".svg";  // /dev/stdout has no name to end in it
  if (!options.out.empty() && extension != ".svg" && extension != ".png" && extension != ".html" && extension != ".txt")
    throw Error(fmt::format("\"{}\" does not say what to write", options.out), "end it in .svg, .png, .html or .txt");
  if (extension == ".png" && !has_png()) png({}, Theme(), 1);  // throws, before anything is run

  if ((is_chip || options.panel == "order") && !run::is_recording(options.kernel.kernel))
    options.kernel = case_to_open(std::move(options.kernel), options.gpu);  // as the window does
  if (is_chip)
    return export_chip({.kernel = options.kernel,
                        .gpu = options.gpu,
                        .out = options.out,
                        .extension = extension,
                        .resident = options.resident,
                        .compare = options.compare,
                        .set = options.set,
                        .program = options.program.empty() ? -1 : std::atoll(options.program.c_str()),
                        .theme = Theme(*theme_name),
                        .width = canvas.width,
                        .height = canvas.height,
                        .scale = static_cast<float>(options.scale)});
  const Panel& panel = *named;
  const bool is_page = extension == ".html", is_code = panel.name == "code";
  if (!options.compare.empty() && !is_page && !is_code)
    throw Error("--compare is for the chip, for code and for pages (.html)", "leave it out");
  const Theme theme(*theme_name);
  std::string written, label;
  std::vector<Walk> walks;
  const std::string name = with_scene(options, panel, [&](Scene& scene, const std::string& of) {
    require_picture(panel, scene, of);
    set_controls(scene, options.set, panel, canvas);
    label = label_at(scene.session);
    if (is_page) return walks.push_back(walk_of(scene, panel, canvas, options));
    const Drawing drawing = draw_fitting(panel, scene, canvas);
    written = extension == ".svg"   ? svg(drawing, theme)
              : extension == ".png" ? png(drawing, theme, static_cast<float>(options.scale))
                                    : plain_text(drawing);
  });
  if (is_page) {
    walks.front().name = "as given";
    for (const std::string& change : options.compare) {
      Options changed = options;
      changed.kernel = changed_by(options.kernel, change);
      with_scene(changed, panel, [&](Scene& scene, const std::string& of) {
        require_picture(panel, scene, of);
        walks.push_back(walk_of(scene, panel, canvas, changed));
        walks.back().name = change;
      });
    }
    written = html(name, walks, theme);
  }
  if (options.out.empty()) fmt::print("{}", written);
  else {
    write_file(options.out, written);
    fmt::print("{}: {} of {}, {}\n", options.out, panel.name, name, label);
  }
  return report::exit_ok;
}

}  // namespace

void add_export_command(CLI::App& program, int& exit_code) {
  auto* command =
      program.add_subcommand("export", "write a drawing of a run: SVG, PNG, an HTML page to step through, or text");
  auto options = std::make_shared<Options>();
  cli::add_kernel_options(*command, options->kernel);
  command->get_option("kernel")->description("which kernel, or a recording (.tltrace)");
  command->add_option("--panel", options->panel, "which drawing: chip, " + panel_names())
      ->required()
      ->type_name("NAME");
  command->add_option("-o,--out", options->out, "the file: .svg, .png, .html or .txt; without it the text is printed")
      ->type_name("FILE");
  command
      ->add_option("--step", options->step, "before which op of the program; default: where there is something to see")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N");
  command->add_option("--program", options->program, "which program: 1, or '=1,=0' for an id of two axes")
      ->type_name("P");
  command->add_option("--set", options->set, "a control of the drawing: first_n=9, group_size=3, naive=1; repeatable")
      ->type_name("NAME=N");
  command
      ->add_option(
          "--compare", options->compare,
          "the same with a setting changed, group_size=1, or by another kernel: chip and code beside it, a page "
          "(.html) to choose; repeatable")
      ->type_name("NAME=VALUE|KERNEL");
  command->add_option("--theme", options->theme, "light (default), dark or contrast")->type_name("NAME");
  command
      ->add_option("--size", options->size, "pixels that the drawing may take; default 960x600, of the chip 1600x1000")
      ->type_name("WxH");
  command
      ->add_option("--gpu", options->gpu,
                   "the GPU that the machine model takes for timeline, order and grid; default h200")
      ->type_name("NAME");
  command
      ->add_option("--resident", options->resident,
                   "programs an SM holds at once; default: as many as the compiled kernel lets it, or an estimate")
      ->check(CLI::Range(1, 64).description(""))
      ->type_name("1..64");
  command->add_option("--scale", options->scale, "PNG: pixels per pixel of --size")
      ->check(CLI::Range(0.5, 4.0).description(""))
      ->type_name("0.5..4");
  cli::add_recording_options(*command, options->recording);
  std::string footer =
      "Panels:\n  chip      the whole launch, played: tensors, L2, SMs; inside an SM its rings, banks, registers\n";
  for (const Panel& p : panels()) footer += fmt::format("  {:<9} {}\n", p.name, p.summary);
  command->footer(
      footer +
      "Examples:\n"
      "  tilescope export copy_wrong_offsets n=6 block=2 --panel offsets -o offsets.svg\n"
      "  tilescope export grouped_matmul m=144 n=144 k=144 bm=16 bn=16 bk=16 group_size=3 --panel order "
      "--set first_n=9 -o order.png --theme dark\n"
      "  tilescope export softmax rows=8 cols=13 --panel softmax -o softmax.html\n"
      "  tilescope export grouped_matmul m=4096 n=4096 k=4096 --panel chip --compare group_size=1 -o chip.html\n"
      "  tilescope export add n=1000 block=256 --panel memory --program 1");
  command->callback([options, &exit_code] { exit_code = export_drawing(*options); });
}

}  // namespace tl::viz
