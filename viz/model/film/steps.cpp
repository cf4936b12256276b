#include "viz/model/film/steps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "interp/machine/access/rows.h"
#include "interp/machine/schedule/schedule_series.h"

namespace tl::viz::film {

using machine::FoundAt;
using machine::StepRun;

std::vector<Op> ops_of(const LaunchToPlay& launch) {
  std::vector<Op> ops;
  std::map<std::tuple<int, int, int>, std::size_t> seen;
  for (const trace::AccessPattern& p : launch.record.patterns) {
    const auto [at, is_new] = seen.try_emplace({p.site.line, p.site.column, p.tensor}, ops.size());
    if (is_new) {
      const auto& t = launch.record.tensors[p.tensor];
      ops.push_back({t.name, p.tensor, p.site.line, p.site.column, p.kind == trace::AccessKind::load,
                     p.kind == trace::AccessKind::load && p.route != trace::Route::registers, 1, 1,
                     static_cast<int>(size_in_bytes(t.dtype)), 0,
                     first_op + op_columns * static_cast<int>(ops.size())});
    }
    Op& op = ops[at->second];
    const int rank = p.shape.rank;
    op.columns = std::max(op.columns, rank > 0 ? p.shape[rank - 1] : 1);
    op.rows = std::max(op.rows, rank > 1 ? p.shape[rank - 2] : 1);
    op.elements = std::max(op.elements, machine::rows_of(p).elements);
  }
  return ops;
}

namespace {

// When the work on each step of a program begins and ends: schedule/pipeline.h.
struct WorkTimes {
  std::vector<double> begin, end;
};
WorkTimes work_times(const std::vector<const StepRun*>& steps) {
  WorkTimes w;
  double free_at = 0;
  for (std::size_t first = 0; first < steps.size();) {
    std::size_t last = first;
    while (last < steps.size() && steps[last]->segment == steps[first]->segment) ++last;
    const auto ahead = static_cast<std::size_t>(steps[first]->ahead);
    for (std::size_t j = first; j < last; ++j) {
      const StepRun& s = *steps[j];
      double from = std::max(free_at, double(s.data_us)), work = double(s.work_us);
      if (ahead > 0 && j + ahead < last) {
        from = double(steps[j + ahead]->start_us);
        work = double(steps[j + ahead]->work_us);
      }
      w.begin.push_back(std::max(from, double(s.start_us)));
      w.end.push_back(free_at = w.begin.back() + work);
    }
    first = last;
  }
  return w;
}

class PlaceTables {
 public:
  PlaceTables(Film& film, const LaunchToPlay& launch, const std::vector<Op>& ops, const std::vector<TileGrid>& grids)
      : film_(film), launch_(launch), schedule_(launch.schedule) {
    const auto columns = static_cast<std::size_t>(first_op) + op_columns * ops.size();
    const auto places = static_cast<std::size_t>(schedule_.sms * schedule_.resident_programs_per_sm);
    film.tables.resize(places * tables_a_place);
    for (std::size_t p = 0; p < places; ++p) {
      Table& steps = film.tables[p * tables_a_place];
      steps.columns.resize(columns);
      steps.bits.assign(columns, 0);
      for (const int c : {int(program), int(step), int(slot), int(segment)}) steps.bits[c] = 32;
      for (const Op& op : ops) {
        steps.bits[op.first + 1] = 8;
        steps.bits[op.first + 2] = 32;
      }
      film.tables[p * tables_a_place + 1].columns.resize(4);
      film.tables[p * tables_a_place + 1].bits = {0, 0, 32, 32};
      film.tables[p * tables_a_place + 2].columns.resize(3);
      film.tables[p * tables_a_place + 2].bits = {0, 0, 32};
    }
    for (const trace::PlacedAccess& a : launch.record.accesses) {
      const trace::AccessPattern& p = launch.record.patterns[a.pattern];
      const auto op = std::ranges::find_if(
          ops, [&](const Op& o) { return o.line == p.site.line && o.column == p.site.column && o.tensor == p.tensor; });
      op_of_access_.push_back(op == ops.end() ? nullptr : &*op);
    }
    grid_of_.assign(launch.record.tensors.size(), nullptr);
    for (const TileGrid& g : grids) grid_of_[g.tensor] = &g;
  }

  void fill() {
    std::vector<std::vector<const StepRun*>> steps(schedule_.programs.size());
    for (const StepRun& s : schedule_.steps) steps[s.program].push_back(&s);
    std::vector<std::uint32_t> order(schedule_.programs.size());
    std::iota(order.begin(), order.end(), 0u);
    film_.programs.resize(order.size());
    std::erase_if(order, [&](std::uint32_t p) { return schedule_.programs[p].sm < 0; });
    std::ranges::stable_sort(order, {}, [&](std::uint32_t p) { return schedule_.programs[p].start_us; });
    for (const std::uint32_t p : order) add_program(p, steps[p]);
  }

