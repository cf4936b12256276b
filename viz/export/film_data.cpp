// A film as JSON, columns and events as base64 of typed arrays, byte by byte; and as a page of its own, which film.js
// plays.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "viz/export/export.h"
#include "viz/export/film_page.h"
#include "viz/export/page_data.h"
#include "viz/export/page_text.h"
#include "viz/model/film/side_by_side.h"
#include "viz/model/film/tour.h"

namespace tl::viz::film {

namespace {

using nlohmann::ordered_json;

// First the lowest byte of each number, then the next one: alike bytes stand together, and a page is a third smaller.
template <class T, class From>
ordered_json packed(const char* type, const std::vector<From>& from) {
  std::string bytes(from.size() * sizeof(T), '\0');
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto value = std::bit_cast<std::array<char, sizeof(T)>>(static_cast<T>(from[i]));
    for (std::size_t byte = 0; byte < sizeof(T); ++byte) bytes[byte * from.size() + i] = value[byte];
  }
  return {type, base64(bytes)};
}

template <class From>
ordered_json whole_numbers(const std::vector<From>& v) {
  From most = 0, least = 0;
  for (const From x : v) {
    most = std::max(most, x);
    least = std::min(least, x);
  }
  if (least < From(0)) return packed<std::int32_t>("i32", v);
  return double(most) < 256     ? packed<std::uint8_t>("u8", v)
         : double(most) < 65536 ? packed<std::uint16_t>("u16", v)
                                : packed<std::uint32_t>("u32", v);
}

double ns_of(float us) { return std::round(double(us) * 1e3); }

// Times that rise, to the nanosecond, each beside the one before: small numbers, which a page packs well.
ordered_json rising_times(const std::vector<float>& us) {
  std::vector<std::int64_t> steps;
  std::int64_t last = 0;
  for (const float time : us) {
    const auto now = static_cast<std::int64_t>(ns_of(time));
    if (now < last) return packed<float>("f32", us);
    steps.push_back(now - last);
    last = now;
  }
  ordered_json out = whole_numbers(steps);
  return {"+" + std::string(out[0]), out[1]};
}

// Times beside a first one, to the nanosecond where they are near it.
ordered_json times_beside(const std::vector<float>& first, const std::vector<float>& times) {
  std::vector<double> ns;
  for (std::size_t i = 0; i < times.size(); ++i) ns.push_back(ns_of(times[i]) - ns_of(first[i]));
  const bool fits = std::ranges::all_of(ns, [](double d) { return d >= -32768 && d < 32768; });
  return fits ? packed<std::int16_t>("ns", ns) : packed<float>("f32", times);
}

struct Writer {
  const Theme& theme;

