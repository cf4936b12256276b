// The launch as events: the resident programs by the time of their next iteration.
#include "interp/machine/schedule.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "interp/lang/error.h"
#include "interp/machine/baselines.h"
#include "interp/machine/distinct.h"
#include "interp/machine/next_event.h"
#include "interp/machine/memory.h"
#include "interp/machine/pipeline.h"
#include "interp/machine/work.h"

namespace tl::machine {

namespace {

using trace::AccessRecord;

class Simulation {
 public:
  Simulation(const AccessRecord& record, const Device& device, const ScheduleOptions& options)
      : record_(record), device_(device), options_(options), map_(sm_map_of(device)), footprint_(footprint_of(record, device, options.by_lines)),
        memory_(device, map_, footprint_, options), work_(record, device, options), random_(options.seed + 2) {
    running_.resize(static_cast<std::size_t>(device.sms));
    for (std::int64_t sm = 0; sm < device.sms; ++sm) sm_pace_.push_back(device.sm_speed_spread * (random_.uniform() - 0.5));
  }

  Schedule run() {
    NextEvent events(place_first_programs());
    while (!events.is_over()) {
      if (const std::size_t second = events.second_slot(); second < slots_.size()) prefetch(slots_[second]);
      events.move_first(advance(slots_[events.first_slot()], events.first_time()));
    }
    return finish();
  }

 private:
  static constexpr double start_spread_ns = 200;
  // An access of a segment, and its tile in the iteration to come.
  struct Stream {
    const Run* run;
    const Piece* piece;
  };
  // A place on an SM, and the program that runs there.
  struct Slot {
    int sm = 0, index = 0, wave = -1;
    std::uint32_t program = UINT32_MAX;  // none
    std::uint32_t segments_left = 0;     // this one included
    const trace::Segment* segment = nullptr;
    const SegmentWork* work = nullptr;   // of the segment
    std::vector<Stream> streams;         // its accesses
    std::int64_t iteration = 0;
    std::uint32_t step = 0;
    Sectors reads;
    Pipeline pipeline;
    double pace = 1;                     // of its work, where `paced_at` is its SM's count of changes
    std::uint32_t paced_at = UINT32_MAX;
    double group_pace = 0, jitter = 0;
  };
  // What runs on an SM, and how often that changed.
  struct Running {
    std::vector<std::uint32_t> programs;
    std::uint32_t changes = 0;
  };

  // When each slot's first event is due.
  std::vector<double> place_first_programs() {
    std::vector<double> times;
    out_.programs.resize(record_.programs.size());
    for (std::int64_t layer = 0; layer < options_.ctas_per_sm; ++layer)
      for (const int sm : map_.order) {
        if (started_ == record_.programs.size()) return times;
        slots_.push_back({});
        slots_.back().sm = sm, slots_.back().index = static_cast<int>(layer);
        times.push_back(begin_program(slots_.back(), 0));
      }
    return times;
  }

  // Starts vary by some tenths of a microsecond (calibration/pace.cu).
  double begin_program(Slot& s, double now) {
    s.program = started_++;
    const trace::ProgramAccesses& own = record_.programs[s.program];
    now += start_spread_ns * random_.uniform() * (own.size > 0 && work_.of(own.first).in_step ? 0.3 : 1);  // one that touches no memory has no work to look up
    Running& running = running_[static_cast<std::size_t>(s.sm)];
    running.programs.push_back(s.program), ++running.changes;
    s.segments_left = record_.programs[s.program].size, s.step = 0;
    s.reads = {};
    ProgramRun& run = out_.programs[s.program];
    run.sm = s.sm, run.slot = s.index, run.wave = ++s.wave;
    run.start_us = now * 1e-3;
    begin_segment(s, record_.programs[s.program].first, now);
    return now;
  }

