// The root: tensors as tiles on the left, L2's halves in the middle, SMs on the right, traffic over time beneath.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "interp/machine/schedule/dispatch.h"
#include "viz/model/film/look.h"
#include "viz/model/film/nodes.h"
#include "viz/model/sheet.h"

namespace tl::viz::film {

Shape& add_rect(Node& node, const Box& b, Colour fill, Colour stroke) {
  Shape& s = node.shapes.emplace_back();
  s.x = b.x;
  s.y = b.y;
  s.w = b.w;
  s.h = b.h;
  s.fill = fill;
  s.stroke = stroke;
  s.layer = Layer::ground;
  return s;
}
Shape& add_text(Node& node, float x, float y, std::string text, float size, Align align, Colour ink) {
  Shape& s = node.shapes.emplace_back();
  s.kind = Kind::text;
  s.x = x;
  s.y = y;
  s.text = std::move(text);
  s.size = size;
  s.align = align;
  s.ink = ink;
  return s;
}
Shape& add_key(Node& node, float x, float y, std::string text, Colour colour) {
  Shape& s = add_text(node, x, y, std::move(text), 13, Align::left, {Role::soft});
  s.fill = colour;
  return s;
}

const std::vector<State>& found_states() {
  static const std::vector<State> states = {{category(2), "found in the SM's L1"},
                                            {category(4), "joined a neighbour's request"},
                                            {category(0), "found in the near half of L2"},
                                            {category(5), "found in the far half of L2"},
                                            {category(6), "read from DRAM"},
                                            {category(1), "stored"}};
  return states;
}

const std::vector<Colour>& wave_colours() {
  static const std::vector<Colour> colours{{Role::soft, 0, 0, 0.22f}, {Role::soft, 0, 0, 0.45f}};
  return colours;
}

namespace {

constexpr float totals_line = 728, chart_top = 766, chart_height = 56;

std::vector<State> tile_states() {
  return {{{Role::surface}, "not yet touched"},
          {category(6), "on its way from DRAM"},
          {category(0), "in L2"},
          {{Role::unwritten}, "read, and no longer in L2"},
          {category(3), "a program computes it"},
          {category(1), "stored"}};
}

// As large as the box lets it be, with square elements unless it would be a sliver.
Box fitted_box(const TileGrid& g, const Box& in, std::int64_t rows, std::int64_t columns) {
  float w = g.wraps ? length(columns) : length(g.tensor_columns), h = g.wraps ? length(rows) : length(g.tensor_rows);
  w = std::max(w, h / 3);
  h = std::max(h, w / 3);
  const float scale = std::min(in.w / w, in.h / h);
  return {in.x, in.y, w * scale, h * scale};
}

struct LaunchNode {
  Film& film;
  const LaunchToPlay& launch;
  const std::vector<TileGrid>& grids;
  const std::vector<TileStory>& stories;
  Node node = {};
  int traffic = add_traffic_table(film, launch);
  const machine::SmMap map = machine::sm_map_of(launch.device);
  const bool has_halves = launch.device.l2_partitions > 1;
  const double dram_gb_per_s = launch.device.dram_gb_per_s * launch.device.dram_reachable;

  // A part of the chip, and its contents.
  void add_heading(float x, const std::string& name, std::string what) {
    add_text(node, x, 30, name, 18).is_bold = true;
    add_text(node, x + text_width(name, 18, false, true) + 14, 30, std::move(what), 13, Align::left, {Role::soft});
  }

  // Rows and columns of a grid as it is shown.
  static std::pair<std::int64_t, std::int64_t> shown(const TileGrid& g, float aspect) {
    if (!g.wraps) return {g.rows, g.columns};
    const auto columns =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(std::sqrt(double(g.cells()) * double(aspect)))));
    return {(g.cells() + columns - 1) / columns, columns};
  }

  const TileGrid* product_of(std::size_t& a, std::size_t& b) const {
    std::vector<std::size_t> loaded, stored;
    for (std::size_t i = 0; i < grids.size(); ++i) (grids[i].is_stored ? stored : loaded).push_back(i);
    if (loaded.size() != 2 || stored.size() != 1) return nullptr;
    const TileGrid& c = grids[stored[0]];
    a = loaded[0];
    b = loaded[1];
    const bool fits = grids[a].tensor_rows == c.tensor_rows && !c.wraps && !grids[a].wraps && !grids[b].wraps &&
                      (grids[b].tensor_columns == c.tensor_columns || grids[b].tensor_rows == c.tensor_columns);
    return fits ? &c : nullptr;
  }

