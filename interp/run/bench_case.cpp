#include "interp/run/bench_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "interp/cuda/host/device.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"
#include "interp/run/interrupt.h"
#include "interp/run/recorded.h"
#include "kernels/problems/shared_inputs.h"

namespace tl::run {

using namespace report;

namespace {

constexpr std::size_t most_points = 10000;

bool has_setting(const problems::Problem& p, const std::string& name) {
  return std::any_of(p.settings.begin(), p.settings.end(), [&](const auto& s) { return s.name == name; });
}

// A setting that no kernel has is refused in the words of the first kernel that has one of a similar name.
const problems::Problem* who_refuses(const BenchPlan& plan, const std::string& name) {
  for (const problems::Problem* k : plan.kernels) {
    std::vector<std::string> names;
    for (const auto& s : k->settings) names.push_back(s.name);
    if (!nearest(name, names).empty()) return k;
  }
  return plan.kernels.front();
}

std::string name_in(const std::string& assignment) { return assignment.substr(0, assignment.find('=')); }

// Each kernel gets those of the settings that it has; where the user gave none, the defaults of a bench.
std::vector<std::string> settings_for(const problems::Problem& p, const std::vector<std::string>& settings,
                                      const BenchPlan& plan) {
  std::vector<std::string> own;
  for (const std::string& s : settings) {
    const std::string name = name_in(s);
    const bool somebody_has =
        std::any_of(plan.kernels.begin(), plan.kernels.end(), [&](auto* k) { return has_setting(*k, name); });
    if (has_setting(p, name) || (!somebody_has && who_refuses(plan, name) == &p)) own.push_back(s);
  }
  const auto is_given = [&](const std::string& name) {
    return std::ranges::count(own, name, name_in) || std::ranges::any_of(plan.sweeps, [&](const Sweep& s) {
             return s.name == name || std::ranges::count(s.also, name);
           });
  };
  for (const std::string& s : p.timed)
    if (!is_given(name_in(s))) own.push_back(s);
  return own;
}

// name=value of each point of the grid; of no sweeps one point without any.
std::vector<std::vector<std::string>> swept(const std::vector<Sweep>& sweeps) {
  std::vector<std::vector<std::string>> points{{}};
  for (const Sweep& sweep : sweeps) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& begun : points)
      for (const std::int64_t value : sweep.values) {
        longer.push_back(begun);
        longer.back().push_back(fmt::format("{}={}", sweep.name, value));
        for (const std::string& name : sweep.also) longer.back().push_back(fmt::format("{}={}", name, value));
      }
    points = std::move(longer);
    if (points.size() > most_points)
      throw Error(fmt::format("the sweeps make more than {} points", most_points),
                  "choose larger steps, or fewer sweeps");
  }
  return points;
}

std::set<std::string> names_in(const std::vector<std::string>& assignments) {
  std::set<std::string> names;
  for (const std::string& a : assignments) names.insert(name_in(a));
  return names;
}

// Empty: Ctrl-C came before the end.
std::optional<Point> measured_point(const PlannedPoint& work, const MeasureOptions& options) {
  const auto point = std::make_shared<Point>();
  const auto measure_it = [=] {
    *point = measure(*work.problem, work.settings, options);
    if (work.is_tuned) point->kernel += tuned_suffix;
  };
  return done_before_interrupt(measure_it) && point->own.count > 0 ? std::optional(*point) : std::nullopt;
}

// A bench looks at a few elements only, enough to see that the right thing is timed; small outputs it compares whole.
std::string checked_text(const std::vector<Point>& points) {
  std::int64_t fewest = 0, most = 0;
  for (const Point& p : points) {
    fewest = fewest == 0 ? p.checked : std::min(fewest, p.checked);
    most = std::max(most, p.checked);
  }
  if (fewest == 0) return "";
  if (std::all_of(points.begin(), points.end(), [](const Point& p) { return p.checked == p.elems; }))
    return "  checked: every element of the outputs\n";
  return fmt::format(
      "  checked: a sample of {}{} a point, drawn at random; `tilescope run` compares more of them with the "
      "reference\n",
      fewest == most ? "" : fmt::format("{} to ", fewest), plural(most, "element"));
}

}  // namespace

BenchPlan bench_plan(const std::vector<std::string>& words, const std::vector<std::string>& sweeps) {
  BenchPlan plan;
  std::vector<std::string> settings;
  for (const std::string& word : words) {
    if (word.find('=') != std::string::npos) settings.push_back(word);
    else plan.kernels.push_back(&problems::find(word));
  }
  if (plan.kernels.empty())
    throw Error("`tilescope bench` needs to know which kernel",
                "tilescope bench add, or several: tilescope bench softmax unfused_softmax");
  for (const std::string& sweep : sweeps) plan.sweeps.push_back(parse_sweep(sweep));
  const auto grid = swept(plan.sweeps);
  for (const problems::Problem* k : plan.kernels) {
    const auto own = settings_for(*k, settings, plan);
    for (const std::vector<std::string>& point : grid) {
      auto with_values = own;
      with_values.insert(with_values.end(), point.begin(), point.end());
      plan.points.push_back({k, problems::parse(*k, with_values),
                             names_in(with_values)});  // every point is checked before the first is measured
    }
  }
  return plan;
}