  void begin_segment(Slot& s, std::uint32_t index, double now) {
    if (s.segments_left == 0) return;
    s.segment = &record_.segments[index], s.work = &work_.of(index), s.iteration = 0;
    s.streams.clear();
    for (std::uint32_t a = s.segment->first; a < s.segment->first + s.segment->size; ++a)
      if (const std::uint32_t r = footprint_.run_of_access[a]; r != UINT32_MAX) s.streams.push_back({&footprint_.runs[r], &footprint_.pieces[footprint_.runs[r].first_piece]});
    s.paced_at = UINT32_MAX;
    s.pipeline.begin(now, s.work->ahead);
  }

  // The programs of an SM share its units; those that compete for its tensor cores unevenly, since the warps of the older one are served first:
  // an H200 gives them 0.57 and 0.43 of the SM's time (calibration/pace.cu). GPCs have clocks of their own; how much of their difference shows depends on what
  // holds the chip's power: tensor cores at work bring the clocks together, and those that wait for a busy DRAM leave them apart (calibration/walk.cu).
  double pace_of(Slot& s) {
    const auto sm = static_cast<std::size_t>(s.sm);
    if (s.paced_at != running_[sm].changes) {
      const auto& programs = running_[sm].programs;
      const SegmentWork& w = *s.work;
      s.paced_at = running_[sm].changes;
      s.pace = (1 + w.sm_share * sm_pace_[sm]) * static_cast<double>(programs.size());
      s.group_pace = device_.group_pace_ppm.empty() ? 0 : 1e-6 * w.group_share * static_cast<double>(device_.group_pace_ppm[static_cast<std::size_t>(map_.group[sm])]);
      s.jitter = w.age_step != 0 && programs.size() < 2 ? 0 : w.jitter;
      if (w.age_step != 0 && programs.size() > 1) {
        const auto older = std::count_if(programs.begin(), programs.end(), [&](std::uint32_t p) { return p < s.program; });
        s.pace /= 1 - w.age_step * (static_cast<double>(older) / static_cast<double>(programs.size() - 1) - 0.5);
      }
    }
    const double pace = s.pace * (1 + s.group_pace * (s.work->group_base + device_.busy_pace_share * memory_.dram_busy()));
    return s.jitter > 0 ? pace * (1 + s.jitter * (random_.uniform() - 0.5)) : pace;
  }

  // The lines that advance() will look at; whole tiles are so few that asking for them costs more than waiting.
  void prefetch(const Slot& s) const {
    if (s.segments_left == 0 || !footprint_.by_lines) return;
    for (const Stream& at : s.streams) memory_.prefetch(*at.piece, s.sm);
  }

  // One iteration of the slot's program at `now`; returns when its next event is due, never when the slot stays empty.
  double advance(Slot& s, double now) {
    if (s.segments_left == 0) return end_program(s, now);
    Sectors of_step;
    Sectors& found = options_.step_limit > 0 ? of_step : s.reads;
    double ready = now, written = 0;
    for (Stream& at : s.streams) {
      const Piece& piece = *at.piece++;
      if (at.run->kind == trace::AccessKind::load) {
        ready = std::max(ready, memory_.load(*at.run, piece, s.sm, now, found));
      } else {
        memory_.store(*at.run, piece, s.sm, now);
        written += double(at.run->bytes);
      }
    }
    const double work = s.work->ns * pace_of(s);
    double next = s.pipeline.step(now, ready, work);
    if (options_.step_limit > 0) s.reads += of_step, keep_step(s, now, ready, next, of_step, written);
    ++s.step;
    if (++s.iteration < s.segment->iterations) return next;
    next = std::max(next, s.pipeline.drain(work));
    --s.segments_left;
    begin_segment(s, static_cast<std::uint32_t>(s.segment - record_.segments.data()) + 1, next);
    return next;
  }

  double end_program(Slot& s, double now) {
    ProgramRun& run = out_.programs[s.program];
    run.end_us = now * 1e-3;
    Running& running = running_[static_cast<std::size_t>(s.sm)];
    std::erase(running.programs, s.program), ++running.changes;
    run.reads = s.reads;
    last_ = std::max(last_, now);
    if (started_ == record_.programs.size()) return NextEvent::never;
    return begin_program(s, now + device_.cta_launch_ns);
  }

