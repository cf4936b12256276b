#include "viz/scene/film_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "interp/cpu/addresses.h"
#include "interp/lang/text.h"
#include "interp/machine/access/type_tracker.h"
#include "interp/run/accesses.h"
#include "interp/run/record.h"
#include "kernels/problems/build.h"
#include "viz/model/film/launch.h"

namespace tl::viz {

namespace {

// Steps; the beginning is there in a fifth of a second.
constexpr std::int64_t most_steps = 600'000, steps_at_once = 20'000;

std::string layout_name(const rules::Layout& layout, const rules::Sizes& shape, const rules::Config& config) {
  if (shape.rank == 2 && config.matrix != rules::Matrix::none) {
    if (rules::fits_wgmma(shape[0], shape[1], config.num_warps) && config.num_warps % 4 == 0 &&
        layout == rules::wgmma(shape[0], shape[1], config.num_warps))
      return "wgmma: the accumulator of warpgroups, 64 rows each";
    if (config.matrix == rules::Matrix::multiply_add &&
        layout == rules::multiply_add(shape[0], shape[1], config.num_warps))
      return "multiply-adds: a thread's rows times its columns";
    if (layout == rules::mma_sync(shape[0], shape[1], config.num_warps))
      return "mma.sync: the accumulator of m16n8 instructions";
  }
  if (shape.rank == 1 && config.matrix != rules::Matrix::none && layout.replicated_bits() != 0)
    return "slice: a row vector beside the accumulator";
  return layout.replicated_bits() != 0 ? "slice: several threads hold the same element"
                                       : "blocked: neighbours a thread";
}

// The named blocks of one program that lie in registers.
class ValueObserver : public machine::TypeTracker {
 public:
  explicit ValueObserver(const rules::Config& config) : TypeTracker(config) {}
  void op(const trace::OpEvent& e) override {
    TypeTracker::op(e);
    if (e.op == Op::dot && e.operands.size() >= 2) add_operands(e);
    for (const trace::Value& v : e.results) {
      if (v.shape.empty() || v.shape.size() > 2 || v.tensor >= 0) continue;
      const machine::CudaType type = type_of(v);
      if (type.form != rules::Form::block || type.shape().count() > 1 << 16 || type.shape().count() < 32) continue;
      seen_[v.id] = {"",
                     fmt::format("from {} in line {}", trace::text_of(e.op), e.site.line),
                     e.site.line,
                     v.dtype,
                     type.shape(),
                     type.layout,
                     layout_name(type.layout, type.shape(), config())};
    }
  }
  void assigned(const void* variable, trace::ValueId id) override {
    TypeTracker::assigned(variable, id);
    held_[variable] = id;
  }
  void named(const char* name, const void* variable) override {
    const auto held = held_.find(variable);
    if (held == held_.end()) return;
    names_[held->second] = name;
    const auto seen = seen_.find(held->second);
    if (seen == seen_.end()) return;
    film::ValueInRegisters v = seen->second;
    v.name = name;
    add(std::move(v));
  }
  // The largest first.
  std::vector<film::ValueInRegisters> take() {
    std::ranges::stable_sort(values_, {}, [](const auto& v) { return -v.shape.count(); });
    if (values_.size() > 7) values_.resize(7);
    return std::move(values_);
  }

 private:
  void add(film::ValueInRegisters v) {
    if (std::ranges::none_of(values_, [&](const auto& o) { return o.name == v.name; })) values_.push_back(std::move(v));
  }

  void add_operands(const trace::OpEvent& e) {
    const trace::Value &a = e.operands[0], &b = e.operands[1];
    if (a.shape.size() != 2 || b.shape.size() != 2) return;
    const auto name = [&](const trace::Value& v, const char* otherwise) {
      const auto known = names_.find(v.id);
      return known == names_.end() ? otherwise : known->second;
    };
    const film::DotInRegisters dot{static_cast<int>(a.shape[0]),
                                   static_cast<int>(b.shape[1]),
                                   static_cast<int>(a.shape[1]),
                                   e.site.line,
                                   a.dtype,
                                   b.dtype,
                                   name(a, "left"),
                                   name(b, "right")};
    for (film::ValueInRegisters& v : film::operands_of(dot, config())) add(std::move(v));
  }

