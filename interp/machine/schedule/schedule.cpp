// The launch as events: the resident programs by the time of their next iteration.
#include "interp/machine/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include "interp/lang/error.h"
#include "interp/machine/schedule/baselines.h"
#include "interp/machine/schedule/distinct.h"
#include "interp/machine/schedule/memory.h"
#include "interp/machine/schedule/next_event.h"
#include "interp/machine/schedule/pipeline.h"
#include "interp/machine/schedule/work.h"

namespace tl::machine {

namespace {

using trace::AccessRecord;

class Simulation {
 public:
  Simulation(const AccessRecord& record, const Device& device, const ScheduleOptions& options)
      : record_(record),
        device_(device),
        options_(options),
        map_(sm_map_of(device)),
        footprint_(footprint_of(record, device, options.by_lines)),
        memory_(device, map_, footprint_, options),
        work_(record, device, options),
        keeps_steps_(options.step_limit > 0),
        keeps_accesses_(keeps_steps_ && options.with_accesses),
        counts_each_step_(keeps_steps_ || footprint_.by_lines),
        enough_steps_(keeps_steps_ && options.only_beginning ? options.step_limit : INT64_MAX),
        launch_ns_(options.in_graph ? device.graph_launch_ns : device.launch_ns),
        enough_ns_(options.enough_ms * 1e6 - launch_ns_),
        random_(options.seed + 2) {
    running_.resize(static_cast<std::size_t>(device.sms));
    for (std::int64_t sm = 0; sm < device.sms; ++sm)
      sm_pace_.push_back(device.sm_speed_spread * (random_.uniform() - 0.5));
    if (std::isfinite(enough_ns_))
      for (std::uint32_t s = 0; s < record.segments.size(); ++s) least_left_ns_ += least_ns(s);
    if (keeps_accesses_) {
      while (footprint_.unit_count / out_.l2_sampled > most_noted_units) out_.l2_sampled *= 2;
      memory_.note_l2_changes(&out_.l2_changes, out_.l2_sampled);
    }
  }

  Schedule run() {
    NextEvent events(place_first_programs());
    while (!events.is_over() && std::ssize(out_.steps) < enough_steps_ &&
           events.first_time() + least_left_ns_ <= enough_ns_) {
      const std::size_t second = events.second_slot();
      if (footprint_.by_lines && second < slots_.size()) prefetch(slots_[second]);
      events.move_first(advance(slots_[events.first_slot()], events.first_time()));
    }
    if (!events.is_over()) stop_at(events.first_time());
    return finish();
  }

  // Loops by cp.async of one program an SM whose tiles do not stay in L2. While programs keep step each tile is read
  // once a wave and DRAM's load is low; once they drift apart it is high, clocks fall by different amounts, and they
  // drift faster. Near the load where that begins two launches on one chip differ by up to a factor of two
  // (calibration/walk.cu).
  bool drift_is_chance(const Schedule& done) const {
    if (options_.ctas_per_sm != 1 || device_.group_pace_ppm.empty() ||
        done.dram_read_bytes < device_.rereads_from * done.distinct_read_bytes)
      return false;
    const double in_step =
        done.wave_count_read_bytes / (done.model_ms * 1e6) / (device_.dram_gb_per_s * device_.dram_reachable);
    return std::ranges::any_of(record_.segments, [&](const trace::Segment& s) {
      const SegmentWork& w = work_.of(static_cast<std::uint32_t>(&s - record_.segments.data()));
      return w.ahead > 0 && !w.takes_all_power &&
             std::abs(w.l2_load + device_.pace_load_dram * in_step - device_.pace_load_from) <
                 device_.pace_load_uncertain;
    });
  }

