#include "interp/machine/schedule/simulation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "interp/machine/schedule/next_event.h"

namespace tl::machine {

Simulation::Simulation(const trace::AccessRecord& record, const Device& device, const ScheduleOptions& options)
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

Schedule Simulation::run() {
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

std::vector<double> Simulation::place_first_programs() {
  std::vector<double> times;
  const std::size_t places =
      std::min(record_.programs.size(), static_cast<std::size_t>(options_.ctas_per_sm) * map_.order.size());
  for (const trace::Segment& s : record_.segments) most_streams_ = std::max<std::size_t>(most_streams_, s.size);
  slots_.reserve(places);
  streams_.resize(places * most_streams_);
  out_.programs.resize(record_.programs.size());
  for (std::int64_t layer = 0; layer < options_.ctas_per_sm; ++layer)
    for (const int sm : map_.order) {
      if (started_ == record_.programs.size()) return times;
      running_[sm].slots.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.push_back({});
      slots_.back().sm = sm;
      slots_.back().index = static_cast<int>(layer);
      times.push_back(begin_program(slots_.back(), 0));
    }
  return times;
}

// Starts vary by some tenths of a microsecond (probes/pace.cu): later ones, which follow others in their places, about
// what they take in the mean (probes/ctas.cu).
double Simulation::begin_program(Slot& s, double now) {
  const bool is_first = s.wave < 0;
  s.program = started_++;
  now = std::max(now, next_issue_);
  next_issue_ = now + device_.cta_issue_ns;
  const trace::ProgramAccesses& own = record_.programs[s.program];
  const bool in_step =
      own.size > 0 && work_.of(own.first).in_step;  // one that touches no memory has no work to look up
  now += device_.start_spread_ns * (in_step ? device_.start_spread_in_step : 1) *
         (random_.uniform() - (is_first || in_step ? 0 : 0.5));
  running_[s.sm].programs.push_back(s.program);
  forget_paces(s.sm);
  s.segments_left = own.size;
  s.step = 0;
  s.reads = {};
  ProgramRun& run = out_.programs[s.program];
  run.sm = s.sm;
  run.slot = s.index;
  run.wave = ++s.wave;
  run.start_us = now * 1e-3;
  if (is_first) now += device_.cta_begin_ns;
  begin_segment(s, own.first, now);
  return now;
}

double Simulation::least_ns(std::uint32_t segment) const {
  return work_.least_ns(record_.segments[segment], segment, static_cast<double>(device_.sms),
                        static_cast<double>(options_.ctas_per_sm));
}

void Simulation::begin_segment(Slot& s, std::uint32_t index, double now) {
  s.iterations_left = s.streams = 0;
  if (s.segments_left == 0) return;
  if (least_left_ns_ > 0) least_left_ns_ -= least_ns(index);
  const trace::Segment& segment = record_.segments[index];
  const SegmentWork& work = work_.of(index);
  s.segment = index;
  s.iterations_left = static_cast<std::uint32_t>(segment.iterations);
  for (std::uint32_t a = segment.first; a < segment.first + segment.size; ++a)
    if (const std::uint32_t r = footprint_.run_of_access[a]; r != UINT32_MAX)
      streams_[first_stream(s) + s.streams++] = {
          r, footprint_.runs[r].is_one_unit ? footprint_.runs[r].first_unit : footprint_.runs[r].first_piece, {}};
  s.ns = work.ns;
  s.pace_window = 0;
  s.pipeline.begin(now, work.ahead);
}

// The lines that advance() will look at; whole tiles are so few that asking for them costs more than waiting.
void Simulation::prefetch(const Slot& s) {
  for (const Stream& at : streams_of(s)) memory_.prefetch(footprint_.pieces[at.tile], s.sm);
}

// One iteration of the slot's program at `now`; returns when its next event is due, never when the slot stays empty.
double Simulation::advance(Slot& s, double now) {
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

void Simulation::count(Slot& s, Sectors& found) {
  for (Stream& at : streams_of(s))
    if (footprint_.runs[at.run].kind == trace::AccessKind::load)
      memory_.count(footprint_.runs[at.run], at.tally, found);
}

double Simulation::end_program(Slot& s, double now) {
  ProgramRun& run = out_.programs[s.program];
  run.end_us = now * 1e-3;
  Running& running = running_[s.sm];
  std::erase(running.programs, s.program);
  forget_paces(s.sm);
  run.reads = s.reads;
  last_ = std::max(last_, now);
  if (started_ == record_.programs.size()) return NextEvent::never;
  const std::int64_t threads = options_.threads_per_cta > 0 ? options_.threads_per_cta : 32 * record_.num_warps;
  return begin_program(s, now + device_.cta_launch_ns + device_.cta_launch_thread_ns * static_cast<double>(threads));
}

// Programs that are under way go no further.
void Simulation::stop_at(double now) {
  out_.is_beginning = true;
  last_ = now;
  for (const Running& running : running_)
    for (const std::uint32_t p : running.programs)
      out_.programs[p].end_us = std::max(out_.programs[p].start_us, now * 1e-3);
}

Schedule Simulation::finish() {
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
  out_.fabric_sectors = t.fabric_sectors;
  out_.raw_lookups = t.raw_lookups;
  out_.raw_hits = t.raw_hits;
  out_.dirty_bytes_left = t.dirty_bytes_left;
  out_.others_written_bytes = t.others_written;
  (footprint_.by_lines ? out_.line_accesses : out_.tile_accesses) = t.unit_accesses;
  out_.model_ms = (std::max(last_, memory_.additions_done()) + launch_ns_) * 1e-6;
  return std::move(out_);
}

}  // namespace tl::machine