// Tiles are chosen together: who names one of them names all. They are a Hopper's, and too large for others.
void take_fast_settings(BenchPlan& plan, const MeasureOptions& options) {
  if (options.device != Device::cuda || options.generic || cuda::device_info().arch() != "sm_90a") return;
  for (PlannedPoint& point : plan.points) {
    if (!point.problem->fast_on_gpu) continue;
    const auto fast = point.problem->fast_on_gpu(point.settings);
    if (std::ranges::any_of(fast, [&](const auto& f) { return point.given.contains(f.first); })) continue;
    for (const auto& [name, value] : fast) point.settings.values[name] = value;
  }
}

// Kernel by kernel within a sweep's value, so that what is compared is measured close together.
Measured measure_all(const BenchPlan& plan, const MeasureOptions& options) {
  std::vector<std::optional<Point>> points(plan.points.size());
  const KeepOnInterrupt keep;
  const problems::SharedInputs inputs;
  Measured measured;
  const std::size_t per_kernel = plan.points.size() / plan.kernels.size();
  Progress progress;
  std::size_t number = 0;
  for (std::size_t v = 0; v < per_kernel; ++v)
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
      const std::size_t i = k * per_kernel + v;
      if (stop_requested() || measured.failure) continue;
      std::string name = plan.kernels[k]->name;
      for (const Sweep& s : plan.sweeps) name += " " + s.name + "=" + plan.points[i].settings.text(s.name);
      progress.show(
          fmt::format("measuring {} of {}: {} (Ctrl-C ends with what there is)", ++number, plan.points.size(), name));
      try {
        points[i] = measured_point(plan.points[i], options);
      } catch (...) {
        measured.failure = std::current_exception();
        measured.failed = name;
      }
    }
  for (std::optional<Point>& point : points)
    if (point) measured.points.push_back(*std::move(point));
  return measured;
}

nlohmann::ordered_json points_json(const std::vector<Point>& points) {
  auto all = nlohmann::ordered_json::array();
  for (const Point& p : points) all.push_back(point_json(p));
  return all;
}

// Whoever moves more bytes may show more GB/s and yet be slower.
static std::string bytes_note(const std::vector<Point>& points) {
  // Beside the first those that do the same work: what settings they share are equal.
  std::vector<const Point*> of_kernels;
  const auto same_work = [&](const Point& p) {
    for (const auto& [name, value] : p.settings.items())
      if (const auto& first = points.front().settings; first.contains(name) && first[name] != value) return false;
    return p.bytes > 0;
  };
  for (const Point& p : points)
    if (same_work(p)) of_kernels.push_back(&p);
  if (of_kernels.empty()) return "";
  const auto [least, most] = std::ranges::minmax_element(of_kernels, {}, [](const Point* p) { return p->bytes; });
  if ((*most)->bytes < 1.01 * (*least)->bytes) return "";
  return fmt::format("  GB/s count what each kernel itself moves, {} {} and {} {}: which is faster, the times say\n",
                     (*least)->kernel, report::bytes_text((*least)->bytes), (*most)->kernel,
                     report::bytes_text((*most)->bytes));
}

std::string footnotes(const std::vector<Point>& points, bool is_recording) {
  std::string out;
  std::set<std::string> said;
  for (const Point& p : points) {
    const bool is_one_of_sweep = std::ranges::count(points, p.kernel, &Point::kernel) > 1;
    if (points.size() <= 2 && !is_one_of_sweep && said.insert(p.kernel + p.method).second)
      out += "  " + p.kernel + ": " + p.method + "\n";
    for (const std::string& note : p.notes)
      if (said.insert(note).second) out += "  note: " + note + "\n";
  }
  if (std::any_of(points.begin(), points.end(), [](const Point& p) { return p.has_peer(); }))
    out += is_recording ? "  ratio: the recorded run's median over the unobserved one's\n"
                        : "  ratio: the peer's median over ours; above 1 is faster than the peer\n";
  out += bytes_note(points);
  out += checked_text(points);
  if (std::any_of(points.begin(), points.end(), [](const Point& p) { return !p.is_right; }))
    out += "  WRONG: the output differs from the reference; `tilescope run` says why\n";
  return out;
}

}  // namespace tl::run
