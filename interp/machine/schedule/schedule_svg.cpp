#include "interp/machine/schedule/schedule_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "interp/machine/schedule/schedule_series.h"

namespace tl::machine {

namespace {

// Okabe and Ito's palette, told apart by all eyes; beside colour every wave carries its number.
constexpr std::array waves = {"#56B4E9", "#E69F00", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7"};
constexpr double width = 1200, left = 90, right = 40, plot = width - left - right;
constexpr std::size_t most_programs = 20000;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += static_cast<unsigned char>(c) < ' ' ? " "
           : c == '<'                          ? "&lt;"
           : c == '>'                          ? "&gt;"
           : c == '&'                          ? "&amp;"
           : c == '"'                          ? "&quot;"
                                               : std::string(1, c);
  return out;
}
const char* colour_of(int wave) { return waves[static_cast<std::size_t>(wave) % waves.size()]; }

class Svg {
 public:
  double y = 0;
  template <class... A>
  void add(fmt::format_string<A...> format, A&&... a) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<A>(a)...);
  }
  void text(double x, double at, const std::string& words, const char* more = "") {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, at, more, escaped(words));
  }
  void heading(const std::string& words, const std::string& small) {
    y += 34;
    text(left, y, words, "class=\"h\"");
    y += 18;
    text(left, y, small, "class=\"s\"");
    y += 12;
  }
  std::string done() const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<style>.h{{font-size:17px;font-weight:bold}}.s{{fill:#555}}.n{{font-size:9px;text-anchor:middle}}.e{{text-"
        "anchor:end}}.m{{text-anchor:middle}}</style>\n"
        "<defs><pattern id=\"tail\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" stroke=\"#888\" stroke-width=\"1.5\"/></pattern></defs>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{2}</svg>\n",
        width, y + 30, body_);
  }

 private:
  std::string body_;
};

void time_axis(Svg& svg, double end_us) {
  for (int i = 0; i <= 5; ++i) {
    const double x = left + plot * i / 5;
    svg.add("<path d=\"M{:.1f} {:.1f}v5\" stroke=\"black\"/>\n", x, svg.y);
    svg.text(x, svg.y + 18, fmt::format("{:.4g}", end_us * i / 5) + (i == 5 ? " us" : ""), "class=\"m\"");
  }
  svg.y += 24;
}

