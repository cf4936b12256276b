// What a launch does when, told: each caption is there if the schedule or the record has what it speaks of.
#include "viz/model/film/tour.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "interp/machine/schedule/schedule_series.h"
#include "viz/model/film/nodes.h"
#include "viz/model/sheet.h"

namespace tl::viz::film {

namespace {

using machine::FoundAt;
using report::percent_text, report::time_text;

constexpr std::size_t most_captions = 12;
constexpr Box sms_part{1080, 0, 520, 710};
constexpr double waits_for_dram = 0.6;  // of the time, that DRAM is at work

std::string us_text(double us) { return time_text(us * 1e-3); }
std::string part_text(double share) { return share < 0.005 ? "less than 1 %" : percent_text(share); }
std::string as_beginning(std::string words) {
  if (!words.empty()) words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return words;
}
std::string list_text(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return out;
}

// Of the bytes that programs load those that their lanes ask for; 1 or more, where nothing comes that nobody wants.
double used_share(const Film& film) {
  const auto value = [&](const char* name) {
    const auto found = std::ranges::find(film.totals, name, &Film::Total::name);
    return found == film.totals.end() ? 0 : found->value;
  };
  return value("elements of it") / std::max(1.0, value("programs load"));
}
constexpr double well_used = 0.9;

// So many tiles one after the other: 1, unless programs are persistent.
std::size_t tiles_of(const Film& film, const ProgramAt& p) {
  const std::size_t programs = film.tables[p.table + of_programs].rows();
  return programs > 0 ? std::max<std::size_t>(1, film.tables[p.table + 2].rows() / programs) : 1;
}

// Captions in the order of time, with their seconds.
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

struct Tour {
  const LaunchToPlay& launch;
  const Film& film;
  const std::vector<Op>& ops;
  const machine::Schedule& s = launch.schedule;
  std::vector<Caption> captions = {};
  std::vector<int> ranks = {};  // the least are left out where there are too many

  void add(int rank, double us, Path path, Box part, std::string text) {
    captions.push_back({std::clamp(us, 0.0, film.end_us), std::move(path), part, std::move(text)});
    ranks.push_back(rank);
  }

  double bytes(double sectors) const { return sectors * static_cast<double>(launch.device.sector_bytes); }
  std::string part_of_loads(double sectors) const {
    return part_text(sectors / std::max(1.0, s.reads.requested)) + " of what programs load";
  }
  // The stored tensor of which a program stores most.
  const Op* result() const {
    const Op* most = nullptr;
    for (const Op& op : ops)
      if (!op.is_load && (!most || op.bytes() > most->bytes())) most = &op;
    return most;
  }
  Path path_to(const ProgramAt& p) const {
    Path path{p.portal};
    if (s.resident_programs_per_sm > 1)
      path.push_back((p.table / tables_a_place) % static_cast<int>(s.resident_programs_per_sm));
    return path;
  }
  static std::string name_of(const trace::AccessRecord& record, const machine::AccessRun& a) {
    return record.tensors[record.patterns[record.accesses[a.access].pattern].tensor].name;
  }

  // The first step with an access that was found there.
  const machine::StepRun* first_found(FoundAt at, std::string& tensor) const {
    for (const machine::StepRun& step : s.steps)
      for (std::uint32_t a = step.first_access; a < step.first_access + step.accesses; ++a)
        if (s.accesses[a].found == at) {
          tensor = name_of(launch.record, s.accesses[a]);
          return &step;
        }
    return nullptr;
  }

  void add_beginning() {
    const auto programs = std::ssize(s.programs);
    std::string text = programs <= s.sms ? fmt::format("{} go to {} SMs, one each.", plural(programs, "program"), s.sms)
                                         : fmt::format("{} for {} SMs, each of which holds {} at once.",
                                                       plural(programs, "program"), s.sms, s.resident_programs_per_sm);
    if (s.waves > 1) text += fmt::format(" That makes {:.2f} waves.", s.waves);
    else if (programs < s.sms) text += fmt::format(" {} SMs stay idle.", s.sms - programs);
    else if (programs > s.sms) text += " All begin at once.";
    if (const Op* const op = result()) {
      text += op->rows > 1 ? fmt::format(" A program computes {} x {} of {}", op->rows, op->columns, op->name)
                           : fmt::format(" A program computes {} of {}", plural(op->columns, "element"), op->name);
      const auto tiles = film.programs.empty() ? 1 : tiles_of(film, film.programs.front());
      text += tiles > 1 ? fmt::format(" at a time, {} times.", tiles) : ".";
    }
    add(9, 0, {}, sms_part, std::move(text));
  }

