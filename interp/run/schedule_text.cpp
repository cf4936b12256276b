#include "interp/run/schedule_text.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "interp/machine/access/product_loads.h"
#include "interp/report/fields.h"
#include "interp/report/numbers.h"
#include "interp/run/limits_text.h"

namespace tl::run {

using namespace report;

namespace {

using machine::Schedule;

// This process's peak so far.
std::int64_t peak_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return std::int64_t{used.ru_maxrss} * 1024;
}
// A kernel may get a tensor twice, by pointer and by descriptor: the way that it does not use is left out.
std::vector<machine::TensorTraffic> shown_tensors(const Schedule& s) {
  std::vector<machine::TensorTraffic> shown;
  for (const auto& t : s.tensors) {
    const auto named = std::ranges::count(s.tensors, t.name, &machine::TensorTraffic::name);
    if (named < 2 || t.block_loads > 0 || t.written_bytes > 0 || t.reads.requested > 0) shown.push_back(t);
  }
  return shown;
}

// What is told of a launch, in the order of the text.
Fields figures_of(const ScheduledLaunch& l) {
  const Schedule& s = l.schedule;
  const auto& reads = s.reads;
  const auto programs = static_cast<std::int64_t>(s.programs.size());
  const bool counts_first = s.first_programs < programs;
  const auto in_first = [&](const std::string& label) { return counts_first ? label : ""; };
  Fields all{
      {"programs", "programs", Value::count(static_cast<double>(programs))},
      {"resident_programs_per_sm", "programs an SM at once", Value::count(s.resident_programs_per_sm)},
      {"waves", "waves", {s.waves, s.waves < 0.1 ? fmt::format("{:.2g}", s.waves) : fmt::format("{:.2f}", s.waves)}},
      {"", "block loads", Value::count(s.block_loads)},
      {"distinct_block_loads/total", "distinct block loads", Value::count(s.distinct_total)},
      {"distinct_block_loads/programs", "", Value::count(s.first_programs)},
      {"distinct_block_loads/after_programs", in_first("  of the first " + plural(s.first_programs, "program")),
       Value::count(s.distinct_after_programs)}};
  for (const auto& t : s.tensors)
    if (t.block_loads > 0)
      all.push_back({"distinct_block_loads/tensors/" + t.name, in_first("    of " + t.name),
                     Value::count(t.distinct_after_programs)});
  all += {{"l2/requested_sectors", "sectors requested", Value::count(reads.requested)},
          {"l2/l1_hit_sectors", "  found in L1", Value::count(reads.l1_hits)},
          {"l2/merged_sectors", "  merged before L2", Value::count(reads.merged)},
          {"l2/promoted_sectors", "", Value::count(reads.promoted)},
          {"l2/tex_sectors", "  looked up in L2", Value::count(reads.tex())},
          {"l2/logical_hit_rate", "L2 hit rate, logical", Value::share(reads.logical_hit_rate(), 1)},
          {"l2/raw_hit_rate", "L2 hit rate, raw", Value::share(s.raw_hit_rate(), 1)},
          {"l2/fabric_sectors", "", Value::count(s.fabric_sectors)},
          {"dram_read_bytes", "DRAM read", Value::bytes(s.dram_read_bytes)},
          {"dram_read_interval",
           "  within",
           {std::vector<std::int64_t>{std::llround(s.dram_read_low), std::llround(s.dram_read_high)},
            bytes_text(s.dram_read_low) + " to " + bytes_text(s.dram_read_high)}},
          {"baselines/wave_count_dram_read_bytes", "  by the wave count", Value::bytes(s.wave_count_read_bytes)}};
  if (l.lru_read_bytes)
    all.push_back(
        {"baselines/nominal_lru_dram_read_bytes", "  by an LRU of nominal size", Value::bytes(*l.lru_read_bytes)});
  all += {{"dram_write_bytes", "DRAM written", Value::bytes(s.dram_write_bytes)},
          {"dirty_bytes_left", "  left in L2", Value::bytes(s.dirty_bytes_left)},
          {"model_ms", "time", Value::time(s.model_ms)},
          {"", "  limited by", Value::word(cause_text(l.cause))},
          {"", "  no eligible warp", Value::word(percent_text(l.cause.no_eligible) + " of cycles")}};
  return all;
}

std::vector<Fields> tensors_of(const Schedule& s) {
  std::vector<Fields> all;
  for (const auto& t : shown_tensors(s)) {
    Value hit_rate = Value::share(t.reads.logical_hit_rate(), 1);
    if (t.reads.tex() <= 0) hit_rate.text = "-";
    all.push_back({{"name", "tensor", Value::word(t.name)},
                   {"block_loads", "block loads", Value::count(t.block_loads)},
                   {"distinct_block_loads", "distinct", Value::count(t.distinct_block_loads)},
                   {"requested_sectors", "", Value::count(t.reads.requested)},
                   {"tex_sectors", "", Value::count(t.reads.tex())},
                   {"dram_read_bytes", "DRAM read", Value::bytes(t.dram_read_bytes)},
                   {"dram_write_bytes", "DRAM written", Value::bytes(t.dram_write_bytes)},
                   {"written_bytes", "", Value::bytes(t.written_bytes)},
                   {"logical_hit_rate", "logical hit rate", hit_rate}});
  }
  return all;
}

std::string schedule_table(const ComparedCases& compared, std::size_t launch) {
  std::vector<Fields> columns;
  for (const ScheduledCase& c : compared.cases) columns.push_back(figures_of(c.launches[launch]));
  const std::string which = compared.names.size() > 1 ? "  " + compared.names.front() + "\n" : "";
  return table_of(compared.names, columns).text() + "\n" + which +
         table_of(tensors_of(compared.cases.front().launches[launch].schedule)).text();
}

// When each block of the output was computed: the program's number in launch order, at the place of the tile it stores.
// "" without tiles. The first programs, that distinct loads were counted after, are bold.
std::string order_grid(const ScheduledLaunch& l, int columns_of_terminal, Paint paint) {
  const auto blocks = machine::output_blocks(l.record);
  if (blocks.empty()) return "";
  std::int64_t rows = 0, columns = 0;
  for (const auto& b : blocks) {
    rows = std::max(rows, b.row + 1);
    columns = std::max(columns, b.column + 1);
  }
  const std::size_t width = std::to_string(blocks.back().program).size();
  const std::int64_t fitting = (columns_of_terminal - 6) / static_cast<std::int64_t>(width + 1);
  const std::int64_t shown_rows = std::min<std::int64_t>(rows, 18), shown_columns = std::min(columns, fitting);
  const bool some = l.schedule.first_programs < static_cast<std::int64_t>(l.schedule.programs.size());
  std::vector<std::string> cells(static_cast<std::size_t>(shown_rows * shown_columns));
  for (const auto& b : blocks) {
    if (b.row >= shown_rows || b.column >= shown_columns) continue;
    const std::string number = fmt::format("{:>{}}", b.program, width);
    cells[b.row * shown_columns + b.column] =
        some && b.program < l.schedule.first_programs ? paint.bold(number) : number;
  }
  std::string out = fmt::format(
      "  the blocks of {} where they lie, each with the number of its program{}\n",
      l.record.tensors[blocks.front().tensor].name,
      some && paint.on ? ";\n  bold: those of the first " + plural(l.schedule.first_programs, "program") : "");
  for (std::int64_t r = 0; r < shown_rows; ++r) {
    out += " ";
    for (std::int64_t c = 0; c < shown_columns; ++c) out += fmt::format(" {:>{}}", cells[r * shown_columns + c], width);
    out += shown_columns < columns ? " ...\n" : "\n";
  }
  if (shown_rows < rows) out += fmt::format("  ... {} of {} rows shown\n", shown_rows, rows);
  return out;
}

// A row an SM (some of them), time to the right: a letter a program, idle time as dots.
std::string sm_rows(const Schedule& s, int columns_of_terminal) {
  const double end = s.model_ms * 1e3;
  if (end <= 0) return "";
  constexpr int shown = 12;
  const int columns = columns_of_terminal - 11;
  std::vector<int> sms;
  for (const auto& p : s.programs)  // in the order in which they began
    if (std::find(sms.begin(), sms.end(), p.sm) == sms.end()) sms.push_back(p.sm);
  const auto all = sms.size();
  if (all > shown) sms.resize(shown);
  int waves = 0;
  for (const auto& p : s.programs) waves = std::max(waves, p.wave + 1);
  const bool is_dense = waves > columns / 2;  // letters of a program each would be noise
  const std::string letters =
      is_dense ? fmt::format("# busy, a dot idle: up to {} programs a row, too many to tell apart", count_text(waves))
               : "a its first program, b its second, ...; a dot is idle";
  std::string out = fmt::format("  the first {} of {} SMs over {} (model), a row a place for a program:\n  {}\n",
                                sms.size(), all, time_text(s.model_ms), letters);
  std::int64_t hidden = 0;
  for (const int sm : sms)
    for (int slot = 0; slot < s.resident_programs_per_sm; ++slot) {
      std::string row(static_cast<std::size_t>(columns), '.');
      bool ran = false;
      for (const auto& p : s.programs) {
        if (p.sm != sm || p.slot != slot) continue;
        ran = true;
        const auto from =
            std::min(static_cast<std::size_t>(columns) - 1, static_cast<std::size_t>(p.start_us / end * columns));
        const auto to = std::min<std::size_t>(static_cast<std::size_t>(columns),
                                              std::max(from + 1, static_cast<std::size_t>(p.end_us / end * columns)));
        for (std::size_t x = from; x < to; ++x) row[x] = is_dense ? '#' : static_cast<char>('a' + p.wave % 26);
      }
      if (!ran) continue;
      if (slot >= 2) ++hidden;
      else out += slot == 0 ? fmt::format("  SM {:>3} {}\n", sm, row) : fmt::format("         {}\n", row);
    }
  if (hidden > 0) out += fmt::format("  and {} more places of these SMs\n", hidden);
  return out;
}

// Why these counts are what they are, a sentence each.
std::vector<std::string> explanations(const ScheduledLaunch& l) {
  std::vector<std::string> out = l.schedule.notes;
  const Schedule& s = l.schedule;
  auto blocks = machine::output_blocks(l.record);
  blocks.erase(
      std::unique(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.program == b.program; }),
      blocks.end());  // each program's first
  const bool walks_a_column =
      blocks.size() > 1 && blocks[1].row == blocks[0].row + 1 && blocks[1].column == blocks[0].column;
  std::int64_t rows = 0;
  for (const auto& b : blocks) rows = std::max(rows, b.row + 1);
  const bool whole_columns = walks_a_column && rows <= std::ssize(blocks) && blocks[rows - 1].row == rows - 1;
  if (walks_a_column && !whole_columns)
    out.push_back(
        "Within a group, swizzle2d walks the blocks column by column; the famous picture numbers them row by row. Both "
        "have loaded the same tiles when a square of blocks is done: on 9 x 9 blocks in groups of 3, 54 (27 of a, 27 "
        "of b) in the first 9 programs.");
  if (s.grid[1] > 1)
    out.push_back(fmt::format("The grid is {} x {} x {} and axis 0 runs fastest: program 1 is (1, 0, 0).", s.grid[0],
                              s.grid[1], s.grid[2]));
  const auto naive = machine::product_loads_of(l.record);
  if (s.grid[1] > 1 && whole_columns && naive.rows > 0) {
    std::string counts;
    if (s.first_programs < static_cast<std::int64_t>(s.programs.size()))
      for (const auto& t : s.tensors)
        if (t.block_loads > 0)
          counts += fmt::format("{}{} of {}", counts.empty() ? ", here " : " and ", t.distinct_after_programs, t.name);
    out.back() += fmt::format(
        " Since program_id(0) names the row of blocks here, programs that follow each other walk down a column: they "
        "share a tile of the right matrix, and each loads its own of the left{}. A 1-D grid, as matmul's, walks along "
        "a row: the two counts change places, and their sum stays.",
        counts);
  }
  if (naive.rows > 0) {
    const double tiles = std::max(1.0, naive.tile_bytes);
    out.push_back(fmt::format(
        "A product of row times column loads for each of the {} x {} elements of the output a row and a column of {} "
        "elements, {} in all; the tiles load {}, {:.3g} times fewer. Where a row is kept while it meets all columns, "
        "the lecture's M (K + 1) = {} vectors, it is {:.3g} times.",
        naive.rows, naive.columns, naive.length, bytes_text(naive.element_bytes), bytes_text(naive.tile_bytes),
        naive.element_bytes / tiles, count_text(naive.vectors), naive.bytes / tiles));
  }
  if (s.reads.promoted > 0)
    out.push_back(
        fmt::format("At a miss a tensor map asks L2 for 256 bytes: some sectors are there before they are looked up, "
                    "and as many look-ups are added, {} sectors here. So L2 looks up more sectors than reach it as "
                    "requests, and a tensor whose bytes are read once shows hits.",
                    count_text(std::llround(s.reads.promoted))));
  if (std::ranges::any_of(l.record.patterns, [](const auto& p) {
        return p.kind != trace::AccessKind::load && p.kind != trace::AccessKind::store;
      }))
    out.push_back(
        "L2 itself performs atomics: they are counted as stores, and what they wait for each other is left out.");
  if (!l.record.needed_values.empty())
    out.push_back("Addresses depend on data, which was computed: " + l.record.needed_values);
  return out;
}

