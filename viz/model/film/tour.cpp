// What a launch does when, told: each caption is there if the schedule or the record has what it speaks of.
#include "viz/model/film/tour.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "interp/machine/schedule/schedule_series.h"
#include "viz/model/film/look.h"
#include "viz/model/film/nodes.h"
#include "viz/model/film/steps.h"
#include "viz/model/film/tour_words.h"
#include "viz/model/sheet.h"

namespace tl::viz::film {

namespace {

using machine::FoundAt;
using report::percent_text;

constexpr std::size_t most_captions = 12;

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
      if (!op.is_load && (!most || op.touched_bytes() > most->touched_bytes())) most = &op;
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
                           : fmt::format(" A program computes {} of {}", plural(op->elements, "element"), op->name);
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
      if (op.is_load && at(0, op.first + 1) > 0) {
        loaded.push_back(op.name);
        is_staged |= op.is_staged;
      }
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
    for (std::uint32_t r = 0; r < p.rows; ++r) {
      work += at(r, end) - at(r, begin);
      dots += at(r, dot_end) - at(r, begin);
    }
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
                      report::bytes_text(double(stored->touched_bytes())), stored->name,
                      tiles_of(film, p) > 1 ? " The program stays: it goes on with its next tile, whose loads are on "
                                              "their way already."
                                            : ""));
    }
  }

  // Where several programs share an SM, from the time when the first one has as many beside it as it ever has.
  void add_neighbours() {
    if (s.resident_programs_per_sm < 2 || s.steps.empty()) return;
    const machine::ProgramRun& first = s.programs[s.steps.front().program];
    std::int64_t beside = 0;
    double last = first.start_us;
    for (const machine::ProgramRun& p : s.programs)
      if (p.sm == first.sm && p.start_us < first.end_us && ++beside > 1) last = std::max(last, p.start_us);
    if (beside < 2) return;
    add(5, last, {film.programs[s.steps.front().program].portal}, {},
        fmt::format("SM {} holds {} programs at once. While one waits for memory, another computes.", first.sm,
                    std::min(beside, s.resident_programs_per_sm)));
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
          far && (!step || far->start_us < step->start_us)) {
        step = far;
        tensor = in_far;
      }
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

  // The time at which it moves most.
  void add_busiest_dram() {
    const Series& strip = film.nodes.front().series.front();
    const Table& t = film.tables[strip.table];
    double most = 0, us = 0;
    for (std::size_t r = 0; r < t.rows(); ++r) {
      double moved = 0;
      for (const int column : strip.columns) moved += double(t.columns[column][r]);
      if (moved <= most) continue;
      most = moved;
      us = double(t.columns[time][r]);
    }
    if (most > 0 && strip.limit > 0)
      add(4, us, {}, charts_area,
          fmt::format("DRAM is as busy as it gets in this launch: it moves {}, {} of the most that it reaches.",
                      figure_text(most, strip.unit), part_text(most / strip.limit)));
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
    if (film.end_us - last >= 0.005)
      add(3, last, {}, sms_part,
          fmt::format("The last program has ended. What follows, {}, a launch takes that does nothing.",
                      us_text(film.end_us - last)));
    add(9, film.end_us, {}, {},
        fmt::format("Done after {} (model). Programs loaded {}, of which DRAM read {}.", us_text(film.end_us),
                    report::bytes_text(bytes(s.reads.requested)), report::bytes_text(s.dram_read_bytes)));
  }

  std::vector<Caption> take() {
    while (captions.size() > most_captions) {
      const auto least = std::ranges::min_element(ranks) - ranks.begin();
      captions.erase(captions.begin() + least);
      ranks.erase(ranks.begin() + least);
    }
    return timed(std::move(captions));
  }
};

}  // namespace

std::vector<Caption> tour_of(const LaunchToPlay& launch, const Film& film, const std::vector<Op>& ops) {
  if (launch.schedule.is_beginning) return {};
  Tour tour{launch, film, ops};
  tour.add_beginning();
  tour.add_program();
  tour.add_neighbours();
  tour.add_memory();
  tour.add_busiest_dram();
  tour.add_waves();
  return tour.take();
}

}  // namespace tl::viz::film
