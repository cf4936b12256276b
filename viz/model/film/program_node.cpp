// A program on its SM: its rings' slots, who copies and who multiplies, its steps over time, its text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/film/nodes.h"
#include "viz/model/sheet.h"

namespace tl::viz::film {

namespace {

const std::vector<State> ring_states = {{{Role::surface}, "empty"},
                                        {{Role::load, 0, 0, 0.25f}, "in flight"},
                                        {{Role::load, 0, 0, 0.45f}, "full"},
                                        {category(3), "being read"}};

struct ProgramNode {
  Film& film;
  const LaunchToPlay& launch;
  const std::vector<Op>& ops;
  Node node{.name = "program"};
  float stretch = 1;  // of the parts that may be higher
  bool is_only_measured = false;
  float y = 0;  // beneath what is there
  const float slot_height = 74 * stretch;
  static constexpr float left = 144, right = 1040;
  static constexpr float far_letter = 21;  // units that words of the least size take at half a window's width

  void add_head() {
    Now head;
    head.box = {20, 20, 1020, 34};
    head.table = 1;
    head.from = starts;
    head.to = ends;
    head.state = wave;
    head.label = program_number;
    for (const Colour& colour : wave_colours()) head.states.push_back({colour, "runs here"});
    head.words = "program {}";
    head.idle = "no program at this moment";
    head.none = "no program comes here";
    head.shows_progress = head.is_program = true;
    node.nows.push_back(head);
    y = 78;
  }

  // With its line where another one has the same name.
  std::string name_of(const Op& op) const {
    const auto alike =
        std::ranges::count_if(ops, [&](const Op& o) { return o.is_load == op.is_load && o.name == op.name; });
    return alike > 1 ? fmt::format("{} ({})", op.name, op.line) : op.name;
  }

  Box slot_box(const Op& op, int slot) const {
    (void)op;
    const float w = (right - left) / length(launch.stages);
    return {left + w * length(slot), y + 18, w, slot_height};
  }

  void add_rings() {
    const bool any = std::ranges::any_of(ops, &Op::is_staged);
    add_text(node, 20, y,
             any ? fmt::format("Shared memory: each load has a ring of {} slots", launch.stages)
                 : "Its loads go to registers: nothing is copied ahead, so there is no ring",
             15)
        .is_bold = true;
    y += 8;
    int shown = 0;
    for (const Op& op : ops) {
      if (!op.is_staged || ++shown > 3) continue;
      Ring ring;
      ring.box = {left, y + 18, right - left, slot_height};
      ring.name = fmt::format("{} (line {})", op.name, op.line);
      ring.slots = std::max(1, launch.stages);
      ring.slot = slot;
      ring.issue = issue;
      ring.there = op.first;
      ring.begin = begin;
      ring.end = dot_end;
      ring.step = step;
      ring.found = op.first + 1;
      ring.states = ring_states;
      ring.line = op.line;
      for (const State& s : found_states()) ring.found_words.push_back(s.label);
      node.rings.push_back(std::move(ring));
      const float row = ring.box.h / 3, first = ring.box.y + 0.5f * row + 6;
      add_text(node, 20, first, name_of(op), 15).is_bold = true;
      add_text(node, 20, first + row, fmt::format("{} x {}", op.rows, op.columns), 12, Align::left, {Role::soft});
      add_text(node, 20, first + 2 * row, report::bytes_text(double(op.bytes())), 12, Align::left, {Role::soft});
      const int inner = is_only_measured ? 0 : add_slot_node(film, op, launch.config.tensor_maps);
      const float w = (right - left) / length(launch.stages), size = std::min(28.f, w / 4);
      for (int s = 0; s < launch.stages; ++s) {
        const Box b = slot_box(op, s);
        node.portals.push_back({{b.x + b.w - size - 6, b.y + b.h - size * 0.625f - 4, size, size * 0.625f},
                                inner,
                                0,
                                fmt::format("{}, slot {}", op.name, s),
                                -1,
                                b});
      }
      y += slot_height + 22;
    }
    y += 34;
  }

  Lane lane(std::string name, int from, int to, int state, std::vector<State> states, std::string words, int label,
            int line, float height = 30) {
    Lane l;
    height *= stretch;
    l.box = {left, y, right - left, height};
    l.name = name;
    l.from = from;
    l.to = to;
    l.state = state;
    l.label = label;
    l.states = std::move(states);
    l.words = std::move(words);
    l.line = line;
    l.pages = 1;
    add_text(node, left - 8, y + height / 2 + 4, fitted(name, left - 8, far_letter, false), 13, Align::right);
    y += height + 5 * stretch;
    return l;
  }

