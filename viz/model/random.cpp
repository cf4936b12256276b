// A lane's random number, from its counter and the key through Philox's rounds, beside the lane after it; and all
// lanes' numbers with what became of them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "interp/lang/philox.h"
#include "viz/model/field.h"
#include "viz/model/panel.h"

namespace tl::viz {

namespace {

struct RandomStep {
  std::uint32_t step = 0;
  std::int32_t seed = -1, offsets = -1, numbers = -1;
  std::int32_t kept = -1;  // the comparison of the numbers with something; -1: none, or not yet
  double limit = 0;        // that something, where it is one number
  bool has_limit = false;
};

// The last one before this moment, else the first.
std::optional<RandomStep> random_at(debug::Session& session) {
  const trace::RecordedProgram& p = session.program();
  std::optional<RandomStep> found;
  for (std::uint32_t s = 0; s < p.steps.size(); ++s) {
    const trace::Step& step = p.steps[s];
    const auto operands = p.operands(step), results = p.results(step);
    if (info_of(step.op).family == OpFamily::random && operands.size() == 2 && results.size() == 1 &&
        p.values[operands[0]].is_kept() && p.values[operands[1]].is_kept() && p.values[results[0]].is_kept() &&
        p.values[operands[0]].shape.rank == 0 && (!found || s < session.now().step))
      found = RandomStep{s, operands[0], operands[1], results[0]};
    if (!found || info_of(step.op).family != OpFamily::comparison || s >= session.now().step) continue;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] != found->numbers) continue;
      found->kept = results[0];
      const trace::RecordedValue& other = p.values[operands[operands.size() - 1 - i]];
      if (operands.size() != 2 || !other.is_kept() || other.shape.product() != 1) continue;
      found->limit = trace::element_as_double(other, 0);
      found->has_limit = true;
    }
  }
  return found;
}

struct RandomPicture {
  Scene& scene;
  debug::Session& session = scene.session;
  const trace::RecordedProgram& p = session.program();
  const RandomStep at = *random_at(session);
  const trace::RecordedValue &offsets = p.values[at.offsets], &numbers = p.values[at.numbers];
  const std::int64_t lanes = numbers.shape.product();
  const std::int64_t lane =
      std::clamp<std::int64_t>(scene.setting("lane", std::max<std::int64_t>(0, session.lane())), 0, lanes - 1);
  const std::int64_t seed = trace::element_as_int(p.values[at.seed], 0);
  Sheet sheet;

  RandomPicture(Scene& s, const Canvas& canvas)
      : scene(s),
        sheet("random", fmt::format("{}: the random number of lane {}", program_text(session.launch(), p.id), lane),
              "Its offset is the counter, the seed the key: ten rounds of two multiplications mix them. On the right, "
              "how "
              "many of the 128 bits differ from those of the next offset.",
              canvas) {}

  std::int64_t offset_of(std::int64_t l) const {
    return trace::element_as_int(offsets, offsets.shape.product() == 1 ? 0 : l);
  }
  // An offset of 32 bits has no high word.
  PhiloxCounter counter_of(std::int64_t offset) const {
    const auto wide = static_cast<std::uint64_t>(offset);
    return {static_cast<PhiloxWord>(wide),
            offsets.dtype == DType::int64 ? static_cast<PhiloxWord>(wide >> 32) : PhiloxWord{0}, 0, 0};
  }
  static int unlike(const PhiloxCounter& a, const PhiloxCounter& b) {
    return std::popcount(a.c0 ^ b.c0) + std::popcount(a.c1 ^ b.c1) + std::popcount(a.c2 ^ b.c2) +
           std::popcount(a.c3 ^ b.c3);
  }

  Table draw_rounds() {
    Table table{fmt::format("the rounds of lane {}", lane),
                {"", "c0", "c1", "c2", "c3", "key 0", "key 1", "bits unlike the next offset's"},
                {}};
    PhiloxCounter c = counter_of(offset_of(lane)), next = counter_of(offset_of(lane) + 1);
    PhiloxKey key{static_cast<PhiloxWord>(static_cast<std::uint64_t>(seed)),
                  static_cast<PhiloxWord>(static_cast<std::uint64_t>(seed) >> 32)};
    const float row = std::clamp((sheet.room() - 150) / (philox_rounds + 2), 17.f, 26.f),
                word = std::clamp((sheet.inner() - 274) / 6, 66.f, 92.f),  // eight digits at least
        x = sheet.left() + 84, bar = x + 6 * word + 40;
    const float bar_width = std::max(60.f, std::min(sheet.right() - bar - 40, 320.f));
    for (int i = 0; i < 6; ++i)
      sheet.heading(x + word * (length(i) + 0.5f) + (i > 3 ? 14.f : 0.f), sheet.y + 12, table.header[i + 1], 12).align =
          Align::centre;
    const bool has_room = bar + text_width(table.header.back(), 12, false, true) < sheet.right();
    sheet.heading(bar, sheet.y + 12, has_room ? table.header.back() : "bits unlike", 12);
    sheet.y += 18;
    for (int round = 0; round <= philox_rounds; ++round) {
      const std::string name = round == 0 ? "counter" : fmt::format("round {}", round);
      sheet.text(x - 8, sheet.y + row / 2 + 4, name, 12, Align::right);
      table.rows.push_back({name});
      const PhiloxWord words[] = {c.c0, c.c1, c.c2, c.c3, key.k0, key.k1};
      for (int i = 0; i < 6; ++i) {
        const std::string text = i > 3 && round == philox_rounds ? "" : fmt::format("{:08x}", words[i]);
        table.rows.back().push_back(text);
        if (text.empty()) continue;
        Shape& s =
            sheet.rect(x + word * length(i) + (i > 3 ? 14.f : 0.f), sheet.y, word - 3, row - 2,
                       i > 3                              ? Colour{Role::surface}
                       : round == philox_rounds && i == 0 ? Colour{Role::current}
                                                          : magnitude(static_cast<double>(words[i]) / 4294967296.0),
                       fmt::format("word/{}/{}", round, i));
        s.text = text;
        s.size = 12;
        s.is_mono = true;
        s.ink = {Role::contrast};
        s.tooltip = i > 3 ? fmt::format("{} of round {}", table.header[i + 1], round + 1)
                          : fmt::format("{}, {}", table.header[i + 1], name);
      }
      const int bits = unlike(c, next);
      table.rows.back().push_back(fmt::format("{}", bits));
      sheet.rect(bar, sheet.y + 2, bar_width, row - 6, {Role::surface});
      sheet.rect(bar, sheet.y + 2, bar_width * length(bits) / 128, row - 6, category(0),
                 fmt::format("unlike/{}", round));
      sheet.text(bar + bar_width + 6, sheet.y + row / 2 + 4, fmt::format("{}", bits), 12);
      sheet.y += row;
      if (round == philox_rounds) break;
      c = philox_round(c, key);
      next = philox_round(next, key);
      key = next_key(key);
    }
    sheet.line(bar + bar_width / 2, sheet.y - row * (philox_rounds + 1), bar + bar_width / 2, sheet.y, {Role::soft})
        .is_dashed = true;
    return table;
  }

