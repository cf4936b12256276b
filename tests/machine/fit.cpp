// Chooses the model's pace shares and jitters from the synthetic probes alone: machine_fit RESULTS, the folder
// tests/machine/probes/results. One width follows from stamps. With the pace shares the model's GPCs differ as
// much as an H200's did on the probes' products; with the jitter of loops by registers it asks L2 for as much.
//   machine_fit RESULTS NAME ...                 chooses these alone
//   machine_fit RESULTS [name=value ...] [NAME ...] score   what it makes small, with these values
//   machine_fit RESULTS [name=value ...] show [TEXT]    the model on every product of the probes whose name has the
//   text, with these values
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
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
bool is_narrow(const Walk& w) { return w.route == trace::Route::descriptor && w.writes && w.bn == 128; }
bool is_staged(const Walk& w) { return w.route == trace::Route::staged && !w.shared_rows; }
bool is_by_registers(const Walk& w) { return w.route == trace::Route::registers && w.ctas_per_sm > 1; }

// What is made small over the launches on which a value acts. Squares, where an interval is promised: large errors
// count more.
double of_bytes(const WalkError& e) { return std::log(e.dram) * std::log(e.dram); }
double of_both(const WalkError& e) { return e.shown * e.shown + std::abs(std::log(e.dram)); }
double of_sectors(const WalkError& e) { return std::abs(std::log(e.tex)); }

struct Value {
  const char* name;
  double Device::* member;
  std::vector<double> tried;
};
// Values that act together, on the launches that `acts` names. Those of one line are tried in all pairs; line after
// line, again and again, until none gets better.
struct Choice {
  Acts acts;
  double (*error)(const WalkError&);
  std::vector<std::vector<Value>> lines;
};
const std::vector<Choice> choices = {
    {is_wide,
     of_bytes,
     {{{"tma_busy_pace_share", &Device::tma_busy_pace_share, {1.25, 1.5, 1.75}},
       {"dram_half_spread", &Device::dram_half_spread, {0, 0.2, 0.3, 0.4, 0.5}}}}},
    {is_wide, of_sectors, {{{"tma_late_ns", &Device::tma_late_ns, {0, 50, 100, 125, 150, 200}}}}},
    {is_narrow, of_sectors, {{{"tma_full_late_ns", &Device::tma_full_late_ns, {0, 200, 400, 600, 800, 1000, 1200}}}}},
    {is_staged,
     of_both,
     {{{"pace_load_from", &Device::pace_load_from, {0.6, 0.65, 0.7}},
       {"pace_load_full", &Device::pace_load_full, {0.9, 0.95, 1}}},
      {{"busy_pace_share", &Device::busy_pace_share, {0.75, 0.8, 0.85}},
       {"pace_load_dram", &Device::pace_load_dram, {0.7, 0.8, 0.9}}},
      {{"pace_load_slower", &Device::pace_load_slower, {0.2, 0.25, 0.3}}},
      {{"staged_pace_share", &Device::staged_pace_share, {0, 0.05, 0.1, 0.15}}},
      {{"pace_settle_ns", &Device::pace_settle_ns, {0, 0.5e6, 1e6, 2e6}}}}},
    {is_by_registers,
     of_sectors,
     {{{"register_jitter", &Device::register_jitter, {0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8}}}}},
};

// What else can be given a value.
const std::vector<Value> given = {
    {"tma_pace_share", &Device::tma_pace_share, {}},   {"tma_busy_from", &Device::tma_busy_from, {}},
    {"tma_busy_full", &Device::tma_busy_full, {}},     {"power_dram_share", &Device::power_dram_share, {}},
    {"tma_sm_gb_per_s", &Device::tma_sm_gb_per_s, {}}, {"cta_jitter", &Device::cta_jitter, {}},
    {"dram_reachable", &Device::dram_reachable, {}},   {"l2_usable", &Device::l2_usable, {}},
    {"l2_gb_per_s", &Device::l2_gb_per_s, {}}};