nlohmann::ordered_json launch_json(const ScheduledCase& c, const ScheduledLaunch& l) {
  const Schedule& s = l.schedule;
  nlohmann::ordered_json j{{"source", "model"},
                           {"gpu", s.gpu},
                           {"kernel", c.problem->name},
                           {"functor", l.kernel},
                           {"settings", settings_json(*c.problem, c.settings)}};
  for (const auto& [name, value] : c.device.assumed) j["assumed"][name] = value;
  for (const auto& [name, rule] : c.device.assumed_rules) j["assumed"][name] = rule;
  j["grid"] = {s.grid[0], s.grid[1], s.grid[2]};
  j["sms"] = s.sms;
  j["resources"] = {{"threads", l.resources.cta.threads},
                    {"registers", l.resources.cta.registers_per_thread},
                    {"shared_bytes", l.resources.cta.shared_bytes},
                    {"how", l.resources.how},
                    {"limited_by", l.occupancy.limited_by}};
  j.update(json_of(figures_of(l)));
  j["tensors"] = json_of(tensors_of(s));
  if (const auto naive = machine::product_loads_of(l.record); naive.rows > 0)
    j["naive_product"] = {{"vectors", naive.vectors},
                          {"length", naive.length},
                          {"bytes", std::llround(naive.bytes)},
                          {"element_bytes", std::llround(naive.element_bytes)},
                          {"tile_bytes", std::llround(naive.tile_bytes)}};
  j["explanations"] = explanations(l);
  j["limit"] = cause_json(l.cause);
  j["wall_ms"] = s.wall_ms;
  j["simulated"] = {{"tile_accesses", s.tile_accesses},
                    {"line_accesses", s.line_accesses},
                    {"accesses_per_s",
                     s.wall_ms > 0 ? static_cast<double>(s.tile_accesses + s.line_accesses) / (s.wall_ms * 1e-3) : 0},
                    {"process_peak_bytes", peak_bytes()}};
  return j;
}

