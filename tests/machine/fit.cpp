// Chooses the model's pace shares and jitters from the synthetic probes alone: machine_fit RESULTS, the folder interp/machine/calibration/results. Two widths follow
// from stamps. With the pace shares the model's GPCs differ as much as an H200's did on the probes' products; with the jitter of loops by registers it asks L2 for as much.
//   machine_fit RESULTS NAME ...                 chooses these alone
//   machine_fit RESULTS [name=value ...] show [TEXT]    the model on every product of the probes whose name has the text, with these values
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "interp/lang/error.h"
#include "tests/machine/walks.h"

using namespace tl;
using namespace tl::test;
using machine::Device;

namespace {

using Acts = bool (*)(const Walk&);
bool is_wide(const Walk& w) { return w.route == trace::Route::descriptor && w.writes && w.bn == 256; }
bool is_staged(const Walk& w) { return w.route == trace::Route::staged && !w.shared_rows; }
bool is_by_registers(const Walk& w) { return w.route == trace::Route::registers && w.ctas_per_sm > 1; }

// What is made small over the launches on which a value acts. Bytes: an error of more than 15 % is one.
double of_bytes(const WalkError& e) { return std::min(0.15, std::abs(std::log(e.dram))); }
double of_both(const WalkError& e) { return e.shown * e.shown + std::abs(std::log(e.dram)); }
double of_sectors(const WalkError& e) { return std::abs(std::log(e.tex)); }

struct Value {
  const char* name;
  double Device::*member;
  Acts acts;
  double (*error)(const WalkError&);
  std::vector<double> tried;
};
const std::vector<Value> values = {
    {"register_jitter", &Device::register_jitter, is_by_registers, of_sectors, {0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8}},
};

// What can be given a value.
const std::vector<std::pair<const char*, double Device::*>> given = {
    {"tma_pace_share", &Device::tma_pace_share},     {"dram_wait_pace_share", &Device::dram_wait_pace_share}, {"staged_pace_share", &Device::staged_pace_share},
    {"busy_pace_share", &Device::busy_pace_share},   {"register_jitter", &Device::register_jitter},     {"pace_load_from", &Device::pace_load_from},         {"pace_load_full", &Device::pace_load_full}, {"pace_load_dram", &Device::pace_load_dram},     {"pace_settle_ns", &Device::pace_settle_ns},
    {"dram_wait_spread", &Device::dram_wait_spread}, {"dram_reachable", &Device::dram_reachable},             {"l2_usable", &Device::l2_usable}};

nlohmann::json launches(const std::string& folder, const char* file) { return nlohmann::json::parse(std::ifstream(folder + "/" + file)).at("launches"); }

double mean_of(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x;
  return sum / double(v.size());
}
std::string range_of(const std::vector<double>& v) { return fmt::format("{:.3f}, {:.3f} to {:.3f} in {} launches", mean_of(v), std::ranges::min(v), std::ranges::max(v), v.size()); }

// A step's width in pace.cu where two CTAs share an SM: how the spread within a GPC grew from step 8 to 256, as steps that vary evenly make it grow.
std::vector<double> widths_of_steps(const std::string& folder) {
  std::vector<double> widths;
  for (const auto& l : launches(folder, "pace.json")) {
    if (l.at("layers") != 2 || l.at("iterations") != 512) continue;
    for (std::size_t slot = 0; slot < 2; ++slot) {
      const double from = l.at("spread_in_group_ns").at("8")[slot], to = l.at("spread_in_group_ns").at("256")[slot];
      widths.push_back(std::sqrt(12 * (to * to - from * from) / 248) / (double(l.at("step_ns")) * double(l.at("slot_pace")[slot])));
    }
  }
  return widths;
}

// The width of CTAs' rates in streams.cu where they begin together, wait for DRAM alone and share a stream with one or three others, but for what lies between an SM's two.
std::vector<double> widths_of_waits(const std::string& folder) {
  std::vector<double> widths;
  for (const auto& l : launches(folder, "streams.json"))
    if (l.contains("second_over_first") && l.value("sharing", 0) > 1 && l.value("sharing", 0) <= 4 && l.at("compute") == 0 && l.at("delay") == 2000)
      widths.push_back(std::sqrt(12 * (std::pow(double(l.at("rate_sd")), 2) - std::pow(double(l.at("second_over_first")) / 2, 2))));
  return widths;
}

double objective(const std::vector<Walk>& walks, const Device& d, const Value& v) {
  double sum = 0;
  int count = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum, count)
  for (std::size_t i = 0; i < walks.size(); ++i)
    if (v.acts(walks[i])) sum += v.error(error_of(walks[i], d)), ++count;
  return sum / count;
}

