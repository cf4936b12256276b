// The model against the recorded counters of an H200: accuracy must not fall. A quick set in every run; all of it, with
// LRU beside it, by TILESCOPE_VALIDATION=full.
#include "tests/machine/validation.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "interp/machine/limits/occupancy.h"

using namespace tl;
using namespace tl::test;

namespace {

std::vector<Row> rows_of_file(const std::string& name, Roles roles = Roles::one) {
  const std::string path = TILESCOPE_RECORDED + name + ".json";
  std::ifstream in(path);
  REQUIRE_MESSAGE(in, path << " is missing");
  return replay(run::parse_measurements({std::istreambuf_iterator<char>(in), {}}), wanted_extent(), roles);
}

const std::vector<Row>& all_rows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> made;
    for (const char* name : {"counters", "fresh_counters", "later_counters", "blind_counters", "blind2_counters",
                             "rows_counters", "rows2_counters", "rows3_counters", "rows5_counters", "second_counters",
                             "third_counters", "edge_counters", "edge2_counters", "edge3_counters", "edge4_counters"})
      for (auto& row : rows_of_file(name)) made.push_back(std::move(row));
    fmt::print("{}\n", table_of(made));
    if (const char* path = std::getenv("TILESCOPE_VALIDATION_TABLE")) std::ofstream(path) << markdown_of(made);
    return made;
  }();
  return rows;
}

// Rows on one side of the capacity edge, of one set or, for "", of all.
std::vector<Row> rows_of(bool past_the_edge, const std::string& set = "") {
  std::vector<Row> rows;
  for (const Row& r : all_rows())
    if (r.is_past_the_edge() == past_the_edge && (set.empty() || r.set == set)) rows.push_back(r);
  return rows;
}

template <class F>
std::vector<double> each(const std::vector<Row>& rows, F f) {
  std::vector<double> values;
  for (const Row& r : rows) values.push_back(std::abs(f(r)));
  return values;
}

std::vector<double> dram_errors(const std::vector<Row>& rows) {
  return each(rows, [](const Row& r) { return r.dram_error(); });
}
std::vector<double> wave_errors(const std::vector<Row>& rows) {
  return each(rows, [](const Row& r) { return r.wave_count_bytes / r.dram() - 1; });
}
std::vector<double> lru_errors(const std::vector<Row>& rows) {
  return each(rows, [](const Row& r) { return r.lru_bytes / r.dram() - 1; });
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double hit_points(const std::vector<Row>& rows) {
  return mean_of(each(rows, [](const Row& r) { return r.hit_points(); }));
}
double tex_error(const std::vector<Row>& rows) {
  return median_of(each(rows, [](const Row& r) { return r.tex_error(); }));
}

// The share of rows whose measured DRAM bytes lie in the interval that the model states, and that is at most 20 % to
// each side.
double share_in_interval(const std::vector<Row>& rows) {
  double inside = 0;
  for (const Row& r : rows) {
    const auto& m = r.model;
    const bool is_narrow =
        m.dram_read_high <= 1.2001 * m.dram_read_bytes && m.dram_read_low >= 0.7999 * m.dram_read_bytes;
    inside += is_narrow && r.dram() >= m.dram_read_low && r.dram() <= m.dram_read_high;
  }
  return rows.empty() ? 1 : inside / static_cast<double>(rows.size());
}

// What is asked of the model, and what it is held to: what it reached when this was written, and little more, so that
// it cannot fall unseen.
struct Figure {
  const char* name;
  double asked;
  double held, held_full;  // what it may not fall behind, of the runs that every test replays and of all
  bool more_is_better;
  double reached;
};

std::vector<Figure> figures() {
  const auto before = rows_of(false), held_out = rows_of(false, "held out"), fresh = rows_of(false, "fresh"),
             later = rows_of(false, "later"), blind = rows_of(false, "blind"), blind2 = rows_of(false, "blind 2"),
             past = rows_of(true);
  return {
      {"DRAM bytes read, median error", 0.05, 0.005, 0.005, false, median_of(dram_errors(before))},
      {"DRAM bytes read, 90th percentile", 0.15, 0.041, 0.049, false, percentile(dram_errors(before), 0.9)},
      {"held out: DRAM bytes read, median error", 0.05, 0.01, 0.01, false, median_of(dram_errors(held_out))},
      {"held out: DRAM bytes read, 90th percentile", 0.15, 0.039, 0.06, false, percentile(dram_errors(held_out), 0.9)},
      {"fresh: DRAM bytes read, median error", 0.05, 0.01, 0.01, false, median_of(dram_errors(fresh))},
      {"fresh: DRAM bytes read, 90th percentile", 0.15, 0.052, 0.041, false, percentile(dram_errors(fresh), 0.9)},
      {"later: DRAM bytes read, median error", 0.05, 0.01, 0.01, false, median_of(dram_errors(later))},
      {"later: DRAM bytes read, 90th percentile", 0.15, 0.041, 0.044, false, percentile(dram_errors(later), 0.9)},
      {"blind: DRAM bytes read, median error", 0.05, 0.01, 0.01, false, median_of(dram_errors(blind))},
      {"blind: DRAM bytes read, 90th percentile", 0.15, 0.042, 0.04, false, percentile(dram_errors(blind), 0.9)},
      {"blind 2: DRAM bytes read, median error", 0.05, 0.01, 0.01, false, median_of(dram_errors(blind2))},
      {"blind 2: DRAM bytes read, 90th percentile", 0.15, 0.055, 0.051, false, percentile(dram_errors(blind2), 0.9)},
      {"logical hit rate, mean error in points", 2, 1.75, 1.97, false, hit_points(before)},
      {"sectors that reach L2, median error", 0.05, 0.029, 0.033, false, tex_error(before)},
      {"pairs of orders ranked right", 0.95, 0.987, 0.98, true, ranking_of(all_rows()).share()},
      {"row-major past the edge inside the stated interval", 1, 0.99, 0.945, true, share_in_interval(past)},
  };
}

void print_errors(const char* name, const std::vector<Row>& rows) {
  const auto two = [](const std::vector<double>& errors) {
    return fmt::format("{:.1f} % and {:.1f} %", 100 * median_of(errors), 100 * percentile(errors, 0.9));
  };
  fmt::print("{:<24} {:>3} rows: DRAM bytes read, median and 90th percentile: {}; wave count {}{}\n", name, rows.size(),
             two(dram_errors(rows)), two(wave_errors(rows)),
             wanted_extent() == Extent::full ? "; LRU at nominal capacity " + two(lru_errors(rows)) : "");
}

}  // namespace

