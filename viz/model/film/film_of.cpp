// The film of a launch: tensors, L2 and SMs as the root, an SM's programs within.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "interp/lang/text.h"
#include "interp/machine/access/rows.h"
#include "interp/machine/schedule/dispatch.h"
#include "interp/machine/schedule/schedule_series.h"
#include "viz/model/film/nodes.h"
#include "viz/model/film/tour.h"
#include "viz/model/sheet.h"

namespace tl::viz::film {

namespace {

using report::bytes_text;

// What the lanes of all loads ask for; what is loaded for them comes in whole sectors.
double asked_bytes(const trace::AccessRecord& record) {
  std::vector<double> of_pattern;
  for (const trace::AccessPattern& p : record.patterns)
    of_pattern.push_back(p.kind == trace::AccessKind::store
                             ? 0
                             : double(machine::rows_of(p).elements * size_in_bytes(record.tensors[p.tensor].dtype)));
  std::vector<double> of_segment;
  for (const trace::Segment& s : record.segments) {
    double bytes = 0;
    for (std::uint32_t a = s.first; a < s.first + s.size; ++a) bytes += of_pattern[record.accesses[a].pattern];
    of_segment.push_back(bytes * double(s.iterations));
  }
  double all = 0;
  for (const trace::ProgramAccesses& p : record.programs)
    for (std::uint32_t s = p.first; s < p.first + p.size; ++s) all += of_segment[s];
  return all;
}

void add_totals(Film& film, const LaunchToPlay& launch, const std::vector<Op>& ops) {
  const machine::Schedule& s = launch.schedule;
  const auto add = [&](const char* name, std::string text, double value) {
    film.totals.push_back({name, std::move(text), value});
  };
  const double sector = static_cast<double>(launch.device.sector_bytes);
  add("time (model)", report::time_text(s.model_ms), s.model_ms);
  add("limited by", launch.cause.limit, 0);
  add("busiest",
      fmt::format("{}, {} of the time", launch.cause.busiest,
                  launch.cause.share < 0.005 ? "less than 1 %" : report::percent_text(launch.cause.share)),
      launch.cause.share);
  add("programs load", bytes_text(s.reads.requested * sector), s.reads.requested * sector);
  const double asked = asked_bytes(launch.record);
  add("elements of it", bytes_text(asked), asked);
  add("found in L1", bytes_text(s.reads.l1_hits * sector), s.reads.l1_hits * sector);
  add("merged before L2", bytes_text(s.reads.merged * sector), s.reads.merged * sector);
  add("from the far half", bytes_text(s.reads.far_hits * sector), s.reads.far_hits * sector);
  add("L2 hit rate", report::percent_text(s.reads.logical_hit_rate(), 1), s.reads.logical_hit_rate());
  add("DRAM read", bytes_text(s.dram_read_bytes), s.dram_read_bytes);
  add("DRAM written", bytes_text(s.dram_write_bytes), s.dram_write_bytes);
  for (const machine::ResourceTime& r : launch.roofline.resources)
    if (r.resource == "DRAM") add("DRAM's time at its best", report::time_text(r.ms), r.ms);
  add("programs", count_text(std::ssize(s.programs)), double(std::ssize(s.programs)));
  add("programs an SM", fmt::format("{}", s.resident_programs_per_sm), double(s.resident_programs_per_sm));
  add("waves", fmt::format("{:.2f}", s.waves), s.waves);
  if (std::ranges::any_of(ops, [](const Op& op) { return op.is_load && op.is_staged; }))
    add("slots of a ring", fmt::format("{}", launch.stages), launch.stages);
}

void add_times(Film& film, const machine::Schedule& s) {
  film.end_us = s.is_beginning ? machine::end_of(s) : s.model_ms * 1e3;
  for (const machine::ProgramRun& p : s.programs) {
    if (p.sm < 0) continue;
    film.tiles_us.push_back(static_cast<float>(p.end_us));
    film.longest_run_us = std::max(film.longest_run_us, p.end_us - p.start_us);
    const auto w = static_cast<std::size_t>(p.wave);
    if (film.waves_us.size() <= w) film.waves_us.resize(w + 1, INFINITY);
    film.waves_us[w] = std::min(film.waves_us[w], static_cast<float>(p.start_us));
  }
  std::ranges::sort(film.tiles_us);
}

}  // namespace

Film film_of(const LaunchToPlay& launch) {
  Film film;
  const machine::Schedule& s = launch.schedule;
  const machine::Footprint footprint = machine::footprint_of(launch.record, launch.device);
  std::vector<TileGrid> grids = tile_grids(launch.record, footprint);
  merge_unfollowed(grids, footprint, s.l2_sampled);
  const std::vector<Op> ops = ops_of(launch);
  film.is_beginning = s.is_beginning;
  film.title = fmt::format("{} on {}: {}{} {} (model)", launch.kernel, described(launch.device),
                           plural(std::ssize(s.programs), "program"), s.is_beginning ? ", the first" : " in",
                           report::time_text(s.model_ms));
  film.subtitle = launch.settings;
  film.kernel = launch.kernel;
  std::istringstream words(launch.settings);
  for (std::string word; words >> word;) film.settings.push_back(word);
  add_times(film, s);
  if (!s.is_beginning) add_totals(film, launch, ops);
  add_place_tables(film, launch, ops, grids);
  for (const Op& op : ops)
    if (op.is_load) film.reads.push_back({op.name, op.first + 2});
  film.nodes.resize(1);
  const int places = add_program_nodes(film, launch, ops);  // the node that an SM shows
  film.nodes.front() = launch_node(film, launch, grids, stories_of(launch, footprint, grids), places);
  if (s.is_beginning) film.facts.push_back("the launch's beginning: the model is at work on the rest");
  else
    film.facts.push_back(fmt::format("model, not measured: {} read from DRAM, {} of L2's lookups hit, {}",
                                     bytes_text(s.dram_read_bytes), report::percent_text(s.reads.logical_hit_rate(), 1),
                                     s.resident_programs_per_sm == 1
                                         ? "one program an SM at a time"
                                         : fmt::format("{} programs an SM at a time", s.resident_programs_per_sm)));
  if (const double launching = film.end_us - machine::end_of(s); launching >= 0.005)
    film.facts.push_back(fmt::format(
        "the clock's last {:.2f} us, while all is idle, are what a launch takes that does nothing", launching));
  if (launch.is_estimate)
    film.facts.push_back("how many programs an SM holds is an estimate: the kernel was not compiled");
  if (s.steps_cut)
    film.facts.push_back(
        "the launch has more steps than are kept: of its later programs the beginning and the end are shown");
  if (s.l2_sampled > 1)
    film.facts.push_back(
        fmt::format("of L2's contents every {}th piece is followed, and stands for those beside it", s.l2_sampled));
  film.tour = tour_of(launch, film, ops);
  return film;
}

}  // namespace tl::viz::film
