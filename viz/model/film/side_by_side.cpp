#include "viz/model/film/side_by_side.h"
#include "viz/model/film/tour.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/sheet.h"

namespace tl::viz::film {

void add_at(Drawing& to, Drawing&& part, float x, float y) {
  const int images = static_cast<int>(to.images.size());
  for (Image& i : part.images) to.images.push_back(std::move(i));
  for (Shape& s : part.shapes) {
    s.x += x;
    s.y += y;
    for (Point& p : s.points) {
      p.x += x;
      p.y += y;
    }
    if (s.image >= 0) s.image += images;
    to.shapes.push_back(std::move(s));
  }
}

bool is_same_case(const Film& a, const Film& b) { return a.kernel == b.kernel && a.settings == b.settings; }

std::vector<std::string> names_that_differ(const Film& a, const Film& b) {
  const auto own = [](const Film& f, const Film& other) {
    std::string words;
    for (const std::string& s : f.settings)
      if (!std::ranges::count(other.settings, s)) words += (words.empty() ? "" : " ") + s;
    return words.empty() ? f.kernel : words;
  };
  return a.kernel == b.kernel ? std::vector{own(a, b), own(b, a)} : std::vector{a.kernel, b.kernel};
}

Camera camera_like(const Film& film, const Film& other, const Path& path, const Camera& camera, const Canvas& canvas) {
  Path there;
  for (const int p : path) {
    if (p >= std::ssize(other.nodes[placement_of(other, there).node].portals)) return camera_on(other, there, canvas);
    there.push_back(p);
  }
  const Placement from = placement_of(film, path), to = placement_of(other, there);
  const double ratio = to.scale / from.scale;
  return {to.x + (camera.x - from.x) * ratio, to.y + (camera.y - from.y) * ratio, camera.scale / ratio};
}

viz::Table totals_that_differ(std::span<const std::shared_ptr<const Film>> films, std::span<const std::string> names) {
  viz::Table table{"the launches' totals (model)", {""}, {}};
  for (const std::string& n : names) table.header.push_back(n);
  if (std::ranges::any_of(films, [](const auto& f) { return f->totals.empty(); }))
    return table;  // a beginning has none
  for (std::size_t i = 0; i < films[0]->totals.size(); ++i) {
    std::vector<std::string> row{films[0]->totals[i].name};
    bool differs = films.size() < 2;
    for (const auto& f : films) {
      row.push_back(f->totals[i].text);
      differs |= f->totals[i].text != films[0]->totals[i].text;
    }
    if (differs) table.rows.push_back(std::move(row));
  }
  return table;
}

namespace {

constexpr float caption_size = 16;

Shape& add_text(Drawing& d, float x, float y, std::string words, float size, Colour ink, bool is_bold) {
  Shape& s = d.shapes.emplace_back();
  s.kind = Kind::text;
  s.layer = Layer::labels;
  s.x = x;
  s.y = y;
  s.text = std::move(words);
  s.size = size;
  s.ink = ink;
  s.is_bold = is_bold;
  return s;
}

}  // namespace

Drawing side_by_side(std::span<const std::shared_ptr<const Film>> films, std::span<const std::string> names,
                     const Path& path, View view, const Caption* caption) {
  Drawing whole;
  whole.panel = "chip";
  whole.title = films[0]->title;
  whole.subtitle = films[0]->subtitle;
  whole.width = view.canvas.width;
  whole.height = view.canvas.height;
  const Canvas canvas = view.canvas;
  const viz::Table totals = totals_that_differ(films, names);
  const bool are_several = films.size() > 1;
  const Path& node = caption ? caption->path : path;
  std::vector<std::string> told;
  if (caption) told = wrapped(caption->text, canvas.width - 28, caption_size, true);
  if (caption) view.us = caption->us + 1e-3;
  const float head = 54 + (told.empty() ? 0 : 8) + (caption_size + 5) * length(told.size()),
              foot = are_several ? 26 + 17 * length(totals.rows.size()) : 0;
  const float width = canvas.width / length(films.size()), height = canvas.height - head - foot;
  for (const auto& f : films) {
    view.end_us = std::max(view.end_us, f->end_us);
    if (are_several) view.window_us = std::max(view.window_us, f->longest_run_us);
  }
  for (std::size_t i = 0; i < films.size(); ++i) {
    View v = view;
    v.canvas = {width - (are_several ? 8 : 0), height - (are_several ? 20 : 0)};
    v.camera = camera_on(*films[i], node, v.canvas, caption && !are_several ? caption->part : Box{});
    Projector projector(*films[i]);
    const float x = width * length(i);
    if (are_several)
      add_text(whole, x + 14, head + 13, fmt::format("{}: {}", names[i], films[i]->totals.front().text), 14,
               {Role::ink}, true);
    add_at(whole, projector.look(v), x, head + (are_several ? 20 : 0));
  }
  // Over what a camera that is near leaves above and beneath its picture.
  for (const Box& b : {Box{0, 0, canvas.width, head}, Box{0, canvas.height - foot, canvas.width, foot}}) {
    Shape& s = whole.shapes.emplace_back();
    s.layer = Layer::labels, s.x = b.x, s.y = b.y, s.w = b.w, s.h = b.h, s.fill = {Role::paper};
  }
  add_text(whole, 14, 22, films[0]->title, 16, {Role::ink}, true);
  add_text(whole, 14, 42, fitted(title_of(*films[0], node) + "     " + films[0]->subtitle, canvas.width - 28, 12), 12,
           {Role::soft}, false);
  for (std::size_t i = 0; i < told.size(); ++i)
    add_text(whole, 14, 66 + (caption_size + 5) * length(i), told[i], caption_size, {Role::ink}, true);
  if (are_several) {
    float x = 14;
    for (std::size_t c = 0; c < totals.header.size(); ++c) {
      float y = canvas.height - foot + 16, widest = 0;
      for (std::size_t r = 0; r <= totals.rows.size(); ++r, y += 17) {
        const std::string& words = r == 0 ? totals.header[c] : totals.rows[r - 1][c];
        widest = std::max(widest, text_width(words, 13));
        add_text(whole, x, y, words, 13, {Role::ink}, r == 0);
      }
      x += std::max(200.f, widest) + 20;
    }
  }
  whole.tables.push_back(totals);
  if (auto tour = tour_of(films, names); !tour.empty()) whole.tables.push_back(table_of(tour));
  whole.facts = films[0]->facts;
  return whole;
}

}  // namespace tl::viz::film
