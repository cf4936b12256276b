// The launch as events: a heap of resident programs by the time of their next iteration.
#include "interp/machine/schedule.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "interp/lang/error.h"
#include "interp/machine/distinct.h"
#include "interp/machine/memory.h"
#include "interp/machine/pipeline.h"
#include "interp/machine/work.h"

namespace tl::machine {

Sectors& Sectors::operator+=(const Sectors& o) {
  requested += o.requested, l1_hits += o.l1_hits, merged += o.merged, near_hits += o.near_hits, far_hits += o.far_hits, misses += o.misses;
  return *this;
}

namespace {

using trace::AccessRecord;

class Simulation {
 public:
  Simulation(const AccessRecord& record, const Device& device, const ScheduleOptions& options)
      : record_(record), device_(device), options_(options), map_(sm_map_of(device)), footprint_(footprint_of(record, device, options.by_lines)),
        memory_(device, map_, footprint_, options), work_(record, device, options), random_(options.seed + 2),
        residents_(static_cast<std::size_t>(device.sms), 0) {
    for (std::int64_t sm = 0; sm < device.sms; ++sm) sm_pace_.push_back(1 + device.sm_speed_spread * (random_.uniform() - 0.5));
  }

  Schedule run() {
    place_first_programs();
    while (!heap_.empty()) {
      const double now = heap_.front().at;
      const std::uint32_t slot = heap_.front().slot;
      const double next = advance(slots_[slot], now);
      if (next >= 0) replace_first({next, slot});
      else pop_first();
    }
    return finish();
  }

 private:
  struct Event {
    double at;
    std::uint32_t slot;
  };
  // A place on an SM, and the program that runs there.
  struct Slot {
    int sm = 0, index = 0, wave = -1;
    std::uint32_t program = UINT32_MAX;  // none
    std::uint32_t segment = 0;           // of the program
    std::int64_t iteration = 0;
    std::uint32_t step = 0;
    Sectors reads;
    Pipeline pipeline;
  };

  void place_first_programs() {
    out_.programs.resize(record_.programs.size());
    for (std::int64_t layer = 0; layer < options_.ctas_per_sm; ++layer)
      for (const int sm : map_.order) {
        if (started_ == record_.programs.size()) return;
        slots_.push_back({});
        slots_.back().sm = sm, slots_.back().index = static_cast<int>(layer);
        const auto slot = static_cast<std::uint32_t>(slots_.size() - 1);
        // a layer is placed within about a tenth of a microsecond
        push({begin_program(slots_.back(), 0.5 * static_cast<double>(started_)), slot});
      }
  }

  double begin_program(Slot& s, double now) {
    s.program = started_++;
    ++residents_[static_cast<std::size_t>(s.sm)];
    s.segment = 0, s.iteration = 0, s.step = 0;
    s.reads = {};
    ProgramRun& run = out_.programs[s.program];
    run.sm = s.sm, run.slot = s.index, run.wave = ++s.wave;
    run.start_us = now * 1e-3;
    if (record_.programs[s.program].size > 0) s.pipeline.begin(now, work_.of(segment_index(s)).ahead);
    return now;
  }

  // The programs of an SM share its units, the later ones a little less of them (calibration/streams.cu, shared_sm): 2.3 % on an H200.
  double pace_of(const Slot& s) const {
    const int n = residents_[static_cast<std::size_t>(s.sm)];
    return sm_pace_[static_cast<std::size_t>(s.sm)] * n * (1 + device_.slot_speed_step * (s.index - 0.5 * (n - 1)));
  }

  std::uint32_t segment_index(const Slot& s) const { return record_.programs[s.program].first + s.segment; }

