// The launch as events: the resident programs by the time of their next iteration.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interp/machine/schedule/memory.h"
#include "interp/machine/schedule/pipeline.h"
#include "interp/machine/schedule/schedule.h"
#include "interp/machine/schedule/work.h"

namespace tl::machine {

class Simulation {
 public:
  Simulation(const trace::AccessRecord& record, const Device& device, const ScheduleOptions& options);

  Schedule run();
  // Loops by cp.async of one program an SM whose tiles do not stay in L2. While programs keep step each tile is read
  // once a wave and DRAM's load is low; once they drift apart it is high, clocks fall by different amounts, and they
  // drift faster. Near the load where that begins two launches on one chip differ by up to a factor of two
  // (probes/walk.cu).
  bool drift_is_chance(const Schedule& done) const;
  const Footprint& footprint() const { return footprint_; }

  Schedule out_;

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

  // simulation.cpp
  std::vector<double> place_first_programs();  // when each slot's first event is due
  [[gnu::noinline]] double begin_program(Slot& s, double now);
  double least_ns(std::uint32_t segment) const;
  void begin_segment(Slot& s, std::uint32_t index, double now);
  double advance(Slot& s, double now);  // one iteration; returns when the next event of the slot is due
  [[gnu::noinline]] double end_program(Slot& s, double now);
  void stop_at(double now);
  void prefetch(const Slot& s);
  void count(Slot& s, Sectors& found);
  Schedule finish();
  std::size_t first_stream(const Slot& s) const { return static_cast<std::size_t>(&s - slots_.data()) * most_streams_; }
  std::span<Stream> streams_of(const Slot& s) { return {streams_.data() + first_stream(s), s.streams}; }

  // simulation_pace.cpp
  // How much longer an iteration takes now. The programs of an SM share its units. Its tensor cores serve the warps of
  // the older program first (probes/pace.cu). Each GPC has its own clock, and how much of the difference shows
  // depends on the power that the loop takes (probes/walk.cu, loops.cu).
  double pace_of(Slot& s) {
    if (s.pace_window != memory_.load_windows()) update_pace(s);
    return s.jitter > 0 ? s.pace * (1 + s.jitter * (random_.uniform() - 0.5)) : s.pace;
  }

  void update_pace(Slot& s) const;  // of this window of DRAM's load
  void find_sm_pace(Slot& s) const;
  double clock_slowdown(const SegmentWork& w) const;
  double load_of(const SegmentWork& w) const;
  double shown_by_load(const SegmentWork& w) const;
  void forget_paces(int sm) {
    for (const std::uint32_t slot : running_[sm].slots) slots_[slot].pace_window = 0;
  }

  // simulation_steps.cpp
  void keep_access(const Slot& s, const Stream& at, double there, const Sectors& before);
  std::uint32_t access_of(const Slot& s, const Stream& at) const;
  void keep_step(Slot& s, double start, double ready, double end, double work);

  const trace::AccessRecord& record_;
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
  double dram_read_ = 0, dram_written_ = 0;  // up to it
  std::uint32_t accesses_kept_ = 0;          // of out_.accesses: those of earlier steps
  std::size_t changes_timed_ = 0;
};

}  // namespace tl::machine
