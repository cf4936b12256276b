#include "interp/run/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "interp/report/table.h"

namespace tl::run {

using namespace report;

namespace {

std::string value_text(const nlohmann::ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Names of all settings, in the order of their first point.
std::vector<std::string> setting_names(const std::vector<Point>& points) {
  std::vector<std::string> names;
  for (const Point& p : points)
    for (const auto& [name, value] : p.settings.items())
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

double rate(const Point& p, Metric metric, double ms) {
  return metric == Metric::ms ? ms : metric == Metric::gb_per_s ? p.bytes / ms * 1e-6 : p.flops / ms * 1e-9;
}

}  // namespace

std::string setting_of(const Point& p, const std::string& name) {
  return p.settings.contains(name) ? value_text(p.settings[name]) : "";
}

Metric metric_of(const std::vector<Point>& points) {
  const auto is_compute = [](const Point& p) { return p.bytes > 0 && p.flops / p.bytes >= 16; };
  if (!points.empty() && std::any_of(points.begin(), points.end(), is_compute)) return Metric::tflop_per_s;
  const bool has_bytes = std::all_of(points.begin(), points.end(), [](const Point& p) { return p.bytes > 0; });
  return has_bytes ? Metric::gb_per_s : Metric::ms;
}

std::string points_table(const std::vector<Point>& points) {
  std::vector<std::string> varying;
  for (const std::string& name : setting_names(points)) {
    std::set<std::string> values;
    for (const Point& p : points)
      if (p.settings.contains(name)) values.insert(setting_of(p, name));
    if (values.size() > 1) varying.push_back(name);
  }
  const bool any_peer = std::any_of(points.begin(), points.end(), [](const Point& p) { return p.has_peer(); });
  Table table{.header = {"kernel"}};
  table.header.insert(table.header.end(), varying.begin(), varying.end());
  // A CPU's figures read better in thousandths.
  const bool in_giga = std::all_of(points.begin(), points.end(), [](const Point& p) { return p.tflop_per_s() < 1; });
  for (const char* h : {"median", "p20", "p80", "GB/s", in_giga ? "GFLOP/s" : "TFLOP/s"}) table.header.emplace_back(h);
  if (any_peer) {
    for (const char* h : {"peer", "median", "ratio"}) table.header.emplace_back(h);
    table.left.push_back(table.header.size() - 3);
  }
  for (const Point& p : points) {
    std::vector<std::string> row{p.kernel + (p.is_right ? "" : " (WRONG)")};
    for (const std::string& name : varying) row.push_back(setting_of(p, name));
    for (const std::string& cell :
         {time_text(p.own.median), time_text(p.own.p20), time_text(p.own.p80), rate_text(p.gb_per_s()),
          p.flops > 0 ? rate_text(p.tflop_per_s() * (in_giga ? 1000 : 1)) : "-"})
      row.push_back(cell);
    if (any_peer && p.has_peer())
      for (const std::string& cell : {p.peer_name, time_text(p.peer.median), fmt::format("{:.2f}", p.ratio())})
        row.push_back(cell);
    else if (any_peer) row.insert(row.end(), {"-", "-", "-"});
    table.rows.push_back(row);
  }
  return table.text();
}

std::string points_csv(const std::vector<Point>& points, const std::string& device) {
  const auto names = setting_names(points);
  std::string out = "kernel,device";
  for (const std::string& name : names) out.append(",").append(csv_field(name));
  out += ",median_ms,p20_ms,p80_ms,repetitions,gb_per_s,tflop_per_s,peer,peer_median_ms,ratio\n";
  for (const Point& p : points) {
    out += csv_field(p.kernel) + "," + csv_field(device);
    for (const std::string& name : names) out.append(",").append(csv_field(setting_of(p, name)));
    out += fmt::format(",{:.6g},{:.6g},{:.6g},{},{:.6g},{:.6g},", p.own.median, p.own.p20, p.own.p80, p.own.count,
                       p.gb_per_s(), p.tflop_per_s());
    out += p.has_peer() ? fmt::format("{},{:.6g},{:.4g}\n", csv_field(p.peer_name), p.peer.median, p.ratio()) : ",,\n";
  }
  return out;
}

Plot points_plot(const std::vector<Point>& points, const std::string& x, bool log_x, Metric metric,
                 const std::string& device, const std::vector<std::string>& others) {
  static constexpr const char* labels[] = {"GB/s", "TFLOP/s", "milliseconds"};
  Plot plot{.title = "",
            .subtitle = device + "; median, band p20 to p80",
            .x_label = x,
            .y_label = labels[static_cast<int>(metric)],
            .log_x = log_x,
            .log_y = metric == Metric::ms,
            .lines = {}};
  const auto line_of = [&](const Point& p) {
    std::string name = p.kernel;
    for (const std::string& other : others) name += " " + other + "=" + setting_of(p, other);
    return name;
  };
  std::vector<std::string> kernels, names;
  for (const Point& p : points) {
    if (!std::ranges::count(kernels, p.kernel)) kernels.push_back(p.kernel);
    if (!std::ranges::count(names, line_of(p))) names.push_back(line_of(p));
  }
  plot.title = fmt::format("{}", fmt::join(kernels, ", "));
  for (const std::string& name : names) {
    Line own{.name = name, .x = {}, .y = {}, .low = {}, .high = {}};
    std::map<std::string, Line> peers;
    for (const Point& p : points) {
      if (line_of(p) != name || !p.settings.contains(x) || p.own.count == 0) continue;
      const double at = p.settings[x].get<double>();
      own.x.push_back(at);
      own.y.push_back(rate(p, metric, p.own.median));
      own.low.push_back(rate(p, metric, p.own.p80));
      own.high.push_back(rate(p, metric, p.own.p20));
      if (!p.has_peer()) continue;
      Line& peer = peers[p.peer_name];
      peer.name = names.size() > 1 ? p.peer_name + " for " + name : p.peer_name;
      peer.is_dashed = true;
      peer.x.push_back(at);
      peer.y.push_back(rate(p, metric, p.peer.median));
    }
    plot.lines.push_back(own);
    for (auto& [peer, line] : peers) plot.lines.push_back(line);
  }
  return plot;
}

}  // namespace tl::run