 private:
  // An access of a segment: its run, its tile in the iteration to come (a unit where the run is one, else a piece), and
  // what its tiles found.
  struct alignas(32) Stream {
    std::uint32_t run, tile;
    Memory::Tally tally;
  };
  // A place on an SM, and the program that runs there; what each iteration looks at fills two lines of the processor's
  // cache.
  struct alignas(64) Slot {
    std::uint32_t streams = 0;          // of its segment
    std::uint32_t iterations_left = 0;  // of the segment, the one to come included; 0: the program has ended
    int sm = 0;
    std::uint32_t pace_window =
        0;                    // `pace` is of this window of DRAM's load; 0: of other programs than run on the SM now
    double ns = 0, pace = 1;  // of an iteration's work at pace 1; of all that runs now
    double jitter = 0, late_ns = 0;
    Pipeline pipeline;
    double own_pace = 1, group_pace = 0;           // that `pace` is made of
    std::uint32_t program = UINT32_MAX;            // none
    std::uint32_t segment = 0, segments_left = 0;  // this one included
    std::uint32_t step = 0;
    int index = 0, wave = -1;
    Sectors reads;
  };
  // What runs on an SM, and where.
  struct Running {
    std::vector<std::uint32_t> programs, slots;
  };

  // When each slot's first event is due.
  std::vector<double> place_first_programs() {
    std::vector<double> times;
    const std::size_t places =
        std::min(record_.programs.size(), static_cast<std::size_t>(options_.ctas_per_sm) * map_.order.size());
    for (const trace::Segment& s : record_.segments) most_streams_ = std::max<std::size_t>(most_streams_, s.size);
    slots_.reserve(places), streams_.resize(places * most_streams_);
    out_.programs.resize(record_.programs.size());
    for (std::int64_t layer = 0; layer < options_.ctas_per_sm; ++layer)
      for (const int sm : map_.order) {
        if (started_ == record_.programs.size()) return times;
        running_[sm].slots.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.push_back({});
        slots_.back().sm = sm, slots_.back().index = static_cast<int>(layer);
        times.push_back(begin_program(slots_.back(), 0));
      }
    return times;
  }

  // Starts vary by some tenths of a microsecond (calibration/pace.cu).
  [[gnu::noinline]] double begin_program(Slot& s, double now) {
    s.program = started_++;
    now = std::max(now, next_issue_), next_issue_ = now + device_.cta_issue_ns;
    const trace::ProgramAccesses& own = record_.programs[s.program];
    now += device_.start_spread_ns * random_.uniform() *
           (own.size > 0 && work_.of(own.first).in_step ? device_.start_spread_in_step
                                                        : 1);  // one that touches no memory has no work to look up
    running_[s.sm].programs.push_back(s.program);
    forget_paces(s.sm);
    s.segments_left = own.size, s.step = 0;
    s.reads = {};
    ProgramRun& run = out_.programs[s.program];
    run.sm = s.sm, run.slot = s.index, run.wave = ++s.wave;
    run.start_us = now * 1e-3;
    begin_segment(s, own.first, now);
    return now;
  }

  void forget_paces(int sm) {
    for (const std::uint32_t slot : running_[sm].slots) slots_[slot].pace_window = 0;
  }

  double least_ns(std::uint32_t segment) const {
    return work_.least_ns(record_.segments[segment], segment, static_cast<double>(device_.sms),
                          static_cast<double>(options_.ctas_per_sm));
  }

  void begin_segment(Slot& s, std::uint32_t index, double now) {
    s.iterations_left = s.streams = 0;
    if (s.segments_left == 0) return;
    if (least_left_ns_ > 0) least_left_ns_ -= least_ns(index);
    const trace::Segment& segment = record_.segments[index];
    const SegmentWork& work = work_.of(index);
    s.segment = index, s.iterations_left = static_cast<std::uint32_t>(segment.iterations);
    for (std::uint32_t a = segment.first; a < segment.first + segment.size; ++a)
      if (const std::uint32_t r = footprint_.run_of_access[a]; r != UINT32_MAX)
        streams_[first_stream(s) + s.streams++] = {
            r, footprint_.runs[r].is_one_unit ? footprint_.runs[r].first_unit : footprint_.runs[r].first_piece, {}};
    s.ns = work.ns, s.pace_window = 0;
    s.pipeline.begin(now, work.ahead);
  }