double Device::* member_called(const std::string& name) {
  for (const Choice& c : choices)
    for (const auto& line : c.lines)
      for (const Value& v : line)
        if (v.name == name) return v.member;
  for (const Value& v : given)
    if (v.name == name) return v.member;
  throw Error("no value is called \"" + name + "\"", "one of those in the tables `choices` and `given`");
}

nlohmann::json launches(const std::string& folder, const char* file) {
  return nlohmann::json::parse(std::ifstream(folder + "/" + file)).at("launches");
}

double mean_of(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x;
  return sum / double(v.size());
}
std::string range_of(const std::vector<double>& v) {
  return fmt::format("{:.3f}, {:.3f} to {:.3f} in {} launches", mean_of(v), std::ranges::min(v), std::ranges::max(v),
                     v.size());
}

// A step's width in pace.cu where two CTAs share an SM: how the spread within a GPC grew from step 8 to 256, as steps
// that vary evenly make it grow.
std::vector<double> widths_of_steps(const std::string& folder) {
  std::vector<double> widths;
  for (const auto& l : launches(folder, "pace.json")) {
    if (l.at("layers") != 2 || l.at("iterations") != 512) continue;
    for (std::size_t slot = 0; slot < 2; ++slot) {
      const double from = l.at("spread_in_group_ns").at("8")[slot], to = l.at("spread_in_group_ns").at("256")[slot];
      widths.push_back(std::sqrt(12 * (to * to - from * from) / 248) /
                       (double(l.at("step_ns")) * double(l.at("slot_pace")[slot])));
    }
  }
  return widths;
}

// How the clocks of loops by tensor maps follow DRAM's load, as loops.cu saw them: by how much they are lower where it
// is busy all the time, by least squares for each chip, and how much of the chip's own list they show where it is at
// rest and where it is busy.
struct Clocks {
  std::vector<double> lower, at_rest, busy;
};
Clocks clocks_beside_dram(const std::string& folder, const Device& d) {
  const auto results = nlohmann::json::parse(std::ifstream(folder + "/loops.json"));
  Clocks c;
  for (std::size_t chip = 0; chip < results.at("chips").size(); ++chip) {
    const auto own = results.at("chips")[chip].get<std::vector<double>>();
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& l : results.at("launches")) {
      if (l.at("chip") != chip || !l.contains("clock_ghz") || l.at("tile")[1] != 256) continue;
      const double load = double(l.at("dram_read_bytes")) / double(l.at("duration_ns")) /
                          (d.dram_gb_per_s * d.dram_reachable),
                   ghz = l.at("clock_ghz");
      ++n;
      x += load;
      y += ghz;
      xx += load * load;
      xy += load * ghz;
      const auto ppm = l.at("clock_ppm").get<std::vector<double>>();
      if (load < d.tma_busy_from) c.at_rest.push_back(shown_of(ppm, own));
      if (load > d.tma_busy_full) c.busy.push_back(shown_of(ppm, own));
    }
    const double slope = (n * xy - x * y) / (n * xx - x * x);
    if (n > 0) c.lower.push_back(-slope / ((y - slope * x) / n));
  }
  return c;
}

double objective(const std::vector<Walk>& walks, const Device& d, const Choice& c) {
  double sum = 0;
  int count = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum, count)
  for (std::size_t i = 0; i < walks.size(); ++i)
    if (c.acts(walks[i]))
      for (const WalkError& e : errors_of(walks[i], d)) {
        sum += c.error(e);
        ++count;
      }
  return sum / count;
}

