// Two launches side by side, told: in what they differ, and how much of it is time.
#include <fmt/format.h>

#include <algorithm>

#include "viz/model/film/nodes.h"
#include "viz/model/film/tour.h"
#include "viz/model/film/tour_words.h"
#include "viz/model/sheet.h"

namespace tl::viz::film {

namespace {

using report::percent_text, report::time_text;

constexpr double waits_for_dram = 0.6;  // of the time, that DRAM is at work

// Two launches beside each other: in what they differ by two per cent or more.
struct ComparedTour {
  const Film &left, &right;
  std::string left_name, right_name;
  std::vector<Caption> captions = {};
  const double least_us = std::min(left.end_us, right.end_us), most_us = std::max(left.end_us, right.end_us);

  struct Pair {
    const Film::Total *left = nullptr, *right = nullptr;
    explicit operator bool() const { return left && right; }
    double least() const { return std::min(left->value, right->value); }
    double most() const { return std::max(left->value, right->value); }
    bool differ() const { return left && right && most() > 1.02 * least(); }
    std::string texts() const { return fmt::format("{} on the left, {} on the right", left->text, right->text); }
  };
  Pair pair(const std::string& name) const {
    const auto find = [&](const Film& film) -> const Film::Total* {
      const auto found = std::ranges::find(film.totals, name, &Film::Total::name);
      return found == film.totals.end() ? nullptr : &*found;
    };
    return {find(left), find(right)};
  }
  // At a part of the time in which both are at work.
  void add(double part, Path path, Box box, std::string text) {
    captions.push_back({part * least_us, std::move(path), box, std::move(text)});
  }

