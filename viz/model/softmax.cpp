// A row through softmax as bars: the row, minus its maximum, exp, divided by the sum; the sum's reduction tree beneath.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/field.h"
#include "viz/model/panel.h"

namespace tl::viz {

namespace {

// The five values of one row, by the ops that made them: load, max, sub, exp, sum, div; the steps before which each is
// known.
struct SoftmaxRow {
  std::int32_t row = -1, peak = -1, shifted = -1, numerator = -1, denominator = -1, output = -1;
  std::uint32_t row_at = 0, peak_at = 0, shifted_at = 0, numerator_at = 0, denominator_at = 0, output_at = 0;
  const trace::RecordedAccess* load = nullptr;
};

// The row that is being worked on at this moment: the last complete chain that began before it, else the first.
std::optional<SoftmaxRow> row_at(debug::Session& session) {
  const trace::RecordedProgram& p = session.program();
  std::optional<SoftmaxRow> found;
  SoftmaxRow r;
  for (std::uint32_t s = 0; s < p.steps.size(); ++s) {
    const trace::Step& step = p.steps[s];
    const auto operands = p.operands(step), results = p.results(step);
    if (results.empty()) continue;
    const std::int32_t made = results[0];
    const auto uses = [&](std::int32_t v) {
      return v >= 0 && std::find(operands.begin(), operands.end(), v) != operands.end();
    };
    if (step.op == trace::Op::load && step.access >= 0) {
      r = {};
      r.row = made, r.row_at = s + 1, r.load = &p.accesses[static_cast<std::size_t>(step.access)];
    } else if (step.op == trace::Op::max && uses(r.row)) r.peak = made, r.peak_at = s + 1;
    else if (step.op == trace::Op::sub && uses(r.row) && uses(r.peak)) r.shifted = made, r.shifted_at = s + 1;
    else if (step.op == trace::Op::exp && uses(r.shifted)) r.numerator = made, r.numerator_at = s + 1;
    else if (step.op == trace::Op::sum && uses(r.numerator)) r.denominator = made, r.denominator_at = s + 1;
    else if (step.op == trace::Op::div && uses(r.numerator) && uses(r.denominator)) {
      r.output = made, r.output_at = s + 1;
      for (const std::int32_t v : {r.row, r.peak, r.shifted, r.numerator, r.denominator, r.output})
        if (!p.values[static_cast<std::size_t>(v)].is_kept()) return std::nullopt;
      if (!found || r.row_at <= session.now().step) found = r;
    }
  }
  return found;
}

struct Bars {
  std::string name, formula;
  std::vector<double> values;
  bool is_known = true;
  Colour colour;
};

void draw_bars(Sheet& sheet, const Bars& bars, const std::vector<bool>& active, float y, float height) {
  const float label = 150, left = sheet.left() + label, width = sheet.inner() - label;
  const auto n = static_cast<std::int64_t>(bars.values.size()), shown = std::min<std::int64_t>(n, 256),
             w = std::max<std::int64_t>(1, (n + shown - 1) / shown);
  Shape& name = sheet.text(sheet.left(), y + height / 2 - 2, bars.name, 13);
  name.is_bold = true;
  sheet.text(sheet.left(), y + height / 2 + 13, bars.formula, 11, Align::left, {Role::soft});
  if (!bars.is_known) {
    Shape& s = sheet.rect(left, y, width, height, {Role::surface}, "later/" + bars.name);
    s.hatch = Hatch::dots;
    s.text = "";
    Shape& later = sheet.text(left + width / 2, y + height / 2 + 4, "later", 12, Align::centre, {Role::soft});
    later.id = "not yet/" + bars.name;
    return;
  }
  double low = 0, high = 0;
  for (std::int64_t i = 0; i < n; ++i)
    if (active[static_cast<std::size_t>(i)] && std::isfinite(bars.values[static_cast<std::size_t>(i)]))
      low = std::min(low, bars.values[static_cast<std::size_t>(i)]),
      high = std::max(high, bars.values[static_cast<std::size_t>(i)]);
  if (high - low <= 0) high = low + 1;
  const float slot = width / static_cast<float>((n + w - 1) / w),
              zero = y + static_cast<float>(high / (high - low)) * height;
  const bool has_finite = std::ranges::any_of(bars.values, [](double v) { return std::isfinite(v) && v != 0; });
  if (has_finite) sheet.text(left - 6, y + 8, short_number(high, false), 10, Align::right, {Role::soft});
  if (low < 0) sheet.text(left - 6, y + height, short_number(low, false), 10, Align::right, {Role::soft});
  for (std::int64_t i = 0; i < n; i += w) {
    double value = bars.values[static_cast<std::size_t>(i)];
    for (std::int64_t j = i; j < std::min(n, i + w); ++j)
      if (active[static_cast<std::size_t>(j)] && std::abs(bars.values[static_cast<std::size_t>(j)]) > std::abs(value))
        value = bars.values[static_cast<std::size_t>(j)];
    const float x = left + static_cast<float>(i / w) * slot;
    const bool on = active[static_cast<std::size_t>(i)];
    About about;
    about.lane = i;
    if (!on) {
      Shape& s = sheet.rect(x, y, slot, height, {}, fmt::format("{}/{}", bars.name, i));
      s.hatch = Hatch::single;
      s.about = about;
      s.tooltip = fmt::format("lane {}: masked off, {}", i, short_number(value, false));
      continue;
    }
    if (!std::isfinite(value)) {
      const float size = std::min(12.f, slot);
      Shape& s = sheet.mark(Kind::cross, x + (slot - size) / 2, y + 2, size, size, {Role::fault},
                            fmt::format("{}/{}", bars.name, i));
      s.about = about;
      s.tooltip = fmt::format("lane {}: {}", i, short_number(value, false));
      continue;
    }
    const float tip = y + static_cast<float>((high - value) / (high - low)) * height;
    Shape& s = sheet.rect(x + (slot > 4 ? 1.f : 0.f), std::min(tip, zero), slot - (slot > 4 ? 2.f : 0.f),
                          std::max(1.f, std::abs(zero - tip)), bars.colour, fmt::format("{}/{}", bars.name, i));
    s.about = about;
    s.tooltip = w == 1 ? fmt::format("lane {}: {}", i, short_number(value, false))
                       : fmt::format("lanes {}..{}: largest {}", i, std::min(n, i + w) - 1, short_number(value, false));
  }
  sheet.line(left, zero, left + width, zero, {Role::ink});
}

}  // namespace

std::string missing_softmax(Scene& scene) {
  return row_at(scene.session)
             ? ""
             : "no row goes through max, subtract, exp, sum and divide here (with its values recorded)";
}

Drawing draw_softmax(Scene& scene, const Canvas& canvas) {
  debug::Session& session = scene.session;
  const trace::RecordedProgram& p = session.program();
  const SoftmaxRow row = *row_at(session);
  const std::uint32_t now = session.now().step;
  const bool naive = scene.setting("naive", 0) != 0;
  const double shift = static_cast<double>(scene.setting("shift", naive ? 100 : 0));
  const trace::RecordedValue& input = p.values[static_cast<std::size_t>(row.row)];
  const std::int64_t n = input.shape.product();
  const auto values_of = [&](std::int32_t v) {
    std::vector<double> result(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i)
      result[static_cast<std::size_t>(i)] = trace::element_as_double(p.values[static_cast<std::size_t>(v)], i);
    return result;
  };
  std::vector<bool> active(static_cast<std::size_t>(n), true);
  for (std::int64_t i = 0; row.load && i < std::min(n, row.load->lanes()); ++i)
    active[static_cast<std::size_t>(i)] = row.load->is_active(i);
  std::vector<double> x = values_of(row.row);
  for (double& v : x) v += shift;
  double peak = -INFINITY;
  for (std::int64_t i = 0; i < n; ++i) peak = std::max(peak, x[static_cast<std::size_t>(i)]);
  // Naive, and whatever the shift changes, is computed here in f32, as the kernel would.
  std::vector<double> shifted = x, numerator(x.size()), output(x.size());
  float sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    shifted[i] = naive ? x[i] : static_cast<double>(static_cast<float>(x[i]) - static_cast<float>(peak));
    numerator[i] = static_cast<double>(std::exp(static_cast<float>(shifted[i])));
    sum += static_cast<float>(numerator[i]);
  }
  for (std::size_t i = 0; i < x.size(); ++i) output[i] = static_cast<double>(static_cast<float>(numerator[i]) / sum);
  double total = sum;
  if (!naive && shift == 0) {
    shifted = values_of(row.shifted), numerator = values_of(row.numerator), output = values_of(row.output);
    total = trace::element_as_double(p.values[static_cast<std::size_t>(row.denominator)], 0);
  }
  Sheet sheet(
      "softmax",
      naive ? "Softmax without the maximum: exp overflows"
            : fmt::format("Softmax of a row of {} lane{}, step by step", n, n == 1 ? "" : "s"),
      fmt::format(
          "Each bar is a lane; values have no unit. {}: what step {} has not computed yet says \"later\".{}",
          program_text(session.launch(), p.id), now,
          shift != 0 ? fmt::format(" To every element {} was added, which must not change the result.", shift) : ""),
      canvas);
  std::vector<Bars> all = {
      {"the row", shift != 0 ? fmt::format("x + {}", shift) : "x", x, now >= row.row_at, category(0)}};
  if (!naive)
    all.push_back({"minus its maximum", fmt::format("x - {}", now >= row.peak_at ? short_number(peak, false) : "max"),
                   shifted, now >= row.shifted_at, category(2)});
  all.push_back({"exp", naive ? "exp(x)" : "exp(x - max)", numerator, now >= row.numerator_at, category(1)});
  all.push_back({"divided by the sum",
                 now >= row.denominator_at ? fmt::format("/ {}", short_number(total, false)) : "/ sum", output,
                 now >= row.output_at, category(5)});
  const float tree = 150, each = std::clamp((sheet.room() - tree) / static_cast<float>(all.size()) - 18, 44.f, 110.f);
  for (const Bars& b : all) {
    draw_bars(sheet, b, active, sheet.y, each);
    sheet.y += each + 18;
  }
  // Which lane stands where, beneath the last bars.
  const float lane = (sheet.inner() - 150) / static_cast<float>(n);
  const std::int64_t every = tick_every(lane, text_width(fmt::format("{}", n), 10) + 10);
  sheet.y -= 6;
  sheet.text(sheet.left() + 144, sheet.y, "lane", 10, Align::right, {Role::soft});
  for (std::int64_t i = 0; i < n; i += every)
    sheet.text(sheet.left() + 150 + lane * (static_cast<float>(i) + (every == 1 ? 0.5f : 0.f)), sheet.y,
               fmt::format("{}", i), 10, every == 1 ? Align::centre : Align::left, {Role::soft});
  sheet.y += 14;
  // The sum as a tree: lanes in pairs, half as many a level.
  if (now >= row.numerator_at) {
    std::vector<double> level(static_cast<std::size_t>(std::min<std::int64_t>(n, 32)), 0);
    for (std::int64_t i = 0; i < n; ++i)
      level[static_cast<std::size_t>(i * static_cast<std::int64_t>(level.size()) / n)] +=
          numerator[static_cast<std::size_t>(i)];
    const float left = sheet.left() + 150, width = sheet.inner() - 150, under_label = sheet.y + 46;
    Shape& label = sheet.text(sheet.left(), sheet.y + 24, "the sum, as a tree", 13);
    label.is_bold = true;
    const int levels = static_cast<int>(std::ceil(std::log2(static_cast<double>(n))));
    sheet.text(sheet.left(), sheet.y + 40, fmt::format("{} level{} of pairs", levels, levels == 1 ? "" : "s"), 11,
               Align::left, {Role::soft});
    int depth = 0;
    while (true) {
      const auto count = static_cast<float>(level.size());
      const bool fits = std::ranges::all_of(level, [&](double v) {
        return text_width(short_number(v, false), 10) < width / count - 2;
      });  // a level's numbers all stand there, or none
      for (std::size_t i = 0; i < level.size(); ++i) {
        Shape& s = sheet.rect(left + width * static_cast<float>(i) / count, sheet.y, width / count, 18, {Role::surface},
                              fmt::format("tree/{}/{}", depth, i));
        s.stroke = {Role::faint};
        const std::string text = short_number(level[i], false);
        if (fits) s.text = text, s.size = 10;
        s.tooltip = depth == 0 ? fmt::format("lanes {}..{}: {}", i * static_cast<std::size_t>(n) / level.size(),
                                             (i + 1) * static_cast<std::size_t>(n) / level.size() - 1, text)
                               : fmt::format("sum of a pair: {}", text);
      }
      sheet.y += 20;
      if (level.size() == 1) break;
      std::vector<double> next((level.size() + 1) / 2, 0);
      for (std::size_t i = 0; i < level.size(); ++i) next[i / 2] += level[i];
      level = std::move(next);
      ++depth;
    }
    sheet.y = std::max(sheet.y, under_label);
  }
  const bool is_inf = std::any_of(numerator.begin(), numerator.end(), [](double v) { return std::isinf(v); });
  if (is_inf)
    sheet.drawing.facts.push_back(
        "exp of more than 88.7 is inf in f32, and inf / inf is nan: subtracting the maximum first keeps every exponent "
        "at or below 0");
  if (!naive && now >= row.output_at)
    sheet.drawing.facts.push_back(
        "the largest exponent is 0, so exp is at most 1 and the sum is between 1 and the number of lanes");
  sheet.drawing.controls = {
      {"naive", "without the maximum", Control::Kind::toggle, 0, 1, naive},
      {"shift", "added to every element", Control::Kind::slider, 0, 200, static_cast<std::int64_t>(shift)}};
  if (std::find(active.begin(), active.end(), false) != active.end())
    sheet.legend({"masked off: -inf, exp gives 0", {}, Hatch::single, Kind::rect, {Role::faint}});
  if (is_inf) sheet.legend({"inf or nan", {Role::fault}, Hatch::none, Kind::cross, {Role::fault}});
  Table table{"lanes", {"lane", "x", "x - max", "exp", "result"}, {}};
  const auto text = [&](double v, bool known) { return known ? short_number(v, false) : "later"; };
  for (std::int64_t i = 0; i < std::min<std::int64_t>(n, 128); ++i) {
    const auto at = static_cast<std::size_t>(i);
    table.rows.push_back({fmt::format("{}", i), text(x[at], now >= row.row_at),
                          naive ? "" : text(shifted[at], now >= row.shifted_at),
                          text(numerator[at], now >= row.numerator_at), text(output[at], now >= row.output_at)});
  }
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