  // How much longer an iteration takes now. The programs of an SM share its units. Its tensor cores serve the warps of
  // the older program first (calibration/pace.cu). Each GPC has its own clock, and how much of the difference shows
  // depends on the power that the loop takes (calibration/walk.cu, loops.cu).
  double pace_of(Slot& s) {
    if (s.pace_window != memory_.load_windows()) update_pace(s);
    return s.jitter > 0 ? s.pace * (1 + s.jitter * (random_.uniform() - 0.5)) : s.pace;
  }

  [[gnu::noinline]] void update_pace(Slot& s) const {
    if (s.pace_window == 0) find_sm_pace(s);
    s.pace_window = memory_.load_windows();
    const SegmentWork& w = work_.of(s.segment);
    const double shown =
        std::clamp(w.takes_all_power ? part_of(memory_.dram_load(), device_.tma_busy_from, device_.tma_busy_full)
                                     : shown_by_load(w),
                   0.0, 1.0);
    s.pace =
        s.own_pace * (1 + s.group_pace * (w.idle_share + (w.busy_share - w.idle_share) * shown)) * clock_slowdown(w);
  }

  // All clocks together.
  double clock_slowdown(const SegmentWork& w) const {
    if (w.takes_all_power) return memory_.clock_slowdown();
    return w.l2_load > 0 ? 1 + device_.pace_load_slower * std::max(0.0, load_of(w) - device_.pace_load_from) : 1;
  }

  double load_of(const SegmentWork& w) const { return w.l2_load + device_.pace_load_dram * memory_.dram_load(); }

  static double part_of(double x, double from, double full) { return (x - from) / (full - from); }

  double shown_by_load(const SegmentWork& w) const {
    const double load = load_of(w),
                 early = device_.pace_settle_ns > 0 ? 1 - memory_.window_end_ns() / device_.pace_settle_ns : 0;
    return std::max(part_of(load, device_.pace_load_from, device_.pace_load_full), early);
  }

  void find_sm_pace(Slot& s) const {
    const auto sm = static_cast<std::size_t>(s.sm);
    const auto& programs = running_[sm].programs;
    const SegmentWork& w = work_.of(s.segment);
    s.own_pace = (1 + w.sm_share * sm_pace_[sm]) * std::max(w.least_pace, static_cast<double>(programs.size()));
    s.group_pace =
        device_.group_pace_ppm.empty() ? 0 : 1e-6 * static_cast<double>(device_.group_pace_ppm[map_.group[sm]]);
    s.late_ns = w.late_ns;
    s.jitter = w.age_step != 0 && programs.size() < 2 ? 0 : w.jitter;
    if (w.age_step != 0 && programs.size() > 1) {
      const auto older =
          std::count_if(programs.begin(), programs.end(), [&](std::uint32_t p) { return p < s.program; });
      s.own_pace /= 1 - w.age_step * (static_cast<double>(older) / static_cast<double>(programs.size() - 1) - 0.5);
    }
  }

  std::size_t first_stream(const Slot& s) const { return static_cast<std::size_t>(&s - slots_.data()) * most_streams_; }
  std::span<Stream> streams_of(const Slot& s) { return {streams_.data() + first_stream(s), s.streams}; }

  // The lines that advance() will look at; whole tiles are so few that asking for them costs more than waiting.
  void prefetch(const Slot& s) {
    for (const Stream& at : streams_of(s)) memory_.prefetch(footprint_.pieces[at.tile], s.sm);
  }