  std::map<trace::ValueId, film::ValueInRegisters> seen_;
  std::map<const void*, trace::ValueId> held_;
  std::map<trace::ValueId, std::string> names_;
  std::vector<film::ValueInRegisters> values_;
};

// What touches memory and what multiplies, with as many lines around it as there is room for.
void add_source(film::LaunchToPlay& play) {
  constexpr std::int64_t most_rows = 38;
  const auto text = run::kernel_text(play.record.source);
  if (!text) return;
  std::vector<std::string> lines;
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const auto count = static_cast<int>(lines.size());
  std::set<int> at_work;
  for (const trace::AccessPattern& p : play.record.patterns)
    if (p.site.line > 0 && p.site.line <= count) at_work.insert(p.site.line);
  if (at_work.empty()) return;
  for (int l = *at_work.begin(), last = *at_work.rbegin(); l <= last; ++l)
    if (lines[l - 1].find("tl.dot(") != std::string::npos) at_work.insert(l);
  for (int around = 6; around >= 0; --around) {
    std::vector<film::SourceLine> rows;
    for (const int l : at_work)
      for (int k = std::max(1, l - around); k <= std::min(count, l + around / 2); ++k) {
        if (!rows.empty() && k <= rows.back().number) continue;
        if (!rows.empty() && k > rows.back().number + 1) rows.push_back({-1, ""});
        rows.push_back({k, lines[k - 1]});
      }
    play.source = std::move(rows);
    if (std::ssize(play.source) <= most_rows) break;
  }
  if (std::ssize(play.source) > most_rows) play.source.resize(most_rows);
  std::size_t indent = 80;
  for (const auto& [number, text] : play.source)
    if (const auto at = text.find_first_not_of(' '); at != std::string::npos) indent = std::min(indent, at);
  for (auto& [number, text] : play.source) text.erase(0, std::min(indent, text.size()));
}

}  // namespace

run::KernelOptions changed_by(const run::KernelOptions& kernel, const std::string& change) {
  const auto equals = change.find('=');
  if (equals == 0)
    throw Error("--compare takes a setting or a kernel, not \"" + change + "\"", "for example --compare group_size=1");
  run::KernelOptions changed = kernel;
  const auto name_of = [](const std::string& setting) { return setting.substr(0, setting.find('=')); };
  if (equals == std::string::npos) {
    changed.kernel = change;
    const auto& has = problems::find(change).settings;
    std::erase_if(changed.settings, [&](const std::string& s) {
      return std::ranges::none_of(has, [&](const problems::Setting& own) { return own.name == name_of(s); });
    });
    return changed;
  }
  std::erase_if(changed.settings, [&](const std::string& s) { return name_of(s) == name_of(change); });
  changed.settings.push_back(change);
  return changed;
}

FilmToShow film_of_case(const run::KernelOptions& kernel, const std::string& gpu, std::int64_t resident,
                        Compiling compiling, const std::atomic<bool>* stop,
                        const std::function<void(FilmToShow)>& show_beginning, int launch) {
  const problems::LaidOutFor chip(run::chip_of(machine::find_device(gpu)));
  const problems::Problem& problem = problems::find(kernel.kernel);
  return film_of_case(problem, problems::parse(problem, kernel.settings), kernel.seed, gpu,
                      model_options(resident, compiling, stop), show_beginning, launch);
}

FilmToShow film_of_case(const problems::Problem& problem, const problems::Settings& settings, std::uint64_t seed,
                        const std::string& gpu, const run::ModelOptions& options,
                        const std::function<void(FilmToShow)>& show_beginning, int launch_number) {
  const machine::Device device = machine::find_device(gpu);
  const problems::LaidOutFor chip(run::chip_of(device));
  return cpu::without_data_if_possible([&] {
    const problems::Instance instance = run::make_instance(problem, settings, seed);
    const auto number = std::min<std::size_t>(launch_number, instance.launches.size() - 1);
    const Launch& launch = instance.launches[number];
    run::Model model = run::model_of(launch, device, options);
    model.options.with_accesses = true;
    ValueObserver values(model.config);
    run::watch_apart(launch, values, 1, options.stop);
    const auto named = values.take();
    const auto film_of_steps = [&](std::int64_t steps, bool only_beginning) {
      model.options.step_limit = steps;
      model.options.only_beginning = only_beginning;
      const run::Figures figures =
          run::figures_of(model, device, machine::simulate(model.record, device, model.options));
      film::LaunchToPlay play{.record = model.record,
                              .device = device,
                              .schedule = figures.schedule,
                              .roofline = figures.roofline,
                              .cause = figures.cause,
                              .kernel = name_of_launch(problem, instance, number),
                              .settings = run::settings_text(problem, settings),
                              .config = model.config};
      play.stages = static_cast<int>(std::max<std::int64_t>(1, model.options.stages));
      play.is_estimate = model.resources.is_estimate;
      play.registers_per_thread = model.resources.cta.registers_per_thread;
      play.threads = model.resources.cta.threads;
      play.shared_bytes = model.resources.cta.shared_bytes;
      play.values = named;
      add_source(play);
      film::Film film = film::film_of(play);
      film.launch = static_cast<int>(number);
      for (const Launch& l : instance.launches) film.launches.push_back(short_name(l.kernel));
      return std::make_shared<const film::Film>(std::move(film));
    };
    if (show_beginning) {
      FilmToShow beginning = film_of_steps(steps_at_once, true);
      if (!beginning->is_beginning) return beginning;
      show_beginning(std::move(beginning));
    }
    return film_of_steps(most_steps, false);
  });
}

}  // namespace tl::viz
