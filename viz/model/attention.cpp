// Attention: which blocks of scores a sequence computes, masks and skips; a query's scores and weights as blocks of
// keys pass, with the row vectors of the online softmax after each.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/attention_blocks.h"
#include "viz/model/panel.h"
#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

struct AttentionPicture {
  Scene& scene;
  debug::Session& session = scene.session;
  const trace::RecordedProgram& p = session.program();
  const std::uint32_t now = session.now().step;
  const AttentionProducts products = *attention_of(session, session.now().program);
  const Product &scores = products.scores, &output = products.output;
  const Sum& here = scores_here();
  const std::int64_t bm = here.c.rows, bn = here.c.columns;
  const std::int64_t row = std::clamp<std::int64_t>(scene.setting("row", bm / 2), 0, bm - 1);
  std::vector<const Sum*> turns;  // the query block's blocks of keys, in order
  const ScoreBlocks all = score_blocks(session, products, here);
  // Rows of the tensors at which this sequence begins: queries and keys are counted in it.
  const std::int64_t first_query = *all.queries.begin() * bm, first_key = *all.keys.begin() * bn;
  Sheet sheet;

  AttentionPicture(Scene& s, const Canvas& canvas)
      : scene(s),
        sheet(
            "attention",
            fmt::format("{}: queries {} to {}, keys {} to {}", program_text(session.launch(), p.id), query(here),
                        query(here) + bm - 1, key(here), key(here) + bn - 1),
            fmt::format("{} is made block by block and never in memory. On the left the blocks of one sequence{}: a "
                        "query's block is a row, a block of keys a column. On the right query {} of the block.",
                        scores.c.name,
                        first_query > 0 ? fmt::format(", from row {} of {} on", first_query, scores.a.name) : "", row),
            canvas) {
    for (const Sum& sum : scores.sums)
      if (sum.c.row == here.c.row) turns.push_back(&sum);
  }

  std::int64_t query(const Sum& sum) const { return sum.c.row - first_query; }
  std::int64_t key(const Sum& sum) const { return sum.c.column - first_key; }

  const Sum& scores_here() const {
    const Sum* last = &scores.sums.front();
    for (const Sum& sum : scores.sums)
      if (sum.turns.front().step < now) last = &sum;
    return *last;
  }

  float draw_map(float x, float width, float height) {
    const std::int64_t first_q = first_query / bm, first_k = first_key / bn, rows = *all.queries.rbegin() - first_q + 1,
                       columns = *all.keys.rbegin() - first_k + 1;
    const float y = sheet.y + 16, cell = std::min({(width - 50) / length(columns), (height - 40) / length(rows), 72.f});
    x += 50;
    for (std::int64_t q = 0; q < rows; ++q)
      for (std::int64_t k = 0; k < columns; ++k) {
        const auto found = all.blocks.find({first_q + q, first_k + k});
        const BlockState state = found == all.blocks.end() ? BlockState::skipped : found->second;
        Shape& s = sheet.rect(x + cell * length(k), y + cell * length(q), cell - 1, cell - 1, colour_of(state),
                              fmt::format("block/{}/{}", q, k));
        const bool is_here = first_q + q == here.c.row / bm && first_k + k == here.c.column / bn;
        s.stroke = {is_here ? Role::accent : Role::faint};
        s.stroke_width = is_here ? 3.f : 1.f;
        if (state == BlockState::masked) s.hatch = Hatch::single;
        s.tooltip = fmt::format("queries {}.., keys {}..: {}", q * bm, k * bn, name_of(state));
        if (is_here) {
          s.layer = Layer::marks;
          s.tooltip += "; here";
        }
      }
    for (std::int64_t k = 0; k < columns; ++k)
      if (cell > 26 || k % 4 == 0)
        sheet.note(x + cell * (length(k) + 0.5f), y - 5, fmt::format("{}", k * bn), least_text, Align::centre);
    for (std::int64_t q = 0; q < rows; ++q)
      if (cell > 14 || q % 4 == 0)
        sheet.note(x - 6, y + cell * (length(q) + 0.5f) + 4, fmt::format("{}", q * bm), least_text, Align::right);
    sheet.note(x + cell * length(columns) / 2, y + cell * length(rows) + 14, "keys", 12, Align::centre);
    sheet.note(x - 6, y - 5, "queries", least_text, Align::right);
    std::int64_t skipped = rows * columns - std::ssize(all.blocks), masked = 0;
    for (const auto& [at, state] : all.blocks) {
      if (!all.queries.contains(at.first)) ++skipped;  // of another sequence
      else masked += state == BlockState::masked;
    }
    sheet.fact(fmt::format("of {} blocks of scores {} are skipped, as nothing in them is seen; {} so far needed a mask",
                           rows * columns, skipped, masked));
    return y + cell * length(rows) + 20;
  }

