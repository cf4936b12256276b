#include "interp/run/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "interp/cpu/facts.h"
#include "interp/cuda/host/run.h"
#include "interp/lang/text.h"
#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "interp/report/tensor_text.h"
#include "interp/run/write_watch.h"
#include "interp/sources/sources.h"

namespace tl::run {

using namespace report;

bool Execution::was_stopped() const {
  return std::any_of(faults.begin(), faults.end(), [](const Fault& f) { return f.kind == FaultKind::stopped; });
}

Execution run_on_cpu(const problems::Instance& instance, cpu::RunOptions options, const Arithmetic& arithmetic) {
  Execution all;
  for (const Launch& launch : instance.launches) {
    arithmetic.apply(options, launch);
    if (options.dots.matrix == rules::Matrix::wgmma) all.tf32 = problems::Tf32::truncated;
    cpu::RunResult r = cpu::run(launch, options);
    all.programs += r.programs;
    all.wall_ms += r.wall_ms;
    all.faults = std::move(r.faults);
    if (!all.faults.empty()) break;  // what follows would only repeat it
  }
  return all;
}

void require_built_in_text(const problems::Instance& instance) {
  for (const Launch& launch : instance.launches)
    if (sources::differs_from_built_in(launch.source))
      throw Error(
          fmt::format(
              "{} is another in --sources or TILESCOPE_SOURCES, and the interpreter runs the one it was built with",
              launch.source),
          "add --device cuda, leave the folder out, or build tilescope from those sources");
}

std::vector<std::string> use_sources(const std::string& folder, const std::string& wanted) {
  auto changed = sources::use_sources_from(folder);
  // A user's file stands where it stands; what it includes is the folder's.
  const std::string asked = wanted.starts_with("kernels") ? wanted : "interp/tl.h";
  if (changed.empty() && !std::filesystem::exists(std::filesystem::path(folder) / asked))
    throw Error(fmt::format("the folder \"{}\" holds no {}", folder, asked),
                "give a folder that holds kernels/NAME.h, or interp/ as in tilescope's sources");
  return changed;
}

Execution run_on_cuda(const problems::Instance& instance, bool generic) {
  cuda::RunOptions options;
  options.generic = generic;
  cuda::RunResult r = cuda::run(instance.launches, cpu::facts_of, options);
  for (const std::string& line : r.prints) fmt::print("{}\n", line);
  return {std::move(r.faults), r.programs,
          r.wall_ms,           r.gpu_ms,
          std::move(r.notes),  r.truncates_tf32 ? problems::Tf32::truncated : problems::Tf32::rounded};
}

cpu::Checks parse_checks(const std::vector<std::string>& names) {
  cpu::Checks checks{.hints = false};
  for (const std::string& given : names) {
    const std::string name = trimmed(given);
    if (name == "all") checks = {true, true, true, true, true};
    else if (name == "none") checks = {false, false, false, false, false};
    else if (name == "uninit") checks.uninitialized = true;
    else if (name == "race") checks.race = true;
    else if (name == "undef") checks.undefined_lane = true;
    else if (name == "hints") checks.hints = true;
    else if (name == "nan") checks.nan = true;
    else if (name != "triton")  // triton_check.h
      throw Error("there is no check \"" + name + "\"",
                  "choose from all, none, uninit, race, undef, hints, nan, triton, with commas between them");
  }
  return checks;
}

namespace {

std::string range_text(const Tensor& t, WriteWatch::Range r) {
  if (t.shape.size() == 1)
    return r.first == r.last ? fmt::format("{}[{}]", t.name, r.first)
                             : fmt::format("{}[{}..{}]", t.name, r.first, r.last);
  return r.first == r.last ? cell_text(t, r.first)
                           : fmt::format("{} .. {}", cell_text(t, r.first), cell_text(t, r.last));
}

int axes_of(const problems::Instance& instance) {
  const Grid& g = instance.launches.back().grid;
  return g.z > 1 ? 3 : g.y > 1 ? 2 : 1;
}

std::string nobody_sentence(const problems::Instance& instance, const Tensor& t, std::int64_t element,
                            const WriteWatch& watch) {
  const auto gap = watch.unwritten_around(element);
  std::string out = "nothing wrote " + range_text(t, gap);
  const std::int64_t elsewhere = watch.unwritten() - (gap.last - gap.first + 1);
  if (elsewhere > 0) out += " (and " + plural(elsewhere, "element") + " elsewhere)";
  if (watch.programs() == 0) return out + ": no program stored to " + t.name;
  const std::int64_t all = programs_of(instance);
  if (watch.programs() < all)
    return out + fmt::format(": only {} of the {} programs stored to {}, {}", watch.programs(), count_text(all), t.name,
                             range_text(t, watch.whole_range()));
  const auto same = watch.common_range();
  if (same && watch.programs() > 1)
    return out +
           fmt::format(": each of the {} stored to {}", plural(watch.programs(), "program"), range_text(t, *same));
  return out + fmt::format(": the {} that stored to {} reached from {} to {}", plural(watch.programs(), "program"),
                           t.name, cell_text(t, watch.whole_range().first), cell_text(t, watch.whole_range().last));
}

}  // namespace

Explanation explain(const problems::Instance& instance, const problems::Mismatch& first) {
  instance.reset();
  const Tensor& output = instance.outputs[first.output];
  WriteWatch watch(output, first.offset);
  cpu::RunOptions options;
  options.order = cpu::Order::sequential;
  options.checks = parse_checks({"all"});
  options.observer = &watch;

  Explanation e;
  Execution repeat = run_on_cpu(instance, options);
  e.ran_to_end = repeat.programs == programs_of(instance);
  e.faults = std::move(repeat.faults);
  e.interpreter_agrees =
      e.faults.empty() &&
      problems::check(instance, instance.outputs, problems::affordable_samples(instance), repeat.tf32).ok;
  if (!watch.last_writer()) {
    e.sentence = nobody_sentence(instance, output, first.offset, watch);
    return e;
  }
  const WriteWatch::Writer& w = *watch.last_writer();
  e.site = w.site;
  e.program = w.program;
  e.lane = w.lane;
  e.sentence = fmt::format("program {}, lane {}, wrote {} at {}", program_text(w.program, axes_of(instance)), w.lane,
                           cell_text(output, first.offset), place_text(w.site));
  if (watch.writes() > 1) e.sentence += fmt::format(", the last of {} writes to it", watch.writes());
  return e;
}

std::string explanation_text(const Explanation& e, Paint paint) {
  constexpr std::size_t shown = 3;
  std::string out;
  if (e.interpreter_agrees)
    out += paint.bold("why:") + " the interpreter agrees with the reference; only the GPU differs\n";
  // After a fault that ended the run, who wrote which element explains nothing more.
  if (e.ran_to_end && !e.sentence.empty()) {
    out += paint.bold(e.interpreter_agrees ? "who:" : "why:") + " " + e.sentence + "\n";
    if (e.site) out += caret_text(*e.site, "", paint);
  }
  for (std::size_t i = 0; i < std::min(shown, e.faults.size()); ++i) out += fault_text(e.faults[i], paint);
  if (e.faults.size() > shown) out += fmt::format("    and {} more\n", e.faults.size() - shown);
  return out;
}

nlohmann::ordered_json explanation_json(const Explanation& e) {
  nlohmann::ordered_json out;
  out["faults"] = nlohmann::ordered_json::array();
  for (const Fault& f : e.faults) out["faults"].push_back(fault_json(f));
  out["interpreter_agrees"] = e.interpreter_agrees;
  out["sentence"] = e.sentence;
  if (e.site) {
    out["program"] = {e.program.x, e.program.y, e.program.z};
    out["lane"] = e.lane;
    out["file"] = place_text({e.site->file, 0, 0});
    out["line"] = e.site->line;
  }
  return out;
}

std::string mismatch_text(const problems::Instance& instance, const problems::Verdict& verdict,
                          const std::vector<Tensor>& outputs) {
  (void)instance;
  const problems::Mismatch& first = *verdict.first;
  const Tensor& t = outputs[first.output];
  const auto number = [&](double v) {
    return is_integer(t.dtype) ? fmt::format("{:.0f}", v) : std::isnan(v) ? "nan" : fmt::format("{:.6g}", v);
  };
  return fmt::format("{} is {}, the reference says {} ({} of {}{} differ)", cell_text(t, first.offset),
                     number(first.got), number(first.expected), count_text(verdict.wrong),
                     plural(verdict.checked, "element"), verdict.checked < t.elems() ? " checked" : "");
}

}  // namespace tl::run