  std::string css(const Colour& c) const {
    if (c.role == Role::none) return "";
    const Rgba k = theme(c);
    return k.a >= 0.999f ? hex(k)
                         : fmt::format("rgba({:.0f},{:.0f},{:.0f},{:.2f})", double(k.r * 255), double(k.g * 255),
                                       double(k.b * 255), double(k.a));
  }
  static ordered_json box(const Box& b) { return {b.x, b.y, b.w, b.h}; }
  ordered_json states(const std::vector<State>& list) const {
    auto out = ordered_json::array();
    for (const State& s : list) out.push_back({{"c", css(s.colour)}, {"l", s.label}, {"h", int(s.hatch)}});
    return out;
  }
  ordered_json of(const Shape& s) const {
    return {{"k", int(s.kind)},   {"b", {s.x, s.y, s.w, s.h}}, {"f", css(s.fill)},
            {"s", css(s.stroke)}, {"i", css(s.ink)},           {"t", s.text},
            {"z", s.size},        {"a", int(s.align)},         {"m", s.is_mono},
            {"d", s.is_bold},     {"tip", s.tooltip}};
  }
  ordered_json of(const Cells& c) const {
    return {{"b", box(c.box)},
            {"n", c.name},
            {"r", c.rows},
            {"k", c.columns},
            {"s", states(c.states)},
            {"t", rising_times(c.at)},
            {"c", whole_numbers(c.cell)},
            {"e", whole_numbers(c.state)},
            {"num", whole_numbers(c.number)},
            {"p", whole_numbers(c.path)},
            {"pt", rising_times(c.path_at)},
            {"rd", c.read_by},
            {"wr", c.wraps},
            {"of", c.count}};
  }
  ordered_json of(const Lane& l) const {
    return {{"b", box(l.box)}, {"n", l.name},   {"tb", l.table},   {"f", l.from},
            {"t", l.to},       {"st", l.state}, {"lb", l.label},   {"s", states(l.states)},
            {"w", l.words},    {"pg", l.pages}, {"ax", l.has_axis}};
  }
  ordered_json of(const Now& n) const {
    return {{"b", box(n.box)},        {"tb", n.table},         {"f", n.from},      {"t", n.to},   {"st", n.state},
            {"lb", n.label},          {"s", states(n.states)}, {"w", n.words},     {"i", n.idle}, {"no", n.none},
            {"pr", n.shows_progress}, {"li", n.is_light},      {"p", n.is_program}};
  }
  ordered_json of(const Ring& r) const {
    return {{"b", box(r.box)},    {"n", r.name},   {"tb", r.table},
            {"k", r.slots},       {"sl", r.slot},  {"c", {r.issue, r.there, r.begin, r.end}},
            {"sp", r.step},       {"fd", r.found}, {"s", states(r.states)},
            {"fw", r.found_words}};
  }
  ordered_json of(const Series& s) const {
    return {{"b", box(s.box)},       {"n", s.title}, {"u", int(s.unit)}, {"tb", s.table},       {"c", s.columns},
            {"s", states(s.states)}, {"m", s.most},  {"l", s.limit},     {"ll", s.limit_label}, {"ax", s.has_axis}};
  }
  ordered_json of(const Figure& f) const {
    return {{"x", f.x},      {"y", f.y},      {"z", f.size},      {"a", int(f.align)}, {"w", f.words},
            {"tb", f.table}, {"c", f.column}, {"u", int(f.unit)}, {"d", f.is_bold},    {"k", f.is_clock}};
  }
  ordered_json of(const Flow& f) const {
    return {{"x", {f.x0, f.y0, f.x1, f.y1}},
            {"n", f.name},
            {"tb", f.table},
            {"c", f.column},
            {"m", f.most},
            {"pk", f.is_peak},
            {"w", f.width},
            {"f", css(f.colour)},
            {"u", int(f.unit)}};
  }
  ordered_json of(const Map& m) const {
    return {{"b", box(m.box)},
            {"n", m.name},
            {"rn", m.row_name},
            {"cn", m.column_name},
            {"r", m.rows},
            {"k", m.columns},
            {"e", whole_numbers(m.element)},
            {"c", whole_numbers(m.colour)},
            {"w", m.words},
            {"ma", whole_numbers(m.major)},
            {"mi", whole_numbers(m.minor)},
            {"g", m.group},
            {"bc", m.block_columns},
            {"ec", m.elements_a_cell}};
  }
  ordered_json of(const Paragraph& p) const {
    return {{"x", p.x}, {"y", p.y}, {"w", p.w}, {"t", p.text}, {"z", p.size}};
  }
  ordered_json of(const Portal& p) const {
    return {{"b", box(p.box)}, {"e", box(p.entry())}, {"node", p.node}, {"tb", p.first_table}, {"n", p.name}};
  }
  template <class List>
  ordered_json all(const List& list) const {
    auto out = ordered_json::array();
    for (const auto& item : list) out.push_back(of(item));
    return out;
  }
  ordered_json of(const Node& n) const {
    return {{"n", n.name},
            {"w", n.width},
            {"h", n.height},
            {"shapes", all(n.shapes)},
            {"cells", all(n.cells)},
            {"lanes", all(n.lanes)},
            {"nows", all(n.nows)},
            {"rings", all(n.rings)},
            {"series", all(n.series)},
            {"figures", all(n.figures)},
            {"flows", all(n.flows)},
            {"maps", all(n.maps)},
            {"paragraphs", all(n.paragraphs)},
            {"portals", all(n.portals)}};
  }
  static ordered_json of(const film::Table& t) {
    auto out = ordered_json::array();
    for (std::size_t c = 0; c < t.columns.size(); ++c) {
      const std::int64_t bits = t.bits.empty() ? -1 : t.bits[c];
      out.push_back(bits > 0    ? whole_numbers(t.columns[c])
                    : c == 0    ? rising_times(t.columns[c])
                    : bits == 0 ? times_beside(t.columns[0], t.columns[c])
                                : packed<float>("f32", t.columns[c]));
    }
    return out;
  }
  ordered_json of(const Film& f) const {
    ordered_json out{{"title", f.title}, {"subtitle", f.subtitle}, {"end", f.end_us}, {"facts", f.facts}};
    out["waves"] = f.waves_us;
    out["longest"] = f.longest_run_us;
    out["tiles"] = rising_times(f.tiles_us);
    out["nodes"] = all(f.nodes);
    auto tables = ordered_json::array();
    for (const auto& t : f.tables) tables.push_back(of(t));
    out["tables"] = std::move(tables);
    std::vector<std::int64_t> where;
    for (const ProgramAt& p : f.programs) where.insert(where.end(), {p.portal, p.table, p.first_row, p.rows});
    out["programs"] = whole_numbers(where);
    auto reads = ordered_json::array();
    for (const Reads& r : f.reads) reads.push_back({r.load, r.column});
    out["reads"] = std::move(reads);
    return out;
  }
};

}  // namespace