  // A row of a block's value; empty: not kept, or not computed yet.
  std::vector<double> row_of(std::int32_t value, std::uint32_t step) const {
    if (value < 0 || step >= now || !p.values[value].is_kept() || p.values[value].shape.rank != 2) return {};
    const std::int64_t columns = p.values[value].shape[1];
    std::vector<double> result;
    for (std::int64_t i = 0; i < columns; ++i)
      result.push_back(trace::element_as_double(p.values[value], row * columns + i));
    return result;
  }
  // Whether a value is an exponential, perhaps masked or in another dtype: a softmax's weights are.
  bool is_exponential(std::int32_t value) const {
    for (std::uint32_t s = session.view().steps(); value >= 0 && s-- > 0;) {
      const trace::Step& step = p.steps[s];
      if (!std::ranges::count(p.results(step), value)) continue;
      if (step.op == trace::Op::exp || step.op == trace::Op::exp2) return true;
      const std::size_t of = step.op == trace::Op::where ? 1 : 0;
      if ((step.op != trace::Op::where && step.op != trace::Op::cast) || step.operands <= of) return false;
      value = p.operands(step)[of];
    }
    return false;
  }
  // The second product's left side: a backward pass multiplies by gradients of scores there.
  bool has_weights() const { return !output.sums.empty() && is_exponential(output.sums.front().turns.front().left); }
  std::vector<double> scores_row(const Sum& sum) const {
    auto masked = is_exponential(sum.masked) ? std::vector<double>() : row_of(sum.masked, sum.masked_at);
    return masked.empty() ? row_of(sum.turns.back().result, sum.turns.back().step) : masked;
  }
  // The weights that a block's scores became, as dot takes them.
  std::vector<double> weights_row(const Sum& sum) const {
    for (const Sum& o : output.sums)
      for (const Turn& t : o.turns)
        if (o.c.row == sum.c.row && t.b.row == sum.c.column) return row_of(t.left, t.step + 1 < now ? t.step : now);
    return {};
  }

  // Bars of a row over all keys, a slot a key.
  template <class RowOf>
  float draw_strip(const std::string& name, const std::string& formula, float x, float y, float width, float height,
                   const Colour& colour, const RowOf& of) {
    sheet.heading(x, y + 12, name);
    sheet.note(x + text_width(name, 13, false, true) + 12, y + 12, formula, 11);
    y += 20;
    double low = 0, high = 0;
    for (const Sum* sum : turns)
      for (const double v : of(*sum))
        if (std::isfinite(v)) {
          low = std::min(low, v);
          high = std::max(high, v);
        }
    if (high - low <= 0) high = low + 1;
    const auto y_of = [&](double v) { return y + static_cast<float>((high - v) / (high - low)) * height; };
    const float block = width / length(turns.size()), slot = block / length(bn);
    sheet.note(x + width + 4, y + 8, short_number(high, false), least_text);
    if (low < 0) sheet.note(x + width + 4, y + height, short_number(low, false), least_text);
    for (std::size_t t = 0; t < turns.size(); ++t) {
      const float from = x + block * length(t);
      const std::vector<double> values = of(*turns[t]);
      Shape& ground = sheet.rect(from, y, block - 2, height, {Role::surface}, fmt::format("{}/{}", name, t));
      ground.layer = Layer::ground;
      if (values.empty()) {
        ground.hatch = Hatch::dots;
        ground.tooltip = "later";
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        const float at = from + slot * length(i);
        const std::string words =
            fmt::format("key {}: {}", key(*turns[t]) + static_cast<std::int64_t>(i), short_number(values[i], false));
        if (!std::isfinite(values[i])) {
          Shape& s = sheet.rect(at, y, slot, height, {}, fmt::format("{}/{}/{}", name, t, i));
          s.hatch = Hatch::single;
          s.tooltip = words + ", masked";
          continue;
        }
        const float tip = y_of(values[i]), zero = y_of(0);
        sheet
            .rect(at, std::min(tip, zero), std::max(0.8f, slot - (slot > 3 ? 1.f : 0.f)),
                  std::max(1.f, std::abs(zero - tip)), colour, fmt::format("{}/{}/{}", name, t, i))
            .tooltip = words;
      }
    }
    return y + height + 12;
  }

