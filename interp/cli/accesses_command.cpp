// tilescope accesses KERNEL: what each program loads and stores, tile by tile, without running the kernel on data.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/pid_condition.h"
#include "interp/report/access_text.h"
#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"
#include "interp/run/accesses.h"
#include "interp/run/text_locations.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct AccessesOptions {
  KernelOptions kernel;
  std::string condition;
  bool full = false, json = false;
};

constexpr std::int64_t programs_shown = 4;  // where no condition chooses

const char* route_text(trace::Route r) {
  return r == trace::Route::registers ? "registers" : r == trace::Route::staged ? "staged" : "descriptor";
}

nlohmann::ordered_json pattern_json(const trace::AccessRecord& r, const trace::AccessPattern& p,
                                    const TextLocation& place) {
  const auto& t = r.tensors[static_cast<std::size_t>(p.tensor)];
  nlohmann::ordered_json j{{"kind", trace::text_of(p.kind)}, {"route", route_text(p.route)}, {"tensor", t.name},
                           {"dtype", name_of(t.dtype)},      {"line", place.line},           {"column", place.column},
                           {"shape", p.shape.span()}};
  if (p.is_tile) {
    j["strides"] = p.strides.span();
    j["lo"] = p.lo.span();
    j["hi"] = p.hi.span();
  } else {
    j["offsets"] = p.offsets;
    if (!p.mask.empty()) j["mask"] = p.mask;
  }
  return j;
}

nlohmann::ordered_json program_json(const trace::AccessRecord& r, const trace::ProgramAccesses& p) {
  auto segments = nlohmann::ordered_json::array();
  for (std::uint32_t i = p.first; i < p.first + p.size; ++i) {
    const trace::Segment& s = r.segments[i];
    auto accesses = nlohmann::ordered_json::array();
    for (std::uint32_t a = s.first; a < s.first + s.size; ++a)
      accesses.push_back(
          {{"pattern", r.accesses[a].pattern}, {"base", r.accesses[a].base}, {"step", r.accesses[a].step}});
    segments.push_back({{"iterations", s.iterations},
                        {"dot_flops", s.dot_flops},
                        {"lane_ops", s.lane_ops},
                        {"accesses", std::move(accesses)}});
  }
  return {{"program", {p.id.x, p.id.y, p.id.z}}, {"segments", std::move(segments)}};
}

struct Totals {
  std::int64_t accesses = 0;
  double bytes_read = 0, bytes_written = 0, dot_flops = 0;
};

// A load's lanes are read, a store's written, an atomic's both.
Totals totals_of(const trace::AccessRecord& r) {
  std::vector<double> bytes;
  for (const auto& p : r.patterns)
    bytes.push_back(
        static_cast<double>(active_lanes(p) * size_in_bytes(r.tensors[static_cast<std::size_t>(p.tensor)].dtype)));
  Totals t;
  for (const trace::Segment& s : r.segments) {
    const auto n = static_cast<double>(s.iterations);
    t.accesses += s.iterations * s.size;
    t.dot_flops += n * s.dot_flops;
    for (std::uint32_t a = s.first; a < s.first + s.size; ++a) {
      const std::uint32_t p = r.accesses[a].pattern;
      if (r.patterns[p].kind != trace::AccessKind::store) t.bytes_read += n * bytes[p];
      if (r.patterns[p].kind != trace::AccessKind::load) t.bytes_written += n * bytes[p];
    }
  }
  return t;
}

nlohmann::ordered_json record_json(const trace::AccessRecord& r, const PidCondition& chosen) {
  const Totals t = totals_of(r);
  nlohmann::ordered_json j{
      {"functor", r.kernel},
      {"grid", r.grid},
      {"warps", r.num_warps},
      {"stages", r.num_stages},
      {"needed_values", r.needed_values},
      {"accesses", t.accesses},
      {"requested_bytes", {{"read", std::llround(t.bytes_read)}, {"written", std::llround(t.bytes_written)}}},
      {"dot_flops", std::llround(t.dot_flops)}};
  j["patterns"] = nlohmann::ordered_json::array();
  std::vector<machine::LineKey> keys;
  for (const auto& p : r.patterns) keys.push_back({p.site.file, p.site.line, p.site.column, p.tensor, p.kind});
  const auto places = text_locations_of(keys, r);
  for (std::size_t i = 0; i < places.size(); ++i) j["patterns"].push_back(pattern_json(r, r.patterns[i], places[i]));
  j["programs"] = nlohmann::ordered_json::array();
  for (const auto& p : r.programs)
    if (chosen.matches(p.id)) j["programs"].push_back(program_json(r, p));
  return j;
}