TEST_CASE("validation: every figure is what is asked for, or at least what it was") {
  print_errors("seen", rows_of(false, "seen"));
  print_errors("held out", rows_of(false, "held out"));
  print_errors("fresh", rows_of(false, "fresh"));
  print_errors("later", rows_of(false, "later"));
  print_errors("blind", rows_of(false, "blind"));
  print_errors("blind 2", rows_of(false, "blind 2"));
  print_errors("all", rows_of(false));
  print_errors("row-major past the edge", rows_of(true));
  const bool full = wanted_extent() == Extent::full;
  for (const Figure& f : figures()) {
    const bool is_reached = f.more_is_better ? f.reached >= f.asked : f.reached <= f.asked;
    const double held = full ? f.held_full : f.held;
    fmt::print("{:<52} {:.4f}, held to {:.4f}, asked {:.2f}{}\n", f.name, f.reached, held, f.asked,
               is_reached ? "" : "  NOT REACHED");
    INFO(std::string(f.name));
    if (f.more_is_better) CHECK(f.reached >= held);
    else CHECK(f.reached <= held);
  }
}

TEST_CASE("validation: over all runs the model is nearer than LRU at nominal capacity") {
  if (wanted_extent() != Extent::full) return;
  CHECK(percentile(dram_errors(all_rows()), 0.9) < percentile(lru_errors(all_rows()), 0.9));
  CHECK(median_of(dram_errors(all_rows())) < median_of(lru_errors(all_rows())));
}

TEST_CASE("validation: occupancy as CUDA counted it, for every launch that was recorded") {
  const auto device = machine::find_device("h200");
  for (const Row& r : all_rows()) {
    INFO(r.run);
    const auto& m = r.measured;
    CHECK(machine::occupancy_of({m.threads, m.registers, m.static_shared_bytes + m.dynamic_shared_bytes, 0}, device)
              .ctas == m.programs_per_sm);
  }
}

TEST_CASE(
    "validation: products ask L2 for as many sectors as the counters say, exactly, where their rows are aligned") {
  for (const Row& r : all_rows()) {
    INFO(r.run);
    if (!r.has_aligned_rows()) continue;
    if (r.run.starts_with("matmul") || r.run.starts_with("grouped_matmul") || r.run.starts_with("persistent_matmul"))
      CHECK(r.model.requested_sectors == doctest::Approx(*r.measured.get("requested_sectors")).epsilon(1e-4));
  }
}

TEST_CASE("validation: loops whose tiles are copied ahead read from DRAM and L2 what an H200 counted") {
  const std::vector<Row> rows = rows_of_file("loop_counters", Roles::as_compiled);
  std::vector<double> times;
  for (const Row& r : rows) {
    times.push_back(std::abs(r.model.duration_ns / *r.measured.get("duration_ns") - 1));
    fmt::print(
        "{:<84} DRAM {:7.1f} MB {:+6.1f} %  sectors {:+6.1f} %  hit {:+6.1f} points  time {:7.1f} us {:+6.1f} %\n",
        r.run, r.dram() * 1e-6, 100 * r.dram_error(), 100 * r.tex_error(), r.hit_points(),
        *r.measured.get("duration_ns") * 1e-3, 100 * (r.model.duration_ns / *r.measured.get("duration_ns") - 1));
  }
  CHECK(median_of(dram_errors(rows)) <= 0.05);
  CHECK(percentile(dram_errors(rows), 0.9) <= 0.15);
  // Of the sectors not what is asked, 0.05, but what it reached when this was written: ACCURACY.md.
  CHECK(tex_error(rows) <= 0.06);
  CHECK(median_of(times) <= 0.065);
}