void show(const std::vector<Walk>& walks, const Device& d) {
  std::vector<WalkError> errors(walks.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < walks.size(); ++i) errors[i] = error_of(walks[i], d);
  for (std::size_t i = 0; i < walks.size(); ++i)
    fmt::print("{:<72} DRAM {:+6.1f} %  sectors {:+6.1f} %  hit rate {:+5.1f}  time {:+5.1f} %  clocks {:+5.2f} ({:.2f})\n", walks[i].name, 100 * (errors[i].dram - 1), 100 * (errors[i].tex - 1), errors[i].hit_points,
               100 * (errors[i].time - 1), errors[i].shown, walks[i].shown);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "interp/machine/calibration/results";
  Device d = machine::find_device("h200");
  auto walks = recorded_walks(folder);
  std::vector<std::string> wanted;  // none: all
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i], name = word.substr(0, word.find('='));
    if (word == "show") {
      if (i + 1 < argc) std::erase_if(walks, [&](const Walk& w) { return w.name.find(argv[i + 1]) == std::string::npos; });
      return show(walks, d), 0;
    }
    const auto known = std::ranges::find(given, name, [](const auto& g) { return std::string(g.first); });
    if (known == given.end()) throw Error("no value is called \"" + name + "\"", "one of those in the table `given`");
    if (name == word) wanted.push_back(word);
    else d.*known->second = std::atof(word.c_str() + name.size() + 1);
  }
  const auto is_wanted = [&](const Value& v) { return wanted.empty() || std::ranges::count(wanted, v.name) > 0; };
  const auto from_stamps = [&](const char* name, double Device::*member, const std::vector<double>& widths) {
    d.*member = std::round(100 * mean_of(widths)) / 100;
    fmt::print("{:<18} {:.2f}, from stamps: {}\n", name, d.*member, range_of(widths));
  };
  from_stamps("cta_jitter", &Device::cta_jitter, widths_of_steps(folder));
  from_stamps("dram_wait_spread", &Device::dram_wait_spread, widths_of_waits(folder));
  // Values that act together: one after the other, again and again, until none gets better.
  const auto choose_together = [&](const std::vector<Value>& together) {
    if (std::ranges::none_of(together, is_wanted)) return;
    double least = objective(walks, d, together[0]);
    for (bool is_better = true; is_better;) {
      is_better = false;
      for (const Value& v : together) {
        double chosen = d.*v.member;
        std::string line;
        for (const double x : v.tried) {
          d.*v.member = x;
          const double o = objective(walks, d, v);
          line += fmt::format("  {}: {:.4f}", x, o);
          if (o < least - 1e-6) least = o, chosen = x, is_better = true;
        }
        d.*v.member = chosen;
        fmt::print("{:<20} {}, of{}\n", v.name, chosen, line), std::fflush(stdout);
      }
    }
  };
  choose_together({{"tma_pace_share", &Device::tma_pace_share, is_wide, of_both, {0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3}},
                   {"dram_wait_pace_share", &Device::dram_wait_pace_share, is_wide, of_both, {0, 0.5, 1, 1.5, 2, 2.5, 3, 4}}});
  choose_together({{"busy_pace_share", &Device::busy_pace_share, is_staged, of_both, {0.7, 0.75, 0.8, 0.85, 0.9}},
                   {"pace_load_from", &Device::pace_load_from, is_staged, of_both, {0.3, 0.4, 0.5, 0.6, 0.7}},
                   {"pace_load_full", &Device::pace_load_full, is_staged, of_both, {0.9, 1, 1.1, 1.2, 1.3, 1.4}},
                   {"pace_load_dram", &Device::pace_load_dram, is_staged, of_both, {0.6, 0.8, 1, 1.2, 1.4, 1.7, 2}},
                   {"pace_settle_ns", &Device::pace_settle_ns, is_staged, of_both, {1e6, 1.5e6, 2e6, 2.5e6, 3e6, 4e6}},
                   {"staged_pace_share", &Device::staged_pace_share, is_staged, of_both, {0, 0.05, 0.1, 0.15, 0.2}}});
  for (const Value& v : values) {
    if (!is_wanted(v)) continue;
    std::string line;
    double least = 1e9, chosen = 0;
    for (const double x : v.tried) {
      d.*v.member = x;
      const double o = objective(walks, d, v);
      line += fmt::format("  {}: {:.4f}", x, o);
      if (o < least) least = o, chosen = x;
    }
    d.*v.member = chosen;
    fmt::print("{:<18} {:.2f}, of{}\n", v.name, chosen, line), std::fflush(stdout);
  }
} catch (const Error& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