  // The largest score so far, as a staircase; and of the whole row, which plain softmax must know first.
  void draw_maximum(float x, float y, float width, float height) {
    double low = 0, high = 0, most = -INFINITY;
    for (const Sum* sum : turns)
      for (const double v : scores_row(*sum))
        if (std::isfinite(v)) {
          low = std::min(low, v);
          high = std::max(high, v);
          most = std::max(most, v);
        }
    if (!std::isfinite(most)) return;
    if (high - low <= 0) high = low + 1;
    const auto y_of = [&](double v) { return y + static_cast<float>((high - v) / (high - low)) * height; };
    const float block = width / length(turns.size());
    double so_far = -INFINITY;
    for (std::size_t t = 0; t < turns.size(); ++t) {
      const auto values = scores_row(*turns[t]);
      if (values.empty()) break;
      for (const double v : values) so_far = std::max(so_far, v);
      if (std::isfinite(so_far))
        sheet.line(x + block * length(t), y_of(so_far), x + block * length(t + 1) - 2, y_of(so_far), {Role::accent},
                   2.5f);
    }
    sheet.legend({"the largest score of the row so far, before the kernel scales it",
                  {Role::accent},
                  Hatch::none,
                  Kind::line,
                  {Role::accent}});
    sheet.legend({"in the end", {Role::soft}, Hatch::none, Kind::line, {Role::soft}});
    Shape& all = sheet.line(x, y_of(most), x + width, y_of(most), {Role::soft}, 1);
    all.is_dashed = true;
  }

  // Row vectors of floats, one value a query, that live from the first block of keys to the last: m, l, alpha.
  std::vector<const debug::Variable*> row_vectors() const {
    std::vector<const debug::Variable*> result;
    std::set<std::string> names;
    const std::uint32_t begin = turns.front()->turns.front().step, end = turns.back()->turns.back().step;
    for (const debug::Variable& v : session.view().variables()) {
      if (v.begin > begin || v.end < end || v.is_parameter) continue;
      const std::int32_t value = session.view().value_at(v, begin);
      if (value < 0 || p.values[value].shape.rank != 1 || p.values[value].shape[0] != bm ||
          !is_float(p.values[value].dtype) || !names.insert(v.name).second)
        continue;
      result.push_back(&v);
    }
    return result;
  }

  // The moment when a block of keys is done with: before the next one's dot.
  std::uint32_t after(std::size_t turn) const {
    return turn + 1 < turns.size() ? turns[turn + 1]->turns.front().step
                                   : std::min<std::uint32_t>(session.view().steps(), last_use());
  }
  std::uint32_t last_use() const {
    std::uint32_t step = turns.back()->turns.back().step;
    for (const Sum& o : output.sums)
      if (o.c.row == here.c.row) step = std::max(step, o.turns.back().step);
    return step + 1;
  }

