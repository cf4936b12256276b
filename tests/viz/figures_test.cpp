// A figure of the model that two commands or pictures show is one figure: each row of the table names it as they do.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "interp/cuda/host/known_resources.h"
#include "interp/report/numbers.h"
#include "interp/run/coalesce_case.h"
#include "interp/run/counters/predicted.h"
#include "interp/run/cuda_config.h"
#include "interp/run/limits_text.h"
#include "interp/run/schedule_text.h"
#include "interp/tune/predict.h"
#include "kernels/problems/build.h"
#include "tests/cuda/environment.h"
#include "tests/viz/recorded_run.h"
#include "viz/scene/default_moment.h"
#include "viz/scene/film_case.h"

using namespace tl;
using nlohmann::json;

namespace {

struct Figure {
  std::string name;
  std::map<std::string, std::string> shown_as;  // by whom -> where, in what `said_by` makes of it
};

const std::vector<Figure> figures = {
    {"registers", {{"schedule", "/resources/registers"}, {"occupancy", "/registers"}, {"tune", "/registers"}}},
    {"shared bytes of a program",
     {{"schedule", "/resources/shared_bytes"}, {"occupancy", "/shared_bytes"}, {"tune", "/shared_bytes"}}},
    {"threads", {{"schedule", "/resources/threads"}, {"occupancy", "/threads"}}},
    {"what limits an SM",
     {{"schedule", "/resources/limited_by"}, {"occupancy", "/limited_by"}, {"limits", "/occupancy/limited_by"}}},
    {"programs an SM",
     {{"schedule", "/resident_programs_per_sm"},
      {"occupancy", "/ctas_per_sm"},
      {"limits", "/occupancy/programs"},
      {"film", "/programs an SM"},
      {"counters", "/programs_per_sm"},
      {"tune", "/programs_per_sm"}}},
    {"waves", {{"schedule", "/waves"}, {"roofline", "/waves"}, {"film", "/waves"}, {"tune", "/waves"}}},
    {"time",
     {{"schedule", "/model_ms"},
      {"roofline", "/schedule_model_ms"},
      {"limits", "/ms"},
      {"film", "/time (model)"},
      {"counters", "/ms"},
      {"tune", "/ms"}}},
    {"limit of the time", {{"schedule", "/limit"}, {"roofline", "/schedule"}, {"tune", "/cause"}}},
    {"limit of the time in words", {{"schedule", "/cause in words"}, {"limits", "/cause in words"}}},
    {"limit of the roofline", {{"roofline", "/limited_by"}, {"limits", "/limited_by"}}},
    {"least times by resource", {{"roofline", "/resources"}, {"limits", "/resources"}}},
    {"ridge", {{"roofline", "/ridge"}, {"limits", "/ridge"}}},
    {"bytes read from DRAM",
     {{"schedule", "/dram_read_bytes"},
      {"limits", "/dram_read_bytes"},
      {"film", "/DRAM read"},
      {"counters", "/dram_read_bytes"}}},
    {"bytes of DRAM while it runs", {{"schedule", "/dram_bytes"}, {"tune", "/dram_bytes"}}},
    {"bytes of DRAM at the end", {{"schedule", "/dram_bytes_at_the_end"}, {"roofline", "/dram_bytes"}}},
    {"L2 hit rate",
     {{"schedule", "/l2/logical_hit_rate"},
      {"film", "/L2 hit rate"},
      {"counters", "/logical_hit_rate"},
      {"tune", "/hit_rate"}}},
    {"sectors that reach L2", {{"schedule", "/l2/tex_sectors"}, {"counters", "/tex_sectors"}}},
};

json schedule_of(const run::KernelOptions& kernel, const std::string& gpu) {
  const run::ComparedCases cases{{run::schedule_case({.kernel = kernel, .gpu = gpu})}, {"model"}};
  json all = run::schedules_json(cases);
  json j = all.contains("launches") ? all["launches"][0] : all;
  j["cause in words"] = run::cause_text(cases.cases.front().launches.front().cause);
  j["dram_bytes"] = j["dram_read_bytes"].get<std::int64_t>() + j["dram_write_bytes"].get<std::int64_t>();
  j["dram_bytes_at_the_end"] = j["dram_bytes"].get<std::int64_t>() + j["dirty_bytes_left"].get<std::int64_t>();
  return j;
}

json limits_of(const run::KernelOptions& kernel, const std::string& gpu) {
  const viz::ModelRun m = viz::model_of(kernel, gpu, 0);
  json j{{"occupancy", {{"programs", m.limits->occupancy.ctas}, {"limited_by", m.limits->occupancy.limited_by}}},
         {"ms", m.own.model_ms},
         {"cause in words", m.limits->cause},
         {"dram_read_bytes", std::llround(m.own.dram_read_bytes)},
         {"limited_by", m.limits->roofline.limit},
         {"ridge", m.limits->ridge},
         {"resources", json::array()}};
  for (const auto& r : m.limits->roofline.resources)
    j["resources"].push_back({{"resource", r.resource},
                              {"work", std::llround(r.work)},
                              {"unit", r.unit},
                              {"rate_per_s", r.rate},
                              {"ms", r.ms}});
  return j;
}

json film_of(const run::KernelOptions& kernel, const std::string& gpu) {
  json j;
  const viz::FilmToShow film = viz::film_of_case(kernel, gpu, 0);
  for (const auto& total : film->totals) j[total.name] = total.value;
  j["DRAM read"] = std::llround(j["DRAM read"].get<double>());
  return j;
}

json counters_of(const run::KernelOptions& kernel, const machine::Device& device) {
  const auto run = run::predict_cases({{.run = "run", .set = "", .kernel = kernel}}, device).front();
  json j = report::json_of(run::fields_of(run.launches[0].model));
  j["ms"] = run.launches[0].model.duration_ns * 1e-6;
  j["programs_per_sm"] = run.launches[0].programs_per_sm;
  return j;
}

json tune_of(const run::KernelOptions& kernel, const machine::Device& device) {
  const problems::LaidOutFor chip(run::chip_of(device));
  const tune::Space space = tune::space_of({.kernel = {kernel.kernel, {}}, .configs = "", .refuse = "", .key = {}});
  std::vector<tune::Trial> trials{{.config = {}, .settings = problems::parse(*space.problem, kernel.settings)}};
  tune::predict(space, device, trials, {.compiles = true});
  const tune::Prediction& p = trials.front().model;
  return {{"registers", p.registers},
          {"shared_bytes", p.shared_bytes},
          {"programs_per_sm", p.ctas_per_sm},
          {"waves", p.waves},
          {"ms", p.ms},
          {"cause", run::cause_json(p.cause)},
          {"dram_bytes", std::llround(p.dram_bytes)},
          {"hit_rate", p.hit_rate}};
}

std::map<std::string, json> said_by_all(const run::KernelOptions& kernel, const std::string& gpu) {
  const machine::Device device = machine::find_device(gpu);
  const auto rooflines = run::rooflines_of(run::schedule_case({.kernel = kernel, .gpu = gpu}));
  return {{"schedule", schedule_of(kernel, gpu)},
          {"roofline", run::rooflines_json(kernel, rooflines, device)["launches"][0]},
          {"occupancy", run::occupancies_json(run::occupancy_case(kernel, device), device)["launches"][0]},
          {"limits", limits_of(kernel, gpu)},
          {"film", film_of(kernel, gpu)},
          {"counters", counters_of(kernel, device)},
          {"tune", tune_of(kernel, device)}};
}

// Numbers up to the last bits, since some are sums of rounded ones or told in other units.
bool are_same(const json& a, const json& b) {
  if (a.is_number() && b.is_number())
    return std::abs(a.get<double>() - b.get<double>()) <=
           1e-9 * std::abs(a.get<double>()) + (a.is_number_float() ? 0 : 1);
  if (!a.is_structured() || a.type() != b.type() || a.size() != b.size()) return a == b;
  for (auto i = a.begin(), k = b.begin(); i != a.end(); ++i, ++k)
    if (!are_same(*i, *k)) return false;
  return true;
}

const std::vector<run::KernelOptions> kernels_of_figures = {
    {"matmul", {"m=512", "n=512", "k=512", "bm=64", "bn=64", "bk=32", "dtype=f32"}},
    {"matmul", {"m=1024", "n=512", "k=256", "dtype=f16"}},
    {"grouped_matmul", {"m=512", "n=512", "k=512", "group_size=2"}},
    {"softmax", {"rows=500"}},
    {"add", {"n=100000"}},
    {"layernorm", {}},
};

// What was compiled of a case's launches, as the cache keeps it, so that the test need not compile them.
void pretend_compiled(const run::KernelOptions& kernel, bool has_roles) {
  const problems::LaidOutFor chip(run::chip_of(machine::find_device("h200")));
  const ShapesOnly no_data;
  for (const Launch& launch : run::make_case(kernel).instance.launches)
    cuda::keep_resources(launch, {.arch = "sm_90a"},
                         {.registers = 100,
                          .dynamic_shared_bytes = 20480,
                          .threads = 32 * launch.options.num_warps,
                          .has_roles = has_roles,
                          .warnings = {}});
}

struct EmptyCache {
  test::Folder folder;
  test::Variable cache{"XDG_CACHE_HOME", folder.path};
};

}  // namespace

