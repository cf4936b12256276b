// tilescope view: the window, on a kernel or a recording; or one picture of it, for documents and tests.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <future>

#include "interp/cli/options.h"
#include "interp/cli/part.h"
#include "interp/lang/output_file.h"
#include "interp/machine/device.h"
#include "interp/trace/file.h"
#include "viz/app/app.h"
#include "viz/app/screenshot.h"
#include "viz/app/timings.h"

namespace tl::viz {

namespace {

struct ViewOptions {
  std::string target;
  std::vector<std::string> settings;
  std::uint64_t seed = 0;
  std::string screenshot, size = "1600x1000", panel, theme, gpu = "h200", compare;
  std::int64_t step = -1;
  int scale = 0;
  bool tuned = false, timings = false;
};

std::pair<int, int> parse_size(const std::string& text) {
  int width = 0, height = 0, end = 0;
  if (std::sscanf(text.c_str(), "%dx%d%n", &width, &height, &end) != 2 || end != static_cast<int>(text.size()) ||
      width < 320 || height < 200 || width > 16384 || height > 16384)
    throw Error(fmt::format("--size cannot be \"{}\"", text),
                "write WIDTHxHEIGHT in pixels, from 320x200 to 16384x16384, such as 1600x1000");
  return {width, height};
}

// Draws until nothing changes any more.
void settle(App& app, GlfwWindow& window) {
  while (true) {
    app.frame();
    window.present();
    if (app.needs_frame()) window.poll_events();
    else if (app.is_busy()) window.wait_events(app.seconds_to_sleep());
    else return;
  }
}

std::future<trace::RecordedTrace> ready(trace::RecordedTrace trace) {
  std::promise<trace::RecordedTrace> promise;
  promise.set_value(std::move(trace));
  return promise.get_future();
}

void open_recording(App& app, trace::RecordedTrace trace, const std::string& file) {
  app.open(std::move(trace), file);
  app.schedule_recording();
}

// Opens it as soon as it is read; throws what reading it threw.
void take_trace(App& app, std::future<trace::RecordedTrace>& trace, const std::string& file) {
  if (trace.valid() && trace.wait_for(std::chrono::milliseconds(0)) == std::future_status::ready)
    open_recording(app, trace.get(), file);
}

void print(const char* what, const Spent& at) {
  fmt::print("{:<28} {:.0f} ms, {:.0f} ms of processor time\n", what, at.wall_ms, at.cpu_ms);
}

void take_screenshot(App& app, GlfwWindow& window, std::future<trace::RecordedTrace>& trace,
                     const ViewOptions& options) {
  if (options.timings) {
    app.frame();
    window.finish();
    print("first frame after", spent());
  }
  if (trace.valid()) open_recording(app, trace.get(), options.target);
  if (options.timings) {
    const auto shown = [&](const char* what) {
      app.frame();
      window.finish();
      print(what, spent());
    };
    bool has_chip = false, has_run = false;
    while ((!has_run || !has_chip) && app.is_busy() && !app.error()) {
      app.frame();
      if (app.workspace().film && !std::exchange(has_chip, true)) shown("the chip's first picture");
      if (app.workspace().debugger && !std::exchange(has_run, true)) shown("the run's first frame after");
      if (!has_run || !has_chip) window.wait_events(app.seconds_to_sleep());
    }
  }
  settle(app, window);
  if (options.timings) print("all that stands beside after", spent());
  if (app.error()) throw *app.error();
  const std::uint32_t steps = app.workspace().debugger->session().view().steps();
  if (options.step > steps)
    throw Error(fmt::format("--step {} is beyond the program's end", options.step),
                fmt::format("choose 0 to {}", steps));
  if (options.step >= 0) app.workspace().debugger->session().go({0, 0});
  app.go_to_step(options.step);
  settle(app, window);
  if (options.timings) {
    fmt::print("{:<28} {}\n", "a step, from key to frame", summary_of(time_steps(app, window, 20)));
    if (const auto frames = time_playing(app, window, 60); !frames.empty())
      fmt::print("{:<28} {}\n", "a frame of the chip, playing", summary_of(frames));
    app.redraw();
    settle(app, window);
  }
  app.frame();
  write_png(options.screenshot, window.width(), window.height(), window.pixels());
  fmt::print("{}: {} x {} pixels\n", options.screenshot, window.width(), window.height());
}

int view(ViewOptions options) {
  const auto [width, height] = parse_size(options.size);
  std::string warning;
  Preferences preferences;
  const bool is_picture = !options.screenshot.empty();
  if (is_picture) preferences.scale_percent = 100;  // the same picture on every machine
  else preferences = load_preferences(preferences_file(), warning);
  if (!warning.empty()) fmt::print(stderr, "{}\n", warning);
  if (!options.theme.empty()) {
    if (!theme_named(options.theme))
      throw Error(fmt::format("there is no theme \"{}\"", options.theme), "choose light, dark or contrast");
    preferences.theme = options.theme;
  }
  if (options.scale != 0) preferences.scale_percent = options.scale;
  // A wrong request is refused before a window opens.
  if (is_picture) require_writable(options.screenshot);
  machine::find_device(options.gpu);
  std::future<trace::RecordedTrace> trace;  // a large one is read while the window opens
  if (run::is_recording(options.target)) {
    run::require_recording(options.target, options.settings);
    trace = std::async(std::launch::async, [&] { return trace::load(options.target); });
    if (trace.wait_for(std::chrono::milliseconds(200)) == std::future_status::ready)
      trace = ready(trace.get());  // a damaged one is refused before a window opens
  } else {
    if (options.tuned)
      options.settings =
          cli::use_tuned({options.target, options.settings, options.seed}, tune::Device::model, options.gpu);
    problems::parse(problems::find(options.target), options.settings);
  }
  GlfwWindow window({fmt::format("tilescope: {}", options.target), width, height, !is_picture});
  App app(window, preferences);
  app.use_gpu(options.gpu);
  if (!trace.valid()) app.open_kernel({options.target, options.settings, options.seed});
  else app.repeat_by([&] { open_recording(app, trace::load(options.target), options.target); });
  if (!options.compare.empty()) app.play_beside(options.compare);
  if (!options.panel.empty() || !options.compare.empty()) app.show(options.panel.empty() ? "chip" : options.panel);
  if (is_picture) return take_screenshot(app, window, trace, options), 0;
  bool is_started = false;
  while (!window.should_close()) {
    take_trace(app, trace, options.target);
    if (app.needs_frame()) window.poll_events();
    else window.wait_events(trace.valid() ? 0.05 : app.seconds_to_sleep());
    app.frame();
    window.present();
    if (!std::exchange(is_started, true)) continue;
    if (options.step < 0 || app.is_busy() || app.workspace().console.size() != 1) continue;
    app.workspace().debugger->session().go({0, 0});
    app.go_to_step(options.step);
  }
  app.keep_layout();
  if (const std::string failed = save_preferences(app.preferences(), preferences_file()); !failed.empty())
    fmt::print(stderr, "{}\n", failed);
  return 0;
}

void add_view_command(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("view", "the window: offsets, masks, order, L2, stepped in both directions");
  auto options = std::make_shared<ViewOptions>();
  options->target = "copy_wrong_offsets";
  command->add_option("kernel", options->target, "which kernel, or a recording (.tltrace); default: copy_wrong_offsets")
      ->type_name("KERNEL|FILE");
  command->add_option("settings", options->settings, "its settings: `tilescope list KERNEL` explains them")
      ->type_name("name=value");
  cli::add_case_options(*command, options->settings);
  cli::add_seed_option(*command, options->seed, "of the random inputs");
  command
      ->add_option("--panel", options->panel,
                   "which panel to bring to the front: source, grid, block, memory, timeline, order, coalesce, banks, "
                   "compare, console, and more: Ctrl+P lists them")
      ->type_name("NAME");
  command
      ->add_option("--compare", options->compare,
                   "on the chip, beside it: the same with a setting changed, group_size=1, or another kernel")
      ->type_name("NAME=VALUE|KERNEL");
  command->add_option("--step", options->step, "go to this step of the program in focus")->type_name("N");
  command
      ->add_option("--gpu", options->gpu,
                   "of the machine model: h200 (default), a100_80, t4, ..., or a JSON file of your own")
      ->type_name("GPU");
  cli::add_tuned_flag(*command, options->tuned);
  command->add_option("--theme", options->theme, "light, dark or contrast")->type_name("THEME");
  command->add_option("--scale", options->scale, "50 to 300 percent; default: the monitor's")
      ->check(CLI::Range(50, 300).description(""))
      ->type_name("50..300");
  command->add_option("--size", options->size, "of the window, in pixels")->type_name("WxH");
  command->add_option("--screenshot", options->screenshot, "writes the window as a PNG file and ends")
      ->type_name("FILE");
  command->add_flag("--timings", options->timings, "with --screenshot: says how long opening and stepping took");
  command->footer(
      "Examples:\n"
      "  tilescope view copy_wrong_offsets n=6 block=2\n"
      "  tilescope view grouped_matmul m=1152 n=1152 k=576 --panel order\n"
      "  tilescope view grouped_matmul m=4096 n=4096 k=4096 --compare group_size=1\n"
      "  tilescope view softmax.tltrace\n"
      "  xvfb-run tilescope view add --screenshot add.png --size 1600x1000 --step 12 --panel block\n"
      "In the window: F10 and Shift+F10 step over and back, F9 sets a breakpoint, Ctrl+P lists everything.");
  command->callback([options, &exit_code] { exit_code = view(*options); });
}

const cli::Part part(20, "tilescope view softmax", "the window: everything below to look at", add_view_command);

}  // namespace

}  // namespace tl::viz