std::string speed_text(const machine::Schedule& s) {
  const auto accesses = s.tile_accesses + s.line_accesses;
  return fmt::format("\n  simulated in {}: {} {} accesses, {:.3g} million a second\n", time_text(s.wall_ms),
                     count_text(accesses), s.by_lines ? "line" : "tile",
                     static_cast<double>(accesses) / std::max(1e-6, s.wall_ms * 1e3));
}

std::string launch_text(const ComparedCases& c, std::size_t i, bool is_residency_given, Paint paint, int columns) {
  const ScheduledLaunch& l = c.cases.front().launches[i];
  const std::string takes = fmt::format("{}: {} an SM ({}), {} threads, {} registers, {} shared: {}", l.kernel,
                                        plural(l.schedule.resident_programs_per_sm, "program"),
                                        is_residency_given ? "--ctas-per-sm" : "limited by " + l.occupancy.limited_by,
                                        l.resources.cta.threads, l.resources.cta.registers_per_thread,
                                        bytes_text(static_cast<double>(l.resources.cta.shared_bytes)), l.resources.how);
  std::string text = "\n" + wrapped(takes, columns) + "\n\n" + schedule_table(c, i);
  for (std::size_t k = 0; k < c.cases.size(); ++k) {
    const std::string grid = order_grid(c.cases[k].launches[i], columns, paint);
    if (!grid.empty()) text += "\n" + (c.cases.size() > 1 ? "  " + c.names[k] + "\n" : "") + grid;
  }
  text += "\n" + sm_rows(l.schedule, columns);
  for (const std::string& line : explanations(l)) text += "\n" + wrapped(line, columns) + "\n";
  return text + paint.dim(speed_text(l.schedule));
}