TEST_CASE_FIXTURE(EmptyCache, "figures: whoever shows one shows what the others show") {
  for (const run::KernelOptions& kernel : kernels_of_figures)
    for (const std::string gpu : {"t4", "h200"}) {  // a T4 has no compiler of ours, an H200's figures are compiled
      pretend_compiled(kernel, false);
      const auto said = said_by_all(kernel, gpu);
      for (const Figure& f : figures) {
        const auto& [first, where] = *f.shown_as.begin();
        const json expected = said.at(first).at(json::json_pointer(where));
        for (const auto& [who, place] : f.shown_as) {
          const json shown = said.at(who).at(json::json_pointer(place));
          CHECK_MESSAGE(are_same(expected, shown), kernel.kernel << " on " << gpu << ": " << f.name << " is "
                                                                 << expected.dump() << " in " << first << " and "
                                                                 << shown.dump() << " in " << who);
        }
      }
    }
}

TEST_CASE_FIXTURE(EmptyCache, "figures: what is not compiled does not depend on what was compiled before") {
  const machine::Device h200 = machine::find_device("h200");
  for (const run::KernelOptions& kernel : kernels_of_figures) {
    const problems::LaidOutFor chip(run::chip_of(h200));
    const auto figures_now = [&] {
      const ShapesOnly no_data;
      const Launch launch = run::make_case(kernel).instance.launches.front();
      const run::Model m = run::model_of(launch, h200, {.why_not = "not asked for"});
      const machine::CudaConfig c = run::cuda_config_of(launch, h200);
      json sectors = json::array();
      for (const auto& line : run::coalesced_launches(kernel, h200).front().lines) sectors.push_back(line.cuda.sectors);
      return json{m.resources.how,
                  m.resources.cta.registers_per_thread,
                  m.config.num_stages,
                  int(c.matrix),
                  c.copies_ahead,
                  c.tensor_maps,
                  run::figures_of(m, h200).schedule.model_ms,
                  sectors};
    };
    const json before = figures_now();
    pretend_compiled(kernel, false);
    CHECK(figures_now() == before);
  }
}