ordered_json data(std::span<const std::shared_ptr<const Film>> films, std::span<const std::string> names,
                  const Theme& theme) {
  const Writer writer{theme};
  ordered_json data;
  for (const auto& [name, role] : {std::pair{"paper", Role::paper},
                                   {"surface", Role::surface},
                                   {"ink", Role::ink},
                                   {"soft", Role::soft},
                                   {"faint", Role::faint},
                                   {"accent", Role::accent},
                                   {"current", Role::current},
                                   {"load", Role::load},
                                   {"unwritten", Role::unwritten}})
    data["colours"][name] = hex(theme({role}));
  for (int i = 0; i < 7; ++i) data["categories"].push_back(hex(theme(category(i))));
  for (const auto& f : films) data["films"].push_back(writer.of(*f));
  data["tour"] = ordered_json::array();
  for (const Caption& c : tour_of(films, names))
    data["tour"].push_back(
        {{"us", c.us}, {"s", c.seconds}, {"path", c.path}, {"part", Writer::box(c.part)}, {"text", c.text}});
  data["tour_seconds"] = tour_seconds;
  data["names"] = std::vector<std::string>(names.begin(), names.end());
  const viz::Table totals = totals_that_differ(films, names);
  data["totals"] = {{"header", totals.header}, {"rows", totals.rows}};
  return data;
}

std::string page(std::span<const std::shared_ptr<const Film>> films, std::span<const std::string> names,
                 const Theme& theme) {
  const ordered_json all = data(films, names, theme);
  std::string colours = "margin:0;padding:8px 14px;background:var(--paper);color:var(--ink)";
  for (const auto& [name, colour] : all["colours"].items())
    colours += fmt::format(";--{}:{}", name, std::string(colour));
  return fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width"/>
<title>{}</title>
<style>
body{{{};font:15px/1.4 "DejaVu Sans",Verdana,sans-serif}}
{}</style>
</head>
<body>
{}
<script type="module">
{}{}
show_film(document.body, await page_data(), window);
</script>
</body>
</html>
)",
                     escaped(films[0]->title), colours, page_text("film.css"), data_element(all.dump()),
                     page_text("page_data.js"), page_text("film.js"));
}

}  // namespace tl::viz::film