void print_record(const trace::AccessRecord& r, const PidCondition& chosen, const Paint& paint) {
  const Totals t = totals_of(r);
  const int axes = r.grid[2] > 1 ? 3 : r.grid[1] > 1 ? 2 : 1;
  fmt::print("\n{}: {}, {} tile accesses, {} requested for reading, {} for writing\n", paint.bold(short_name(r.kernel)),
             r.programs.size() == 1 ? "1 program" : fmt::format("{} programs", r.programs.size()), t.accesses,
             bytes_text(t.bytes_read), bytes_text(t.bytes_written));
  if (!r.needed_values.empty()) fmt::print("{}\n", paint.dim("its data was computed: " + r.needed_values));
  std::int64_t shown = 0, left = 0;
  for (const auto& p : r.programs) {
    if (!chosen.matches(p.id)) continue;
    if (chosen.always() && shown == programs_shown) {
      ++left;
      continue;
    }
    ++shown;
    fmt::print("program {}\n", program_text(p.id, axes));
    for (std::uint32_t s = p.first; s < p.first + p.size; ++s) fmt::print("{}", segment_text(r, r.segments[s], "  "));
  }
  if (shown == 0) fmt::print("no program is {}\n", chosen.text());
  if (left)
    fmt::print("{}\n",
               paint.dim(fmt::format("and {} more: choose with --pid, as in --pid ={}", left, r.programs.back().id.x)));
}

int accesses(const AccessesOptions& o) {
  const PidCondition chosen = PidCondition::parse(o.condition);
  const problems::Problem& problem = problems::find(o.kernel.kernel);
  const problems::Settings settings = problems::parse(problem, o.kernel.settings);
  const auto begin = std::chrono::steady_clock::now();
  const auto records = record_accesses(o.kernel, !o.full);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (o.json) {
    nlohmann::ordered_json j{{"kernel", problem.name}, {"settings", settings_json(problem, settings)}, {"wall_ms", ms}};
    j["launches"] = nlohmann::ordered_json::array();
    for (const auto& r : records) j["launches"].push_back(record_json(r, chosen));
    fmt::print("{}\n", j.dump());
    return exit_ok;
  }
  const Paint paint = paint_of(stdout);
  const auto legend = [&](trace::Route route, const char* words) {
    const bool is_there = std::ranges::any_of(records, [&](const auto& r) {
      return std::ranges::any_of(r.patterns, [&](const auto& p) { return p.route == route; });
    });
    return is_there ? words : "";
  };
  fmt::print("{} {}\n{}\n", paint.bold(problem.name), settings_text(problem, settings),
             paint.dim(wrapped(
                 fmt::format("addresses alone, in {}; {}{}i: the iteration; 4:8 of 16: elements 4 to 7, the part "
                             "within the tensor of a tile of 16",
                             time_text(ms), legend(trace::Route::staged, "stage: by cp.async into shared memory; "),
                             legend(trace::Route::descriptor, "tma: by a descriptor; ")),
                 columns_of(stdout))));
  for (const auto& r : records) print_record(r, chosen, paint);
  return exit_ok;
}

}  // namespace

void add_accesses_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<AccessesOptions>();
  CLI::App* command =
      program.add_subcommand("accesses", "which tiles every program loads and stores, at any size, without its data");
  add_kernel_options(*command, o->kernel);
  command->add_option("--pid", o->condition, "the programs to show: '=0', ',>1', '>1,=0'; default: the first few")
      ->type_name("COND");
  command->add_flag("--full", o->full, "run every iteration, and show straight lines instead of loops");
  command->add_flag("--json", o->json, "one JSON object, with all programs that --pid chooses");
  command->footer(
      "The kernel runs for its addresses and masks alone; tensors take no memory, and loops that go on evenly are not\n"
      "run to their end. Where data decides what is touched, the data is computed, and the reason said.\n\n"
      "Examples:\n"
      "  tilescope accesses grouped_matmul m=16384 n=16384 k=16384\n"
      "  tilescope accesses attention seq=1024 --pid '=3,=0'\n"
      "  tilescope accesses transpose m=100 n=37 --json");
  command->callback([o, &exit_code] { exit_code = accesses(*o); });
}

}  // namespace tl::cli
