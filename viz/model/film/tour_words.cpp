#include "viz/model/film/tour_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "viz/model/film/nodes.h"
#include "viz/model/film/tour.h"

namespace tl::viz::film {

double used_share(const Film& film) {
  const auto value = [&](const char* name) {
    const auto found = std::ranges::find(film.totals, name, &Film::Total::name);
    return found == film.totals.end() ? 0 : found->value;
  };
  return value("elements of it") / std::max(1.0, value("programs load"));
}

std::size_t tiles_of(const Film& film, const ProgramAt& p) {
  const std::size_t programs = film.tables[p.table + of_programs].rows();
  return programs > 0 ? std::max<std::size_t>(1, film.tables[p.table + 2].rows() / programs) : 1;
}

std::vector<Caption> timed(std::vector<Caption> tour) {
  std::ranges::stable_sort(tour, {}, &Caption::us);
  constexpr double besides = 40;  // letters: the time that looking takes
  double all = 0, so_far = 0;
  for (const Caption& c : tour) all += besides + double(c.text.size());
  for (Caption& c : tour) {
    c.seconds = tour_seconds * so_far / all;
    so_far += besides + double(c.text.size());
  }
  return tour;
}

int caption_at(const std::vector<Caption>& tour, double seconds) {
  const auto next = std::ranges::upper_bound(tour, seconds, {}, &Caption::seconds);
  return std::max(0, static_cast<int>(next - tour.begin()) - 1);
}

double clock_at(const std::vector<Caption>& tour, double seconds) {
  const auto i = static_cast<std::size_t>(caption_at(tour, seconds));
  if (i + 1 >= tour.size()) return tour.back().us;
  const double part = (seconds - tour[i].seconds) / std::max(1e-9, tour[i + 1].seconds - tour[i].seconds);
  return tour[i].us + std::clamp(part, 0.0, 1.0) * (tour[i + 1].us - tour[i].us);
}

viz::Table table_of(const std::vector<Caption>& tour) {
  viz::Table table{"the tour (model)", {"", "at", "what happens"}, {}};
  for (const Caption& c : tour) table.rows.push_back({fmt::format("{}", table.rows.size() + 1), us_text(c.us), c.text});
  return table;
}

}  // namespace tl::viz::film