  // One iteration of the slot's program at `now`; returns when its next event is due, never when the slot stays empty.
  double advance(Slot& s, double now) {
    if (s.iterations_left == 0) return end_program(s, now);
    Sectors& found = keeps_steps_ ? of_step_ : s.reads;
    double ready = now;
    for (Stream& at : streams_of(s)) {
      const TileRun& run = footprint_.runs[at.run];
      const Sectors before = keeps_accesses_ ? found : Sectors{};
      double there = now;
      if (run.is_one_unit) {
        there = memory_.load(run, at.tile, s.sm, now, at.tally);
        at.tile += run.unit_step;
      } else if (const Piece& piece = footprint_.pieces[at.tile++]; run.kind == trace::AccessKind::load) {
        there = memory_.load(run, piece, s.sm, now, at.tally, found);
      } else {
        memory_.store(run, piece, s.sm, now);
        written_ += double(run.bytes);
        if (run.additions > 0) there = memory_.additions_done() - device_.atomic_queue_ns;
      }
      ready = std::max(ready, there);
      if (keeps_accesses_ && !out_.steps_cut) keep_access(s, at, there, before);
    }
    const double work = s.ns * pace_of(s);
    if (s.late_ns > 0) ready += s.late_ns * random_.uniform();
    double next = s.pipeline.step(now, ready, work);
    if (counts_each_step_) count(s, found);
    if (keeps_steps_) keep_step(s, now, ready, next, work);
    ++s.step;
    if (--s.iterations_left > 0) return next;
    if (!counts_each_step_) count(s, found);
    next = std::max(next, s.pipeline.drain(work));
    --s.segments_left;
    begin_segment(s, s.segment + 1, next);
    return next;
  }

  void count(Slot& s, Sectors& found) {
    for (Stream& at : streams_of(s))
      if (footprint_.runs[at.run].kind == trace::AccessKind::load)
        memory_.count(footprint_.runs[at.run], at.tally, found);
  }

  [[gnu::noinline]] double end_program(Slot& s, double now) {
    ProgramRun& run = out_.programs[s.program];
    run.end_us = now * 1e-3;
    Running& running = running_[s.sm];
    std::erase(running.programs, s.program);
    forget_paces(s.sm);
    run.reads = s.reads;
    last_ = std::max(last_, now);
    if (started_ == record_.programs.size()) return NextEvent::never;
    return begin_program(s, now + device_.cta_launch_ns);
  }

  // Programs that are under way go no further.
  void stop_at(double now) {
    out_.is_beginning = true;
    last_ = now;
    for (const Running& running : running_)
      for (const std::uint32_t p : running.programs)
        out_.programs[p].end_us = std::max(out_.programs[p].start_us, now * 1e-3);
  }

  // Before the step's tallies are counted.
  [[gnu::noinline]] void keep_access(const Slot& s, const Stream& at, double there, const Sectors& before) {
    const TileRun& run = footprint_.runs[at.run];
    const trace::Segment& segment = record_.segments[s.segment];
    const auto iteration = static_cast<std::uint32_t>(segment.iterations) - s.iterations_left;
    const Memory::Tally& t = at.tally;
    FoundAt found = FoundAt::l1;
    if (run.kind != trace::AccessKind::load) found = FoundAt::written;
    else if (t.near_misses + t.far_misses > 0 || of_step_.misses > before.misses) found = FoundAt::dram;
    else if (t.far_hits > 0 || of_step_.far_hits > before.far_hits) found = FoundAt::far;
    else if (t.near_hits > 0 || of_step_.near_hits > before.near_hits) found = FoundAt::near;
    else if (t.merged > 0 || of_step_.merged > before.merged) found = FoundAt::merged;
    out_.accesses.push_back({access_of(s, at), footprint_.tile_numbers[run.first_piece + iteration],
                             static_cast<float>(there * 1e-3), found});
  }

  // Streams leave out the accesses that touch nothing.
  std::uint32_t access_of(const Slot& s, const Stream& at) const {
    std::uint32_t access = record_.segments[s.segment].first;
    for (auto left = &at - &streams_[first_stream(s)];; ++access)
      if (footprint_.run_of_access[access] != UINT32_MAX && left-- == 0) return access;
  }