  void keep_step(const Slot& s, double start, double ready, double end, const Sectors& found, double written) {
    if (static_cast<std::int64_t>(out_.steps.size()) == options_.step_limit) return void(out_.steps_cut = true);
    const double before = std::exchange(dram_read_, memory_.dram_read_bytes()), read = dram_read_ - before;
    const auto us = [](double ns) { return static_cast<float>(ns * 1e-3); };
    out_.steps.push_back({s.program, s.step, us(start), us(end), us(std::max(start, ready - read / (device_.dram_gb_per_s * device_.dram_reachable))), us(ready), found, written, read});
  }

  Schedule finish() {
    out_.by_lines = footprint_.by_lines;
    if (footprint_.by_lines && !options_.by_lines)
      out_.notes.push_back(footprint_.why_lines + ": L2 is followed line by line");
    const Memory::Totals t = memory_.totals();
    for (std::size_t i = 0; i < out_.tensors.size(); ++i) {
      out_.tensors[i].reads = t.reads[i];
      out_.tensors[i].written_bytes = t.written[i];
      out_.tensors[i].dram_read_bytes = t.dram_read[i];
      out_.tensors[i].dram_write_bytes = t.dram_write[i];
      out_.reads += out_.tensors[i].reads;
      out_.dram_read_bytes += t.dram_read[i];
      out_.dram_write_bytes += t.dram_write[i];
    }
    out_.fabric_sectors = t.fabric_sectors, out_.raw_lookups = t.raw_lookups, out_.raw_hits = t.raw_hits;
    out_.dirty_bytes_left = t.dirty_bytes_left;
    (footprint_.by_lines ? out_.line_accesses : out_.tile_accesses) = t.unit_accesses;
    out_.model_ms = last_ * 1e-6;
    return std::move(out_);
  }

  const AccessRecord& record_;
  const Device& device_;
  const ScheduleOptions& options_;
  const SmMap map_;
  const Footprint footprint_;
  Memory memory_;
  const Work work_;
  Random random_;
  std::vector<Running> running_;  // by SM
  std::vector<double> sm_pace_;
  std::vector<Slot> slots_;
  std::uint32_t started_ = 0;
  double last_ = 0;
  double dram_read_ = 0;  // after the last step that was kept

 public:
  Schedule out_;
  const Footprint& footprint() const { return footprint_; }
};

}  // namespace

Schedule simulate(const AccessRecord& record, const Device& device, const ScheduleOptions& options) {
  const auto begun = std::chrono::steady_clock::now();
  if (record.programs.empty()) throw Error("the launch of " + record.kernel + " has no programs", "choose a larger size, so that the grid holds at least one program");
  if (options.ctas_per_sm < 1)
    throw Error("an SM of " + device.title + " holds no CTA of " + record.kernel, "smaller blocks or fewer stages: tilescope occupancy says which resource is exceeded");

  Simulation simulation(record, device, options);
  Schedule& out = simulation.out_;
  out.gpu = device.name, out.kernel = record.kernel;
  for (int d = 0; d < 3; ++d) out.grid[d] = record.grid[d];
  out.sms = device.sms, out.resident_programs_per_sm = options.ctas_per_sm;
  const auto programs = static_cast<std::int64_t>(record.programs.size()), places = device.sms * options.ctas_per_sm;
  out.waves = static_cast<double>(programs) / static_cast<double>(places);
  out.full_waves = programs / places, out.tail_programs = programs % places;
  for (const auto& t : record.tensors) out.tensors.push_back({}), out.tensors.back().name = t.name;
  count_distinct(record, simulation.footprint(), options.first_programs, out);
  out.wave_count_read_bytes = wave_count_dram_bytes(record, simulation.footprint(), device, options.ctas_per_sm);
  Schedule done = simulation.run();
  state_interval(done);
  done.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  return done;
}

}  // namespace tl::machine