  void add_lanes() {
    add_text(node, 20, y, "One program's steps over time", 15).is_bold = true;
    add_text(node, 300, y, "a number is the step; microseconds of the launch", 13, Align::left, {Role::soft});
    y += 12;
    if (has_several_tiles()) {
      Lane tiles = lane("tiles", tile_starts, tile_ends, -1, {{wave_colours()[1], "from its first load to its store"}},
                        "tile {}", tile_number, -1, 22);
      tiles.table = 2;
      node.lanes.push_back(std::move(tiles));
    }
    const bool multiplies = launch.config.matrix != rules::Matrix::none;
    int shown = 0;
    for (const Op& op : ops)
      if (op.is_load && ++shown <= 6)
        node.lanes.push_back(lane(fmt::format("load {}", name_of(op)), issue, op.first, op.first + 1, found_states(),
                                  fmt::format("load {} of step {{}}", op.name), step, op.line));
    const char* const units =
        launch.config.matrix == rules::Matrix::multiply_add ? "FP32 units multiply" : "tensor cores multiply";
    if (multiplies)
      node.lanes.push_back(
          lane("dots", begin, dot_end, -1, {{category(3), units}}, "dots of step {}", step, dot_line()));
    node.lanes.push_back(lane(multiplies ? "others" : "compute", dot_end, end, -1,
                              {{{Role::category, 3, 0, 0.5f}, "exp, max, sums and the like"}}, "other work of step {}",
                              step, -1));
    node.lanes.push_back(lane("waits", before, begin, -1, {{{Role::surface}, "nothing to compute with", Hatch::single}},
                              "waits before step {}", step, -1, 24));
    shown = 0;
    for (const Op& op : ops)
      if (!op.is_load && ++shown <= 2)
        node.lanes.push_back(lane(fmt::format("store {}", name_of(op)), issue, op.first, op.first + 1,
                                  {{category(1), "stored"}}, fmt::format("store {}, step {{}}", op.name), -1, op.line));
    node.lanes.back().has_axis = true;
    y += 56;
    constexpr const char* keys[] = {"L1", "merged", "L2, near half", "L2, far half", "DRAM", "stored"};
    for (std::size_t i = 0; i < std::size(keys); ++i)
      add_key(node, left + (right - left) * length(i % 3) / 3, y + 28 * length(i / 3), keys[i],
              found_states()[i].colour);
    y += 28;
    y += 40;
  }

  // Whether programs are persistent.
  bool has_several_tiles() const {
    for (std::size_t t = 0; t + 2 < film.tables.size(); t += tables_a_place)
      if (film.tables[t + 2].rows() > film.tables[t + 1].rows()) return true;
    return false;
  }

  int dot_line() const {
    const auto dots = [](const SourceLine& l) { return l.text.find("tl.dot(") != std::string::npos; };
    const auto found = std::ranges::find_if(launch.source, dots);
    return found == launch.source.end() ? -1 : found->number;
  }

  // The warps' roles: some copy, others multiply.
  void add_warps() {
    add_text(node, 20, y, "Warps", 15).is_bold = true;
    y += 12;
    const bool has_roles = launch.config.tensor_maps || launch.config.copies_ahead;
    const Op* staged = nullptr;
    for (const Op& op : ops)
      if (op.is_staged && !staged) staged = &op;
    const auto box = [&](float x, float w, const std::string& title, Now now) {
      add_text(node, x, y + 12, title, 12, Align::left, {Role::soft});
      now.box = {x, y + 18, w, 44 * stretch};
      node.nows.push_back(std::move(now));
    };
    float x = 20;
    if (has_roles && staged) {
      Now copy;
      copy.from = issue;
      copy.to = staged->first;
      copy.label = step;
      copy.line = staged->line;
      copy.states = {{{Role::load, 0, 0, 0.45f}, "copies"}}, copy.words = "copies step {}",
      copy.idle = "nothing to copy", copy.none = "idle";
      box(x, 220, launch.config.tensor_maps ? "producer: a thread asks TMA" : "producers: cp.async", copy);
      x += 236;
    }
    const int groups = launch.config.num_warps >= 8 && has_roles ? launch.config.num_warps / 4 : 1;
    const float w = std::min(240.f, (right - x) / length(groups) - 8);
    for (int g = 0; g < groups; ++g) {
      Now works;
      works.from = begin;
      works.to = end;
      works.label = step;
      works.line = dot_line();
      works.states = {{category(3), "computes"}}, works.words = "computes step {}", works.idle = "waits for data",
      works.none = "idle";
      box(x, w,
          groups == 1 ? fmt::format("{} warps", launch.config.num_warps)
                      : fmt::format("consumers: warps {} to {}", 4 * g, 4 * g + 3),
          works);
      x += w + 8;
    }
    y += 40 + 44 * stretch;
    add_text(node, 20, y, "Blocks in registers: which thread holds which element", 15).is_bold = true;
    y += 12;
    x = 20;
    for (const ValueInRegisters& v : launch.values) {
      // As wide as its name, also where letters grow because the camera is far.
      const std::string layout = v.layout_name.substr(0, v.layout_name.find(':'));
      const float width =
          std::max({120.f, text_width(v.name, far_letter, false, true), text_width(layout, far_letter)}) + 12;
      if (x > right - width) break;
      const int inner = is_only_measured ? 0 : add_registers_node(film, v);
      add_rect(node, {x, y, width, 75}, {Role::surface}, {Role::faint});
      Shape& name = add_text(node, x + width / 2, y + 30, v.name, 13, Align::centre);
      name.is_bold = true;
      name.w = width - 4;
      add_text(node, x + width / 2, y + 54, layout, 12, Align::centre, {Role::soft}).w = width - 4;
      node.portals.push_back({{x + (width - 120) / 2, y, 120, 75}, inner, 0, v.name, -1, {x, y, width, 75}});
      x += width + 8;
    }
    if (launch.values.empty())
      add_text(node, 20, y + 16, "no block of one or two axes has a name here", 13, Align::left, {Role::soft});
    y += 75;
  }

