// A row through softmax as bars: the row, minus its maximum, exp, divided by the sum; the sum's reduction tree beneath.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/field.h"
#include "viz/model/online_softmax.h"
#include "viz/model/panel.h"

namespace tl::viz {

namespace {

// The values of one row, by the ops that made them: load, max, sub, exp, sum, div; and the first step after each.
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
      r.row = made;
      r.row_at = s + 1;
      r.load = &p.accesses[step.access];
    } else if (step.op == trace::Op::max && uses(r.row)) {
      r.peak = made;
      r.peak_at = s + 1;
    } else if (step.op == trace::Op::sub && uses(r.row) && uses(r.peak)) {
      r.shifted = made;
      r.shifted_at = s + 1;
    } else if (step.op == trace::Op::exp && uses(r.shifted)) {
      r.numerator = made;
      r.numerator_at = s + 1;
    } else if (step.op == trace::Op::sum && uses(r.numerator)) {
      r.denominator = made;
      r.denominator_at = s + 1;
    } else if (step.op == trace::Op::div && uses(r.numerator) && uses(r.denominator)) {
      r.output = made;
      r.output_at = s + 1;
      for (const std::int32_t v : {r.row, r.peak, r.shifted, r.numerator, r.denominator, r.output})
        if (!p.values[v].is_kept()) return std::nullopt;
      if (!found || r.row_at <= session.now().step) found = r;
    }
  }
  return found;
}

// The row after each op.
struct SoftmaxValues {
  std::vector<double> x, shifted, numerator, output;
  double peak = -INFINITY, sum = 0;
};

// In f32, as the kernel would: naive, and whatever the shift changes.
SoftmaxValues computed(std::vector<double> x, bool is_naive) {
  SoftmaxValues v{.x = x, .shifted = x, .numerator = x, .output = x};
  for (const double e : x) v.peak = std::max(v.peak, e);
  float sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!is_naive) v.shifted[i] = static_cast<double>(static_cast<float>(x[i]) - static_cast<float>(v.peak));
    v.numerator[i] = static_cast<double>(std::exp(static_cast<float>(v.shifted[i])));
    sum += static_cast<float>(v.numerator[i]);
  }
  for (std::size_t i = 0; i < x.size(); ++i)
    v.output[i] = static_cast<double>(static_cast<float>(v.numerator[i]) / sum);
  v.sum = sum;
  return v;
}

struct Bars {
  std::string name, formula;
  const std::vector<double>& values;
  bool is_known = true;
  Colour colour;
};

struct SoftmaxPicture {
  Scene& scene;
  debug::Session& session = scene.session;
  const trace::RecordedProgram& p = session.program();
  const SoftmaxRow row = *row_at(session);
  const std::uint32_t now = session.now().step;
  const bool is_naive = scene.setting("naive", 0) != 0;
  const double shift = static_cast<double>(scene.setting("shift", is_naive ? 100 : 0));
  const std::int64_t n = p.values[row.row].shape.product();
  const SoftmaxValues values = find_values();
  const std::vector<bool> active = find_active();
  Sheet sheet;
  const float label = 150, left = sheet.left() + label, width = sheet.inner() - label;

  SoftmaxPicture(Scene& s, const Canvas& canvas)
      : scene(s),
        sheet("softmax",
              is_naive ? "Softmax without the maximum: exp overflows"
                       : fmt::format("Softmax of a row of {} lane{}, step by step", n, n == 1 ? "" : "s"),
              fmt::format(
                  "Each bar is a lane of {}; values have no unit. What step {} has not computed yet says \"later\".{}",
                  program_text(session.launch(), p.id), now,
                  shift == 0 ? ""
                             : fmt::format(" To every element {} was added, which must not change the result.", shift)),
              canvas) {}

  std::vector<double> recorded(std::int32_t value) const {
    std::vector<double> result(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) result[i] = trace::element_as_double(p.values[value], i);
    return result;
  }

  SoftmaxValues find_values() const {
    std::vector<double> x = recorded(row.row);
    for (double& v : x) v += shift;
    SoftmaxValues v = computed(x, is_naive);
    if (is_naive || shift != 0) return v;
    v.shifted = recorded(row.shifted);
    v.numerator = recorded(row.numerator);
    v.output = recorded(row.output);
    v.sum = trace::element_as_double(p.values[row.denominator], 0);
    return v;
  }

  std::vector<bool> find_active() const {
    std::vector<bool> result(static_cast<std::size_t>(n), true);
    for (std::int64_t i = 0; row.load && i < std::min(n, row.load->lanes()); ++i) result[i] = row.load->is_active(i);
    return result;
  }