// Makes one line of a choice better; whether it did. `least`: the objective at d.
bool better(const std::vector<Walk>& walks, Device& d, const Choice& c, const std::vector<Value>& line, double& least) {
  const Value &a = line[0], &b = line.back();  // one value: both are it
  const Device before = d;
  for (const double x : a.tried) {
    std::string text;
    for (const double y : line.size() > 1 ? b.tried : std::vector<double>{x}) {
      Device tried = before;
      tried.*a.member = x;
      tried.*b.member = y;
      const double o = objective(walks, tried, c);
      text += fmt::format("  {}: {:.5f}", y, o);
      if (o < least - 1e-6) {
        least = o;
        d = tried;
      }
    }
    fmt::print("{} {}{}\n", a.name, x, line.size() > 1 ? fmt::format(", {}{}", b.name, text) : text),
        std::fflush(stdout);
  }
  for (const Value& v : line) fmt::print("{:<20} {}\n", v.name, d.*v.member);
  return d.*a.member != before.*a.member || d.*b.member != before.*b.member;
}

bool has(const Choice& c, const std::vector<std::string>& names) {
  return std::ranges::any_of(c.lines, [&](const auto& line) {
    return std::ranges::any_of(line, [&](const Value& v) { return std::ranges::count(names, v.name) > 0; });
  });
}

void score(const std::vector<Walk>& walks, const Device& d, const std::vector<std::string>& wanted) {
  for (const Choice& c : choices)
    if (wanted.empty() || has(c, wanted)) fmt::print("{:<20} {:.5f}\n", c.lines[0][0].name, objective(walks, d, c));
}

void show(const std::vector<Walk>& walks, const Device& d) {
  std::vector<std::vector<WalkError>> errors(walks.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < walks.size(); ++i) errors[i] = errors_of(walks[i], d);
  for (std::size_t i = 0; i < walks.size(); ++i)
    for (std::size_t r = 0; r < errors[i].size(); ++r)
      fmt::print(
          "{:<72} DRAM {:+6.1f} %  sectors {:+6.1f} %  hit rate {:+5.1f}  time {:+5.1f} %  clocks {:+5.2f} ({:.2f})\n",
          walks[i].name, 100 * (errors[i][r].dram - 1), 100 * (errors[i][r].tex - 1), errors[i][r].hit_points,
          100 * (errors[i][r].time - 1), errors[i][r].shown, walks[i].rounds[r].shown);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "tests/machine/probes/results";
  Device d = machine::find_device("h200");
  auto walks = recorded_walks(folder);
  std::vector<std::string> wanted;  // none: all
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i], name = word.substr(0, word.find('='));
    if (word == "score") return score(walks, d, wanted), 0;
    if (word == "show") {
      if (i + 1 < argc)
        std::erase_if(walks, [&](const Walk& w) { return w.name.find(argv[i + 1]) == std::string::npos; });
      return show(walks, d), 0;
    }
    double Device::* const member = member_called(name);
    if (name == word) wanted.push_back(word);
    else d.*member = std::atof(word.c_str() + name.size() + 1);
  }
  const auto widths = widths_of_steps(folder);
  d.cta_jitter = std::round(100 * mean_of(widths)) / 100;
  fmt::print("{:<20} {:.2f}, from stamps: {}\n", "cta_jitter", d.cta_jitter, range_of(widths));
  const Clocks clocks = clocks_beside_dram(folder, d);
  fmt::print("power_dram_share     {:.2f}, from clocks: {}\n", mean_of(clocks.lower), range_of(clocks.lower));
  fmt::print("clocks that show     {} where DRAM is at rest\n                     {} where it is busy\n\n",
             range_of(clocks.at_rest), range_of(clocks.busy));
  for (const Choice& c : choices) {
    std::vector<std::vector<Value>> lines = c.lines;
    std::erase_if(lines, [&](const auto& line) {
      return !wanted.empty() &&
             std::ranges::none_of(line, [&](const Value& v) { return std::ranges::count(wanted, v.name) > 0; });
    });
    if (lines.empty()) continue;
    double least = objective(walks, d, c);
    for (bool is_better = true; is_better;) {
      is_better = false;
      for (const auto& line : lines) is_better |= better(walks, d, c, line, least);
      is_better &= lines.size() > 1;
    }
    fmt::print("objective            {:.4f}\n\n", least);
  }
} catch (const Error& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