 private:
  void add_program(std::uint32_t number, const std::vector<const StepRun*>& steps) {
    const machine::ProgramRun& run = schedule_.programs[number];
    const auto place =
        static_cast<std::size_t>(run.sm * schedule_.resident_programs_per_sm + run.slot) * tables_a_place;
    Table &table = film_.tables[place], &programs = film_.tables[place + 1];
    film_.programs[number] = {run.sm,
                              static_cast<int>(place),
                              static_cast<float>(run.start_us),
                              static_cast<float>(run.end_us),
                              static_cast<std::uint32_t>(table.rows()),
                              static_cast<std::uint32_t>(steps.size())};
    const auto us = [](double t) { return static_cast<float>(t); };
    programs.columns[starts].push_back(us(run.start_us));
    programs.columns[ends].push_back(us(run.end_us));
    programs.columns[program_number].push_back(us(number));
    programs.columns[wave].push_back(us(run.wave));
    add_tiles(run, steps, film_.tables[place + 2]);
    const WorkTimes work = work_times(steps);
    int turn = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const StepRun& s = *steps[k];
      const double share = s.work_us > 0 ? double(s.dot_us / s.work_us) : 0;
      const bool takes_slot = s.ahead > 0;
      const float values[] = {s.start_us,
                              us(work.begin[k]),
                              us(work.begin[k] + share * (work.end[k] - work.begin[k])),
                              us(work.end[k]),
                              us(k > 0 ? work.end[k - 1] : run.start_us),
                              us(number),
                              us(k),
                              us(takes_slot ? turn++ % std::max(1, launch_.stages) : 0),
                              us(s.segment)};
      for (int c = 0; c < first_op; ++c) table.columns[c].push_back(values[c]);
      for (std::size_t c = first_op; c < table.columns.size(); ++c)
        table.columns[c].push_back((c - first_op) % 3 == 0 ? s.start_us : 0);
      for (std::uint32_t a = s.first_access; a < s.first_access + s.accesses; ++a) {
        const machine::AccessRun& access = schedule_.accesses[a];
        const Op* const op = op_of_access_[access.access];
        if (!op) continue;
        table.columns[op->first].back() = op->is_load ? access.there_us : std::max(s.end_us, us(work.end[k]));
        table.columns[op->first + 1].back() = us(1 + static_cast<int>(access.found));
        table.columns[op->first + 2].back() = us(grid_of_[op->tensor]->cell_of_tile[access.tile]);
      }
    }
  }

  void add_tiles(const machine::ProgramRun& run, const std::vector<const StepRun*>& steps, Table& tiles) {
    const auto count = [&](const StepRun& s, bool written) {
      return std::count_if(schedule_.accesses.begin() + s.first_access,
                           schedule_.accesses.begin() + s.first_access + s.accesses,
                           [&](const machine::AccessRun& a) { return (a.found == FoundAt::written) == written; });
    };
    // A tile's stores may take several steps, of which the later ones load nothing.
    const auto ends_tile = [&](std::size_t k) {
      return count(*steps[k], true) > 0 &&
             (k + 1 == steps.size() || count(*steps[k + 1], true) == 0 || count(*steps[k + 1], false) > 0);
    };
    auto begun = static_cast<float>(run.start_us);
    int number = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (!ends_tile(k)) continue;
      tiles.columns[tile_starts].push_back(begun);
      tiles.columns[tile_ends].push_back(steps[k]->end_us);
      tiles.columns[tile_number].push_back(static_cast<float>(number++));
      begun = steps[k]->end_us;
    }
  }

  Film& film_;
  const LaunchToPlay& launch_;
  const machine::Schedule& schedule_;
  std::vector<const Op*> op_of_access_;
  std::vector<const TileGrid*> grid_of_;
};

}  // namespace

void add_place_tables(Film& film, const LaunchToPlay& launch, const std::vector<Op>& ops,
                      const std::vector<TileGrid>& grids) {
  PlaceTables(film, launch, ops, grids).fill();
}