  // One iteration of the slot's program at `now`; returns when its next event is due, negative when the slot stays empty.
  double advance(Slot& s, double now) {
    if (s.segment >= record_.programs[s.program].size) return end_program(s, now);
    const std::uint32_t index = segment_index(s);
    const trace::Segment& segment = record_.segments[index];
    const SegmentWork& w = work_.of(index);
    Sectors found;
    double ready = now, written = 0;
    for (std::uint32_t a = segment.first; a < segment.first + segment.size; ++a) {
      const std::uint32_t r = footprint_.run_of_access[a];
      if (r == UINT32_MAX) continue;
      const Run& run = footprint_.runs[r];
      const Piece& piece = footprint_.pieces[run.first_piece + static_cast<std::size_t>(s.iteration)];
      if (run.kind != trace::AccessKind::load) {
        memory_.store(run, piece, s.sm, now);
        out_.tensors[static_cast<std::size_t>(run.tensor)].written_bytes += double(run.bytes);
        written += double(run.bytes);
        continue;
      }
      Sectors one;
      ready = std::max(ready, memory_.load(run, piece, s.sm, now, one));
      out_.tensors[static_cast<std::size_t>(run.tensor)].reads += one;
      found += one;
    }
    s.reads += found;
    const double work = w.ns * pace_of(s);
    double next = s.pipeline.step(now, ready, work);
    keep_step(s, now, next, found, written);
    ++s.step;
    if (++s.iteration < segment.iterations) return next;
    next = std::max(next, s.pipeline.drain(work));
    s.iteration = 0;
    if (++s.segment < record_.programs[s.program].size) s.pipeline.begin(next, work_.of(segment_index(s)).ahead);
    return next;
  }

  double end_program(Slot& s, double now) {
    ProgramRun& run = out_.programs[s.program];
    run.end_us = now * 1e-3;
    --residents_[static_cast<std::size_t>(s.sm)];
    run.reads = s.reads;
    last_ = std::max(last_, now);
    if (started_ == record_.programs.size()) return -1;
    return begin_program(s, now + device_.cta_launch_ns);
  }

  void keep_step(const Slot& s, double start, double end, const Sectors& found, double written) {
    if (static_cast<std::int64_t>(out_.steps.size()) < options_.step_limit)
      out_.steps.push_back({s.program, s.step, static_cast<float>(start * 1e-3), static_cast<float>(end * 1e-3), found, written});
    else out_.steps_cut = options_.step_limit > 0;
  }

  // A heap of four children a node, its first the earliest; equal times in the order of slots.
  static bool before(const Event& a, const Event& b) { return a.at < b.at || (a.at == b.at && a.slot < b.slot); }
  void push(Event e) {
    std::size_t at = heap_.size();
    heap_.push_back(e);
    for (; at > 0 && before(e, heap_[(at - 1) / 4]); at = (at - 1) / 4) heap_[at] = heap_[(at - 1) / 4];
    heap_[at] = e;
  }
  void replace_first(Event e) {
    std::size_t at = 0;
    const std::size_t n = heap_.size();
    while (at * 4 + 1 < n) {
      std::size_t least = at * 4 + 1;
      for (std::size_t c = least + 1; c < std::min(at * 4 + 5, n); ++c)
        if (before(heap_[c], heap_[least])) least = c;
      if (!before(heap_[least], e)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = e;
  }
  void pop_first() {
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) replace_first(last);
  }

  Schedule finish() {
    out_.by_lines = footprint_.by_lines;
    if (footprint_.by_lines && !options_.by_lines)
      out_.notes.push_back("tiles of \"" + footprint_.why_lines + "\" overlap in part: L2 is followed line by line");
    const Memory::Totals t = memory_.totals();
    for (std::size_t i = 0; i < out_.tensors.size(); ++i) {
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
  std::vector<int> residents_;  // programs that run on an SM now
  std::vector<double> sm_pace_;
  std::vector<Slot> slots_;
  std::vector<Event> heap_;
  std::uint32_t started_ = 0;
  double last_ = 0;

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
  Schedule done = simulation.run();
  state_interval(done, device);
  done.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  return done;
}

}  // namespace tl::machine
