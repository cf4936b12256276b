#include "tests/machine/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "interp/cpu/addresses.h"
#include "interp/lang/error.h"
#include "interp/machine/schedule/baselines.h"
#include "interp/report/table.h"
#include "interp/run/counters/case_list.h"
#include "interp/run/cuda_config.h"
#include "tests/machine/one_role.h"

namespace tl::test {

namespace {

std::int64_t setting(const std::string& run, const std::string& name, std::int64_t otherwise) {
  const auto c = run::measured_case(run);
  const auto& problem = problems::find(c.kernel.kernel);
  for (const auto& s : problem.settings)
    if (s.name == name) return problems::parse(problem, c.kernel.settings).integer(name);
  return otherwise;
}

std::string kernel_of(const std::string& run) { return run.substr(0, run.find(' ')); }

bool is_product(const std::string& run) { return kernel_of(run).find("matmul") != std::string::npos; }

// What two orders have in common: the problem's sizes and its tiles.
std::string problem_of(const std::string& run) {
  std::string key = is_product(run) ? "product" : kernel_of(run);
  std::istringstream words(run);
  for (std::string word; words >> word;)
    if (word.find('=') != std::string::npos && !word.starts_with("group_size=") && !word.starts_with("warps="))
      key += " " + word;
  return key;
}

// More than a product of 8192^3 in the number of its tile loads.
bool is_large(const std::string& run) {
  const auto size = [&](const char* name) { return static_cast<double>(setting(run, name, 1)); };
  return size("m") * size("n") * size("k") > std::pow(8192.0, 3) || size("seq") > 8192 ||
         (!is_product(run) && size("m") * size("n") > std::pow(8192.0, 2));
}

// The very chip that was measured: its GPCs' clocks, which GPC each SM belongs to, and which half of L2 it is near;
// where nobody measured the halves, an SM that belongs to another GPC is near the half of that one.
void make_chip(machine::Device& d, const run::Measurements& m) {
  if (!m.group_pace_ppm.empty()) d.group_pace_ppm = m.group_pace_ppm;
  for (std::size_t sm = 0; sm < m.sm_group.size(); ++sm)
    if (m.sm_group[sm] != d.sm_group[sm])
      d.sm_partition[sm] =
          d.sm_partition[static_cast<std::size_t>(std::ranges::find(d.sm_group, m.sm_group[sm]) - d.sm_group.begin())];
  if (!m.sm_group.empty()) d.sm_group = m.sm_group;
  if (!m.sm_partition.empty()) d.sm_partition = m.sm_partition;
}

}  // namespace

bool Row::is_row_major() const {
  const std::string kernel = kernel_of(run);
  if (kernel == "matmul") return true;
  return (kernel == "grouped_matmul" || kernel == "persistent_matmul") && setting(run, "group_size", 8) == 1;
}

bool Row::has_aligned_rows() const { return setting(run, "n", 0) % 16 == 0 && setting(run, "k", 0) % 16 == 0; }

bool Row::is_past_the_edge() const {
  constexpr double flat_bytes = 41 * 1024.0 * 1024.0;
  return is_row_major() &&
         2.0 * static_cast<double>(setting(run, "n", 0)) * static_cast<double>(setting(run, "k", 0)) > flat_bytes;
}

Extent wanted_extent() {
  const char* value = std::getenv("TILESCOPE_VALIDATION");
  return value && std::string(value) == "full" ? Extent::full : Extent::quick;
}

std::vector<Row> replay(const run::Measurements& measurements, Extent extent, Roles roles) {
  auto device = run::device_like(measurements.device);
  if (!device)
    throw Error("the model knows no " + measurements.device,
                "record the counters of a device that `tilescope schedule --gpu` lists");
  make_chip(*device, measurements);
  const auto lru = machine::with_nominal_lru(*device);
  std::vector<run::MeasuredRun> runs;
  for (const auto& run : measurements.runs)
    if (extent == Extent::full || !is_large(run.run)) runs.push_back(run);
  std::vector<std::vector<Row>> of_run(runs.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const ShapesOnly no_data;
    const auto measured_case = run::measured_case(runs[r].run);
    const auto made = run::make_case(measured_case.kernel);
    for (std::size_t i = 0; i < runs[r].launches.size(); ++i) {
      const auto& launch = made.instance.launches.at(i);
      const auto& measured = runs[r].launches[i];
      auto record = cpu::record_accesses(launch);
      if (roles == Roles::one) route_as_measured(record, launch, *device, measured_case.generic);
      else run::route_as_compiled(record, run::cuda_config_of(launch, *device, measured_case.generic));
      record.least_divisor = 16;
      Row row{runs[r].run, runs[r].set, measurements.group_pace_ppm, measured,
              predicted(record, launch, *device, measured)};
      row.wave_count_bytes = row.model.wave_count_read_bytes;
      if (extent == Extent::full) row.lru_bytes = predicted(record, launch, lru, measured).dram_read_bytes;
      of_run[r].push_back(std::move(row));
    }
  }
  std::vector<Row> rows;
  for (auto& some : of_run) rows.insert(rows.end(), some.begin(), some.end());
  return rows;
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

Ranking ranking_of(const std::vector<Row>& rows) {
  Ranking ranking;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      const Row &a = rows[i], &b = rows[j];
      if (problem_of(a.run) != problem_of(b.run) || a.run == b.run || a.clocks != b.clocks ||
          std::abs(a.dram() - b.dram()) <= 0.05 * std::min(a.dram(), b.dram()))
        continue;
      ++ranking.pairs;
      ranking.right += (a.dram() < b.dram()) == (a.model.dram_read_bytes < b.model.dram_read_bytes);
    }
  return ranking;
}

std::string table_of(const std::vector<Row>& rows) {
  report::Table table{.header = {"run", "set", "DRAM MB", "spread", "model MB", "error", "waves", "LRU", "tex error",
                                 "hit", "model", "points"},
                      .left = {0, 1}};
  const auto percent = [](double x) { return fmt::format("{:+.1f} %", 100 * x); };
  for (const Row& r : rows)
    table.rows.push_back({r.run + (r.is_past_the_edge() ? " *" : ""), r.set, fmt::format("{:.1f}", r.dram() * 1e-6),
                          fmt::format("{:.1f} %", 100 * r.measured.spread("dram_read_bytes")),
                          fmt::format("{:.1f}", r.model.dram_read_bytes * 1e-6), percent(r.dram_error()),
                          percent(r.wave_count_bytes / r.dram() - 1), percent(r.lru_bytes / r.dram() - 1),
                          percent(r.tex_error()), fmt::format("{:.1f} %", 100 * *r.measured.logical_hit_rate()),
                          fmt::format("{:.1f} %", 100 * r.model.logical_hit_rate),
                          fmt::format("{:+.1f}", r.hit_points())});
  return table.text() + "  * row-major past the capacity edge: judged by the interval that the model states\n";
}

std::string markdown_of(std::vector<Row> rows) {
  std::ranges::stable_sort(rows, {}, [](const Row& r) { return -std::abs(r.dram_error()); });
  std::string text =
      "# The machine model against an H200's counters, case by case\n\n"
      "Written by `TILESCOPE_VALIDATION=full TILESCOPE_VALIDATION_TABLE=tests/machine/errors.md "
      "build/machine_validation_tests`. DRAM: bytes read. A run that stands several times was measured on\n"
      "several chips (rows to rows 6 and edge to edge 4 are one each), and the model is given the GPCs of each. Errors "
      "of the model, of the distinct tiles of each wave, and of one LRU pool of nominal size, in per cent. L2: sectors "
      "that reach it, error in per cent, and its hit rate,\n"
      "difference in points. *: row-major past the capacity edge, judged by the interval that the model states.\n\n"
      "| run | set | DRAM MB | model MB | error | waves | LRU | L2 sectors | hit rate |\n| --- | --- | ---: | ---: | "
      "---: | ---: | ---: | ---: | ---: |\n";
  for (const Row& r : rows)
    text += fmt::format("| {}{} | {} | {:.1f} | {:.1f} | {:+.1f} | {:+.1f} | {:+.1f} | {:+.1f} | {:+.1f} |\n", r.run,
                        r.is_past_the_edge() ? " *" : "", r.set, r.dram() * 1e-6, r.model.dram_read_bytes * 1e-6,
                        100 * r.dram_error(), 100 * (r.wave_count_bytes / r.dram() - 1),
                        100 * (r.lru_bytes / r.dram() - 1), 100 * r.tex_error(), r.hit_points());
  return text;
}

}  // namespace tl::test