  void draw_all_bars() {
    std::vector<Bars> all = {
        {"the row", shift != 0 ? fmt::format("x + {}", shift) : "x", values.x, now >= row.row_at, category(0)}};
    if (!is_naive)
      all.push_back({"minus its maximum",
                     fmt::format("x - {}", now >= row.peak_at ? short_number(values.peak, false) : "max"),
                     values.shifted, now >= row.shifted_at, category(2)});
    all.push_back(
        {"exp", is_naive ? "exp(x)" : "exp(x - max)", values.numerator, now >= row.numerator_at, category(1)});
    all.push_back({"divided by the sum",
                   now >= row.denominator_at ? fmt::format("/ {}", short_number(values.sum, false)) : "/ sum",
                   values.output, now >= row.output_at, category(5)});
    const float tree = 150, each = std::clamp((sheet.room() - tree) / length(all.size()) - 18, 44.f, 110.f);
    for (const Bars& b : all) {
      draw_bars(b, each);
      sheet.y += each + 18;
    }
  }

  void draw_bars(const Bars& bars, float height) {
    const float y = sheet.y;
    sheet.heading(sheet.left(), y + height / 2 - 2, bars.name);
    sheet.note(sheet.left(), y + height / 2 + 13, bars.formula, 11);
    if (!bars.is_known) {
      sheet.rect(left, y, width, height, {Role::surface}, "later/" + bars.name).hatch = Hatch::dots;
      sheet.rect(left + width / 2 - 24, y + height / 2 - 11, 48, 20, {Role::paper}).layer = Layer::marks;
      sheet.note(left + width / 2, y + height / 2 + 4, "later", 12, Align::centre).id = "not yet/" + bars.name;
      return;
    }
    const std::int64_t shown = std::min<std::int64_t>(n, 256),
                       merged = std::max<std::int64_t>(1, (n + shown - 1) / shown);
    double low = 0, high = 0;
    bool has_finite = false;
    for (std::size_t i = 0; i < bars.values.size(); ++i) {
      const double v = bars.values[i];
      has_finite |= std::isfinite(v) && v != 0;
      if (active[i] && std::isfinite(v)) {
        low = std::min(low, v);
        high = std::max(high, v);
      }
    }
    if (high - low <= 0) high = low + 1;
    if (has_finite) sheet.note(left - 6, y + 8, short_number(high, false), least_text, Align::right);
    if (low < 0) sheet.note(left - 6, y + height, short_number(low, false), least_text, Align::right);
    const float slot = width / length((n + merged - 1) / merged);
    const auto y_of = [&](double value) { return y + static_cast<float>((high - value) / (high - low)) * height; };
    const float zero = y + static_cast<float>(high / (high - low)) * height;
    for (std::int64_t i = 0; i < n; i += merged)
      draw_bar(bars, i, std::min(n, i + merged) - 1, left + length(i / merged) * slot, y, slot, height, zero, y_of);
    sheet.line(left, zero, left + width, zero, {Role::ink});
  }

  // Lanes `first` to `last` as one bar: the largest of them.
  template <class YOf>
  void draw_bar(const Bars& bars, std::int64_t first, std::int64_t last, float x, float y, float slot, float height,
                float zero, const YOf& y_of) {
    double value = bars.values[first];
    for (auto j = static_cast<std::size_t>(first); j <= static_cast<std::size_t>(last); ++j)
      if (active[j] && std::abs(bars.values[j]) > std::abs(value)) value = bars.values[j];
    const std::string id = fmt::format("{}/{}", bars.name, first), text = short_number(value, false);
    const auto finish = [&](Shape& s, std::string tooltip) {
      s.about.lane = first;
      s.tooltip = std::move(tooltip);
    };
    if (!active[first]) {
      Shape& s = sheet.rect(x, y, slot, height, {}, id);
      s.hatch = Hatch::single;
      finish(s, fmt::format("lane {}: masked off, {}", first, text));
    } else if (!std::isfinite(value)) {
      const float size = std::min(12.f, slot);
      finish(sheet.mark(Kind::cross, x + (slot - size) / 2, y + 2, size, size, {Role::fault}, id),
             fmt::format("lane {}: {}", first, text));
    } else {
      const float tip = y_of(value), gap = slot > 4 ? 1.f : 0.f;
      finish(sheet.rect(x + gap, std::min(tip, zero), slot - 2 * gap, std::max(1.f, std::abs(zero - tip)), bars.colour,
                        id),
             n <= 256 ? fmt::format("lane {}: {}", first, text)
                      : fmt::format("lanes {}..{}: largest {}", first, last, text));
    }
  }

