#include "tests/machine/walks.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "interp/lang/error.h"
#include "interp/machine/schedule/schedule.h"
#include "tests/machine/records.h"

namespace tl::test {

namespace {

struct Pair {
  std::int64_t a = 0, b = 0;  // panels
};

// walk.cu's order: groups of rows, column by column.
std::vector<Pair> order_of(const Walk& w) {
  std::vector<Pair> order;
  for (std::int64_t first = 0; first < w.rows; first += w.group)
    for (std::int64_t c = 0; c < w.columns; ++c)
      for (std::int64_t r = first; r < std::min(first + w.group, w.rows); ++r) order.push_back({r, c});
  return order;
}

nlohmann::json read_results(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw Error(file + " cannot be read", "give the folder tests/machine/probes/results");
  return nlohmann::json::parse(in);
}

// An H200 whose GPCs' clocks are those of the chip that ran the walk.
machine::Device chip_of(const Walk& w, machine::Device d) {
  d.group_pace_ppm = w.group_pace_ppm;
  return d;
}

double shown_by(const machine::Schedule& s, const trace::AccessRecord& r, const machine::Device& d) {
  std::vector<double> sums(d.group_pace_ppm.size()), counts(sums.size());
  double mean = 0;
  for (std::size_t p = 0; p < s.programs.size(); ++p) {
    double steps = 0;
    for (std::uint32_t i = 0; i < r.programs[p].size; ++i)
      steps += double(r.segments[r.programs[p].first + i].iterations);
    const double pace = (s.programs[p].end_us - s.programs[p].start_us) / steps;
    const auto g = static_cast<std::size_t>(d.sm_group[static_cast<std::size_t>(s.programs[p].sm)]);
    sums[g] += pace;
    counts[g] += 1;
    mean += pace / double(s.programs.size());
  }
  for (std::size_t g = 0; g < sums.size(); ++g) sums[g] = 1e6 * (sums[g] / counts[g] / mean - 1);
  return shown_of(sums, {d.group_pace_ppm.begin(), d.group_pace_ppm.end()});
}

Walk::Round round_of(const Walk& w, const nlohmann::json& l) {
  Walk::Round r;
  r.step_ns = l.at("step_ns");
  r.dram_read_bytes = l.at("dram_read_bytes");
  r.tex_sectors = l.at("tex_sectors");
  r.duration_ns = l.at("duration_ns");
  r.step_cycles = l.value("step_cycles", 0.0);
  r.clock_ghz = l.value("clock_ghz", 0.0);
  r.shown =
      shown_of(l.at("group_pace_ppm").get<std::vector<double>>(), {w.group_pace_ppm.begin(), w.group_pace_ppm.end()});
  r.hit_rate = (double(l.at("tex_hit_sectors")) + double(l.at("fabric_hit_sectors"))) / r.tex_sectors;
  return r;
}

bool is_same_loop(const Walk& a, const Walk& b) {
  const bool is_wide = a.route == trace::Route::descriptor && a.writes && b.bn > a.bn;  // narrow ones wait for L2
  return a.file == b.file && a.route == b.route && a.writes == b.writes && a.index_work == b.index_work &&
         a.bm == b.bm && (a.bn == b.bn || is_wide) && a.bk == b.bk && a.ctas_per_sm == b.ctas_per_sm;
}

// What a step takes that waits for nothing: the fewest cycles of the launches of that loop at the highest clock of the
// chip, or, where cycles are not known, the least time.
void find_step(Walk& w, const std::vector<Walk>& walks) {
  double ceiling = 0;
  for (const Walk& other : walks)
    for (const Walk::Round& r : other.rounds)
      if (other.file == w.file && other.route == w.route && other.group_pace_ppm == w.group_pace_ppm)
        ceiling = std::max(ceiling, r.clock_ghz);
  w.step_ns = w.rounds[0].step_ns + 1;
  for (const Walk& other : walks) {
    if (!is_same_loop(w, other)) continue;
    for (const Walk::Round& r : other.rounds) {
      const double ns = w.route == trace::Route::staged && r.step_cycles > 0 ? r.step_cycles / ceiling : r.step_ns,
                   step = ns * double(w.bn) / double(other.bn);
      if (step < w.step_ns) {
        w.step_ns = step;
        w.step_dram_gb_per_s = r.dram_read_bytes / r.duration_ns;
      }
    }
  }
}

}  // namespace

double shown_of(const std::vector<double>& paces_ppm, const std::vector<double>& group_pace_ppm) {
  double along = 0, all = 0;
  for (std::size_t g = 0; g < group_pace_ppm.size(); ++g) {
    along += paces_ppm[g] * group_pace_ppm[g];
    all += group_pace_ppm[g] * group_pace_ppm[g];
  }
  return along / all;
}

std::vector<Walk> recorded_walks(const std::string& folder) {
  std::vector<Walk> walks;
  for (const char* file : {"walk.json", "loops.json"}) {
    const auto results = read_results(folder + "/" + file);
    for (const auto& l : results.at("launches")) {
      Walk w;
      if (l.at("kind") == "own") continue;
      w.file = file;
      w.group_pace_ppm = results.at("chips").at(l.value("chip", 0)).get<std::vector<std::int64_t>>();
      const std::string route = l.at("route");
      w.index_work = l.value("index_work", 0);
      w.writes = route == "mapped" || route == "staged";
      w.route = route == "registers" ? trace::Route::registers
                : route == "staged"  ? trace::Route::staged
                                     : trace::Route::descriptor;
      w.bm = l.at("tile")[0];
      w.bn = l.at("tile")[1];
      w.bk = l.at("tile")[2];
      w.warps = l.at("warps");
      w.ctas_per_sm = l.at("layers");
      w.rows = l.at("rows");
      w.columns = l.at("columns");
      w.length = l.at("length");
      w.group = l.at("group");
      if (l.at("kind") == "rows") w.shared_rows = w.rows;
      w.name = fmt::format(
          "{}{} {}x{}x{} {} a SM, {}", route, w.index_work ? fmt::format(" beside {}", w.index_work) : "", w.bm, w.bn,
          w.bk, w.ctas_per_sm,
          w.shared_rows ? fmt::format("rows of {}", w.shared_rows)
                        : fmt::format("{} x {} panels of {}, groups of {}", w.rows, w.columns, w.length, w.group));
      w.requested_bytes = l.at("requested_bytes");
      const auto is_before = [&](const Walk& v) {
        return l.value("round", 0) > 0 && v.file == w.file && v.name == w.name && v.group_pace_ppm == w.group_pace_ppm;
      };
      const auto before = std::ranges::find_if(walks, is_before);
      Walk& same = before == walks.end() ? walks.emplace_back(w) : *before;
      same.rounds.push_back(round_of(w, l));
    }
  }
  const auto paces = read_results(folder + "/pace.json");
  for (const auto& l : paces.at("launches")) {
    const std::string roles = l.at("roles");
    if (!roles.starts_with("rows_") || l.at("iterations") != 512) continue;
    Walk w;
    w.group_pace_ppm = paces.at("chips").at(0).get<std::vector<std::int64_t>>();
    w.route = l.at("bulk") == 1 ? trace::Route::descriptor : trace::Route::staged;
    w.bn = l.at("bn");
    w.ctas_per_sm = l.at("layers");
    w.length = l.at("iterations");
    w.shared_rows = std::stoll(roles.substr(5));
    w.name = fmt::format("{} {}x{}x{} {} a SM, rows of {}", w.route == trace::Route::staged ? "staged" : "bulk", w.bm,
                         w.bn, w.bk, w.ctas_per_sm, w.shared_rows);
    w.file = "pace.json";
    w.requested_bytes = l.at("requested_bytes");
    w.rounds.push_back(round_of(w, l));
    walks.push_back(w);
  }
  for (Walk& w : walks) find_step(w, walks);
  return walks;
}

trace::AccessRecord record_of(const Walk& w, const machine::Device& device) {
  using namespace trace;
  AccessRecord r;
  r.kernel = w.name;
  r.num_warps = static_cast<int>(w.warps);
  r.dot_dtype = DType::float16;
  const std::int64_t resident = device.sms * w.ctas_per_sm;
  std::vector<Pair> order = w.shared_rows ? std::vector<Pair>{} : order_of(w);
  for (std::int64_t i = 0; w.shared_rows && i < resident; ++i) order.push_back({i % w.shared_rows, i / w.shared_rows});
  std::int64_t a_panels = 0, b_panels = 0;
  for (const Pair& p : order) {
    a_panels = std::max(a_panels, p.a + 1);
    b_panels = std::max(b_panels, p.b + 1);
  }
  const auto panels = [&](const char* name, std::int64_t count, std::int64_t rows) {
    const std::int64_t height = count * w.length * rows;
    r.tensors.push_back({name, DType::float16, {height, w.bk}, {w.bk, 1}, height * w.bk, false, {}});
    r.patterns.push_back(tile(AccessKind::load, w.route, static_cast<int>(r.tensors.size()) - 1, rows, w.bk, w.bk));
  };
  panels("a", a_panels, w.bm);
  panels("b", b_panels, w.bn);
  if (w.writes) {
    const auto tiles = static_cast<std::int64_t>(order.size());
    r.tensors.push_back({"c", DType::float16, {tiles * w.bm, w.bn}, {w.bn, 1}, tiles * w.bm * w.bn, false, {}});
    r.patterns.push_back(tile(AccessKind::store, Route::registers, 2, w.bm, w.bn, w.bn));
  }
  const auto count = static_cast<std::int64_t>(order.size()),
             programs = w.route == Route::descriptor ? std::min(count, resident) : count;
  r.grid[0] = programs;
  r.lane_works.push_back({{Op::add, DType::float32, double(w.bm * w.bn), 1}});
  const std::int64_t a_step = w.bm * w.bk, b_step = w.bn * w.bk;
  for (std::int64_t p = 0; p < programs; ++p) {
    r.programs.push_back({{p, 0, 0}, static_cast<std::uint32_t>(r.segments.size()), 0});
    for (std::int64_t i = p; i < count; i += programs, ++r.programs.back().size) {
      r.segments.push_back(
          {static_cast<std::uint32_t>(r.accesses.size()), 2, w.length, 2.0 * double(w.bm * w.bn * w.bk), 0});
      r.accesses.push_back({0, order[static_cast<std::size_t>(i)].a * w.length * a_step, a_step});
      r.accesses.push_back({1, order[static_cast<std::size_t>(i)].b * w.length * b_step, b_step});
      if (!w.writes) continue;
      r.segments.push_back({static_cast<std::uint32_t>(r.accesses.size()), 1, 1, 0, 1});
      ++r.programs.back().size;
      r.accesses.push_back({2, i * w.bm * w.bn, 0});
    }
  }
  return r;
}

std::vector<WalkError> errors_of(const Walk& w, const machine::Device& device, std::uint64_t seed) {
  machine::Device d = chip_of(w, device);
  if (w.name.starts_with("bulk")) d.tma_promoted = 0;  // bulk copies have no tensor map
  // The tensor cores' rate is the probe's own, so that a step that waits for nothing takes as long as it did.
  const bool is_bulk = w.route == trace::Route::descriptor;
  const double beside =
      w.route == trace::Route::staged ? d.staged_step_ns * (w.warps * w.ctas_per_sm >= 12 ? 1 : 2.2) : 0;
  const double waits =
      w.route == trace::Route::registers
          ? (double((w.bm + w.bn) * w.bk * 2) / d.sm_gb_per_s + d.l2_latency_ns) / double(w.ctas_per_sm)
          : 0;
  const double slower =
      is_bulk ? 1 - d.power_dram_share * w.step_dram_gb_per_s / (d.dram_gb_per_s * d.dram_reachable) : 1;
  const double dots_ns = w.step_ns / double(w.ctas_per_sm) * slower - beside - waits;
  (is_bulk ? d.tensor_reachable : d.tensor_reachable_staged) =
      2.0 * double(w.bm * w.bn * w.bk) / dots_ns / (d.f16_tensor_tflops * 1e3 / double(d.sms));
  machine::ScheduleOptions options;
  options.ctas_per_sm = w.ctas_per_sm;
  options.stages = w.route == trace::Route::descriptor ? 4 : 3;
  options.seed = seed;
  const trace::AccessRecord record = record_of(w, d);
  const machine::Schedule s = machine::simulate(record, d, options);
  const double shown = shown_by(s, record, d);
  std::vector<WalkError> errors;
  for (const Walk::Round& r : w.rounds)
    errors.push_back({s.dram_read_bytes / r.dram_read_bytes, s.reads.tex() / r.tex_sectors,
                      100 * (s.reads.logical_hit_rate() - r.hit_rate), s.model_ms * 1e6 / r.duration_ns,
                      shown - r.shown});
  return errors;
}

}  // namespace tl::test