TEST_CASE_FIXTURE(EmptyCache, "figures: the picture of limits is titled by what limits the schedule's time") {
  for (const run::KernelOptions& kernel : kernels_of_figures) {
    debug::Session session = viz::recorded_run(kernel.kernel, {});
    const viz::ModelRun model = viz::model_of(kernel, "h200", 0);
    viz::Scene scene{.session = session};
    scene.model = &model;
    const std::string title = viz::find_panel("limits")->draw(scene, {900, 560}).title;
    CHECK_MESSAGE(
        title.find("the launch by " + std::string(schedule_of(kernel, "h200")["cause in words"])) != std::string::npos,
        title);
  }
}

TEST_CASE_FIXTURE(EmptyCache,
                  "figures: a panel of any kernel that names a figure of the launch names that of `schedule`") {
  int compared = 0;
  for (const std::string kernel : {"copy", "add", "grey", "transpose", "softmax", "layernorm", "sum", "matmul",
                                   "grouped_matmul", "lecture_matmul", "persistent_matmul", "attention"}) {
    const run::ScheduledLaunch told = run::schedule_case({.kernel = {kernel, {}}, .gpu = "h200"}).launches.front();
    const viz::ModelRun model = viz::model_of({kernel, {}}, "h200", 0);
    const std::map<std::string, std::string> said = {
        {R"(hit rate in L2 (.*?),)", fmt::format("{:.1f} %", 100 * told.schedule.reads.logical_hit_rate())},
        {R"(([^ ]* [^ ]*) read from DRAM)", report::bytes_text(told.schedule.dram_read_bytes)},
        {R"(the launch by (.*) \(model\))", run::cause_text(told.cause)},
        {R"((\d+) programs? an SM, limited by)", std::to_string(told.schedule.resident_programs_per_sm)},
        {R"(an SM, limited by (.*?);)", told.occupancy.limited_by}};
    debug::Session session = viz::recorded_run(kernel, {});
    for (const viz::Panel& panel : viz::panels()) {
      viz::Scene scene{.session = session};
      scene.model = &model;
      session.go(viz::default_moment(session, panel.name, ""));
      if (!panel.missing(scene).empty()) continue;
      const std::string text = viz::plain_text(panel.draw(scene, {1000, 600}));
      for (const auto& [pattern, expected] : said) {
        const std::regex wanted(pattern);
        for (std::sregex_iterator m(text.begin(), text.end(), wanted), end; m != end; ++m, ++compared)
          CHECK_MESSAGE((*m)[1] == expected, kernel << ", " << panel.name << ": " << m->str());
      }
    }
  }
  MESSAGE(compared << " figures of panels compared with commands");
  CHECK(compared >= 60);
}