  // The lanes' numbers beneath the last bars.
  void draw_lane_numbers() {
    const float lane = width / length(n);
    const std::int64_t every = tick_every(lane, text_width(fmt::format("{}", n), least_text) + 10);
    sheet.y -= 6;
    sheet.note(left - 6, sheet.y, "lane", least_text, Align::right);
    for (std::int64_t i = 0; i < n; i += every)
      sheet.note(left + lane * (length(i) + (every == 1 ? 0.5f : 0.f)), sheet.y, fmt::format("{}", i), 10,
                 every == 1 ? Align::centre : Align::left);
    sheet.y += 14;
  }

  // The sum as a tree: lanes in pairs, half as many a level.
  void draw_tree() {
    if (now < row.numerator_at) return;
    std::vector<double> level(static_cast<std::size_t>(std::min<std::int64_t>(n, 32)), 0);
    for (std::int64_t i = 0; i < n; ++i) level[i * std::ssize(level) / n] += values.numerator[i];
    const float under_label = sheet.y + 46;
    sheet.heading(sheet.left(), sheet.y + 24, "the sum, as a tree");
    sheet.note(sheet.left(), sheet.y + 40,
               plural(static_cast<std::int64_t>(std::ceil(std::log2(static_cast<double>(n)))), "level") + " of pairs",
               11);
    for (int depth = 0;; ++depth) {
      draw_tree_level(level, depth);
      sheet.y += 20;
      if (level.size() == 1) break;
      std::vector<double> next((level.size() + 1) / 2, 0);
      for (std::size_t i = 0; i < level.size(); ++i) next[i / 2] += level[i];
      level = std::move(next);
    }
    sheet.y = std::max(sheet.y, under_label);
  }

  // Labels all values of a level, or none.
  void draw_tree_level(const std::vector<double>& level, int depth) {
    const float cell = width / length(level.size());
    const bool fits =
        std::ranges::all_of(level, [&](double v) { return text_width(short_number(v, false), least_text) < cell - 2; });
    for (std::size_t i = 0; i < level.size(); ++i) {
      Shape& s = sheet.rect(left + width * length(i) / length(level.size()), sheet.y, cell, 18, {Role::surface},
                            fmt::format("tree/{}/{}", depth, i));
      s.stroke = {Role::faint};
      const std::string text = short_number(level[i], false);
      if (fits) {
        s.text = text;
        s.size = least_text;
      }
      const auto lanes = static_cast<std::size_t>(n);
      s.tooltip = depth == 0 ? fmt::format("lanes {}..{}: {}", i * lanes / level.size(),
                                           (i + 1) * lanes / level.size() - 1, text)
                             : fmt::format("sum of a pair: {}", text);
    }
  }

  void state_facts() {
    const bool is_inf = std::ranges::any_of(values.numerator, [](double v) { return std::isinf(v); });
    if (is_inf)
      sheet.fact(
          "exp of more than 88.7 is inf in f32, and inf / inf is nan: subtracting the maximum first keeps every "
          "exponent at or below 0");
    if (!is_naive && now >= row.output_at)
      sheet.fact("the largest exponent is 0, so exp is at most 1 and the sum is between 1 and the number of lanes");
    sheet.control({"naive", "without the maximum", Control::Kind::toggle, 0, 1, is_naive});
    sheet.control({"shift", "added to every element", Control::Kind::slider, 0, 200, static_cast<std::int64_t>(shift)});
    if (std::ranges::find(active, false) != active.end())
      sheet.legend({"masked off: -inf, exp gives 0", {}, Hatch::single, Kind::rect, {Role::faint}});
    if (is_inf) sheet.legend({"inf or nan", {Role::fault}, Hatch::none, Kind::cross, {Role::fault}});
  }

  Table table() const {
    Table table{"lanes", {"lane", "x", "x - max", "exp", "result"}, {}};
    const auto text = [&](double v, std::uint32_t at) { return now >= at ? short_number(v, false) : "later"; };
    for (std::size_t i = 0; i < std::min<std::size_t>(values.x.size(), 128); ++i)
      table.rows.push_back({fmt::format("{}", i), text(values.x[i], row.row_at),
                            is_naive ? "" : text(values.shifted[i], row.shifted_at),
                            text(values.numerator[i], row.numerator_at), text(values.output[i], row.output_at)});
    return table;
  }
};

}  // namespace

std::string missing_softmax(Scene& scene) {
  return row_at(scene.session) || has_online_softmax(scene.session)
             ? ""
             : "no row goes through max, subtract, exp, sum and divide here (with its values recorded)";
}

Drawing draw_softmax(Scene& scene, const Canvas& canvas) {
  if (!row_at(scene.session)) return draw_online_softmax(scene.session, canvas);
  SoftmaxPicture picture(scene, canvas);
  picture.draw_all_bars();
  picture.draw_lane_numbers();
  picture.draw_tree();
  picture.state_facts();
  picture.sheet.table(picture.table());
  return picture.sheet.finish();
}

}  // namespace tl::viz