  void add_marks() {
    add_head();
    add_rings();
    add_lanes();
    add_warps();
  }

  // The line that is at work is lit.
  void add_source() {
    constexpr float at = 1064;
    add_text(node, at, 36, "The text: lines at work are lit", 15).is_bold = true;
    const float row = std::clamp(920.f / length(std::max<std::size_t>(1, launch.source.size())), 23.f, 27.f);
    for (std::size_t i = 0; i < launch.source.size(); ++i) {
      const float ty = 70 + row * length(i);
      const auto& [line, words] = launch.source[i];
      const int number = line;  // clang 14 takes no name of a binding into a lambda
      const auto light = [&](int from, int to, std::string what) {
        Now n;
        n.box = {at, ty - row * 0.7f, 520, row};
        n.from = from;
        n.to = to;
        n.words = std::move(what);
        n.is_light = true;
        n.line = number;
        node.nows.push_back(n);
      };
      for (const Op& op : ops)
        if (op.line == line) light(issue, op.first, fmt::format("line {} is at work", op.line));
      if (words.find("tl.dot(") != std::string::npos) light(begin, dot_end, "the tensor cores multiply");
      Shape& text = add_text(node, at + 4, ty, line < 0 ? "  \u2026" : fmt::format("{:>3} {}", line, words), 14);
      text.is_mono = true;
      text.w = 516;
      text.h = row;
    }
  }
};

}  // namespace

int add_program_nodes(Film& film, const LaunchToPlay& launch, const std::vector<Op>& ops) {
  // As high as there is room: what it takes grows evenly with the stretch.
  const auto height = [&](float stretch) {
    ProgramNode p{.film = film, .launch = launch, .ops = ops, .stretch = stretch, .is_only_measured = true};
    p.add_marks();
    return p.y;
  };
  const float plain = height(1), more = height(2) - plain;
  ProgramNode p{.film = film,
                .launch = launch,
                .ops = ops,
                .stretch = std::clamp(1 + (980 - plain) / std::max(1.f, more), 0.7f, 2.5f)};
  p.add_marks();
  p.add_source();
  film.nodes.push_back(std::move(p.node));
  const int inside = static_cast<int>(film.nodes.size()) - 1;
  const auto resident = static_cast<int>(launch.schedule.resident_programs_per_sm);
  if (resident < 2) return inside;
  Node sm{.name = "SM"};
  const int across = static_cast<int>(std::ceil(std::sqrt(resident))), down = (resident + across - 1) / across;
  // Places in rows, the last one in the middle; a click anywhere in the SM is one in a place.
  const float width = 1600.f / length(across), height_of_row = 1000.f / length(down);
  for (int c = 0; c < resident; ++c) {
    const int row = c / across, in_row = std::min(across, resident - row * across);
    const Box door{1600.f * length(c % across) / length(in_row), height_of_row * length(row), 1600.f / length(in_row),
                   height_of_row};
    sm.portals.push_back({{door.x + (door.w - width) / 2 + 4, door.y + 4, width - 8, height_of_row - 8},
                          inside,
                          c * tables_a_place,
                          fmt::format("place {}", c),
                          -1,
                          door});
  }
  film.nodes.push_back(std::move(sm));
  return inside + 1;
}

}  // namespace tl::viz::film