  void add_tensor(std::size_t i, Box in) {
    const TileGrid& g = grids[i];
    const auto [rows, columns] = shown(g, in.w / in.h);
    Cells c;
    c.box = fitted_box(g, {in.x, in.y + 20, in.w, in.h - 24}, rows, columns);
    c.name = "tile of " + g.name;
    c.rows = rows;
    c.columns = columns;
    c.wraps = g.wraps;
    c.count = g.cells();
    c.states = tile_states();
    const CellEvents& e = stories[i].tiles;
    c.at = e.at;
    c.cell = e.cell;
    c.state = e.state;
    if (g.is_loaded) c.read_by = g.name;
    if (g.is_stored) {
      c.number = stories[i].program;
      c.number.resize(static_cast<std::size_t>(rows * columns), -1);
      add_path(c, stories[i]);
    }
    const std::string tile = g.tile_rows > 1 || g.tensor_rows > 1 ? fmt::format("{} x {}", g.tile_rows, g.tile_columns)
                                                                  : fmt::format("{}", g.tile_columns);
    add_text(node, c.box.x, c.box.y - 6, g.name, 14).is_bold = true;
    add_text(node, c.box.x + text_width(g.name, 14) + 12, c.box.y - 6,
             fmt::format("{} x {} {}, cells of {}", g.tensor_rows, g.tensor_columns,
                         name_of(launch.record.tensors[g.tensor].dtype), tile),
             12, Align::left, {Role::soft})
        .w = in.w - text_width(g.name, 14) - 26;
    add_rect(node, {c.box.x - 1, c.box.y - 1, c.box.w + 2, c.box.h + 2}, {}, {Role::soft});
    node.cells.push_back(std::move(c));
  }