int add_traffic_table(Film& film, const LaunchToPlay& launch) {
  constexpr int count = 240;
  auto bins = machine::time_bins(launch.schedule, count);
  const double dram_gb_per_s = launch.device.dram_gb_per_s * launch.device.dram_reachable;
  machine::level_dram(bins, dram_gb_per_s);
  Table t;
  t.columns.resize(hit_rate + 1);
  t.bits.assign(hit_rate + 1, -1);
  double dram = 0, dram_written = 0, loads = 0, asked = 0, missed_so_far = 0;
  const double sector = static_cast<double>(launch.device.sector_bytes);
  for (const machine::TimeBin& b : bins) {
    const double ns = std::max(1e-9, (b.end_us - b.start_us) * 1e3);
    const auto rate = [&](double sectors) { return static_cast<float>(sectors * sector / ns); };
    dram += b.dram_read_bytes;
    dram_written += b.dram_write_bytes;
    loads += b.reads.requested * sector;
    asked += b.reads.tex();
    missed_so_far += b.reads.misses;
    const float values[] = {static_cast<float>(b.start_us),
                            static_cast<float>(b.dram_read_bytes / ns),
                            static_cast<float>(b.dram_write_bytes / ns),
                            static_cast<float>(b.dram_bytes() / ns / dram_gb_per_s),
                            rate(b.reads.tex()),
                            rate(b.reads.l1_hits),
                            rate(b.reads.merged),
                            rate(b.reads.near_hits),
                            rate(b.reads.far_hits),
                            rate(b.reads.misses),
                            static_cast<float>(b.written_bytes / ns),
                            static_cast<float>(dram),
                            static_cast<float>(dram_written),
                            static_cast<float>(loads),
                            static_cast<float>(asked > 0 ? 1 - missed_so_far / asked : 0)};
    for (std::size_t c = 0; c < t.columns.size(); ++c) t.columns[c].push_back(values[c]);
  }
  // Then nothing goes anywhere any more, and what was counted stays.
  for (std::size_t c = 0; c < t.columns.size(); ++c)
    t.columns[c].push_back(c == 0 ? static_cast<float>(bins.back().end_us) : c < dram_so_far ? 0 : t.columns[c].back());
  film.tables.push_back(std::move(t));
  return static_cast<int>(film.tables.size()) - 1;
}

void CellEvents::sort() {
  std::vector<std::uint32_t> order(at.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return at[i]; });
  CellEvents sorted;
  for (const std::uint32_t i : order) sorted.add(at[i], cell[i], state[i]);
  *this = std::move(sorted);
}

namespace {

void tell_l2(const LaunchToPlay& launch, const machine::Footprint& footprint, const std::vector<TileGrid>& grids,
             std::vector<TileStory>& stories) {
  const auto cells = cells_of_units(footprint, grids);
  std::vector<std::vector<int>> held[2];
  for (auto& half : held)
    for (const TileGrid& g : grids) half.emplace_back(static_cast<std::size_t>(g.cells()), 0);
  // The schedule times changes at the beginning of a step, whose store comes at its end.
  std::vector<std::vector<float>> stored_at;
  for (std::size_t g = 0; g < grids.size(); ++g) {
    auto& at = stored_at.emplace_back(static_cast<std::size_t>(grids[g].cells()), 0.f);
    const CellEvents& tiles = stories[g].tiles;
    for (std::size_t e = tiles.at.size(); e-- > 0 && !grids[g].is_loaded;)
      if (tiles.state[e] == written) at[tiles.cell[e]] = tiles.at[e];
  }
  for (const machine::L2Change& c : launch.schedule.l2_changes) {
    const std::int64_t of = cells[c.unit];
    if (of < 0) continue;
    const auto g = static_cast<std::size_t>(of >> 24);
    const auto cell = static_cast<std::uint32_t>(of & 0xffffff);
    const int side = c.side != 0;
    const float us = std::max(c.us, stored_at[g][cell]);
    int& units = held[side][g][cell];
    units += c.enters ? 1 : -1;
    if (c.enters && units == 1) stories[g].halves[side].add(us, cell, 1);
    if (!c.enters && units == 0) {
      stories[g].halves[side].add(us, cell, 0);
      if (held[1 - side][g][cell] == 0 && !grids[g].is_stored) stories[g].tiles.add(us, cell, left_l2);
    }
  }
}

// For programs whose steps are not all kept: loads are done when they begin, stores when they end. For
// a launch's beginning: what they compute first.
void tell_unkept(const LaunchToPlay& launch, const machine::Footprint& footprint, const std::vector<TileGrid>& grids,
                 const std::vector<int>& grid_of, const std::vector<float>& stored, std::vector<TileStory>& stories) {
  const machine::Schedule& s = launch.schedule;
  const trace::AccessRecord& record = launch.record;
  std::vector<std::vector<bool>> is_told(grids.size());
  for (std::size_t g = 0; g < grids.size(); ++g) {
    is_told[g].assign(static_cast<std::size_t>(grids[g].cells()), false);
    for (const std::uint32_t cell : stories[g].tiles.cell) is_told[g][cell] = true;
  }
  for (std::size_t p = 0; p < s.programs.size(); ++p) {
    if (s.programs[p].sm < 0) continue;
    bool has_stored = false;
    const float begin = std::max(stored[p], static_cast<float>(s.programs[p].start_us)),
                end = std::nextafter(static_cast<float>(s.programs[p].end_us), 0.f);  // before the film's end
    const trace::ProgramAccesses& of = record.programs[p];
    for (std::uint32_t n = of.first; n < of.first + of.size && !(s.is_beginning && has_stored); ++n)
      for (std::uint32_t a = record.segments[n].first; a < record.segments[n].first + record.segments[n].size; ++a) {
        if (footprint.run_of_access[a] == UINT32_MAX) continue;
        const machine::TileRun& run = footprint.runs[footprint.run_of_access[a]];
        const auto g = static_cast<std::size_t>(grid_of[run.tensor]);
        for (std::uint32_t i = 0; i < run.iterations; ++i) {
          const auto cell =
              static_cast<std::uint32_t>(grids[g].cell_of_tile[footprint.tile_numbers[run.first_piece + i]]);
          if (is_told[g][cell]) continue;
          if (run.kind == trace::AccessKind::load) {
            if (s.is_beginning) continue;
            stories[g].tiles.add(begin, cell, in_l2);
          } else {
            stories[g].program[cell] = static_cast<int>(p);
            stories[g].begun[cell] = begin;
            stories[g].tiles.add(begin, cell, computing);
            if (!s.is_beginning) stories[g].tiles.add(end, cell, written);
            has_stored = true;
          }
          is_told[g][cell] = true;
        }
      }
  }
}

}  // namespace