TEST_CASE("figures: a line's sectors in the source panel, of all programs, are those that coalesce counts") {
  for (const run::KernelOptions& kernel : {run::KernelOptions{"transpose", {}},
                                           {"softmax", {"rows=3"}},
                                           {"matmul", {"m=64", "n=64", "k=64", "bm=32", "bn=32", "bk=32"}}}) {
    const machine::Device h200 = machine::find_device("h200");
    std::map<int, std::int64_t> counted, shown;
    for (const auto& line : run::coalesced_launches(kernel, h200).front().lines)
      counted[line.key.line] += line.cuda.sectors;
    debug::Session session = viz::recorded_run(kernel.kernel, kernel.settings);
    const trace::RecordedTrace& trace = session.trace();
    viz::ModelRun model;
    model.plans = viz::line_plans_of(kernel, "h200");
    viz::Findings findings(trace);
    for (std::size_t p = 0; p < trace.programs.size(); ++p)
      for (std::size_t file = 0; file < trace.files.size(); ++file)
        for (const auto& [line, sectors] : findings.sectors_before(
                 static_cast<int>(file), {p, static_cast<std::uint32_t>(trace.programs[p].steps.size())}, &model))
          shown[line] += sectors;
    CHECK_MESSAGE(shown == counted, kernel.kernel);
  }
}