  void add_ends() {
    add(0, {}, {}, fmt::format("Two launches on one clock: {} on the left, {} on the right.", left_name, right_name));
    const double longer = most_us / least_us - 1;
    add(1, {}, {},
        longer < 0.005 ? fmt::format("Both take {} (model), within half a per cent.", us_text(least_us))
                       : fmt::format("The {} is done after {} (model). The other takes {}: {} longer.",
                                     left.end_us < right.end_us ? "left" : "right", us_text(least_us), us_text(most_us),
                                     percent_text(longer, longer < 0.1 ? 1 : 0)));
    if (const Pair limit = pair("limited by"), busiest = pair("busiest"); limit && busiest)
      captions.push_back(
          {most_us,
           {},
           {},
           fmt::format("What sets the time: {} on the left (busiest: {}), {} on the right (busiest: {}).",
                       limit.left->text, busiest.left->text, limit.right->text, busiest.right->text)});
  }
  void add_programs() {
    if (const Pair programs = pair("programs"), waves = pair("waves"); programs.differ())
      add(0.08, {}, sms_part,
          fmt::format("{} programs on the left, in {} waves; {} on the right, in {}.", programs.left->text,
                      waves.left->text, programs.right->text, waves.right->text));
    const auto tiles = [](const Film& film) {
      return film.programs.empty() ? 1 : tiles_of(film, film.programs.front());
    };
    if (const auto on_left = tiles(left), on_right = tiles(right); on_left != on_right)
      add(0.09, {}, sms_part,
          fmt::format("A persistent program stays and takes one tile after the other, the next one's loads under way "
                      "while it stores: {} on the left, {} on the right.",
                      plural(static_cast<std::int64_t>(on_left), "tile"), on_right));
    if (const Pair slots = pair("slots of a ring"); slots.differ())
      add(0.12, first_run(left).path, {},
          fmt::format("Loads run ahead of the dots, into a ring: {} slots on the left, {} on the right. With more of "
                      "them under way a dot waits less.",
                      slots.left->text, slots.right->text));
    if (const Pair resident = pair("programs an SM"); resident.differ())
      add(0.1, {}, sms_part, fmt::format("An SM holds so many programs at once: {}.", resident.texts()));
  }
  void add_memory() {
    const double left_used = used_share(left), right_used = used_share(right);
    const Pair loads = pair("programs load");
    const bool is_found_elsewhere =
        pair("found in L1").differ() || pair("merged before L2").differ() || pair("L2 hit rate").differ();
    if (loads && loads.most() > 0 && !loads.differ() && is_found_elsewhere)
      add(0.15, {}, sms_part,
          fmt::format("Programs load as much on both sides, {}. What differs is where it is found.", loads.left->text));
    if (loads.differ())
      add(0.15, {}, {},
          fmt::format(
              "Programs load {}.{}", loads.texts(),
              std::min(left_used, right_used) < well_used && std::max(left_used, right_used) > 0
                  ? fmt::format(" Memory moves in whole sectors: of what comes, lanes use {} on the left and {} "
                                "on the right.",
                                part_text(std::min(1.0, left_used)), part_text(std::min(1.0, right_used)))
                  : ""));
    if (const Pair l1 = pair("found in L1"); l1.differ())
      add(0.2, {}, sms_part, fmt::format("The SMs' L1 have so much of it: {}.", l1.texts()));
    if (const Pair merged = pair("merged before L2"); merged.differ())
      add(0.25, {}, {690, 0, 910, 710}, fmt::format("Neighbours ask for the same, merged: {}.", merged.texts()));
    if (const Pair far = pair("from the far half"); far.differ())
      add(0.35, {}, {580, 0, 520, 710},
          fmt::format("Found in the half of L2 that is far, behind the fabric: {}.", far.texts()));
    if (const Pair hits = pair("L2 hit rate"); hits.differ())
      add(0.5, {}, {580, 0, 520, 710}, fmt::format("Of what L2 is asked for it has {}.", hits.texts()));
    const Pair read = pair("DRAM read"), takes = pair("DRAM's time at its best");
    if (!read.differ() || !takes) return;
    const double busy = std::max(takes.left->value / left.end_us, takes.right->value / right.end_us) * 1e3;
    std::string text = fmt::format("DRAM reads {}. At its best it takes {} and {} for all that it moves.", read.texts(),
                                   takes.left->text, takes.right->text);
    text += busy >= waits_for_dram
                ? " So busy, it sets the pace: fewer bytes are less time here."
                : fmt::format(" The launches take {} and {}: DRAM has time left, and so {} less of its time {}.",
                              us_text(left.end_us), us_text(right.end_us), time_text(takes.most() - takes.least()),
                              most_us - least_us < 0.3e3 * (takes.most() - takes.least())
                                  ? fmt::format("saves {} here", us_text(most_us - least_us))
                                  : "is not what makes the difference");
    add(0.6, {}, {0, 0, 1090, 710}, std::move(text));
  }
  // What a program's run is made of.
  struct Run {
    double us = 0, dots = 0, waits = 0;
    Path path = {};
    std::string text() const {
      return fmt::format("{}, waiting for {} of it{}", us_text(us), part_text(waits / us),
                         dots > 0 ? fmt::format(", with a dot at work for {}", part_text(dots / us)) : "");
    }
  };
  static Run first_run(const Film& film) {
    Run run;
    const auto has_steps = [](const ProgramAt& p) { return p.portal >= 0 && p.rows > 0; };
    const auto first = std::ranges::find_if(film.programs, has_steps);
    if (first == film.programs.end()) return run;
    const Table& t = film.tables[first->table];
    for (std::uint32_t r = first->first_row; r < first->first_row + first->rows; ++r) {
      run.dots += double(t.columns[dot_end][r] - t.columns[begin][r]);
      run.waits += double(t.columns[begin][r] - t.columns[before][r]);
    }
    run.us = double(first->end_us - first->start_us), run.path = {first->portal};
    return run;
  }
  void add_program() {
    const Run a = first_run(left), b = first_run(right);
    if (a.us <= 0 || b.us <= 0 || std::max(a.us, b.us) < 1.02 * std::min(a.us, b.us)) return;
    add(0.5 * std::min(a.us, b.us) / least_us, a.path, {},
        fmt::format("Program 0 runs for {}, on the left; for {}, on the right.", a.text(), b.text()));
  }
};

}  // namespace

std::vector<Caption> tour_of(std::span<const std::shared_ptr<const Film>> films, std::span<const std::string> names) {
  if (films.size() != 2) return films.front()->tour;
  if (films[0]->is_beginning || films[1]->is_beginning) return {};
  ComparedTour tour{.left = *films[0], .right = *films[1], .left_name = names[0], .right_name = names[1]};
  tour.add_ends();
  tour.add_programs();
  tour.add_memory();
  tour.add_program();
  return timed(std::move(tour.captions));
}

}  // namespace tl::viz::film