std::vector<TileStory> stories_of(const LaunchToPlay& launch, const machine::Footprint& footprint,
                                  const std::vector<TileGrid>& grids) {
  std::vector<TileStory> stories(grids.size());
  std::vector<int> grid_of(launch.record.tensors.size(), -1);
  for (std::size_t g = 0; g < grids.size(); ++g) {
    grid_of[grids[g].tensor] = static_cast<int>(g);
    stories[g].program.assign(static_cast<std::size_t>(grids[g].cells()), -1);
    stories[g].begun.assign(static_cast<std::size_t>(grids[g].cells()), 0);
  }
  std::vector<std::vector<bool>> is_there;  // a tile that was loaded
  for (const TileGrid& g : grids) is_there.emplace_back(static_cast<std::size_t>(g.cells()), false);
  const machine::Schedule& s = launch.schedule;
  std::vector<float> stored(s.programs.size(), -1);  // when each program's work on its present tile began
  for (const StepRun& step : s.steps) {
    // What is stored was computed from what the step loaded; before the film's end.
    const float stored_at = std::nextafter(std::min(std::max(step.end_us, step.data_us + step.work_us),
                                                    static_cast<float>(s.programs[step.program].end_us)),
                                           0.f);
    bool stores = false;
    for (std::uint32_t a = step.first_access; a < step.first_access + step.accesses; ++a) {
      const machine::AccessRun& access = s.accesses[a];
      const int g = grid_of[launch.record.patterns[launch.record.accesses[access.access].pattern].tensor];
      const auto cell = static_cast<std::uint32_t>(grids[g].cell_of_tile[access.tile]);
      TileStory& story = stories[g];
      if (access.found == FoundAt::written) {
        if (story.program[cell] < 0) {
          const float begun =
              stored[step.program] >= 0 ? stored[step.program] : static_cast<float>(s.programs[step.program].start_us);
          story.program[cell] = static_cast<int>(step.program);
          story.begun[cell] = begun;
          story.tiles.add(begun, cell, computing);
        }
        story.tiles.add(stored_at, cell, written);
        stores = true;
      } else if (access.found == FoundAt::dram) {
        story.tiles.add(step.start_us, cell, coming);
        story.tiles.add(access.there_us, cell, in_l2);
        is_there[g][cell] = true;
      } else if (!is_there[g][cell]) {  // its bytes came along with its neighbours'
        story.tiles.add(access.there_us, cell, in_l2);
        is_there[g][cell] = true;
      }
    }
    if (stores) stored[step.program] = stored_at;
  }
  if (s.steps_cut || s.is_beginning) tell_unkept(launch, footprint, grids, grid_of, stored, stories);
  tell_l2(launch, footprint, grids, stories);
  for (TileStory& story : stories) {
    story.tiles.sort();
    story.halves[0].sort();
    story.halves[1].sort();
  }
  return stories;
}

}  // namespace tl::viz::film