void sm_rows(Svg& svg, const Schedule& s) {
  const double end = end_of(s), tail = tail_begins(s);
  std::map<std::pair<int, int>, int> row;
  std::map<std::pair<int, int>, double> last;  // when a slot's last program ends
  for (const ProgramRun& p : s.programs)
    row.try_emplace({p.sm, p.slot}, 0), last[{p.sm, p.slot}] = std::max(last[{p.sm, p.slot}], p.end_us);
  int rows = 0;
  for (auto& [slot, number] : row) number = rows++;
  const double height = rows > 300 ? 2 : rows > 140 ? 3 : rows > 60 ? 6 : rows > 20 ? 10 : 16;
  svg.heading("SMs over time", fmt::format("{} programs on {} SMs, {} at once on each: {:.3g} {}. A colour is a wave; "
                                           "hatched: slots that stay empty; dashed: the tail begins.",
                                           s.programs.size(), s.sms, s.resident_programs_per_sm, s.waves,
                                           s.waves == 1 ? "wave" : "waves"));
  const double top = svg.y;
  const auto x = [&](double us) { return left + (end > 0 ? us / end : 0) * plot; };
  if (s.programs.size() <= most_programs) {
    for (std::size_t i = 0; i < s.programs.size(); ++i) {
      const ProgramRun& p = s.programs[i];
      const double w = std::max(0.4, x(p.end_us) - x(p.start_us) - 0.3);
      svg.add("<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\">", x(p.start_us),
              top + row[{p.sm, p.slot}] * height, w, height - (height > 4 ? 1 : 0.4), colour_of(p.wave));
      svg.add("<title>program {} on SM {}, wave {}: {:.4g} to {:.4g} us, L2 hit rate {:.1f} %</title></rect>\n", i,
              p.sm, p.wave + 1, p.start_us, p.end_us, 100 * p.reads.logical_hit_rate());
      if (height >= 10 && w > 26)
        svg.text(x(p.start_us) + w / 2, top + row[{p.sm, p.slot}] * height + height - 3, std::to_string(i),
                 "class=\"n\"");
    }
  } else {
    std::map<std::pair<int, int>, std::pair<double, double>> spans;
    for (const ProgramRun& p : s.programs) {
      auto& span = spans.try_emplace({p.sm, p.slot}, std::pair{p.start_us, p.end_us}).first->second;
      span = {std::min(span.first, p.start_us), std::max(span.second, p.end_us)};
    }
    for (const auto& [slot, span] : spans)
      svg.add("<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x(span.first),
              top + row[slot] * height, x(span.second) - x(span.first), height - 0.4, waves[0]);
  }
  const double bottom = top + rows * height;
  svg.add(
      "<path d=\"M{0:.2f} {1:.1f}V{2:.1f}\" stroke=\"#D55E00\" stroke-dasharray=\"4 3\"><title>the tail begins: from "
      "{3:.4g} us on a slot stays empty</title></path>\n",
      x(tail), top, bottom, tail);
  for (const auto& [slot, number] : row)
    svg.add(
        "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"url(#tail)\" opacity=\"0.6\"/>\n",
        x(last[slot]), top + number * height, std::max(0.0, x(end) - x(last[slot])), height - 0.2);
  std::set<int> sms;
  for (const auto& [slot, number] : row) sms.insert(slot.first);
  const int every = std::max(
      1, static_cast<int>(std::ceil(14 * static_cast<double>(sms.size()) /
                                    (height * std::max(1, rows)))));  // of the SMs is labelled: 14 pixels a label
  int seen = 0, last_sm = -1;
  for (const auto& [slot, number] : row)
    if (slot.first != last_sm) {
      last_sm = slot.first;
      if (seen++ % every == 0)
        svg.text(left - 6, top + number * height + std::max(height, 9.0), fmt::format("SM {}", slot.first),
                 "class=\"e\"");
    }
  svg.y = bottom;
  time_axis(svg, end);
}

void grid_of_order(Svg& svg, const Schedule& s, const trace::AccessRecord& record) {
  const OrderGrid g = order_grid(s, record);
  const double cell = std::clamp(std::min(plot / std::max(g.cols, 1), 520.0 / std::max(g.rows, 1)), 1.5, 30.0);
  svg.heading("The order of programs",
              g.of_output
                  ? "Each cell is a block of the output; its number is the program that computes it, its colour the "
                    "wave it runs in."
                  : "Each cell is a program of the grid, axis 0 to the right; its colour is the wave it runs in.");
  for (int row = 0; row < g.rows; ++row)
    for (int col = 0; col < g.cols; ++col) {
      const std::int64_t program =
          g.program[static_cast<std::size_t>(row) * static_cast<std::size_t>(g.cols) + static_cast<std::size_t>(col)];
      if (program < 0) continue;
      const ProgramRun& p = s.programs[static_cast<std::size_t>(program)];
      svg.add(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"><title>program {}: SM {}, "
          "wave {}</title></rect>\n",
          left + col * cell, svg.y + row * cell, cell - (cell > 4 ? 0.8 : 0), cell - (cell > 4 ? 0.8 : 0),
          colour_of(p.wave), program, p.sm, p.wave + 1);
      const int digits = static_cast<int>(std::to_string(program).size());
      if (cell >= 5.5 * digits + 1 && cell >= 12)
        svg.text(left + (col + 0.5) * cell, svg.y + (row + 0.5) * cell + 3, std::to_string(program), "class=\"n\"");
    }
  svg.y += g.rows * cell + 6;
}

struct Kind {
  const char* name;
  const char* colour;
  double Sectors::*count;
};
constexpr std::array kinds = {
    Kind{"L1", "#999999", &Sectors::l1_hits}, Kind{"merged with a neighbour's", "#CC79A7", &Sectors::merged},
    Kind{"L2, near", "#009E73", &Sectors::near_hits}, Kind{"L2, far", "#56B4E9", &Sectors::far_hits},
    Kind{"DRAM", "#D55E00", &Sectors::misses}};

// 53.6 us, 1.23 ms; 16.8 MiB, 1.46 GiB, as the command's table.
std::string time_text(double ms) { return ms < 1 ? fmt::format("{:.3g} us", ms * 1e3) : fmt::format("{:.3g} ms", ms); }
std::string bytes_text(double bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit) bytes /= 1024;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

void reads_over_time(Svg& svg, const Schedule& s) {
  constexpr int count = 220;
  constexpr double height = 170;
  const auto bins = time_bins(s, count);
  svg.heading(
      "Where reads found their data",
      fmt::format("Of the sectors asked for: {} read from DRAM, logical L2 hit rate {:.1f} %. Model, not measured.",
                  bytes_text(s.dram_read_bytes), 100 * s.reads.logical_hit_rate()));
  double most = 0;
  for (const TimeBin& b : bins) most = std::max(most, b.reads.requested);
  const double top = svg.y, w = plot / count;
  for (int i = 0; i < count && most > 0; ++i) {
    double y = top + height;
    for (const Kind& k : kinds) {
      const double part = bins[static_cast<std::size_t>(i)].reads.*k.count / most * height;
      if (part <= 0) continue;
      y -= part;
      svg.add("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", left + i * w, y,
              w + 0.1, part, k.colour);
    }
  }
  const double gb_per_s = most * 32 / std::max(1e-9, bins[0].end_us - bins[0].start_us) * 1e-3;
  svg.text(left - 6, top + 10, fmt::format("{:.1f}", gb_per_s * 1e-3), "class=\"e\"");
  svg.text(left - 6, top + 24, "TB/s", "class=\"e\"");
  svg.text(left - 6, top + height, "0", "class=\"e\"");
  svg.y = top + height;
  time_axis(svg, end_of(s));
  svg.y += 14;
  double x = left;
  for (const Kind& k : kinds) {
    svg.add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, svg.y - 10, k.colour);
    const double share = s.reads.requested > 0 ? s.reads.*k.count / s.reads.requested : 0;
    const std::string words = fmt::format("{} {:.1f} %", k.name, 100 * share);
    svg.text(x + 17, svg.y, words);
    x += 34 + 6.8 * static_cast<double>(words.size());
  }
}

}  // namespace

std::string schedule_svg(const Schedule& s, const trace::AccessRecord& record, const std::string& title) {
  Svg svg;
  svg.y = 26;
  // A long line of settings goes under the kernel's name.
  const auto space = title.find(' ');
  svg.text(left, svg.y, title.substr(0, space), "class=\"h\"");
  if (space != std::string::npos) svg.text(left, svg.y += 18, title.substr(space + 1), "");
  svg.y += 18;
  svg.text(left, svg.y,
           fmt::format("{}, model: {}, {} read from DRAM", s.gpu, time_text(s.model_ms), bytes_text(s.dram_read_bytes)),
           "class=\"s\"");
  sm_rows(svg, s);
  reads_over_time(svg, s);
  grid_of_order(svg, s, record);
  return svg.done();
}

}  // namespace tl::machine
