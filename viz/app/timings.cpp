#include "viz/app/timings.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "viz/panels/chip_view.h"

namespace tl::viz {

namespace {

double wall_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
const double began_ms = wall_ms();

}  // namespace

Spent spent() {
  timespec cpu{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  return {wall_ms() - began_ms, 1e3 * static_cast<double>(cpu.tv_sec) + 1e-6 * static_cast<double>(cpu.tv_nsec)};
}

std::vector<Spent> time_steps(App& app, GlfwWindow& window, int count) {
  std::vector<Spent> times;
  const std::size_t said = app.workspace().console.size();
  for (int i = 0; i < 2 * count; ++i) {
    const Spent before = spent();
    app.workspace().command(i < count ? "s" : "rs");
    app.frame();
    window.present();
    window.finish();
    const Spent after = spent();
    times.push_back({after.wall_ms - before.wall_ms, after.cpu_ms - before.cpu_ms});
  }
  app.workspace().console.resize(said);  // the picture that follows is of the run, not of the stop-watch
  return times;
}

std::vector<Spent> time_playing(App& app, GlfwWindow& window, int count) {
  std::vector<Spent> times;
  auto* const chip = dynamic_cast<ChipView*>(app.panel(app.layout().front()));
  if (!chip || !app.workspace().film) return times;
  chip->take_key(app.workspace(), {key_space, 0});
  for (int i = 0; i < count; ++i) {
    const Spent before = spent();
    app.frame();
    window.present();
    window.finish();
    const Spent after = spent();
    times.push_back({after.wall_ms - before.wall_ms, after.cpu_ms - before.cpu_ms});
  }
  chip->take_key(app.workspace(), {key_space, 0});
  return times;
}

std::string summary_of(std::vector<Spent> times) {
  if (times.empty()) return "no step";
  const auto median = [&](double Spent::* part) {
    std::ranges::sort(times, {}, part);
    return times[times.size() / 2].*part;
  };
  const double cpu = median(&Spent::cpu_ms), wall = median(&Spent::wall_ms);
  return fmt::format("{:.1f} ms (largest {:.1f}), {:.1f} ms of processor time", wall, times.back().wall_ms, cpu);
}

}  // namespace tl::viz