  // From the steps of the program that begins first.
  void add_program() {
    if (s.steps.empty()) return;
    const std::uint32_t number = s.steps.front().program;
    const ProgramAt& p = film.programs[number];
    const Table& t = film.tables[p.table];
    const auto at = [&](std::uint32_t row, int column) { return double(t.columns[column][p.first_row + row]); };
    std::vector<std::string> loaded;
    bool is_staged = false;
    for (const Op& op : ops)
      if (op.is_load && at(0, op.first + 1) > 0) loaded.push_back(op.name), is_staged |= op.is_staged;
    if (loaded.empty()) return;
    const double there = at(0, begin);
    const bool is_from_dram = std::ranges::any_of(
        ops, [&](const Op& op) { return op.is_load && at(0, op.first + 1) == 1 + int(FoundAt::dram); });
    add(9, at(0, issue), {}, {0, 0, 1090, 710},
        fmt::format("Program {} on SM {} asks for {} of {}.{} after the launch began.", number, s.programs[number].sm,
                    loaded.size() > 1 ? "its first tiles" : "its first tile", list_text(loaded),
                    (is_from_dram ? " L2 does not hold that yet, so DRAM sends it. The data is there "
                                  : " The data is there ") +
                        us_text(there)));
    std::uint32_t ahead = 0;
    while (ahead < p.rows && at(ahead, issue) < there) ++ahead;
    if (is_staged && ahead > 1)
      add(8, at(ahead - 1, issue), path_to(p), {},
          fmt::format("Copies run ahead of the work. Before the first dot can begin, loads of {} steps are on their "
                      "way into a ring of {} slots.",
                      ahead, launch.stages));
    double work = 0, dots = 0;
    for (std::uint32_t r = 0; r < p.rows; ++r) work += at(r, end) - at(r, begin), dots += at(r, dot_end) - at(r, begin);
    const double run = double(p.end_us - p.start_us);
    if (dots > 0)
      add(9, there, path_to(p), {},
          fmt::format("Step 0's tiles are there: the first dot begins. The dots of a step take {}. Of the {} that this "
                      "program runs a dot is at work for {}.",
                      us_text(at(0, dot_end) - at(0, begin)), us_text(run), part_text(dots / run)));
    else
      add(8, there, path_to(p), {},
          fmt::format(
              "The data is in registers, and the program computes. It does so for {} of the {} that it runs, and "
              "waits for the rest.",
              part_text(work / run), us_text(run)));
    const Op* const stored = result();
    for (std::uint32_t r = 0; stored && r < p.rows; ++r) {
      if (at(r, stored->first + 1) <= 0) continue;
      return add(
          8, at(r, stored->first), {}, {0, 0, 1090, 710},
          fmt::format("Program {} stores {} to {}. L2 keeps them until it needs the room.{}", number,
                      report::bytes_text(double(stored->bytes())), stored->name,
                      tiles_of(film, p) > 1 ? " The program stays: it goes on with its next tile, whose loads are on "
                                              "their way already."
                                            : ""));
    }
  }

  // When it holds nearly as much as it ever does, if anything leaves it; else -1.
  double l2_is_full() const {
    std::int64_t held = 0, most = 0;
    for (const machine::L2Change& c : s.l2_changes) most = std::max(most, held += c.enters ? 1 : -1);
    if (std::ranges::all_of(s.l2_changes, &machine::L2Change::enters)) return -1;
    held = 0;
    for (const machine::L2Change& c : s.l2_changes)
      if ((held += c.enters ? 1 : -1) >= most - most / 50) return double(c.us);
    return -1;
  }