  bool is_kept(std::int64_t l) const {
    const trace::RecordedValue& kept = p.values[at.kept];
    return trace::element_as_double(kept, kept.shape.product() == 1 ? 0 : l) != 0;
  }

  void draw_lanes() {
    sheet.y += 10;
    const float left = sheet.left() + 84, width = sheet.right() - left - 40, height = 84;
    const std::int64_t shown = std::min<std::int64_t>(lanes, 256),
                       from = std::clamp<std::int64_t>(lane - shown / 2, 0, lanes - shown);
    const float slot = width / length(shown);
    double low = 0, high = at.has_limit ? at.limit : 0;
    for (std::int64_t l = from; l < from + shown; ++l) {
      const double v = trace::element_as_double(numbers, l);
      low = std::min(low, v);
      high = std::max(high, v);
    }
    if (high <= low) high = low + 1;
    const auto y_of = [&](double v) { return sheet.y + static_cast<float>((high - v) / (high - low)) * height; };
    const bool knows = at.kept >= 0 && p.values[at.kept].is_kept();
    for (std::int64_t l = from; l < from + shown; ++l) {
      const double v = trace::element_as_double(numbers, l);
      const bool kept = knows && is_kept(l);
      Shape& s = sheet.rect(left + slot * length(l - from), std::min(y_of(v), y_of(0)),
                            std::max(1.f, slot - (slot > 4 ? 1.f : 0.f)), std::max(1.f, std::abs(y_of(v) - y_of(0))),
                            kept || !knows ? category(2) : Colour{Role::masked}, fmt::format("lane/{}", l));
      s.about.lane = l;
      if (l == lane) {
        s.stroke = {Role::accent};
        s.stroke_width = 2.5f;
        s.layer = Layer::marks;
      }
      if (knows && !kept) s.hatch = Hatch::single;
      s.tooltip = fmt::format("lane {}, offset {}: {}{}", l, offset_of(l), exact_number(v),
                              !knows ? ""
                              : kept ? ", the comparison says True"
                                     : ", the comparison says False");
    }
    if (at.has_limit) {
      sheet.line(left, y_of(at.limit), left + width, y_of(at.limit), {Role::ink}).is_dashed = true;
      sheet.note(left + width + 4, y_of(at.limit) + 4, short_number(at.limit, false), 11);
    }
    sheet.heading(sheet.left(), sheet.y + height / 2, "numbers");
    sheet.y += height + 14;
    for (std::int64_t l = from, every = tick_every(slot, 40); l < from + shown; l += every)
      sheet.note(left + slot * (length(l - from) + 0.5f), sheet.y, fmt::format("{}", l), least_text, Align::centre);
    sheet.note(left - 8, sheet.y, "lane", least_text, Align::right);
    sheet.y += 10;
    if (knows) {
      sheet.legend({"True: kept", category(2)});
      sheet.legend({"False: dropped", {Role::masked}, Hatch::single});
    }
    sheet.legend({"the word that becomes the number", {Role::current}});
  }

  void state_facts() {
    sheet.fact(fmt::format("lane {} has offset {}: its number is {}, whatever program, block size or order computes it",
                           lane, offset_of(lane), short_number(trace::element_as_double(numbers, lane), false)));
    sheet.fact("so the backward pass draws the same numbers again, and no mask is stored");
    sheet.control({"lane", "lane", Control::Kind::slider, 0, lanes - 1, lane});
  }
};

}  // namespace

std::string missing_random(Scene& scene) {
  return random_at(scene.session) ? "" : "this program draws no random numbers (with its values recorded)";
}

Drawing draw_random(Scene& scene, const Canvas& canvas) {
  RandomPicture picture(scene, canvas);
  picture.sheet.table(picture.draw_rounds());
  picture.draw_lanes();
  picture.state_facts();
  return picture.sheet.finish();
}

}  // namespace tl::viz