nlohmann::ordered_json schedule_json(const ScheduledCase& c) {
  if (c.launches.size() == 1) return launch_json(c, c.launches.front());
  // One launch after the other, each from an empty L2: only what adds up is told of all.
  nlohmann::ordered_json j{{"source", "model"},
                           {"gpu", c.device.name},
                           {"figures", c.device.figures},
                           {"kernel", c.problem->name},
                           {"settings", settings_json(*c.problem, c.settings)}};
  const auto sum = [&](const char* name, auto value) {
    decltype(value(c.launches.front().schedule)) total = 0;
    for (const auto& l : c.launches) total += value(l.schedule);
    j[name] = total;
  };
  sum("programs", [](const Schedule& s) { return s.programs.size(); });
  sum("dram_read_bytes", [](const Schedule& s) { return std::llround(s.dram_read_bytes); });
  sum("dram_write_bytes", [](const Schedule& s) { return std::llround(s.dram_write_bytes); });
  sum("model_ms", [](const Schedule& s) { return s.model_ms; });
  sum("wall_ms", [](const Schedule& s) { return s.wall_ms; });
  j["launches"] = nlohmann::ordered_json::array();
  for (const auto& l : c.launches) j["launches"].push_back(launch_json(c, l));
  return j;
}

}  // namespace

