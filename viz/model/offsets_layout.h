// The content of an offsets picture: the same access in neighbouring programs, their lanes in runs, a part of memory.
#pragma once

#include "viz/model/moment.h"
#include "viz/model/panel.h"
#include "viz/model/sheet.h"

namespace tl::viz {

inline constexpr std::int64_t most_lanes = 4096;  // of a block that is taken lane by lane

// Consecutive lanes that are all active on consecutive elements, or all masked.
struct LaneRun {
  std::int64_t first_lane = 0, lanes = 0, element = 0;
  bool is_active = false;
  std::int64_t end() const { return element + lanes; }
};

// The lanes of one program.
struct ProgramLanes {
  AccessStep step;
  bool is_done = false, is_here = false;
  std::vector<LaneRun> runs = {};
  const trace::RecordedAccess& access() const { return *step.access; }
};

// As drawn: each lane, or merged where neighbours do the same.
std::vector<LaneRun> runs_of(const trace::RecordedAccess& access, bool merge);
// The same access in the programs around this one.
std::vector<ProgramLanes> programs_around(const debug::Session& session, const AccessStep& here);

// Elements in a row that the same programs touch.
struct Stretch {
  std::int64_t first = 0, end = 0;
  int programs = 0;
  std::size_t owner = 0;  // index of the program, where it is one
};
std::vector<Stretch> stretches_of(const std::vector<ProgramLanes>& programs);

// Blocks of two axes over a tensor: the tensor as an image, the programs' tiles on it, the block's own lanes.
bool goes_over_image(const AccessStep& here);
Drawing draw_offsets_over_image(Scene& scene, const AccessStep& here, const Canvas& canvas);

// The part of memory that is shown: the touched elements, and as many around them as have room.
struct MemoryWindow {
  std::int64_t low = 0, high = 0;      // elements, both shown
  std::int64_t before = 0, after = 0;  // places beyond the tensor's ends, where masked lanes would fall
  bool has_numbers = false;            // few elements and lanes: a cell an element, with its value
  float left = 0, cell = 0;

  std::int64_t elements() const { return high - low + 1; }
  float x_of(std::int64_t element) const { return left + length(element - low) * cell; }
};
MemoryWindow window_of(const std::vector<ProgramLanes>& programs, const AccessStep& here, const Sheet& sheet);

}  // namespace tl::viz
