#include "viz/model/film/look.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/film/launch.h"
#include "viz/model/film/painter.h"

namespace tl::viz::film {

std::int64_t last_row(const Table& table, int column, double us) {
  const auto& c = table.columns[column];
  return std::upper_bound(c.begin(), c.end(), us, [](double a, float b) { return a < double(b); }) - c.begin() - 1;
}

// Rows overlap, as copies under way do: the oldest of those that go on.
std::int64_t row_at(const Table& table, int from, int to, double us) {
  if (table.columns.empty()) return -1;
  std::int64_t found = -1;
  const std::int64_t last = last_row(table, from, us);
  for (std::int64_t r = last; r >= 0 && r > last - 16; --r)
    if (us < double(table.columns[to][r])) found = r;
  return found;
}

std::string figure_text(double v, Unit unit) {
  switch (unit) {
    case Unit::bytes: return report::bytes_text(v);
    case Unit::gb_per_s: return v >= 999.5 ? fmt::format("{:.2f} TB/s", v * 1e-3) : fmt::format("{:.0f} GB/s", v);
    case Unit::percent: return fmt::format("{:.0f} %", v * 100);
    case Unit::us: return fmt::format("{:.2f} us", v);
    case Unit::count: return count_text(static_cast<std::int64_t>(std::llround(v)));
  }
  return "";
}

Placement placement_of(const Film& film, const Path& path) {
  Placement at;
  for (const int p : path) {
    const Portal& portal = film.nodes[at.node].portals.at(static_cast<std::size_t>(p));
    const Node& inner = film.nodes[portal.node];
    const double fit =
        std::min(double(portal.box.w) / double(inner.width), double(portal.box.h) / double(inner.height));
    at.x += at.scale * (double(portal.box.x) + (double(portal.box.w) - fit * double(inner.width)) / 2);
    at.y += at.scale * (double(portal.box.y) + (double(portal.box.h) - fit * double(inner.height)) / 2);
    at.scale *= fit;
    at.node = portal.node;
    at.table += portal.first_table;
  }
  return at;
}

Camera camera_on(const Film& film, const Path& path, const Canvas& canvas, const Box& part) {
  const Placement at = placement_of(film, path);
  const Node& node = film.nodes[at.node];
  const Box seen = part.w > 0 ? part : Box{0, 0, node.width, node.height};
  const double w = double(seen.w) * at.scale, h = double(seen.h) * at.scale,
               scale = std::min(double(canvas.width) / w, double(canvas.height) / h);
  // In the middle, but no farther to an edge than the node goes, unless all of it is seen there.
  const auto from = [](double begin, double size, double room, double node_begin, double node_size) {
    const double middle = begin - (room - size) / 2;
    return room >= node_size ? node_begin - (room - node_size) / 2
                             : std::clamp(middle, node_begin, node_begin + node_size - room);
  };
  return {
      from(at.x + at.scale * double(seen.x), w, double(canvas.width) / scale, at.x, at.scale * double(node.width)),
      from(at.y + at.scale * double(seen.y), h, double(canvas.height) / scale, at.y, at.scale * double(node.height)),
      scale};
}

std::string title_of(const Film& film, const Path& path) {
  std::string title = film.nodes.front().name;
  int node = 0;
  for (const int p : path) {
    const Portal& portal = film.nodes[node].portals[p];
    title += " \u203a " + portal.name;
    node = portal.node;
  }
  return title;
}

int busy_portal(const Film& film, const Path& path, double us) {
  const Placement at = placement_of(film, path);
  const auto& portals = film.nodes[at.node].portals;
  const auto programs_of = [&](const Portal& p) -> const Table& {
    return film.tables[static_cast<std::size_t>(at.table + p.first_table) + of_programs];
  };
  auto found =
      std::ranges::find_if(portals, [&](const Portal& p) { return row_at(programs_of(p), starts, ends, us) >= 0; });
  if (found == portals.end())
    found = std::ranges::find_if(portals, [&](const Portal& p) { return programs_of(p).rows() > 0; });
  return found == portals.end() ? 0 : static_cast<int>(found - portals.begin());
}

Path path_at(const Film& film, const Camera& camera, const Canvas& canvas) {
  Path path;
  const double cx = camera.x + double(canvas.width) / 2 / camera.scale,
               cy = camera.y + double(canvas.height) / 2 / camera.scale;
  while (true) {
    const Placement at = placement_of(film, path);
    const auto& portals = film.nodes[at.node].portals;
    const auto fills = [&](const Portal& p) {
      const double x = at.x + at.scale * double(p.box.x), y = at.y + at.scale * double(p.box.y),
                   w = at.scale * double(p.box.w), h = at.scale * double(p.box.h);
      return cx >= x && cx < x + w && cy >= y && cy < y + h &&
             std::max(w * camera.scale / double(canvas.width), h * camera.scale / double(canvas.height)) > 0.6;
    };
    const auto found = std::ranges::find_if(portals, fills);
    if (found == portals.end()) return path;
    path.push_back(static_cast<int>(found - portals.begin()));
  }
}

const Projector::CellStates& Projector::states_at(const Cells& cells, double us) {
  CellStates& s = states_[&cells];
  if (s.states.empty() || (s.events > 0 && double(cells.at[s.events - 1]) > us)) {
    s.states.assign(static_cast<std::size_t>(cells.rows * cells.columns), 0);
    s.events = 0;
  }
  for (; s.events < cells.at.size() && double(cells.at[s.events]) <= us; ++s.events)
    s.states[cells.cell[s.events]] = cells.state[s.events];
  return s;
}

Drawing Projector::look(const View& view, Pointed* pointed) {
  Drawing drawing;
  drawing.panel = "chip";
  drawing.title = film_.title;
  drawing.subtitle = film_.subtitle;
  drawing.width = view.canvas.width;
  drawing.height = view.canvas.height;
  drawing.facts = film_.facts;
  Painter(*this, view, drawing, pointed).draw();
  return drawing;
}

}  // namespace tl::viz::film