std::string assumed_text(const machine::Device& device) {
  std::string text;
  for (const auto& [name, value] : device.assumed)
    text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", name, value);
  for (const auto& [name, rule] : device.assumed_rules)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, rule);
  return text.empty() ? "" : "its file leaves out, and the model assumes: " + text;
}

nlohmann::ordered_json schedules_json(const ComparedCases& c) {
  auto j = schedule_json(c.cases.front());
  for (std::size_t i = 1; i < c.cases.size(); ++i) {
    j["compare"].push_back(schedule_json(c.cases[i]));
    j["compare"].back()["changed"] = c.names[i];
  }
  return j;
}

std::string schedules_text(const ComparedCases& compared, bool is_residency_given, Paint paint, int columns) {
  const ScheduledCase& c = compared.cases.front();
  std::string text = heading(*c.problem, c.settings,
                             described(c.device) + ", model: every figure is predicted, none measured; " +
                                 (c.benched ? "a launch as `bench` times it" : "L2 is empty when a launch begins"),
                             paint, columns);
  if (const std::string assumed = assumed_text(c.device); !assumed.empty())
    text += paint.dim(wrapped(assumed, columns)) + "\n";
  for (std::size_t i = 0; i < c.launches.size(); ++i)
    text += launch_text(compared, i, is_residency_given, paint, columns);
  if (c.launches.size() == 1) return text;
  double ms = 0, read = 0, stored = 0;
  for (const ScheduledLaunch& l : c.launches) {
    ms += l.schedule.model_ms;
    read += l.schedule.dram_read_bytes;
    stored += l.schedule.dram_write_bytes;
  }
  const std::string all = fmt::format("All {} launches, one after the other: {}, {} read from DRAM, {} written.",
                                      c.launches.size(), time_text(ms), bytes_text(read), bytes_text(stored));
  return text + "\n" + wrapped(all, columns) + "\n";
}

}  // namespace tl::run
