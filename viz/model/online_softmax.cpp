// Online softmax: a row that comes in blocks, the largest of it so far, and a sum that is brought to each new maximum.
#include "viz/model/online_softmax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

// What a block of the row did, by values of the program and the first step after each.
struct Round {
  std::int32_t block = -1, peak = -1, before = -1, largest = -1, shifted = -1, exponentials = -1, sum = -1, drop = -1,
               factor = -1, rescaled = -1, total = -1;
  std::uint32_t loaded_at = 0, largest_at = 0, exp_at = 0, total_at = 0;
  const trace::RecordedAccess* load = nullptr;
};

// The rounds of a row: the last row that began before this moment, else the first.
std::vector<Round> rounds_at(debug::Session& session) {
  const trace::RecordedProgram& p = session.program();
  std::vector<Round> row;
  Round r;
  for (std::uint32_t s = 0; s < p.steps.size(); ++s) {
    const trace::Step& step = p.steps[s];
    const auto operands = p.operands(step), results = p.results(step);
    if (results.empty()) continue;
    const std::int32_t made = results[0];
    const auto uses = [&](std::int32_t v) { return v >= 0 && std::ranges::count(operands, v) > 0; };
    using trace::Op;
    if (step.op == Op::load && step.access >= 0) {
      r = {};
      if (p.values[made].shape.rank == 1) {
        r.block = made;
        r.loaded_at = s + 1;
        r.load = &p.accesses[step.access];
      }
    } else if (step.op == Op::max && uses(r.block)) r.peak = made;
    else if (step.op == Op::maximum && uses(r.peak)) {
      r.largest = made;
      r.largest_at = s + 1;
      r.before = operands[0] == r.peak ? operands[1] : operands[0];
    } else if (step.op == Op::sub && uses(r.block) && uses(r.largest)) r.shifted = made;
    else if (step.op == Op::sub && uses(r.before) && uses(r.largest)) r.drop = made;
    else if ((step.op == Op::exp || step.op == Op::exp2) && uses(r.shifted)) {
      r.exponentials = made;
      r.exp_at = s + 1;
    } else if ((step.op == Op::exp || step.op == Op::exp2) && uses(r.drop)) r.factor = made;
    else if (step.op == Op::sum && uses(r.exponentials)) r.sum = made;
    else if (step.op == Op::mul && uses(r.factor)) r.rescaled = made;
    else if (step.op == Op::add && uses(r.rescaled) && uses(r.sum)) {
      r.total = made;
      r.total_at = s + 1;
      for (const std::int32_t v : {r.block, r.before, r.largest, r.exponentials, r.sum, r.factor, r.total})
        if (!p.values[v].is_kept()) return {};
      const bool begins = std::isinf(trace::element_as_double(p.values[r.before], 0));
      if (begins && !row.empty() && r.loaded_at > session.now().step) return row;
      if (begins) row.clear();
      row.push_back(r);
      r = {};
    }
  }
  return row;
}

struct OnlineSoftmaxPicture {
  debug::Session& session;
  const trace::RecordedProgram& p = session.program();
  const std::vector<Round> rounds = rounds_at(session);
  const std::uint32_t now = session.now().step;
  const std::int64_t lanes = p.values[rounds.front().block].shape.product();  // of a block
  Sheet sheet;
  const float label = 150, left = sheet.left() + label, width = sheet.inner() - label,
              block = width / length(rounds.size());

  OnlineSoftmaxPicture(debug::Session& s, const Canvas& canvas)
      : session(s),
        sheet("softmax",
              fmt::format("Online softmax: a row in {} of {} lanes", plural(std::ssize(rounds), "block"), lanes),
              fmt::format("{} reads a block after the other, from left to right. Where the largest so far rises, the "
                          "sum is multiplied by exp(old - new), and is as if it had been measured from it always.",
                          program_text(session.launch(), session.program().id)),
              canvas) {}

  double scalar(std::int32_t value) const { return trace::element_as_double(p.values[value], 0); }

  template <class ValueOf>
  std::pair<double, double> range(const ValueOf& value_of) const {
    double low = 0, high = 0;
    for (std::size_t b = 0; b < rounds.size(); ++b)
      for (std::int64_t i = 0; i < lanes; ++i)
        if (const double v = value_of(b, i); std::isfinite(v)) {
          low = std::min(low, v);
          high = std::max(high, v);
        }
    return {low, high > low ? high : low + 1};
  }