  Table draw_state(float x, float y, float width) {
    Table table{fmt::format("query {} of the block, after each block of keys", row), {""}, {}};
    for (const Sum* sum : turns) table.header.push_back(fmt::format("keys {}..", key(*sum)));
    const float block = width / length(turns.size());
    const auto add = [&](const std::string& name, const auto& value_after) {
      sheet.text(x - 8, y + 15, name, 13, Align::right).is_bold = true;
      table.rows.push_back({name});
      for (std::size_t t = 0; t < turns.size(); ++t) {
        const std::optional<double> v = value_after(t);
        Shape& s = sheet.rect(x + block * length(t), y, block - 2, 21, {Role::surface}, fmt::format("{}/{}", name, t));
        s.stroke = {Role::faint};
        const std::string words = v ? short_number(*v, false) : "later";
        if (v) s.text = text_width(words, 12) < block - 6 ? words : "";
        else s.hatch = Hatch::dots;
        s.tooltip = fmt::format("{} after keys {}..: {}", name, key(*turns[t]), words);
        table.rows.back().push_back(words);
      }
      y += 25;
    };
    for (const debug::Variable* v : row_vectors())
      add(v->name, [&](std::size_t t) -> std::optional<double> {
        const std::uint32_t at = after(t);
        const std::int32_t value = at > now ? -1 : session.view().value_at(*v, at);
        if (value < 0 || !p.values[value].is_kept()) return std::nullopt;
        return trace::element_as_double(p.values[value], row);
      });
    add(output.c.name + " so far", [&](std::size_t t) -> std::optional<double> {
      for (const Sum& o : output.sums)
        for (const Turn& turn : o.turns)
          if (o.c.row == here.c.row && turn.b.row == turns[t]->c.column && turn.step < now && turn.result >= 0 &&
              p.values[turn.result].is_kept())
            return trace::element_as_double(p.values[turn.result], row * p.values[turn.result].shape[1]);
      return std::nullopt;
    });
    sheet.note(x - 8, y + 8, "of its first column", least_text, Align::right);
    sheet.y = std::max(sheet.y, y + 16);
    return table;
  }

  void draw() {
    const float top = sheet.y, map_width = std::min({0.4f * sheet.inner(), 420.f, sheet.room() + 60}),
                x = sheet.left() + map_width + 120, width = sheet.right() - x - 40,
                height = std::clamp((sheet.room() - 220) / 2, 50.f, 150.f);
    const float under_map = draw_map(sheet.left(), map_width, sheet.room() - 20);
    const auto of_scores = [&](const Sum& s) { return scores_row(s); };
    float y = draw_strip(scores.c.name, "of this query with each key", x, top, width, height, category(0), of_scores);
    const bool are_weights = has_weights();
    if (are_weights) draw_maximum(x, top + 20, width, height);
    y = draw_strip(are_weights ? "weights" : "left side",
                   are_weights ? "exp(score - max so far)" : fmt::format("of the dot with {}", output.b.name), x, y,
                   width, height, category(3), [&](const Sum& s) { return weights_row(s); });
    const auto name = [&](std::size_t t) { return fmt::format("keys {}..", key(*turns[t])); };
    const float block = width / length(turns.size());
    const auto every = static_cast<std::size_t>(std::ceil((text_width(name(turns.size() - 1), 11) + 8) / block));
    for (std::size_t t = 0; t < turns.size(); t += every)
      sheet.note(x + block * (length(t) + 0.5f), y + 2, name(t), 11, Align::centre);
    sheet.table(draw_state(x, y + 8, width));
    sheet.y = std::max(sheet.y, under_map) + 4;
    if (are_weights)
      sheet.fact(
          "plain softmax reads the row twice, for its maximum first; online, a new maximum rescales what was summed "
          "before, and one pass over the keys is enough");
    sheet.legend({"to come", colour_of(BlockState::to_come), Hatch::none, Kind::rect, {Role::faint}});
    sheet.legend({"computed", colour_of(BlockState::whole)});
    sheet.legend({"computed under a mask", colour_of(BlockState::masked), Hatch::single});
    sheet.legend({"here", {}, Hatch::none, Kind::rect, {Role::accent}});
    sheet.legend({"later", {Role::surface}, Hatch::dots});
    sheet.control({"row", "query of the block", Control::Kind::slider, 0, bm - 1, row});
  }
};

}  // namespace

std::string missing_attention(Scene& scene) {
  return attention_of(scene.session, scene.session.now().program)
             ? ""
             : "this program does not multiply queries by keys and their weights by values (with its values recorded)";
}

Drawing draw_attention(Scene& scene, const Canvas& canvas) {
  AttentionPicture picture(scene, canvas);
  picture.draw();
  return picture.sheet.finish();
}

}  // namespace tl::viz