  void add_memory() {
    std::string tensor;
    if (const double share = used_share(film); share < well_used && share > 0 && !s.steps.empty())
      add(8, double(s.steps.front().start_us), {}, {690, 0, 910, 710},
          fmt::format("Memory moves in sectors of {} bytes, and lanes want less than whole sectors: of the {} that "
                      "programs load they use {}.",
                      launch.device.sector_bytes, report::bytes_text(bytes(s.reads.requested)), part_text(share)));
    if (s.reads.merged > 0)
      if (const machine::StepRun* const step = first_found(FoundAt::merged, tensor))
        add(7, double(step->start_us), {}, {690, 0, 910, 710},
            fmt::format("Program {} on SM {} wants a tile of {} that a neighbour in its GPC has just asked for: the "
                        "requests are merged. In the whole launch {}, {}, never reach L2.",
                        step->program, s.programs[step->program].sm, tensor, report::bytes_text(bytes(s.reads.merged)),
                        part_of_loads(s.reads.merged)));
    if (s.reads.l1_hits > 0)
      if (const machine::StepRun* const step = first_found(FoundAt::l1, tensor))
        add(4, double(step->start_us), {}, sms_part,
            fmt::format("What program {} loads of {} is in its SM's L1 already. In the whole launch L1 has {}.",
                        step->program, tensor, part_of_loads(s.reads.l1_hits)));
    if (s.reads.near_hits + s.reads.far_hits > 0) {
      const machine::StepRun* step = first_found(FoundAt::near, tensor);
      std::string in_far;
      if (const machine::StepRun* const far = first_found(FoundAt::far, in_far);
          far && (!step || far->start_us < step->start_us))
        step = far, tensor = in_far;
      if (step)
        add(6, double(step->start_us), {}, {580, 0, 520, 710},
            fmt::format("Program {} finds its tile of {} in L2, since another program has loaded it. In the whole "
                        "launch {} of what L2 is asked for is there.",
                        step->program, tensor, percent_text(s.reads.logical_hit_rate(), 1)));
    }
    if (const double full = l2_is_full(); full >= 0)
      add(6, full, {}, {0, 0, 1090, 710},
          "L2 is full: what comes drives out what is oldest. Grey tiles were read and have left L2. Who wants one "
          "again waits for DRAM again.");
    const auto writes = [](const machine::StepRun& step) { return step.dram_write_bytes > 0; };
    if (const auto step = std::ranges::find_if(s.steps, writes); step != s.steps.end())
      add(5, double(step->end_us), {}, {0, 0, 1090, 710},  // nothing is stored before
          fmt::format("L2 sends to DRAM what was stored first, beside the reads. In the whole launch DRAM reads {} and "
                      "writes {}.",
                      report::bytes_text(s.dram_read_bytes), report::bytes_text(s.dram_write_bytes)));
  }

  void add_waves() {
    if (film.waves_us.size() > 1 && s.waves > 1) {
      const auto second = std::ranges::min_element(s.programs, {}, [](const machine::ProgramRun& p) {
        return p.sm >= 0 && p.wave == 1 ? p.start_us : INFINITY;
      });
      add(7, second->start_us, {}, sms_part,
          fmt::format("SM {} is done with its first program and takes program {}: the first wave ends. From here "
                      "programs run apart, each SM at its own pace.",
                      second->sm, second - s.programs.begin()));
    }
    add(8, film.end_us / 2, {}, charts_area,
        launch.cause.limit == "latency"
            ? fmt::format("No part of the chip sets the pace: programs wait, which is latency. The busiest part, {}, "
                          "is at work for {} of the time.",
                          launch.cause.busiest, part_text(launch.cause.share))
            : fmt::format("{} sets the pace: at work for {} of the time. Next is {} with {}.",
                          as_beginning(launch.cause.limit), percent_text(launch.cause.share), launch.cause.next,
                          part_text(launch.cause.next_share)));
    const double last = machine::end_of(s), tail = machine::tail_begins(s);
    if (s.waves > 1 && last - tail > 0.02 * last) {
      const auto running = std::ranges::count_if(s.programs, [&](const auto& p) { return p.end_us > tail; });
      add(7, tail, {}, sms_part,
          fmt::format("The tail: no program is left to start, {} still run. SMs become idle for the last {}, {} of the "
                      "launch.",
                      running, us_text(last - tail), percent_text((last - tail) / last)));
    }
    add(9, film.end_us, {}, {},
        fmt::format("Done after {} (model). Programs loaded {}, of which DRAM read {}.", us_text(film.end_us),
                    report::bytes_text(bytes(s.reads.requested)), report::bytes_text(s.dram_read_bytes)));
  }

  std::vector<Caption> take() {
    while (captions.size() > most_captions) {
      const auto least = std::ranges::min_element(ranks) - ranks.begin();
      captions.erase(captions.begin() + least), ranks.erase(ranks.begin() + least);
    }
    return timed(std::move(captions));
  }
};

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
    if (const Pair loads = pair("programs load"); loads.differ())
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

std::vector<Caption> tour_of(const LaunchToPlay& launch, const Film& film, const std::vector<Op>& ops) {
  if (launch.schedule.is_beginning) return {};
  Tour tour{launch, film, ops};
  tour.add_beginning();
  tour.add_program();
  tour.add_memory();
  tour.add_waves();
  return tour.take();
}

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