  [[gnu::noinline]] void keep_step(Slot& s, double start, double ready, double end, double work) {
    const double before = std::exchange(dram_read_, memory_.dram_read_bytes()), read = dram_read_ - before;
    const auto us = [](double ns) { return static_cast<float>(ns * 1e-3); };
    if (static_cast<std::int64_t>(out_.steps.size()) < options_.step_limit)
      out_.steps.push_back({s.program, s.step, us(start), us(end),
                            us(std::max(start, ready - read / (device_.dram_gb_per_s * device_.dram_reachable))),
                            us(ready), of_step_, written_, read, us(work),
                            us(s.ns > 0 ? work * work_.of(s.segment).dot_ns / s.ns : 0), s.segment, s.pipeline.ahead(),
                            accesses_kept_, static_cast<std::uint32_t>(out_.accesses.size()) - accesses_kept_});
    else out_.steps_cut = true;
    accesses_kept_ = static_cast<std::uint32_t>(out_.accesses.size());
    for (; changes_timed_ < out_.l2_changes.size(); ++changes_timed_) out_.l2_changes[changes_timed_].us = us(start);
    s.reads += of_step_;
    of_step_ = {}, written_ = 0;
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
    out_.dirty_bytes_left = t.dirty_bytes_left, out_.others_written_bytes = t.others_written;
    (footprint_.by_lines ? out_.line_accesses : out_.tile_accesses) = t.unit_accesses;
    out_.model_ms = (std::max(last_, memory_.additions_done()) + launch_ns_) * 1e-6;
    return std::move(out_);
  }

  const AccessRecord& record_;
  const Device& device_;
  const ScheduleOptions& options_;
  const SmMap map_;
  const Footprint footprint_;
  Memory memory_;
  const Work work_;
  const bool keeps_steps_, keeps_accesses_, counts_each_step_;
  const std::int64_t enough_steps_;
  const double launch_ns_;
  const double enough_ns_;
  double least_left_ns_ = 0;  // of segments that have not begun; 0 as well where `enough_ns_` is infinite
  static constexpr std::uint32_t most_noted_units = 1 << 16;
  Random random_;
  std::vector<Running> running_;  // by SM
  std::vector<double> sm_pace_;
  std::vector<Slot> slots_;
  std::size_t most_streams_ = 1;  // of a slot
  std::vector<Stream> streams_;   // slot by slot
  std::uint32_t started_ = 0;
  double next_issue_ = 0;  // the chip's dispatcher starts one CTA after the other
  double last_ = 0;
  Sectors of_step_;  // of the step at hand
  double written_ = 0;
  double dram_read_ = 0;             // up to it
  std::uint32_t accesses_kept_ = 0;  // of out_.accesses: those of earlier steps
  std::size_t changes_timed_ = 0;

 public:
  Schedule out_;
  const Footprint& footprint() const { return footprint_; }
};

}  // namespace

Schedule simulate(const AccessRecord& record, const Device& device, const ScheduleOptions& options) {
  const auto begun = std::chrono::steady_clock::now();
  if (record.programs.empty())
    throw Error("the launch of " + record.kernel + " has no programs",
                "choose a larger size, so that the grid holds at least one program");
  if (options.ctas_per_sm < 1)
    throw Error("an SM of " + device.title + " holds no CTA of " + record.kernel,
                "smaller blocks or fewer stages: tilescope occupancy says which resource is exceeded");

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
  state_interval(done, device);
  if (simulation.drift_is_chance(done))
    done.notes.push_back(
        fmt::format("This loop takes nearly all the power there is: whether its programs stay in step is chance, and "
                    "an H200 may read from {:.3g} GB, all in step, to twice that.",
                    done.wave_count_read_bytes * 1e-9));
  done.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  return done;
}

}  // namespace tl::machine