  // Bars of a value over the whole row; what the present step has not computed says "later". Returns where a value is.
  template <class ValueOf>
  auto draw_strip(const std::string& name, const std::string& formula, float height, std::uint32_t Round::* at,
                  const Colour& colour, const ValueOf& value_of) {
    const float y = sheet.y;
    sheet.heading(sheet.left(), y + height / 2 - 2, name);
    sheet.note(sheet.left(), y + height / 2 + 13, formula, 11);
    const auto [low, high] = range(value_of);
    const auto y_of = [y, height, low = low, high = high](double v) {
      return y + static_cast<float>((high - v) / (high - low)) * height;
    };
    sheet.note(left - 6, y + 8, short_number(high, false), least_text, Align::right);
    if (low < 0) sheet.note(left - 6, y + height, short_number(low, false), least_text, Align::right);
    const std::int64_t merged = std::max<std::int64_t>(1, lanes * std::ssize(rounds) / 256);
    for (std::size_t b = 0; b < rounds.size(); ++b) {
      const Round& r = rounds[b];
      const float from = left + block * length(b), slot = (block - 4) / length((lanes + merged - 1) / merged);
      Shape& ground = sheet.rect(from, y, block - 4, height, {Role::surface}, fmt::format("{}/{}", name, b));
      ground.layer = Layer::ground;
      if (now < r.*at) {
        ground.hatch = Hatch::dots;
        ground.tooltip = "later";
      }
      for (std::int64_t i = 0; now >= r.*at && i < lanes; i += merged) {
        double value = value_of(b, i);
        for (std::int64_t k = i; k < std::min(lanes, i + merged); ++k)
          if (const double v = value_of(b, k); std::isfinite(v) && std::abs(v) > std::abs(value)) value = v;
        const float x = from + slot * length(i / merged), gap = slot > 4 ? 1.f : 0.f;
        const std::string id = fmt::format("{}/{}/{}", name, b, i);
        if (!r.load->is_active(i)) {
          Shape& s = sheet.rect(x, y, slot, height, {}, id);
          s.hatch = Hatch::single;
          s.tooltip = "masked off";
          continue;
        }
        const float tip = y_of(value), zero = y_of(0);
        Shape& s = sheet.rect(x + gap, std::min(tip, zero), std::max(0.8f, slot - 2 * gap),
                              std::max(1.f, std::abs(zero - tip)), colour, id);
        s.tooltip = fmt::format("block {}, lane {}: {}", b, i, short_number(value, false));
      }
    }
    sheet.y += height + 18;
    return y_of;
  }

  // A cell a block.
  template <class ValueOf>
  void draw_row(const std::string& name, std::uint32_t Round::* at, Table& table, const ValueOf& value_of) {
    sheet.text(left - 8, sheet.y + 16, name, 13, Align::right).is_bold = true;
    table.rows.push_back({name});
    for (std::size_t b = 0; b < rounds.size(); ++b) {
      Shape& s =
          sheet.rect(left + block * length(b), sheet.y, block - 4, 22, {Role::surface}, fmt::format("{}/{}", name, b));
      s.stroke = {Role::faint};
      const std::string words = now >= rounds[b].*at ? short_number(value_of(rounds[b]), false) : "later";
      if (now < rounds[b].*at) s.hatch = Hatch::dots;
      else if (text_width(words, 12) < block - 8) s.text = words;
      s.tooltip = fmt::format("{} after block {}: {}", name, b, words);
      table.rows.back().push_back(words);
    }
    sheet.y += 27;
  }

  void draw() {
    const float height = std::clamp((sheet.room() - 4 * 27 - 50) / 2, 44.f, 170.f);
    const auto x = [&](std::size_t b, std::int64_t i) {
      return trace::element_as_double(p.values[rounds[b].block], i);
    };
    const auto e = [&](std::size_t b, std::int64_t i) {
      return trace::element_as_double(p.values[rounds[b].exponentials], i);
    };
    const auto y_of = draw_strip("the row", "x", height, &Round::loaded_at, category(0), x);
    for (std::size_t b = 0; b < rounds.size() && now >= rounds[b].largest_at; ++b) {
      const float y = y_of(scalar(rounds[b].largest)), from = left + block * length(b);
      sheet.line(from, y, from + block - 4, y, {Role::accent}, 2.5f);
    }
    draw_strip("exp", "exp(x - largest so far)", height, &Round::exp_at, category(1), e);
    Table table{"after each block", {""}, {}};
    for (std::size_t b = 0; b < rounds.size(); ++b) table.header.push_back(fmt::format("block {}", b));
    draw_row("largest so far", &Round::largest_at, table, [&](const Round& r) { return scalar(r.largest); });
    draw_row("exp(old - new)", &Round::total_at, table, [&](const Round& r) { return scalar(r.factor); });
    draw_row("the block's sum", &Round::total_at, table, [&](const Round& r) { return scalar(r.sum); });
    draw_row("sum so far", &Round::total_at, table, [&](const Round& r) { return scalar(r.total); });
    sheet.table(std::move(table));
    const auto rises =
        std::ranges::count_if(rounds, [&](const Round& r) { return now >= r.total_at && scalar(r.factor) != 1; });
    sheet.fact(
        fmt::format("so far the largest rose in {}, the first one's from -inf included: elsewhere the factor is "
                    "exp(0) = 1",
                    plural(rises, "block")));
    sheet.fact(
        "plain softmax reads the row once for its maximum and again for the sum; this one reads it once for both");
    sheet.legend({"the largest so far", {Role::accent}, Hatch::none, Kind::line, {Role::accent}});
    sheet.legend({"later", {Role::surface}, Hatch::dots});
    if (std::ranges::any_of(rounds, [](const Round& r) { return r.load->active < r.load->lanes(); }))
      sheet.legend({"masked off", {}, Hatch::single, Kind::rect, {Role::faint}});
  }
};

}  // namespace

bool has_online_softmax(debug::Session& session) { return !rounds_at(session).empty(); }

Drawing draw_online_softmax(debug::Session& session, const Canvas& canvas) {
  OnlineSoftmaxPicture picture(session, canvas);
  picture.draw();
  return picture.sheet.finish();
}

}  // namespace tl::viz