  static void add_path(Cells& c, const TileStory& story) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < story.program.size(); ++i)
      if (story.program[i] >= 0) order.push_back(i);
    // A persistent program's tiles one after the other, beside those that others have at the same time.
    std::map<int, std::set<float>> begun;
    for (const std::uint32_t i : order) begun[story.program[i]].insert(story.begun[i]);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
      const std::set<float>& times = begun[story.program[i]];
      return std::pair(std::distance(times.begin(), times.find(story.begun[i])), story.program[i]);
    });
    if (c.wraps) return;
    float at = 0;  // in launch order: programs begin some tenths of a microsecond out of it
    for (const std::uint32_t i : order) {
      c.path.push_back(i);
      c.path_at.push_back(at = std::max(at, story.begun[i]));
    }
  }

  void add_tensors() {
    add_heading(tensors_area.x, "DRAM", "the tensors, as the tiles that programs load and store");
    const Box& in = tensors_area;
    std::size_t a = 0, b = 0;
    if (const TileGrid* const c = product_of(a, b)) {
      const float left = 0.42f * in.w, top = 0.42f * in.h;
      add_tensor(b, {in.x + left, in.y, in.w - left, top - 10});
      add_tensor(a, {in.x, in.y + top, left - 20, in.h - top});
      add_tensor(static_cast<std::size_t>(c - grids.data()), {in.x + left, in.y + top, in.w - left, in.h - top});
      return;
    }
    const auto columns = grids.size() > 3 ? 2u : 1u;
    const auto rows = (grids.size() + columns - 1) / columns;
    const float w = in.w / length(columns), h = in.h / length(rows);
    for (std::size_t i = 0; i < grids.size(); ++i)
      add_tensor(i, {in.x + w * length(i % columns), in.y + h * length(i / columns), w - 20, h - 8});
  }

  // A half of L2: of each tensor which tiles it holds.
  void add_half(int half, const Box& in) {
    add_rect(node, in, {}, {Role::soft});
    add_text(node, in.x + 8, in.y + 30, !has_halves ? "L2" : fmt::format("half {}", half), 13).is_bold = true;
    add_text(node, in.x + in.w - 8, in.y + 30,
             fmt::format("{} usable", report::bytes_text(double(launch.device.l2_bytes) * launch.device.l2_usable /
                                                         double(launch.device.l2_partitions))),
             12, Align::right, {Role::soft});
    const auto n = grids.size(),
               columns = n > 4   ? 3
                         : n > 1 ? std::size_t{2}
                                 : std::size_t{1},
               rows = (n + columns - 1) / columns;
    const float w = (in.w - 16) / length(columns), h = (in.h - 44) / length(rows);
    for (std::size_t i = 0; i < n; ++i) {
      const TileGrid& g = grids[i];
      const Box at{in.x + 8 + w * length(i % columns), in.y + 42 + h * length(i / columns), w - 8, h - 6};
      const auto [r, k] = shown(g, at.w / at.h);
      Cells c;
      c.box = fitted_box(g, {at.x, at.y + 14, at.w, at.h - 16}, r, k);
      c.name = fmt::format("{} tile of {}", has_halves ? fmt::format("half {},", half) : "L2,", g.name);
      c.rows = r;
      c.columns = k;
      c.wraps = g.wraps;
      c.count = g.cells();
      c.states = {{{Role::surface}, "not there"}, {category(g.is_stored ? 1 : 0), "there, at least in part"}};
      const CellEvents& e = stories[i].halves[half];
      c.at = e.at;
      c.cell = e.cell;
      c.state = e.state;
      add_text(node, c.box.x, c.box.y - 4, g.name, 12);
      node.cells.push_back(std::move(c));
    }
  }

  void add_l2() {
    add_heading(l2_area.x, "L2", has_halves ? "two halves: what they hold" : "what it holds");
    const int halves = has_halves ? 2 : 1;
    const float h = (l2_area.h - 50 * length(halves - 1)) / length(halves);
    for (int half = 0; half < halves; ++half)
      add_half(half, {l2_area.x, l2_area.y + length(half) * (h + 50), l2_area.w, h});
  }

  // SMs beside the half that is near them, GPC by GPC.
  void add_sms(int inside) {
    const auto sms = static_cast<int>(launch.schedule.sms);
    const int resident = static_cast<int>(launch.schedule.resident_programs_per_sm);
    add_heading(sms_area.x, fmt::format("{} SMs", sms),
                resident == 1 ? "each with the program it runs" : fmt::format("each runs up to {} programs", resident));
    const int halves = has_halves ? 2 : 1;
    std::vector<std::vector<int>> of_half(static_cast<std::size_t>(halves));
    for (int sm = 0; sm < sms; ++sm) of_half[has_halves ? std::min(map.partition[sm], 1) : 0].push_back(sm);
    const float height = (sms_area.h - 50 * length(halves - 1)) / length(halves);
    node.portals.resize(static_cast<std::size_t>(sms));
    for (int half = 0; half < halves; ++half) {
      auto& list = of_half[half];
      std::ranges::stable_sort(list, {}, [&](int sm) { return map.group[sm]; });
      const auto columns = static_cast<int>(std::clamp(std::ceil(std::sqrt(double(list.size()) * 0.95)), 1.0, 12.0)),
                 rows = (static_cast<int>(list.size()) + columns - 1) / columns;
      const float w = sms_area.w / length(columns), h = height / length(std::max(1, rows)),
                  top = sms_area.y + length(half) * (height + 50);
      for (int i = 0; i < static_cast<int>(list.size()); ++i)
        add_sm(list[i], {sms_area.x + w * length(i % columns), top + h * length(i / columns), w - 5, h - 5}, resident,
               inside);
    }
  }

  void add_sm(int sm, const Box& box, int resident, int inside) {
    Portal& p = node.portals[sm];
    p.box = box;
    p.node = inside;
    p.number = sm;
    p.name = fmt::format("SM {}", sm);
    p.first_table = sm * resident * tables_a_place;
    const int across = resident <= 2 ? resident : static_cast<int>(std::ceil(std::sqrt(resident))),
              down = (resident + across - 1) / across;
    for (int c = 0; c < resident; ++c) {
      Now now;
      const float w = box.w / length(across), h = box.h / length(down);
      now.box = {box.x + w * length(c % across), box.y + h * length(c / across), w - (resident > 1 ? 1 : 0),
                 h - (resident > 1 ? 1 : 0)};
      now.table = p.first_table + c * tables_a_place + 1;
      now.from = starts;
      now.to = ends;
      now.state = wave;
      now.label = program_number;
      for (const Colour& colour : wave_colours())
        now.states.push_back({colour, fmt::format("SM {}, GPC {}", sm, map.group[sm])});
      now.words = "program {}";
      now.idle = "idle";
      now.shows_progress = now.is_program = true;
      node.nows.push_back(std::move(now));
    }
  }

  Flow& add_flow(float x0, float y0, float x1, float y1, std::string name, int column, double most, Colour colour) {
    return node.flows.emplace_back(
        Flow{x0, y0, x1, y1, std::move(name), traffic, column, most, true, 60, colour, Unit::gb_per_s});
  }

  void add_flows() {
    const double dram = dram_gb_per_s, l2 = launch.device.l2_gb_per_s;
    const float middle = l2_area.y + l2_area.h / 2, above = has_halves ? middle - 180 : middle - 60;
    const auto name = [&](float x, float y, const char* words) {
      add_text(node, x, y, words, 12, Align::centre, {Role::soft});
    };
    add_flow(590, middle - 70, 690, middle - 70, "DRAM to L2, reads", dram_read, dram, category(6));
    name(640, middle - 126, "reads");
    add_flow(690, middle + 70, 590, middle + 70, "L2 to DRAM, what was stored is written back", dram_written, dram,
             category(1));
    name(640, middle + 14, "write-back");
    add_flow(980, above, 1080, above, "L2 to SMs", from_l2, l2, category(0));
    name(1030, above - 56, "from L2");
    add_flow(980, above + 110, 1080, above + 110, "merged: SMs of a GPC share a request", merged, l2, category(4))
        .is_peak = false;
    name(1030, above + 54, "merged");
    add_flow(1080, middle + 180, 980, middle + 180, "SMs to L2, stores", stored, l2, category(1));
    name(1030, middle + 124, "stores");
    if (!has_halves) return;
    add_flow(l2_area.x + 90, middle + 22, l2_area.x + 90, middle - 22, "hits in the far half, over the fabric", far, l2,
             category(5));
    add_text(node, l2_area.x + 80, middle + 4, "fabric", 12, Align::right, {Role::soft});
  }

  void add_charts() {
    const auto& columns = film.tables[traffic].columns;
    double most = 1;
    for (std::size_t r = 0; r < columns[0].size(); ++r)
      most = std::max(
          most, double(columns[l1][r] + columns[merged][r] + columns[near][r] + columns[far][r] + columns[missed][r]));
    Series dram;
    dram.box = {20, chart_top, 1560, chart_height};
    dram.title = "DRAM, reads and write-back";
    dram.table = traffic;
    dram.columns = {dram_read, dram_written};
    dram.states = {{category(6), "read"}, {category(1), "written"}};
    dram.most = launch.device.dram_gb_per_s * 1.08;
    dram.limit = dram_gb_per_s;
    dram.limit_label = figure_text(dram.limit, Unit::gb_per_s) + ", the most it reaches";
    Series loads = dram;
    loads.box.y = chart_top + chart_height + 27;
    loads.title = "what SMs load, by where it was found", loads.columns = {missed, far, near, merged, l1};
    loads.states = {{category(6), "DRAM"},
                    {category(5), "far half"},
                    {category(0), "near half"},
                    {category(4), "merged"},
                    {category(2), "L1"}};
    loads.most = most * 1.05;
    loads.limit = 0;
    loads.has_axis = true;
    node.series.push_back(std::move(dram));
    node.series.push_back(std::move(loads));
    add_keys();
    node.figures.push_back(
        {1580, chart_top - 5, 13, Align::right, "DRAM at work {}", traffic, dram_busy, Unit::percent, true});
    node.figures.push_back({20, totals_line, 16, Align::left, "{}", 0, 0, Unit::us, true, true});
    // Up to the clock's time, those first that stay where there is little room.
    for (const auto& [place, words, column, unit] : {std::tuple{1, "DRAM read {}", dram_so_far, Unit::bytes},
                                                     {3, "L2 hit rate {}", hit_rate, Unit::percent},
                                                     {0, "SMs loaded {}", loads_so_far, Unit::bytes},
                                                     {2, "DRAM wrote {}", dram_written_so_far, Unit::bytes}})
      node.figures.push_back(
          {530 + 350 * length(place), totals_line, 14, Align::right, words, traffic, column, unit, true});
  }

  // All that is drawn.
  void add_keys() {
    std::vector<std::pair<std::string, Colour>> keys{{"DRAM", category(6)},         {"L2, near half", category(0)},
                                                     {"merged", category(4)},       {"being computed", category(3)},
                                                     {"L1", category(2)},           {"stored", category(1)},
                                                     {"left L2", {Role::unwritten}}};
    if (has_halves) keys.insert(keys.begin() + 1, {"L2, far half", category(5)});
    if (film.waves_us.size() > 1) {
      keys.push_back({"even wave", wave_colours()[0]});
      keys.push_back({"odd wave", wave_colours()[1]});
    }
    if (std::ranges::any_of(node.cells, [](const Cells& c) { return c.path.size() > 1; }))
      keys.push_back({fmt::format("line: the {} tiles begun last", most_of_path), {Role::ink}});
    // In two rows, which have room where two films stand beside each other.
    const std::size_t columns = (keys.size() + 1) / 2;
    for (std::size_t i = 0; i < keys.size(); ++i)
      add_key(node, 20 + 1560 * length(i % columns) / length(columns), i < columns ? 962 : 990, keys[i].first,
              keys[i].second);
  }
};

}  // namespace

Node launch_node(Film& film, const LaunchToPlay& launch, const std::vector<TileGrid>& grids,
                 const std::vector<TileStory>& stories, int inside) {
  LaunchNode l{film, launch, grids, stories};
  l.node.name = launch.kernel;
  l.add_tensors();
  l.add_l2();
  l.add_sms(inside);
  l.add_flows();
  l.add_charts();
  return std::move(l.node);
}

}  // namespace tl::viz::film
